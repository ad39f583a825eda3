"""A hidden unit that, with the residual, puts two numbers into rising order."""

import numpy as np

from attnlib.exercises.engine.showing import show

PAIRS = np.array([[3.0, 1], [1, 3], [2, 2], [-1, 2], [2, -1], [-3, -1], [-1, -4], [0, 5], [5, 0]])

unit = np.array([[1.0, -1.0], [-1.0, 1.0]])


def applied(unit, X=PAIRS):
    """Items with what the unit brings: x + relu(x · w_in) w_out."""
    w_in, w_out = unit
    return X + np.maximum(X @ w_in, 0)[:, None] * w_out


def judge(unit):
    """None if every pair comes out in rising order, else why not."""
    expected, outputs = np.sort(PAIRS, axis=1), applied(unit)
    if np.allclose(outputs, expected, atol=1e-6):
        return None
    if np.allclose(outputs, expected[:, ::-1], atol=1e-6):
        return FALLING
    w_in, w_out = unit
    wrong = PAIRS[:, 0] > PAIRS[:, 1]
    if not (PAIRS[wrong] @ w_in > 0).any():
        return SILENT
    if np.allclose(w_out, 0):
        return ADDS_NOTHING
    if np.count_nonzero(w_in) == 1:
        return ONE_NUMBER
    if not np.isclose(w_in.sum(), 0, atol=1e-6 * abs(w_in).max()):
        return DIFFERENCE
    step = w_in[0] * w_out  # how much of the difference each number gets
    if np.isclose(step, [-1, 1]).any():
        return ONE_SIDE
    if not np.isclose(step.sum(), 0):
        return SUM
    if step[1] < 0:
        return APART
    return SHORT if step[1] < 1 else FAR


def swap(unit):
    (output,) = applied(unit, np.array([[3.0, 1.0]]))
    if not np.allclose(output, [1, 3]):
        return f"With your unit (3, 1) becomes {show(output)}."


PROPERTIES = (swap,)

FALLING = (
    "Your unit puts the larger number first. Rising order is wanted: the unit has to be above 0 "
    "when the first number is the larger one, and to bring it down."
)
SILENT = (
    "Your unit is not above 0 for (3, 1), (2, −1) and (5, 0), which are not in order, so it brings "
    "nothing. It has to be above 0 there: which weighted sum is positive when the first number is "
    "the larger one?"
)
ADDS_NOTHING = (
    "Whatever the hidden unit finds, what it adds is 0, as `w_out` is 0. Which of the two numbers "
    "has to come down when the first is the larger one, and which to go up?"
)
ONE_NUMBER = (
    "The hidden unit looks at one of the two numbers alone. Whether a pair is in order is said by "
    "both: by their difference."
)
DIFFERENCE = (
    "The weighted sum in the hidden unit is not 0 where both numbers are equal, and for some pairs "
    "it has the wrong sign. Whether a pair is in order is said by its difference alone."
)
ONE_SIDE = (
    "The unit speaks at the right time, but only one of the two numbers comes out right. In a swap "
    "both change, by the same amount and in opposite directions."
)
SUM = (
    "The unit speaks at the right time, but the sum of the pair changes. A swap keeps it: what one "
    "number gets is taken from the other."
)
APART = (
    "The unit speaks at the right time, but it pulls the two numbers further apart: the larger one "
    "has to come down, the smaller one to go up."
)
SHORT = (
    "The unit speaks at the right time and in the right direction, but it moves too little. The "
    "first number has to come down by the whole difference, and the second to go up by it."
)
FAR = (
    "The unit speaks at the right time and in the right direction, but it moves too much. The "
    "first number has to come down by the difference, once, and the second to go up by it."
)
