"""Rows cut into heads."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def split(X, n_heads):
    """The columns of each head, the heads before the rows."""
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return np.moveaxis(pieces, -2, -3)


def _cut(X, n_heads):
    """Rows cut into pieces, (..., n, n_heads, d), before any axis is moved."""
    return X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)


def _moved(source, target):
    """Rows cut rightly, and then one axis moved."""
    return lambda X, n_heads: np.moveaxis(_cut(X, n_heads), source, target)


def _reshaped(X, n_heads):
    *batch, n, width = X.shape
    return X.reshape(*batch, n_heads, n, width // n_heads)


def _for_matrices(X, n_heads):
    n, width = X.shape
    return X.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)


def _interleaved(X, n_heads):
    return np.stack([X[..., h::n_heads] for h in range(n_heads)], axis=-3)


def _rows_cut(X, n_heads):
    *batch, n, width = X.shape
    return X.reshape(*batch, n_heads, n // n_heads, width)


def _overlapping(X, n_heads):
    d = X.shape[-1] // n_heads
    return np.stack([X[..., h : h + d] for h in range(n_heads)], axis=-3)


def _count(*shape):
    """An array whose entries are counted through, so that each can be told from the others."""
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


EXERCISE = Exercise(
    signature="split(X, n_heads)",
    task="Write split(X, n_heads): cut each row of X into n_heads equal pieces, and put the axis "
    "of the heads before that of the rows.",
    returns="an array of shape (..., n_heads, n, d)",
    reference=split,
    own=True,
    cases=(
        Case("two rows and two heads", (_count(2, 4), 2)),
        Case("one head", (_count(3, 2), 1)),
        Case("more heads than rows", (_count(2, 15), 3)),
        Case("a batch", (_count(5, 3, 8), 4)),
    ),
    mistakes=(
        Mistake(
            "reshaped",
            _reshaped,
            "The shape is right, the numbers are not: reshape deals them out in their old order, "
            "so the first head gets all of the first rows. Cut the columns first, then move the "
            "axis of the heads.",
        ),
        Mistake(
            "reshaped_with_the_batch",
            lambda X, n_heads: X.reshape(n_heads, -1, X.shape[-1] // n_heads),
            "Reshape deals the numbers out in their old order, and it mixes the items of a batch "
            "as well. Leave the axes before the last two alone, cut the columns, then move an "
            "axis.",
        ),
        Mistake(
            "reshaped_heads_first",
            lambda X, n_heads: X.reshape(n_heads, *X.shape[:-1], -1),
            "Reshape deals the numbers out in their old order, with the heads first of all. Cut "
            "the last axis only, then move the axis of the heads to just before the rows.",
        ),
        Mistake(
            "two_axes_only",
            lambda X, n_heads: X.reshape(len(X), n_heads, -1).transpose(1, 0, 2),
            "This takes axis 0 for the rows, so in a batch the rows of an item are run together. "
            "Leave the axes before the last two alone: X.shape[:-1] holds them.",
        ),
        Mistake(
            "last_two_exchanged",
            lambda X, n_heads: np.swapaxes(_cut(X, n_heads), -1, -2),
            "The last two axes are exchanged, heads and components. The axis of the heads belongs "
            "before that of the rows: exchange -3 and -2.",
        ),
        Mistake(
            "not_moved",
            _cut,
            "The rows are cut rightly, but the axis of the heads still stands behind that of the "
            "rows. Exchange the two, so that each head is a matrix of its own.",
        ),
        Mistake(
            "interleaved",
            _interleaved,
            "Each head gets every n_heads-th column. A head's columns stand side by side: head 0 "
            "has columns 0 to d - 1, head 1 the next d.",
        ),
        Mistake(
            "numbers_exchanged",
            lambda X, n_heads: np.swapaxes(
                X.reshape(*X.shape[:-1], X.shape[-1] // n_heads, n_heads), -2, -3
            ),
            "The number of heads and the length of a piece have changed places: these are d heads "
            "of length n_heads. In the new shape n_heads comes before d.",
        ),
        Mistake(
            "rows_cut",
            _rows_cut,
            "The rows are dealt out to the heads, the first ones to the first. Every head sees "
            "all rows, and of each row only its own columns.",
        ),
        Mistake(
            "heads_first",
            _moved(-2, 0),
            "The axis of the heads stands first of all. In a batch it belongs after the batch, "
            "just before the rows: count axes from the end.",
        ),
        Mistake(
            "first_two_exchanged",
            lambda X, n_heads: np.swapaxes(_cut(X, n_heads), 0, 1),
            "Axes 0 and 1 are exchanged. For a matrix that is right, in a batch they are other "
            "axes: count from the end, -3 and -2.",
        ),
        Mistake(
            "for_matrices",
            _for_matrices,
            "This is written for a matrix; in a batch X has more axes. Use X.shape[-1] and axes "
            "counted from the end.",
        ),
        Mistake(
            "each_head_transposed",
            lambda X, n_heads: np.swapaxes(_moved(-2, -3)(X, n_heads), -1, -2),
            "Each head is transposed: its rows are components and its columns items. Only the "
            "axes of rows and heads change places.",
        ),
        Mistake(
            "all_reversed",
            lambda X, n_heads: _cut(X, n_heads).T,
            "All axes are reversed: .T does that with more than two. Only the axes of rows and "
            "heads change places.",
        ),
        Mistake(
            "whole_rows",
            lambda X, n_heads: np.stack([X] * n_heads, axis=-3),
            "Every head gets whole rows. It gets a piece of each row, d = width / n_heads columns.",
        ),
        Mistake(
            "overlapping",
            _overlapping,
            "The pieces overlap: head h begins at column h, not at column h times d.",
        ),
        Mistake(
            "first_head_only",
            lambda X, n_heads: X[..., : X.shape[-1] // n_heads],
            "This is the first head only. All heads are wanted, along an axis of their own.",
        ),
        Mistake(
            "last_head_first",
            lambda X, n_heads: _moved(-2, -3)(X, n_heads)[..., ::-1, :, :],
            "The heads come in reverse order: the first head has the first columns.",
        ),
        Mistake(
            "side_by_side",
            lambda X, n_heads: np.concatenate(np.split(X, n_heads, axis=-1), axis=-2),
            "The pieces are put under one another in one matrix. Give the heads an axis of their "
            "own: stack, not concatenate.",
        ),
    ),
    properties=(
        lambda heads, X, n_heads: (
            "The first row of the first head should be the beginning of the first row of X."
            if (heads[..., 0, 0, :] != X[..., 0, : heads.shape[-1]]).any()
            else None
        ),
        lambda heads, X, n_heads: (
            "The second row of the first head should be the beginning of the second row of X."
            if (heads[..., 0, 1, :] != X[..., 1, : heads.shape[-1]]).any()
            else None
        ),
    ),
    definition="Entry (h, i, c) should be component h d + c of row i, with h, i and c counted "
    "from 0.",
    general="The pieces are not where they belong. Take rows [1, 2, 3, 4] and [5, 6, 7, 8] and two "
    "heads, and write down by hand what each head should get.",
    why="No number is computed, none is changed: a head is some of the columns. Reshape alone has "
    "the right shape and takes the wrong numbers.",
)
