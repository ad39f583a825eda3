"""Rows cut into heads."""

import numpy as np

from attnlib.exercises import Case


def split(X, n_heads):
    """The columns of each head, the heads before the rows."""
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return np.moveaxis(pieces, -2, -3)


def numbered(*shape):
    """An array of the numbers 1, 2, 3, …, so that each entry can be told from the others."""
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


CASES = (
    Case("two rows and two heads", (numbered(2, 4), 2)),
    Case("one head", (numbered(3, 2), 1)),
    Case("more heads than rows", (numbered(2, 15), 3)),
    Case("heads of one number", (numbered(2, 3), 3)),
    Case("a batch", (numbered(5, 3, 8), 4)),
    Case("a batch of batches", (numbered(2, 1, 3, 6), 3)),
)


def row_of_the_first_head(row, name):
    """A property: this row of the first head is where it should be."""

    def check(heads, X, n_heads):
        if (heads[..., 0, row, :] != X[..., row, : heads.shape[-1]]).any():
            return (
                f"The {name} row of the first head should be the beginning of the {name} row of X."
            )
        return None

    return check


PROPERTIES = (row_of_the_first_head(0, "first"), row_of_the_first_head(1, "second"))


def for_matrices(X, n_heads):
    n, width = X.shape
    return X.reshape(n, n_heads, width // n_heads).transpose(1, 0, 2)
