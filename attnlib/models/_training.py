"""What training needs beside the gradients of the parts: a loss, and a step down its slope."""

import numpy as np

BETA_1, BETA_2, TINY = 0.9, 0.999, 1e-8


def cross_entropy(scores, wanted):
    """Return the mean cross-entropy in nats, and its derivative with respect to the scores.

    `scores` has the shape (..., n), and `wanted` has an index into each of its rows.
    """
    below = scores - scores.max(axis=-1, keepdims=True)
    log_p = below - np.log(np.exp(below).sum(axis=-1, keepdims=True))
    is_wanted = wanted[..., None] == np.arange(scores.shape[-1])
    return -float(log_p[is_wanted].mean()), (np.exp(log_p) - is_wanted) / wanted.size


def adam(p, d, mean, square, t, rate):
    """Return a parameter after step `t` of Adam, counted from 1, and its two running means."""
    mean = BETA_1 * mean + (1 - BETA_1) * d
    square = BETA_2 * square + (1 - BETA_2) * d**2
    size = np.sqrt(square / (1 - BETA_2**t)) + TINY
    return p - rate * (mean / (1 - BETA_1**t)) / size, mean, square
