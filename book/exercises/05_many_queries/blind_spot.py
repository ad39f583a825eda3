"""Find scores on which softmax along the wrong axis cannot be seen."""

import numpy as np

from attnlib import softmax
from attnlib.exercises.engine.showing import show

S = np.array([[2.0, 0.0], [0.0, 2.0]])

EQUAL = (
    "All scores are alike, or nearly so, and every weight is a half. Find scores that say "
    "something: some weight should differ from a half by 0.05 or more."
)

ROWS_ALIKE = (
    "Both rows are alike. Down each column the two scores then tie, so the wrong axis gives "
    "halves everywhere."
)

COLUMNS_ALIKE = (
    "Both columns are alike. Along each row the two scores then tie, so the right axis gives "
    "halves everywhere, and the wrong one does not."
)

SYMMETRIC = (
    "These scores are symmetric. Then the two tables of weights are transposes of each other, but "
    "they are equal only if the exponentials of both rows have the same sum."
)

ROWS_SUM = (
    "The exponentials of both rows have the same sum here, those of the columns do not. All four "
    "sums have to be equal."
)

COLUMNS_SUM = (
    "The exponentials of both columns have the same sum here, those of the rows do not. All four "
    "sums have to be equal."
)

NEITHER = (
    "The two axes give different weights here. An entry is the same in both tables if the "
    "exponentials of its row and those of its column have the same sum."
)


def judge(S):
    """None if both axes give the same weights, and not all of them a half; else why not."""
    along, down = softmax(S), softmax(S, axis=0)
    if max(abs(along - 0.5).max(), abs(down - 0.5).max()) < 0.05:
        return EQUAL
    if np.allclose(along, down, atol=1e-6):
        return None
    if np.allclose(S[0], S[1]):
        return ROWS_ALIKE
    if np.allclose(S[:, 0], S[:, 1]):
        return COLUMNS_ALIKE
    if np.allclose(S, S.T):
        return SYMMETRIC
    e = np.exp(S - S.max())
    if np.isclose(*e.sum(axis=1)):
        return ROWS_SUM
    if np.isclose(*e.sum(axis=0)):
        return COLUMNS_SUM
    return NEITHER


def both_tables(S):
    along, down = (show(softmax(S, axis=axis)).replace("\n", "") for axis in (1, 0))
    return f"Along the rows the weights are {along}, down the columns {down}."


PROPERTIES = (both_tables,)
