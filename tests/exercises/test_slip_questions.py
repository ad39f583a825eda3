"""The slips of older texts: what the appendix says instead, computed once more."""

import numpy as np
import pytest

from attnlib import dot, dot_cost, scaled_dot_product_attention, softmax, softmax_jacobian
from attnlib.examples import causal_scores, three_rows, toy
from attnlib.exercises import all_questions, find
from tests.helpers.oracles import draw


def projections(n, d):
    """The share of the projections in the work of a layer."""
    return 4 * dot_cost(n, d, d) / (4 * dot_cost(n, d, d) + 2 * dot_cost(n, n, d))


COINS = np.sign(draw(9, 64))
ANSWERS = {
    "partition": np.exp(dot(*toy()[:2])[0]).sum(),
    "third_row": scaled_dot_product_attention(*three_rows())[1][2, 2].round(3),
    "diagonal": softmax_jacobian(np.log([0.7, 0.2, 0.1]))[0, 1],
    "variance": dot(COINS, COINS).diagonal().var(),
    "orthogonal": softmax(np.array([0.0, -3.0]))[0],
    "projections": projections(512, 512),
    "ten_thousand": dot_cost(10_000, 10_000, 1) * np.dtype(np.float32).itemsize / 1e9,
}
NUMBERS = {
    name.removeprefix("slips."): question
    for name, question in all_questions().items()
    if name.startswith("slips.") and "answer" in question
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_what_is_computed(name):
    question = NUMBERS[name]
    assert abs(question["answer"] - ANSWERS[name]) <= question["tolerance"]
    printed = [mistake["value"] for mistake in question["mistakes"]]
    assert all(abs(value - ANSWERS[name]) > question["tolerance"] for value in printed)


def test_the_printed_weights_imply_three_temperatures():
    implied, scores = find("slips.implied_temperature").reference, causal_scores()
    printed = [(0.24, 0.76), (0.15, 0.49), (0.15, 0.36)]
    gaps = [scores[1, :2], scores[2, :2], scores[2, [0, 2]]]
    found = [implied(np.array(w), s) for w, s in zip(printed, gaps)]
    assert np.abs(np.subtract.outer(found, found))[np.triu_indices(3, 1)].min() > 0.09
    weights = softmax(scores / 0.7)
    assert np.isclose(implied(weights[2, [0, 2]], scores[2, [0, 2]]), 0.7)


@pytest.mark.parametrize("a", np.linspace(-3, 3, 31))
def test_no_head_on_four_numbers_makes_equal_steps(a):
    means = find("slips.one_head").reference(np.arange(1.0, 5.0), a, 1.0)
    if a > 1e-9:
        assert (np.diff(means) > 0).all() and (np.diff(means, 2) < 0).all()
    else:
        assert (np.diff(means) <= 1e-9).all()
