"""Exercises of chapter 11: references by plain loops and as attnlib has it, answers as written."""

import functools
import itertools
import math

import numpy as np
import pytest

from attnlib import scaled_dot_product_attention
from attnlib.blocks import EncoderBlock, layer_norm
from attnlib.exercises import check, find
from attnlib.exercises.block.sorting_network import applied, judge_sorting_network
from tests.helpers.exercise_replies import as_readers_write


def reference(name):
    return find(f"block.{name}").reference


def test_normalize_rows_by_a_plain_loop_and_as_attnlib_has_it():
    rng = np.random.default_rng(0)
    X, gain, bias = rng.normal(size=(2, 3, 5)), rng.normal(size=5), rng.normal(size=5)
    found = reference("normalize_rows")(X, gain, bias, 0.2)
    np.testing.assert_allclose(found, layer_norm(X, gain, bias, 0.2))
    for b, i in np.ndindex(2, 3):
        row = X[b, i].tolist()
        mean = sum(row) / 5
        sigma = math.sqrt(sum((x - mean) ** 2 for x in row) / 5 + 0.2)
        expected = [g * (x - mean) / sigma + c for x, g, c in zip(row, gain, bias)]
        np.testing.assert_allclose(found[b, i], expected)


@pytest.mark.parametrize("norm_first", [True, False])
def test_run_block_is_the_encoder_block(norm_first):
    rng = np.random.default_rng(1)
    block = EncoderBlock.random(rng, d_model=6, n_heads=2, norm_first=norm_first)
    X = rng.normal(size=(4, 6))

    def attention(Z):
        return block.attention(Z)[0]

    parts = attention, block.feed_forward, block.norm_1, block.norm_2
    found = reference("run_block")(X, *parts, norm_first)
    np.testing.assert_allclose(found, block(X)[0])


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("d_model, d_ff, n_heads", [(4, 8, 1), (6, 5, 3), (12, 48, 4)])
def test_parameter_count_is_what_is_counted(d_model, d_ff, n_heads, bias):
    rng = np.random.default_rng(2)
    block = EncoderBlock.random(rng, d_model, n_heads, d_ff, bias=bias)
    assert reference("parameter_count")(d_model, d_ff, bias) == block.parameter_count


def test_dropped_weights_are_right_on_average_and_spread_as_the_chapter_says():
    rng, p, draws = np.random.default_rng(3), 0.25, 20_000
    Q, K = rng.normal(size=(2, 4)), rng.normal(size=(5, 4))
    _, weights = scaled_dot_product_attention(Q, K, K)
    keep = rng.random((draws, 2, 5)) >= p
    found = reference("drop_weights")(np.broadcast_to(weights, keep.shape), keep, p)
    error = np.sqrt(p / (1 - p) / draws)
    np.testing.assert_allclose(found.mean(axis=0), weights, atol=4 * error)
    sums = found.sum(axis=-1)
    np.testing.assert_allclose(sums.mean(axis=0), 1, atol=4 * error)
    spread = np.sqrt(p / (1 - p) * (weights**2).sum(axis=-1))
    np.testing.assert_allclose(sums.std(axis=0), spread, rtol=0.03)


def test_one_hidden_unit_sorts_every_pair_whatever_its_size():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(1000, 2)) * 10 ** rng.uniform(-3, 3, (1000, 1))
    unit = reference("sorting_network")
    np.testing.assert_allclose(applied(unit, X), np.sort(X, axis=1), rtol=1e-9, atol=1e-9)
    for size in (0.1, 2.0, 30.0):  # what goes in may be larger if what comes out is smaller
        assert judge_sorting_network(unit * np.array([[size], [1 / size]])) is None
        assert judge_sorting_network(unit * size) is not None


