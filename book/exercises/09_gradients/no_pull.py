"""Find values for which a query that moves does not move its output."""

import numpy as np

from attnlib import softmax
from attnlib.exercises.engine.showing import show

KEYS = np.array([-1.0, 0.0, 1.0])
WEIGHTS = softmax(0.5 * KEYS)


def covariance(v, weights=WEIGHTS):
    return float(weights @ (v * KEYS) - (weights @ v) * (weights @ KEYS))


def solved(first, second, goal):
    """The third value for which a linear function of the values is 0."""
    start, step = goal(np.array([first, second, 0.0])), goal(np.array([0.0, 0.0, 1.0]))
    return np.array([first, second, -start / step])


values = solved(1.0, 0.0, covariance)


def judge(v):
    """None if the output does not move with the query, and the values are not alike; else why."""
    reach = np.ptp(v)
    if reach < 1e-3 * max(1e-6, np.abs(v).max()):
        return ALIKE
    slope = covariance(v) / reach
    if abs(slope) < 5e-4:
        return None
    if abs(slope) < 0.01:
        return NEARLY
    steps = np.diff(v)
    if (steps >= 0).all():
        return RISING
    if (steps <= 0).all():
        return FALLING
    if abs(steps.sum()) < 1e-3 * reach:
        return SYMMETRIC
    if abs(WEIGHTS @ (v * KEYS)) < 1e-3 * reach:
        return NOT_CENTRED
    if abs(WEIGHTS @ v) < 1e-3 * reach:
        return OUTPUT_0
    return MOVES


PROPERTIES = (
    lambda v: (
        f"The weights are {show(WEIGHTS)}, and the output moves by {show(covariance(v))} times a "
        "small move of the query."
    ),
)

ALIKE = (
    "All three values are alike, or nearly so. Then no weights change the output, whatever moves "
    "them. Find values of which one at least differs clearly from the others."
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
NEARLY = (
    "The output hardly moves, but it moves. Compute the weights to more digits, and give the last "
    "value as a formula."
)
MOVES = (
    "The output moves with the query here. Fix two of the values, and solve for the third: the "
    "covariance of values and keys under the weights is linear in it."
)
