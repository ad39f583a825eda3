"""A test of equivariance that can fail."""

from itertools import permutations

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def is_equivariant(f, X):
    """The rows in another order have the outputs in that order, for every order."""
    return all(agrees(f, X, order) for order in every_order(X))


def every_order(X):
    return [list(order) for order in permutations(range(len(X)))]


def agrees(f, X, order):
    return np.allclose(f(X[order]), f(X)[order])


def gives_back(X):
    return X


def attends(X):
    W_K, W_V = np.triu(np.ones((2, X.shape[1], X.shape[1])))
    return scaled_dot_product_attention(X, X @ W_K, X @ W_V.T)[0]


def attends_down_the_columns(X):
    return softmax(X @ X.T, axis=0) @ X


def mean_for_all(X):
    return np.repeat(X.mean(axis=0, keepdims=True), len(X), axis=0)


def sums_along_each_row(X):
    return np.cumsum(X, axis=1)


def adds_its_place(X):
    return X + np.arange(len(X))[:, None]


def subtracts_the_largest(X):
    return X - X.max(axis=0)


def sums_so_far(X):
    return np.cumsum(X, axis=0)


def sorts_each_column(X):
    return np.sort(X, axis=0)


def reverses_the_rows(X):
    return X[::-1]


def adds_the_row_before(X):
    return X + np.roll(X, 1, axis=0)


def adds_both_neighbours(X):
    return X + np.roll(X, 1, axis=0) + np.roll(X, -1, axis=0)


def subtracts_the_first(X):
    return X - X[:1]


def subtracts_the_last(X):
    return X - X[-1:]


def first_for_all(X):
    return np.repeat(X[:1], len(X), axis=0)


def moves_on(X):
    return np.roll(X, 1, axis=0)


def exchanges_the_first_two(X):
    return np.concatenate([X[:2][::-1], X[2:]])


def cases(*layers):
    """Functions, each with a kind and a number of rows; no two get the same rows."""
    return tuple(
        Case(kind, (f, *draw((n, 2), (place,)))[:2]) for place, (f, kind, n) in enumerate(layers, 1)
    )


CASES = (
    *cases(
        (gives_back, "the rows as they are", 3),
        (attends, "self-attention", 3),
        (sorts_each_column, "a function that sorts", 3),
        (reverses_the_rows, "a function that reverses the rows", 3),
        (adds_its_place, "a function that counts places", 3),
        (sums_along_each_row, "each row for itself", 4),
        (adds_the_row_before, "a ring of neighbours", 4),
        (adds_both_neighbours, "a ring with both neighbours", 4),
        (subtracts_the_first, "rows minus the first", 4),
        (subtracts_the_last, "rows minus the last", 4),
        (subtracts_the_largest, "rows minus the largest of each column", 3),
        (sums_so_far, "sums of the rows so far", 3),
        (attends_down_the_columns, "softmax along the wrong axis", 4),
        (first_for_all, "the first row everywhere", 4),
        (moves_on, "rows that move on by one", 3),
        (exchanges_the_first_two, "the first two rows exchanged", 4),
    ),
    Case("the mean everywhere", (mean_for_all, [[0.1], [0.2], [0.3]])),
)


def in_rows(Y):
    """The rows in an order that depends on nothing but their numbers."""
    return Y[np.lexsort(Y.round(9).T)]


def too_few(values, cases):
    """Whether all that is equivariant passes, and more, but nothing that sorts its rows."""
    passed = {case.args[0] for value, case in zip(values, cases) if value}
    right = {case.args[0] for case in cases if is_equivariant(*case.args)}
    return right < passed and sorts_each_column not in passed


def not_truth_values(values, cases):
    return any(value not in (0, 1) for value in values)
