"""What language models are trained and scored with, beside the gradients of their parts."""

import math

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


def rate_share(step, steps, warm_up=0, decay=True):
    """Which share of the largest rate a step takes, counted from 0 of `steps`.

    It rises evenly to 1 in the first `warm_up` steps, and then, with `decay`, falls to 0 along half
    a cosine.

    >>> [round(rate_share(step, 5, warm_up=2), 2) for step in range(5)]
    [0.5, 1.0, 1.0, 0.75, 0.25]
    """
    if step < warm_up:
        return (step + 1) / warm_up
    done = (step - warm_up) / (steps - warm_up)
    return (1 + math.cos(math.pi * done)) / 2 if decay else 1.0


def cut(ids, least, context):
    """Cut windows that overlap, so that each character from number `least` on is guessed once.

    Yields arrays of windows, 128 at most.  Of each window all but the last character are read, at
    most `context`; those with `least` others before them in the window are guessed.

    >>> [windows.tolist() for windows in cut(np.arange(6), least=2, context=3)]
    [[[0, 1, 2, 3], [2, 3, 4, 5]]]
    """
    if least > context:
        raise ValueError(f"least={least} is more than context={context}.")
    if len(ids) <= least:
        raise ValueError(f"text has {len(ids)} characters; give more than least={least}.")
    starts = np.arange(0, len(ids) - least, context - least + 1)
    whole = starts[starts + context < len(ids)]
    for i in range(0, len(whole), 128):
        yield ids[whole[i : i + 128, None] + np.arange(context + 1)]
    if len(whole) < len(starts):  # what is left is one shorter window
        yield ids[None, starts[-1] :]
