"""What each head writes into the output."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def parts(Y, W_O):
    """Each head's output times its own rows of W_O."""
    n_heads, _, d_v = Y.shape
    return Y @ W_O.reshape(n_heads, d_v, -1)


def _by_rows(rows):
    """parts with other rows of W_O, chosen by rows(h, n_heads, d_v)."""

    def wrong(Y, W_O):
        n_heads, _, d_v = Y.shape
        return np.stack([Y[h] @ W_O[rows(h, n_heads, d_v)] for h in range(n_heads)])

    return wrong


def _output(Y, W_O):
    return parts(Y, W_O).sum(axis=0)


def _by_columns(Y, W_O):
    n_heads, _, d_v = Y.shape
    return np.stack([Y[h] @ W_O[:, d_v * h : d_v * (h + 1)].T for h in range(n_heads)])


def _cut_anew(Y, W_O):
    n_heads, _, d_v = Y.shape
    return Y @ W_O.reshape(n_heads, -1, d_v).mT


def _reshaped(Y, W_O):
    n_heads, n, d_v = Y.shape
    merged = Y.reshape(n, n_heads * d_v)
    return np.stack(
        [merged[:, d_v * h : d_v * (h + 1)] @ W_O[d_v * h : d_v * (h + 1)] for h in range(n_heads)]
    )


EXERCISE = Exercise(
    signature="parts(Y, W_O)",
    task="Write parts(Y, W_O): from the heads' outputs Y, one matrix for each head, and W_O, what "
    "each head adds to the output of the layer.",
    returns="an array of shape (n_heads, n, d_out)",
    reference=parts,
    cases=(
        Case(
            "two heads of one component",
            (np.array([[[1.0]], [[10.0]]]), np.array([[1.0, 2.0], [3.0, 4.0]])),
        ),
        Case("one head", draw((1, 3, 2), (2, 4))),
        Case("output as wide as the heads", draw((2, 4, 2), (4, 4))),
        Case("all sizes different", draw((3, 4, 2), (6, 5))),
    ),
    mistakes=(
        Mistake(
            "first_rows_for_all",
            _by_rows(lambda h, n, d: slice(0, d)),
            "Every head is multiplied by the first d_v rows of W_O, as if W_O had no more. It "
            "has n_heads times d_v rows, and each head has d_v of its own.",
        ),
        Mistake(
            "all_rows_for_each",
            lambda Y, W_O: np.stack([Y_i @ W_O for Y_i in Y]),
            "Each head is multiplied by the whole of W_O, whose rows are as many as all heads "
            "together have components. Cut W_O first: d_v rows for each head.",
        ),
        Mistake(
            "strided_rows",
            _by_rows(lambda h, n, d: slice(h, None, n)),
            "Each head takes every n_heads-th row of W_O. Merged, the heads stand one after the "
            "other, so a head's rows are d_v neighbours.",
        ),
        Mistake(
            "overlapping_rows",
            _by_rows(lambda h, n, d: slice(h, h + d)),
            "Head h begins at row h of W_O. It begins at row h times d_v, after the rows of all "
            "heads before it.",
        ),
        Mistake(
            "reversed_heads",
            _by_rows(lambda h, n, d: slice(d * (n - 1 - h), d * (n - h))),
            "The heads take the rows of W_O in reverse order. The first head, which stands "
            "leftmost in the merged rows, has the first rows.",
        ),
        Mistake(
            "next_heads_rows",
            _by_rows(lambda h, n, d: slice(d * ((h + 1) % n), d * ((h + 1) % n) + d)),
            "Each head is multiplied by the rows of the next one: count the heads from 0.",
        ),
        Mistake(
            "by_columns",
            _by_columns,
            "Each head takes columns of W_O. A row of W_O belongs to a component of the merged "
            "heads, a column to a component of the output: cut it into rows.",
        ),
        Mistake(
            "cut_anew",
            _cut_anew,
            "W_O is reshaped with d_out before d_v, which tears its rows apart. Its rows come in "
            "groups of d_v: (n_heads, d_v, d_out).",
        ),
        Mistake(
            "merged_by_reshape",
            _reshaped,
            "Y is merged by reshape, which deals its numbers out in their old order, so a row gets "
            "pieces of several rows of one head. Y[h] itself is what head h returns.",
        ),
        Mistake(
            "averaged",
            lambda Y, W_O: parts(Y, W_O) / len(Y),
            "The parts are divided by the number of heads, as for a mean. The output is their "
            "sum: W_O has a matrix for each head, and weighs them itself.",
        ),
        Mistake(
            "total",
            _output,
            "This is the whole output, the sum over all heads. What is wanted is each head's share "
            "of it, along an axis of their own.",
        ),
        Mistake(
            "total_for_each",
            lambda Y, W_O: np.stack([_output(Y, W_O)] * len(Y)),
            "The whole output stands there once for each head, so the sum of the parts would be "
            "n_heads times too large. Multiply one head by its own rows only.",
        ),
        Mistake(
            "running_sum",
            lambda Y, W_O: np.cumsum(parts(Y, W_O), axis=0),
            "Each part holds those of the heads before it too: a running sum. Begin anew for each "
            "head.",
        ),
        Mistake(
            "without_it",
            lambda Y, W_O: _output(Y, W_O) - parts(Y, W_O),
            "This is what is left of the output when the head is taken away. What the head itself "
            "adds is wanted.",
        ),
        Mistake(
            "no_W_O",
            lambda Y, W_O: Y,
            "These are the heads' outputs themselves: W_O is not used.",
        ),
    ),
    properties=(
        lambda found, Y, W_O: (
            "The parts should sum to the output, the merged heads times W_O; these do not."
            if not np.allclose(found.sum(axis=0), _output(Y, W_O))
            else None
        ),
    ),
    definition="What head h adds should not change when the outputs of the other heads do.",
    general="The parts are not what the heads add. Put all heads but one to 0, merge, multiply "
    "by W_O, and compare.",
    why="Concatenate and project is a sum over heads: each writes its own part, and none sees "
    "what the others write.",
)