def test_one_hidden_unit_that_is_judged_right_sorts():
    """Of many units, those that pass are those that sort pairs that the judge has not seen."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    for unit in rng.integers(-2, 3, size=(400, 2, 2)).astype(float):
        sorts = np.allclose(applied(unit, X), np.sort(X, axis=1))
        assert (judge_sorting_network(unit) is None) == sorts


def test_answers_in_other_words_get_the_reply_to_their_mistake():
    def sample_deviation(X, gain, bias, epsilon):
        centred = X - X.mean(-1, keepdims=True)
        variance = (centred**2).sum(-1, keepdims=True) / (X.shape[-1] - 1)
        return bias + gain * centred * (variance + epsilon) ** -0.5

    def outside(X, gain, bias, epsilon):
        centred = X - X.mean(-1, keepdims=True)
        return centred / (X.std(-1, keepdims=True) + epsilon) * gain + bias

    def row_by_row(X, gain, bias, epsilon):
        """A loop over the first axis, which in a batch holds texts."""
        return np.array([(x - x.mean()) / np.sqrt(x.var() + epsilon) * gain + bias for x in X])

    def overwritten(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            X = norm_1(X)
            X = X + attention(X)
            X = norm_2(X)
            return X + network(X)
        X = norm_1(X + attention(X))
        return norm_2(X + network(X))

    def other_way_round(X, attention, network, norm_1, norm_2, norm_first):
        if not norm_first:
            X = X + attention(norm_1(X))
            return X + network(norm_2(X))
        X = norm_1(X + attention(X))
        return norm_2(X + network(X))

    def in_a_chain(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            return network(norm_2(attention(norm_1(X))))
        return norm_2(network(norm_1(attention(X))))

    def matrices(d_model, d_ff, bias):
        projections = 4 * (d_model + (1 if bias else 0)) * d_model
        return projections + d_model * d_ff + d_ff * d_model + 2 * 2 * d_model

    def with_biases(d_model, d_ff, bias):
        layers = 4 * (d_model + 1) * d_model + (d_model + 1) * d_ff + (d_ff + 1) * d_model
        return layers + 4 * d_model

    def sums_to_one(weights, keep, p):
        kept = np.where(keep, weights, 0)
        return kept / kept.sum(-1, keepdims=True)

    def masked(weights, keep, p):
        return np.where(keep, weights, 0)

    def rows_have_gains(X, gain, bias, epsilon):
        Z = (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + epsilon)
        return Z * gain.reshape(-1, 1) + bias.reshape(-1, 1)

    def safe(X, gain, bias, epsilon):
        deviation = X.std(-1, keepdims=True)
        deviation[deviation == 0] = 1
        return gain * (X - X.mean(-1, keepdims=True)) / deviation + bias

    def once_more(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            A = X + attention(norm_1(X))
            return A + network(norm_2(A))
        A = norm_1(X + attention(X))
        return norm_2(A + network(norm_1(A)))

    def unnormed_sum(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            X = X + attention(norm_1(X))
            return X + network(norm_2(X))
        X = X + attention(X)
        return norm_2(network(X) + norm_1(X))

    def no_brackets(d_model, d_ff, bias):
        attention = 4 * d_model**2 + 4 * d_model if bias else 0
        return attention + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model

    def by_p(weights, keep, p):
        return np.where(keep, weights, 0) / p

    as_readers_write("block.normalize_rows", "one_for_each_row", rows_have_gains)
    as_readers_write("block.normalize_rows", "only_against_0", safe)
    as_readers_write("block.run_block", "norm_1_again", once_more)
    as_readers_write("block.run_block", "network_reads_the_sum", unnormed_sum)
    as_readers_write("block.parameter_count", "nothing_of_attention_without_biases", no_brackets)
    as_readers_write("block.drop_weights", "divided_by_p", by_p)
    as_readers_write("block.normalize_rows", "n_minus_1", sample_deviation)
    as_readers_write("block.normalize_rows", "epsilon_outside", outside)
    as_readers_write("block.normalize_rows", "whole_matrix", row_by_row)
    as_readers_write("block.run_block", "residual_from_the_normed", overwritten)
    as_readers_write("block.run_block", "turned_round", other_way_round)
    as_readers_write("block.run_block", "no_residuals", in_a_chain)
    as_readers_write("block.parameter_count", "network_biases_forgotten", matrices)
    as_readers_write("block.parameter_count", "attention_biases_always", with_biases)
    as_readers_write("block.drop_weights", "not_divided", masked)
    as_readers_write("block.drop_weights", "renormalised", sums_to_one)


def test_a_block_that_takes_parts_of_attnlib_is_told_to_write_it_itself():
    assert "attnlib" in check("block.normalize_rows", layer_norm).message


def _variants():
    """Blocks with a norm or two in up to two of the places where none or another belongs.

    A place is before or after a part, in what came, or after a sum; what it holds is a text: "12"
    is norm_1 and then norm_2.
    """
    right = {True: ("", "1", "", "", "", "2", "", ""), False: ("", "", "", "1", "", "", "", "2")}
    for norm_first, places in right.items():
        seen = {places}
        for i, j in itertools.combinations(range(8), 2):
            for more in itertools.product(("", "1", "2", "11", "22", "12", "21"), repeat=2):
                changed = list(places)
                changed[i], changed[j] = more
                if tuple(changed) not in seen:
                    seen.add(tuple(changed))
                    yield norm_first, tuple(changed)


def test_no_block_with_a_norm_too_many_too_few_or_in_another_place_is_taken_for_right():
    exercise = find("block.run_block")
    for norm_first, places in _variants():
        apart = []
        for case in exercise.cases:
            X, attention, network, norm_1, norm_2, first = case.args
            if first != norm_first:
                continue
            norms = {"1": norm_1, "2": norm_2}

            def through(place, Z, norms=norms, places=places):
                return functools.reduce(lambda Z, name: norms[name](Z), places[place], Z)

            with np.errstate(invalid="ignore"):  # a row of zeros has no size
                A = through(3, through(0, X) + through(2, attention(through(1, X))))
                Y = through(7, through(4, A) + through(6, network(through(5, A))))
            apart.append(not np.allclose(Y, exercise.reference(*case.args), rtol=1e-3))
        assert any(apart), (norm_first, places)


def test_a_unit_that_speaks_and_adds_nothing_is_not_told_to_speak():
    said = check("block.sorting_network", np.array([[1.0, -1.0], [0.0, 0.0]])).message
    assert "what it adds is 0" in said and "It has to be above 0" not in said
    said = check("block.sorting_network", np.array([[-1.0, 1.0], [0.0, 0.0]])).message
    assert "It has to be above 0" in said


def test_the_smallest_input_shows_what_is_wrong_with_the_epsilon():
    """With an epsilon that small numbers hide, the answer shown would look right."""

    def outside(X, gain, bias, epsilon):
        return gain * (X - X.mean(-1, keepdims=True)) / (X.std(-1, keepdims=True) + epsilon) + bias

    reply = check("block.normalize_rows", outside)
    assert "epsilon = 0.5" in str(reply)
