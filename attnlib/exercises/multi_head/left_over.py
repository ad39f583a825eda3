"""What no readout can recover from the outputs of some heads."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def left_over(A):
    """Share of the wanted values' variance that the best linear readout leaves over."""
    return 1 - np.linalg.matrix_rank(A) / A.shape[1]


def _error(readout):
    """The error of a readout that is made of the weights by readout(A)."""

    def wrong(A):
        missed = np.eye(A.shape[1]) - readout(A) @ A
        return (missed**2).sum() / A.shape[1]

    return wrong


EXERCISE = Exercise(
    signature="left_over(A)",
    task="Write left_over(A): A[i, j] is the weight that head i gives to the item with the wanted "
    "value j; other items get none. The values are independent, of mean 0 and variance 1: what "
    "share of their variance does the best linear readout leave over? Compute "
    "it from A, without drawing values.",
    returns="a single number",
    reference=left_over,
    cases=(
        Case("one head, two wanted", (np.array([[0.75, 0.25]]),)),
        Case("a head for each", (np.array([[1.0, 0.0], [0.0, 1.0]]),)),
        Case("heads that mix", (np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]]),)),
        Case("heads that look alike", (np.array([[0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]]),)),
        Case("more heads than wanted", (np.array([[1.0, 0.0], [0.4, 0.6], [0.5, 0.5]]),)),
    ),
    mistakes=(
        Mistake(
            "counts_heads",
            lambda A: 1 - min(A.shape) / A.shape[1],
            "The heads are counted, up to the number of wanted values. Two heads with the same "
            "weights say the same: only what sets them apart counts.",
        ),
        Mistake(
            "counts_all_heads",
            lambda A: 1 - len(A) / A.shape[1],
            "The heads are counted, all of them. A share below 0 shows what is wrong: heads beyond "
            "the wanted values, or equal to others, add nothing.",
        ),
        Mistake(
            "what_is_recovered",
            lambda A: np.linalg.matrix_rank(A) / A.shape[1],
            "This is the share that the readout recovers. What it leaves over is the rest.",
        ),
        Mistake(
            "not_a_share",
            lambda A: A.shape[1] - np.linalg.matrix_rank(A),
            "This is the error summed over the wanted values. A share is divided by their number.",
        ),
        Mistake(
            "by_heads",
            lambda A: 1 - np.linalg.matrix_rank(A) / len(A),
            "The rank is divided by the number of heads. The share is of the wanted values, and "
            "those are the columns.",
        ),
        Mistake(
            "weights_as_readout",
            _error(lambda A: A.T),
            "The readout is the weights themselves, transposed. It can be learned: take the one "
            "with the smallest error, such as np.linalg.pinv gives.",
        ),
        Mistake(
            "summed_heads",
            _error(lambda A: np.ones((A.shape[1], len(A)))),
            "Each wanted value is guessed by the sum of all heads. W_O weighs the heads, anew for "
            "each wanted value: take the weights with the smallest error.",
        ),
        Mistake(
            "averaged_heads",
            _error(lambda A: np.full((A.shape[1], len(A)), 1 / len(A))),
            "Each wanted value is guessed by the mean of all heads. W_O weighs the heads, anew for "
            "each wanted value: take the weights with the smallest error.",
        ),
        Mistake(
            "largest_weights",
            lambda A: 1 - (A.max(axis=0) ** 2).mean(),
            "Each wanted value is taken from the head that looks at it most. A readout may also "
            "subtract one head from another.",
        ),
        Mistake(
            "missing_weight",
            lambda A: 1 - A.max(axis=0).mean(),
            "This counts weight that is missing. A value with weight 0.1 is recovered exactly, if "
            "nothing else is mixed into it or if what is can be subtracted.",
        ),
        Mistake(
            "mean_of_the_table",
            lambda A: ((np.eye(A.shape[1]) - np.linalg.pinv(A) @ A) ** 2).mean(),
            "The mean runs over the whole table of what is missed. Each row is one wanted value, "
            "and its squares add up to its error: sum along rows, then take the mean.",
        ),
        Mistake(
            "weights_squared",
            lambda A: 1 - (A**2).sum() / A.shape[1],
            "The squared weights are summed. A readout may make up for small weights: what counts "
            "is how many directions the rows of A span.",
        ),
        Mistake(
            "root",
            lambda A: np.sqrt(left_over(A)),
            "The root is taken. A share of the variance is asked for, as it is.",
        ),
        Mistake(
            "always_half",
            lambda A: 0.5,
            "One half holds for one head and two wanted values only. How many directions do the "
            "rows of A span?",
        ),
    ),
    definition="It should be the same number at every call: the mean squared error of the best "
    "linear readout over all values that could be drawn, and that A alone decides.",
    general="The function takes no random numbers: the share follows from A, exactly. To see which "
    "it is, draw values v beside it, compute the heads' outputs A v, fit the values from them with "
    "np.linalg.lstsq, and look which few errors occur.",
    why="The rank of A counts the different numbers that come out of the heads. With rank r they "
    "recover r/m of m independent values, whatever the weights are.",
)
