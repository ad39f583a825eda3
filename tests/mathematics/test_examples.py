"""The worked examples: the numbers they promise, and that they cannot be changed by accident."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import examples

ALL = [
    examples.toy,
    examples.four_scores,
    examples.two_queries,
    examples.three_rows,
    examples.causal_scores,
    examples.noisy_edge,
]


def arrays(example):
    return example if isinstance(example, tuple) else (example,)


def test_numbers():
    Q, K, V = examples.toy()
    assert_array_equal(Q, [[1, 1], [-1, -1]])
    assert_array_equal(K, [[1, 0], [0.5, 0.5], [-1, -1]])
    assert_array_equal(V, [[10, 0], [0, 10], [5, 5]])
    assert_array_equal(examples.four_scores(), [2.1, -0.5, 3.8, 0.2])
    Q, K, V = examples.two_queries()
    assert_array_equal(Q, [[1, 0], [0, 1]])
    assert_array_equal(K, [[1, 0], [0, 1], [1, 1]])
    assert_array_equal(V, [[1, 2], [3, 4], [5, 6]])
    Q, K, V = examples.three_rows()
    assert Q is K is V
    assert_array_equal(Q, [[1, 0], [0, 1], [1, 1]])
    expected = [[0.5, 1.2, 0.8], [0.3, 0.9, 1.1], [0.2, 0.7, 0.4]]
    assert_array_equal(examples.causal_scores(), expected)


@pytest.mark.parametrize("example", ALL, ids=lambda f: f.__name__)
def test_examples_are_constant_and_float64(example):
    for first, second in zip(arrays(example()), arrays(example()), strict=True):
        assert first.dtype == np.float64
        assert_array_equal(first, second)
        with pytest.raises(ValueError, match="read-only"):
            first[...] = 0


def test_names():
    assert examples.toy()._fields == ("Q", "K", "V")
    assert examples.noisy_edge()._fields == ("time", "clean", "noisy")


def test_noisy_edge_is_low_then_jumps_then_climbs():
    time, clean, noisy = examples.noisy_edge()
    assert time.shape == clean.shape == noisy.shape == (60,)
    assert_allclose(np.diff(time), 1 / 59, rtol=1e-12)
    assert (clean[time < 0.4] == 0).all()
    assert (clean[(time >= 0.4) & (time <= 0.7)] == 1).all()
    assert_allclose(clean[-1], 1.3)
    steps = np.diff(clean)
    assert steps.argmax() == np.searchsorted(time, 0.4) - 1 and steps.max() == 1
    assert (steps >= 0).all() and np.sort(steps)[-2] < 0.02
    noise = noisy - clean
    assert 0.07 < noise.std() < 0.13 and abs(noise.mean()) < 0.05


def test_noisy_edge_follows_its_seed_and_size():
    first, other = examples.noisy_edge(n=500, seed=1), examples.noisy_edge(n=500, seed=2)
    assert_array_equal(first.clean, other.clean)
    assert (first.noisy != other.noisy).mean() > 0.9
    assert abs((first.noisy - first.clean).std() - 0.1) < 0.01


def test_bad_sizes_are_refused_by_name():
    for bad in (1, 0, -1):
        with pytest.raises(ValueError, match=f"n={bad} is too small.*at least 2"):
            examples.noisy_edge(n=bad)
    with pytest.raises(ValueError, match=r"seed=-1 is too small.*at least 0"):
        examples.noisy_edge(seed=-1)
    for bad in (6.0, "6", None, True):
        with pytest.raises(TypeError, match="n must be an integer"):
            examples.noisy_edge(n=bad)
        with pytest.raises(TypeError, match="seed must be an integer"):
            examples.noisy_edge(seed=bad)
