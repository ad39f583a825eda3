"""Find scores on which softmax along the wrong axis cannot be seen."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Exercise, Mistake
from attnlib.exercises.engine.showing import show

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


def judge_blind_spot(S):
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


def _both_tables(S):
    along, down = (show(softmax(S, axis=axis)).replace("\n", "") for axis in (1, 0))
    return f"Along the rows the weights are {along}, down the columns {down}."


EXERCISE = Exercise(
    signature="S",
    task="Find a 2 × 2 table of scores S for which softmax along the rows and softmax down the "
    "columns give the same weights, not all of them a half.",
    returns="a table of scores, an array of shape (2, 2)",
    reference=np.array([[2.0, 0.0], [0.0, 2.0]]),
    judge=judge_blind_spot,
    shape=(2, 2),
    mistakes=(
        Mistake("all_alike", np.ones((2, 2)), EQUAL),
        Mistake("rows_alike", np.array([[1.0, 2.0], [1.0, 2.0]]), ROWS_ALIKE),
        Mistake("columns_alike", np.array([[1.0, 1.0], [2.0, 2.0]]), COLUMNS_ALIKE),
        Mistake("symmetric", np.array([[2.0, 1.0], [1.0, 0.0]]), SYMMETRIC),
        Mistake(
            "rows_sum",
            np.array([[2.0, 0.0], [1.0, np.log(np.e**2 + 1 - np.e)]]),
            ROWS_SUM,
        ),
        Mistake(
            "columns_sum", np.array([[2.0, 1.0], [0.0, np.log(np.e**2 + 1 - np.e)]]), COLUMNS_SUM
        ),
        Mistake("any_scores", np.array([[1.0, 2.0], [3.0, 4.0]]), NEITHER),
    ),
    properties=(_both_tables,),
    definition="Softmax along either axis should give the same table.",
    general="S has a row for each of two queries and a column for each of two keys.",
    why="Comparing whole tables cannot see the axis on such scores. Asking one query at a time "
    "can: along the wrong axis a query that is alone gets weight 1 from every key. Other scores "
    "show it as well, and so does a number of keys that differs from that of queries.",
)
