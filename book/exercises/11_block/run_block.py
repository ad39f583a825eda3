"""A block put together of given parts, with its norms before them or after the sums."""

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


def _before(first, second):
    """A block with the norm before that goes another way; after it is right."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if not norm_first:
            return run_block(X, attention, network, norm_1, norm_2, norm_first)
        A = first(X, attention, norm_1)
        return second(X, A, network, norm_2)

    return wrong


def _after(first, second):
    """A block with the norm after that goes another way; before it is right."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            return run_block(X, attention, network, norm_1, norm_2, norm_first)
        return second(first(X, attention, norm_1), network, norm_2)

    return wrong


def _both(sum_1, sum_2, once_more=0):
    """Both kinds of block with other sums: each takes what came and what the part brings."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            A = sum_1(X, attention(norm_1(X)))
            return sum_2(A, network(norm_2(A))) + once_more * X
        A = norm_1(sum_1(X, attention(X)))
        return norm_2(sum_2(A, network(A)) + once_more * X)

    return wrong


def _add(came, brought):
    return came + brought


def _brought(came, brought):
    return brought


def _network_reads_X(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return X + attention(norm_1(X)) + network(norm_2(X))
    return norm_2(norm_1(X + attention(X)) + network(X))


def _second_sum_with_X(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return X + network(norm_2(X + attention(norm_1(X))))
    A = norm_1(X + attention(X))
    return norm_2(X + network(A))


def _norm_of_what_is_brought(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, norm_first)
    A = X + norm_1(attention(X))
    return A + norm_2(network(A))


def _no_norms(X, attention, network, norm_1, norm_2, norm_first):
    A = X + attention(X)
    return A + network(A)


def _normed_twice(X, attention, network, norm_1, norm_2, norm_first):
    A = norm_1(X + attention(norm_1(X)))
    return norm_2(A + network(norm_2(A)))


def _norm_1_again(X, attention, network, norm_1, norm_2, norm_first):
    """What the network reads goes through norm_1 once more."""

    def normed(Z):
        return network(norm_1(Z))

    if norm_first:
        A = X + attention(norm_1(X))
        return A + network(norm_2(norm_1(A)))
    return run_block(X, attention, normed, norm_1, norm_2, False)


def _each_twice(X, attention, network, norm_1, norm_2, norm_first):
    def both(norm):
        return lambda Z: norm(norm(Z))

    return run_block(X, attention, network, both(norm_1), both(norm_2), norm_first)


def _in_parallel(of_network, after):
    """Both parts read X: with this norm before the network, with these after the sum."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        norms = {"1": norm_1, "2": norm_2}
        if norm_first:
            return X + attention(norm_1(X)) + network(norms[of_network](X))
        found = X + attention(X) + network(X)
        for name in after:
            found = norms[name](found)
        return found

    return wrong


def _network_reads_the_sum(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, True)
    total = X + attention(X)
    return norm_2(norm_1(total) + network(total))


def _last_norm_forgotten(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, norm_first)
    A = norm_1(X + attention(X))
    return A + network(A)


CASES = (
    Case(
        "before, two items",
        (
            np.array([[1.0, 3.0], [2.0, -4.0]]),
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
            np.array([[3.0, 1.0], [-2.0, 5.0]]),
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
