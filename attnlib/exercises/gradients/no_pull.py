"""Find values for which a query that moves does not move its output."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Exercise, Mistake
from attnlib.exercises.engine.showing import show

KEYS = np.array([-1.0, 0.0, 1.0])
WEIGHTS = softmax(0.5 * KEYS)

ALIKE = (
    "All three values are alike, or nearly so. Then no weights change the output, whatever moves "
    "them. Find values of which one at least differs clearly from the others."
)
LINE = (
    "These values lie on a line over the keys, so they rise or fall with them, and the output "
    "follows the query. The values must not go up or down with the keys on the whole."
)
RISING = (
    "These values never fall from one key to the next. A query that rises moves weight to larger "
    "keys, so the output rises. Some values have to go against the keys."
)
FALLING = (
    "These values never rise from one key to the next. A query that rises moves weight to larger "
    "keys, so the output falls. Some values have to go with the keys."
)
SYMMETRIC = (
    "The outer values are alike. That is right for the query 0, where both outer keys have the "
    "same weight. At 0.5 the key 1 has more than the key −1."
)
OUTPUT_0 = (
    "The output is 0 here, the mean of the values under the weights. But it moves. What has to be "
    "0 is the covariance of values and keys."
)
NOT_CENTRED = (
    "The weighted mean of value times key is 0 here. From it the product of the two means has to "
    "be subtracted, the mean value times the mean key: neither mean is 0."
)
MIRRORED = (
    "That is right for the query −0.5: the weights are turned round. At 0.5 the key 1 has the "
    "largest weight."
)
NEARLY = (
    "The output hardly moves, but it moves. Compute the weights to more digits, and give the last "
    "value as a formula."
)
MOVES = (
    "The output moves with the query here. Fix two of the values, and solve for the third: the "
    "covariance of values and keys under the weights is linear in it."
)


def _covariance(v, w=WEIGHTS):
    return float(w @ (v * KEYS) - (w @ v) * (w @ KEYS))


def judge_no_pull(v):
    """None if the output does not move with the query, and the values are not alike; else why."""
    reach = np.ptp(v)
    if reach < 1e-3 * max(1e-6, np.abs(v).max()):
        return ALIKE
    slope = _covariance(v) / reach
    if abs(slope) < 5e-4:
        return None
    if abs(slope) < 0.01:
        return NEARLY
    steps = np.diff(v)
    if np.isclose(*steps, atol=1e-6 * reach):
        return LINE
    if (steps >= 0).all():
        return RISING
    if (steps <= 0).all():
        return FALLING
    if abs(steps.sum()) < 1e-3 * reach:
        return SYMMETRIC
    if abs(_covariance(v, WEIGHTS[::-1])) < 1e-3 * reach:
        return MIRRORED
    if abs(WEIGHTS @ (v * KEYS)) < 1e-3 * reach:
        return NOT_CENTRED
    if abs(WEIGHTS @ v) < 1e-3 * reach:
        return OUTPUT_0
    return MOVES


def _slope(v):
    return (
        f"The weights are {show(WEIGHTS)}, and the output moves by {show(_covariance(v))} times a "
        "small move of the query."
    )


def _third(first, second, goal):
    """The third value for which a linear function of the values is 0."""
    start, step = goal(np.array([first, second, 0.0])), goal(np.array([0.0, 0.0, 1.0]))
    return np.array([first, second, -start / step])


EXERCISE = Exercise(
    signature="values",
    task="Three keys −1, 0 and 1, and the query 0.5, without a scale: d_k is 1. Find three values, "
    "not all alike, for which the output does not move when the query moves a little.",
    returns="three values, an array of shape (3,)",
    reference=_third(1.0, 0.0, _covariance),
    judge=judge_no_pull,
    shape=(3,),
    mistakes=(
        Mistake("alike", np.array([2.0, 2.0, 2.0]), ALIKE),
        Mistake("the_keys", KEYS, LINE),
        Mistake("rising", np.array([0.0, 1.0, 5.0]), RISING),
        Mistake("falling", np.array([5.0, 1.0, 0.0]), FALLING),
        Mistake("symmetric", np.array([1.0, 0.0, 1.0]), SYMMETRIC),
        Mistake("output_0", _third(1.0, -2.0, lambda v: WEIGHTS @ v), OUTPUT_0),
        Mistake("not_centred", _third(1.0, 5.0, lambda v: WEIGHTS @ (v * KEYS)), NOT_CENTRED),
        Mistake("mirrored", _third(1.0, 0.0, lambda v: _covariance(v, WEIGHTS[::-1])), MIRRORED),
        Mistake("rounded", np.array([1.0, 0.0, 0.7]), NEARLY),
        Mistake("any_values", np.array([3.0, 0.0, 4.0]), MOVES),
    ),
    properties=(_slope,),
    definition="The covariance of values and keys under the weights should be 0.",
    general="Three values are wanted, one for each of the keys −1, 0 and 1, in that order.",
    why="Values that go against the keys here and with them there pull the output both ways at "
    "once. It stands still at this query only: a query that goes on moves it after all.",
)
