"""Projections against loops, worked numbers, PyTorch, and what must always hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import project
from tests.helpers.oracles import draw


def loop(X, W, b):
    """Make every component of every row by itself."""
    rows = []
    for x in X.tolist():
        row = []
        for j in range(W.shape[1]):
            row.append(b[j] + sum(x[i] * W[i, j] for i in range(len(x))))
        rows.append(row)
    return rows


def test_equals_a_loop_over_rows_and_columns():
    X, W, b = draw(3, 5), draw(5, 7, seed=1), draw(7, seed=2)
    assert_allclose(project(X, W, b), loop(X, W, b), atol=1e-14)
    assert_allclose(project(X, W), loop(X, W, np.zeros(7)), atol=1e-14)


def test_worked_numbers():
    X, W = [[1, 2], [3, 4], [-1, 0]], [[1, 0, 2], [0, 10, 1]]
    assert_array_equal(project(X, W), [[1, 20, 4], [3, 40, 10], [-1, 0, -2]])
    assert_array_equal(project(X, W, [100, 0, -4]), [[101, 20, 0], [103, 40, 6], [99, 0, -6]])


@pytest.mark.parametrize("batch", [(), (1,), (2,), (2, 11)])
def test_equals_torch(batch):
    X, W, b = draw(*batch, 3, 5), draw(5, 7, seed=1), draw(7, seed=2)
    tensor, transposed = torch.tensor(X), torch.tensor(W.T)
    expected = torch.nn.functional.linear(tensor, transposed, torch.tensor(b))
    assert project(X, W, b).shape == (*batch, 3, 7)
    assert_allclose(project(X, W, b), expected, atol=1e-12)
    assert_allclose(project(X, W), torch.nn.functional.linear(tensor, transposed), atol=1e-12)


size = st.integers(1, 6)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    n=st.integers(0, 5), d_in=size, d_out=size, seed=st.integers(0, 99), power=st.integers(-4, 4)
)
def test_what_holds_for_every_projection(n, d_in, d_out, seed, power):
    X, Z = 10.0**power * draw(n, d_in, seed=seed), draw(n, d_in, seed=seed + 1)
    W, b = draw(d_in, d_out, seed=seed + 2), draw(d_out, seed=seed + 3)
    Y = project(X, W, b)
    tight = {"rtol": 1e-12, "atol": 1e-12 * 10.0 ** max(power, 0)}
    assert Y.shape == (n, d_out)
    assert_allclose(project(X + Z, W, b) - project(Z, W, b), project(X, W), **tight)
    assert_allclose(project(-3 * X, W), -3 * project(X, W), **tight)
    assert_allclose(project(X[::-1], W, b), Y[::-1], **tight)
    assert_allclose(project(X[:1], W, b), Y[:1], **tight)
    assert_allclose(Y - project(X, W), np.broadcast_to(b, Y.shape), **tight)
    assert_array_equal(project(X, np.eye(d_in)), X)
    assert_array_equal(project(0 * X, W, b), np.tile(b, (n, 1)))


def test_two_projections_are_one():
    X, W, U = draw(2, 3, 5), draw(5, 7, seed=1), draw(7, 11, seed=2)
    b, c = draw(7, seed=3), draw(11, seed=4)
    assert_allclose(project(project(X, W, b), U, c), project(X, W @ U, b @ U + c), atol=1e-13)


def test_no_items_and_one_component():
    assert project(np.zeros((2, 0, 5)), np.ones((5, 7)), np.ones(7)).shape == (2, 0, 7)
    assert_array_equal(project([[3]], [[4]], [5]), [[17]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_too_large_are_refused(dtype):
    most = np.finfo(dtype).max
    message = rf"the result of project overflows {np.dtype(dtype)}\. Scale the arguments down"
    for X, W in [([[most, most]], [[1], [1]]), ([[most]], [[2]]), ([[most, most]], [[2], [-2]])]:
        with pytest.raises(ValueError, match=message):
            project(np.array(X, dtype), np.array(W, dtype))
    large = np.array([[most]], dtype)
    with pytest.raises(ValueError, match=message):
        project(large, np.ones((1, 1), dtype), large[0])
    assert project(large, np.ones((1, 1), dtype))[0, 0] == most


ones = np.ones
