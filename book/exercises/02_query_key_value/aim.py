"""Find a query that favours one key."""

import numpy as np

from attnlib import softmax
from attnlib.exercises.engine.showing import show

TOY_KEYS = np.array([[1.0, 0.0], [0.5, 0.5], [-1.0, -1.0]])

q = [0.0, 10.0]

TIE = (
    "This q points along k_2 = [0.5, 0.5] itself, and k_1 = [1, 0] then scores the same: a key "
    "need not be the best query for itself. Make q's second number larger than its first."
)
TIE_WITH_THIRD = (
    "Elements 2 and 3 tie: k_2 and k_3 lie on one line through the origin, and q is at a right "
    "angle to it, so both score 0. Add some “up”, a larger second number: that raises the score of "
    "k_2 and lowers that of k_3."
)
ZERO = "The zero query scores every key 0, so all weights are equal. Give q a direction."
SHORT = (
    "Element 2 gets most weight, but its lead is too small. A longer q in the same direction "
    "widens it. If that takes too long, turn q away from the key that comes second."
)
FIRST = (
    "This q favours element 1. Only q's first number meets k_1 = [1, 0], while k_2 takes half of "
    "each: make the first smaller, the second larger."
)
THIRD = (
    "This q favours element 3: k_3 = [-1, -1] wins when q's two numbers have a negative sum. "
    "Turn q to the side where the sum is positive."
)
FIRST_AND_THIRD = (
    "Elements 1 and 3 tie, and element 2 is behind both. “Up”, a larger second number, leaves the "
    "score of k_1 as it is, raises that of k_2 and lowers that of k_3."
)


def judge(q):
    """None if q gives element 2 of the example more than 0.9 of the weight, else why not."""
    scores = TOY_KEYS @ q
    if softmax(scores)[1] > 0.9:
        return None
    if not q.any():
        return ZERO
    if q[0] < 0 and abs(q.sum()) <= 1e-12 * abs(q[0]):
        return TIE_WITH_THIRD
    if np.isclose(scores[0], scores[2], rtol=1e-9, atol=0) and scores[0] > scores[1]:
        return FIRST_AND_THIRD
    if scores[2] >= scores.max():
        return THIRD
    if np.isclose(scores[0], scores[1], rtol=1e-9, atol=0):
        return TIE
    return FIRST if scores[0] > scores[1] else SHORT


PROPERTIES = (lambda q: f"It gives the three elements the weights {show(softmax(TOY_KEYS @ q))}.",)
