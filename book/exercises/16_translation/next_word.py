"""One step of decoding: read, ask, choose."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def next_word(y, s, H, W_y, W_s, W_c, U):
    """Read the word, ask with the new state, choose by state and context."""
    s = np.tanh(y @ W_y + s @ W_s)
    c = softmax(s @ H.T) @ H
    return np.tanh(np.concatenate([s, c]) @ W_c) @ U


def arguments(d_e, d, n, d_c, words):
    """A word, a state, the encoder's states and the matrices."""
    return draw((d_e,), (d,), (n, d), (d_e, d), (d, d), (2 * d, d_c), (d_c, words))


CASES = (
    Case("small arrays", arguments(2, 2, 3, 2, 3)),
    Case("one English word", arguments(3, 2, 1, 4, 5)),
    Case("arrays whose sizes all differ", arguments(4, 3, 6, 5, 7)),
)
