"""Top-k and nucleus sampling: loops, worked numbers, PyTorch, what must hold, and a model's use."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import softmax
from attnlib.networks import CharacterModel, top_k, top_p
from tests.helpers.oracles import draw

inf = np.inf
TEXT = "the rain is on the roof, and the roof is on the house,\nand the house is dry. "


def nucleus_loop(row, p, temperature):
    """Take options from the likeliest on, until they have the chance p."""
    chances, kept = softmax(row, temperature=temperature), set()
    for i in sorted(range(len(row)), key=lambda i: -row[i]):
        if sum(chances[j] for j in kept) >= p:
            break
        kept.add(i)
    return [i in kept for i in range(len(row))]


@pytest.mark.parametrize("k", [1, 2, 4, 5, 9])
def test_top_k_equals_torch(k):
    scores = draw(2, 3, 5)
    least = torch.tensor(scores).topk(min(k, 5)).values[..., -1:].numpy()
    assert_array_equal(top_k(scores, k), scores >= least)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("p", [1e-9, 0.3, 0.8, 0.999, 1])
def test_top_p_equals_a_loop(p, temperature):
    scores = 2 * draw(2, 3, 5)
    for index in np.ndindex(2, 3):
        expected = nucleus_loop(scores[index], p, temperature)
        assert_array_equal(top_p(scores, p, temperature)[index], expected)


def test_worked_options():
    """Chances 1/8, 1/2, 1/8 and 1/4; at temperature 1/2 they are 1, 16, 1 and 4 parts of 22."""
    scores = np.log([1, 4, 1, 2])
    assert_array_equal(top_k(scores, 3), [True, True, False, True])
    assert_array_equal(top_p(scores, 0.49), [False, True, False, False])
    assert_array_equal(top_p(scores, 0.51), [False, True, False, True])
    assert_array_equal(top_p(scores, 0.74), [False, True, False, True])
    assert_array_equal(top_p(scores, 0.76), [True, True, False, True])
    assert_array_equal(top_p(scores, 0.72, temperature=0.5), [False, True, False, False])
    assert_array_equal(top_p([-inf, 3], 0.9), [False, True])
    for dtype in (np.float32, np.float64):  # ten equal chances: k of them reach k/10
        kept = [top_p(np.zeros(10, dtype), k / 10).sum() for k in range(1, 11)]
        assert kept == [*range(1, 11)]


@settings(max_examples=50, deadline=None, derandomize=True)
@given(n=st.integers(1, 9), k=st.integers(1, 9), p=st.floats(0.01, 1), seed=st.integers(0, 99))
def test_what_holds_for_every_choice(n, k, p, seed):
    scores = draw(n, seed=seed).round(1)  # some are equal
    for may in (top_k(scores, k), top_p(scores, p)):
        assert may.dtype == bool and may.shape == (n,)
        assert scores[may].min() >= scores[~may].max(initial=-inf)
    assert top_k(scores, k).sum() == min(n, k)
    chances = softmax(scores)[top_p(scores, p)]
    assert chances.sum() > p - 1e-12 and chances.sum() - chances.min() < p + 1e-12
    assert top_p(scores, 1).all()
    assert top_p([800.0, 0], 1).all()  # although the first chance is 1 but for rounding


def test_bad_settings_are_refused():
    for bad in (0, -0.5, 1.5):
        with pytest.raises(ValueError, match=rf"^p={bad} must be above 0 and at most 1"):
            top_p([1, 2], bad)
        with pytest.raises(ValueError, match=rf"^p={bad} must be above 0 and at most 1"):
            CharacterModel(TEXT).sample(1, p=bad)
    for bad in (0.0, -1.0):
        with pytest.raises(ValueError, match=rf"^temperature={bad} must be above 0"):
            top_p([1, 2], 0.5, bad)
    with pytest.raises(ValueError, match=r"^k=0 is too small"):
        CharacterModel(TEXT).sample(1, k=0)
    for few in (lambda s: top_k(s, 1), lambda s: top_p(s, 0.5)):
        with pytest.raises(ValueError, match=r"scores\[:\] is -inf throughout"):
            few([-inf, -inf])


def test_a_model_draws_from_those_that_are_kept():
    model = CharacterModel(TEXT, d_model=6, context=5, dtype="float64")
    for _ in range(40):
        model.step(0.02)
    start = "and the"
    scores, _ = model.look(start)
    assert (top_p(scores, 0.6, 3.0) != top_p(scores, 0.6)).any()
    for options, may in [
        ({"k": 1}, top_k(scores, 1)),
        ({"k": 3}, top_k(scores, 3)),
        ({"p": 0.6}, top_p(scores, 0.6, 3.0)),
        ({"k": 4, "p": 0.8}, top_p(np.where(top_k(scores, 4), scores, -inf), 0.8, 3.0)),
    ]:
        drawn = [model.sample(1, 3.0, start, **options)[-1] for _ in range(400)]
        share = [drawn.count(c) / 400 for c in model.characters]
        # Five standard deviations of a share are at most 5 · 0.5 / √400.
        chances = softmax(np.where(may, scores, -inf), temperature=3.0)
        assert_allclose(share, chances, atol=0.125)
        assert not np.array(share)[~may].any()
    one, two = (CharacterModel(TEXT) for _ in range(2))
    assert one.sample(20, 1.0) == two.sample(20, 1.0, k=99, p=1)
