"""Draw the next character at a temperature."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def draw_next(logits, temperature, u):
    """How many of the running sums of chances are not larger than u."""
    p = softmax(logits / temperature)
    return int((np.cumsum(p) <= u).sum())


LOGITS = [2 * logits for logits in draw(*[(5,)] * 4, (4,), (4,))]

CASES = (
    Case("temperature 1", ([0.7, 0.0, -0.7], 1.0, 0.7)),
    *(
        Case(f"temperature {temperature}, u = {u}", (logits, temperature, u))
        for logits, temperature, u in zip(
            LOGITS, (0.5, 0.4, 2.0, 2.5, 5.0, 1.5), (0.3, 0.05, 0.45, 0.9, 0.25, 0.62)
        )
    ),
)
