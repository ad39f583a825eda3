"""The loss of a whole text, read in windows: the last window predicts what it has read."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(U, ids, n):
    losses = []
    for start in range(0, len(ids) - 1, n):
        x = ids[start : start + n]
        y = ids[start + 1 : start + n + 1]
        if len(y) < len(x):
            x = x[-len(y) :]
        logits = U[x]
        logits = logits - logits.max(axis=-1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        losses.extend(-logs[np.arange(len(y)), y])
    return np.mean(losses)


def each(U, x, y):
    """The loss of each target."""
    logits = U[x] - U[x].max(axis=-1, keepdims=True)
    return (np.log(np.exp(logits).sum(axis=-1, keepdims=True)) - logits)[np.arange(len(y)), y]


def unsafe(U, x, y):
    """The same without subtracting the largest logit."""
    return (np.log(np.exp(U[x]).sum(axis=-1, keepdims=True)) - U[x])[np.arange(len(y)), y]


def by_chances(U, x, y):
    """The same by dividing first, and without subtracting."""
    powers = np.exp(U[x])
    return -np.log((powers / powers.sum(axis=-1, keepdims=True))[np.arange(len(y)), y])


def log2_of_powers(U, x, y):
    """The logarithm to base 2 of a sum of powers of e."""
    logits = U[x] - U[x].max(axis=-1, keepdims=True)
    return (np.log2(np.exp(logits).sum(axis=-1, keepdims=True)) - logits)[np.arange(len(y)), y]


def text_loss(U, ids, n):
    return each(U, ids[:-1], ids[1:]).mean()


def windows(ids, n):
    """The inputs and targets of each window, the targets shifted."""
    starts = range(0, len(ids) - 1, n)
    pairs = [(ids[start : start + n], ids[start + 1 : start + n + 1]) for start in starts]
    return [(x[: len(y)], y) for x, y in pairs]


def by_windows(U, ids, n):
    """The losses of each window."""
    return [each(U, x, y) for x, y in windows(ids, n)]


def full_ones(U, ids, n):
    """Only windows with n targets count, if there are any."""
    losses = by_windows(U, ids, n)
    return np.concatenate([w for w in losses if len(w) == n] or losses)


def cut_everywhere(U, ids, n):
    """Each window gives up its last target."""
    return np.concatenate([w[:-1] for w in by_windows(U, ids, n)])


def last_of_window(U, ids, n):
    return np.array([w[-1] for w in by_windows(U, ids, n)])


def asked_for_themselves(U, ids, n):
    """In the last window, if it is not full, the targets are the inputs."""
    return np.concatenate([each(U, x, x if len(y) < n else y) for x, y in windows(ids, n)])


def moved_back(U, ids, n):
    """The last window begins earlier, so that it is full: some targets count twice."""
    starts = [min(start, max(len(ids) - 1 - n, 0)) for start in range(0, len(ids) - 1, n)]
    return np.concatenate(
        [each(U, ids[s : s + n][: len(ids) - 1 - s], ids[s + 1 : s + n + 1]) for s in starts]
    )


def overlapping(U, ids, n, step):
    """Windows that begin after each other by less than their length."""
    starts = range(0, len(ids) - 1, max(step, 1))
    pairs = [(ids[s : s + n], ids[s + 1 : s + n + 1]) for s in starts]
    return np.concatenate([each(U, x[: len(y)], y) for x, y in pairs])


def appended(U, ids, n, y):
    """In a last window that is not full, the last id of the text is asked for y."""
    losses = each(U, ids[:-1], ids[1:])
    if (len(ids) - 1) % n:
        losses = np.append(losses, each(U, ids[-1:], np.array([y])))
    return losses


def unshifted(U, ids, n):
    """Each id is asked for itself, in the windows of the program."""
    starts = range(0, len(ids) - 1, n)
    return np.concatenate([each(U, ids[s : s + n], ids[s : s + n]) for s in starts])


def last_cut(U, ids, n):
    """The last window gives up a target, if it is not full."""
    losses = each(U, ids[:-1], ids[1:])
    return losses[:-1] if (len(ids) - 1) % n else losses


def none_short(U, ids, n):
    """The mean over full windows, NaN where there are none."""
    losses = [loss for w in by_windows(U, ids, n) if len(w) == n for loss in w]
    return sum(losses) / np.float64(len(losses))


# The last window of each is another: full but for its target, of one input, of several.
CASES = (
    Case("a text that ends inside a window", (draw((3, 3))[0], np.array([0, 2, 1, 1, 0]), 3)),
    Case("windows that fit", (draw((5, 5))[0], np.array([4, 1, 3, 3, 2, 0, 1]), 3)),
    Case("a text shorter than one window", (draw((4, 4))[0], np.array([3, 1, 1, 2]), 9)),
    Case("a text that ends inside a window", (
        draw((6, 6))[0], np.array([5, 0, 2, 2, 4, 1, 3, 5, 0, 0, 1, 4, 2]), 5
    )),
    Case("large logits", (
        draw((7, 7))[0] + 1000, np.array([6, 2, 0, 3, 3, 5, 1, 4, 6]), 3
    ), rare=True),
)  # fmt: skip
