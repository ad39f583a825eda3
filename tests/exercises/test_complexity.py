"""Chapter 12: references against plain loops, and the make-believe device."""

import math
from itertools import pairwise

import numpy as np
import pytest

from attnlib.cost import attention_cost, fit_exponent
from attnlib.exercises import check, find


def reference(name):
    return find(f"complexity.{name}").reference


def test_work_counts_every_multiply_add():
    n, d_model, n_heads, count = 5, 6, 3, 0
    for X, W in [((n, d_model), (d_model, d_model))] * 4:
        count += math.prod(X) * W[1]
    for _ in range(n_heads):
        count += 2 * n * n * (d_model // n_heads)
    assert reference("work")(n, d_model, n_heads) == count


def test_moved_adds_up_all_arrays():
    n, d_k, d_v = 7, 5, 3
    read = [(n, d_k), (n, d_k), (n, n), (n, n), (n, d_v)]
    written = [(n, n), (n, n), (n, d_v)]
    moved = reference("moved")(n, d_k, d_v, 4, 2)
    assert moved == 4 * 2 * sum(map(math.prod, read + written))
    assert moved == attention_cost(n, n, d_k, d_v, n_heads=4, itemsize=2).naive.bytes


def test_slopes_leave_out_sizes_near_the_overhead():
    sizes, times = np.array([4.0, 10.0, 30.0, 50.0]), np.array([0.2, 0.9, 2.5, 9.0])
    kept = list(zip(sizes, times))[1:]
    expected = [math.log(u / t) / math.log(m / n) for (n, t), (m, u) in pairwise(kept)]
    slopes = reference("slopes")(sizes, times, 0.02)
    np.testing.assert_allclose(slopes, expected)
    np.testing.assert_allclose(slopes, fit_exponent(sizes[1:], times[1:]).local_slopes)


@pytest.mark.parametrize("seed", range(20))
def test_path_length_is_a_matrix_power(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    hears = rng.random((n, n)) < 0.25
    powers = [np.linalg.matrix_power(hears.astype(int), k)[-1, 0] for k in range(1, n)]
    expected = next((k for k, ways in enumerate(powers, 1) if ways), -1)
    assert reference("path_length")(hears) == expected


def test_each_check_gets_a_new_device():
    for _ in range(2):
        assert check("complexity.seconds", reference("seconds")).passed
    f, wait, clock, _ = find("complexity.seconds").cases[0].args
    f()
    assert clock() == pytest.approx(0.001)
    wait()
    assert clock() == pytest.approx(9.001)
