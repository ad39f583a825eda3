"""Chapter 11's exercises: references against attnlib, the judge, and norms in wrong places."""

import functools
import itertools

import numpy as np
import pytest

from attnlib import scaled_dot_product_attention
from attnlib.blocks import EncoderBlock, layer_norm
from attnlib.exercises import check, find


def reference(name):
    return find(f"block.{name}").reference


def test_normalize_rows_equals_layer_norm():
    for case in find("block.normalize_rows").cases:
        np.testing.assert_allclose(reference("normalize_rows")(*case.args), layer_norm(*case.args))


@pytest.mark.parametrize("norm_first", [True, False])
def test_run_block_equals_encoder_block(norm_first):
    rng = np.random.default_rng(1)
    block = EncoderBlock.random(rng, d_model=6, n_heads=2, norm_first=norm_first)
    X = rng.normal(size=(4, 6))
    parts = lambda Z: block.attention(Z)[0], block.feed_forward, block.norm_1, block.norm_2
    np.testing.assert_allclose(reference("run_block")(X, *parts, norm_first), block(X)[0])


def test_parameter_count_equals_encoder_block():
    rng = np.random.default_rng(2)
    for d_model, d_ff, bias in [case.args for case in find("block.parameter_count").cases]:
        block = EncoderBlock.random(rng, d_model, 1, d_ff, bias=bias)
        assert reference("parameter_count")(d_model, d_ff, bias) == block.parameter_count


def test_dropped_weights_keep_mean_and_spread():
    rng, p, draws = np.random.default_rng(3), 0.25, 20_000
    _, weights = scaled_dot_product_attention(*rng.normal(size=(2, 3, 4)), np.eye(3))
    keep = rng.random((draws, *weights.shape)) >= p
    dropped = reference("drop_weights")(np.broadcast_to(weights, keep.shape), keep, p)
    error = np.sqrt(p / (1 - p) / draws)
    np.testing.assert_allclose(dropped.mean(axis=0), weights, atol=4 * error)
    spread = np.sqrt(p / (1 - p) * (weights**2).sum(axis=-1))
    np.testing.assert_allclose(dropped.sum(axis=-1).std(axis=0), spread, rtol=0.03)


def test_units_that_pass_sort_unseen_pairs():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2)) * 10 ** rng.uniform(-3, 3, (200, 1))
    right = reference("sorting_network")
    rescaled = [right * [[size], [1 / size]] for size in (0.1, 2.0, 30.0)]
    for unit in [right, *rescaled, *rng.integers(-2, 3, size=(400, 2, 2)).astype(float)]:
        w_in, w_out = unit
        Y = X + np.maximum(X @ w_in, 0)[:, None] * w_out
        assert check("block.sorting_network", unit).passed == np.allclose(Y, np.sort(X, axis=1))


def variants():
    """Blocks with a norm or two where none or another belongs, in up to two of eight places.

    A place is before or after a part, in what came, or after a sum; what it holds is a text: "12"
    is norm_1 and then norm_2.
    """
    right = {True: ("", "1", "", "", "", "2", "", ""), False: ("", "", "", "1", "", "", "", "2")}
    for norm_first, places in right.items():
        for i, j in itertools.combinations(range(8), 2):
            for more in itertools.product(("", "1", "2", "11", "22", "12", "21"), repeat=2):
                changed = list(places)
                changed[i], changed[j] = more
                if tuple(changed) != places:
                    yield norm_first, tuple(changed)


def test_cases_refuse_norms_in_wrong_places():
    exercise = find("block.run_block")
    cases = [(case.args, exercise.reference(*case.args)) for case in exercise.cases]
    for norm_first, places in set(variants()):
        wrong = False
        for (X, attention, network, *norms, first), expected in cases:

            def through(place, Z, norms=norms, places=places):
                return functools.reduce(lambda Z, name: norms[int(name) - 1](Z), places[place], Z)

            if first == norm_first:
                with np.errstate(invalid="ignore"):  # a row of zeros has no size
                    A = through(3, through(0, X) + through(2, attention(through(1, X))))
                    Y = through(7, through(4, A) + through(6, network(through(5, A))))
                wrong |= not np.allclose(Y, expected, rtol=1e-3)
        assert wrong, (norm_first, places)
