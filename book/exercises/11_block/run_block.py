"""A block put together of parts that are handed in, with its norms before or after them."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def run_block(X, attention, network, norm_1, norm_2, norm_first):
    """Two parts, each added to what it got."""
    if norm_first:
        A = X + attention(norm_1(X))
        return A + network(norm_2(A))
    A = norm_1(X + attention(X))
    return norm_2(A + network(A))


def mean_of_all(X):
    return np.repeat(X.mean(axis=0, keepdims=True), len(X), axis=0)


def the_one_before(X):
    return np.concatenate([X[:1], X[:-1]])


def weighted_mean(X):
    return softmax(X @ X.T) @ X


def only_positive(X):
    return np.maximum(X, 0)


def squared(X):
    return X**2


def twice_minus_the_mean(X):
    return 2 * (X - X.mean(axis=-1, keepdims=True))


def to_length_three_minus_one(X):
    return 3 * X / np.sqrt((X**2).sum(axis=-1, keepdims=True)) - 1


def to_size_two_plus_one(X):
    # A row of zeros, which a wrong block may make, stays one.
    return 2 * X / np.maximum(abs(X).max(axis=-1, keepdims=True), 1e-9) + 1


CASES = (
    Case(
        "before, two items",
        (
            [[1.0, 3.0], [2.0, -4.0]],
            mean_of_all,
            only_positive,
            twice_minus_the_mean,
            to_size_two_plus_one,
            True,
        ),
    ),
    Case(
        "after, two items",
        (
            [[3.0, 1.0], [-2.0, 5.0]],
            the_one_before,
            squared,
            to_size_two_plus_one,
            twice_minus_the_mean,
            False,
        ),
    ),
    Case(
        "before",
        (
            *draw((3, 4)),
            weighted_mean,
            squared,
            to_length_three_minus_one,
            twice_minus_the_mean,
            True,
        ),
    ),
    Case(
        "after",
        (
            *draw((4, 3)),
            weighted_mean,
            only_positive,
            twice_minus_the_mean,
            to_length_three_minus_one,
            False,
        ),
    ),
)


def with_all_four(X, attention, network, norm_1, norm_2, norm_first):
    """Four places for a norm, two of which do nothing."""
    for part, norm in [(attention, norm_1), (network, norm_2)]:
        before, after = (norm, np.asarray) if norm_first else (np.asarray, norm)
        X = after(X + part(before(X)))
    return X
