"""What a policy has at hand: the last views, zeros where there is none."""

import numpy as np

from attnlib.exercises import Case


def views(theta, seen, t, n):
    """The last n views up to step t, the oldest first, as angle and flag."""
    return window(np.stack([np.where(seen, theta, 0.0), seen * 1.0], axis=1), t, n)


def window(table, t, n, before=0.0):
    """The last n rows of a table up to row t; each row before the first is ``before``."""
    return np.concatenate([np.zeros((n, 2)) + before, table])[t + 1 : t + 1 + n]


def padded(table, n):
    """A table with n rows of zeros before it, and one behind."""
    return np.concatenate([np.zeros((n, 2)), table, np.zeros((1, 2))])


def held(theta, seen, t, n, flag, first=0):
    """The views where a lost one repeats the last that arrived since step ``first``."""
    last, rows = [0.0, 0.0], []
    for step in range(min(first, t - n + 1), t + 1):
        lost = step < first or step < 0 or not seen[step]
        last = [last[0], flag * (last[0] != 0)] if lost else [theta[step], 1.0]
        rows.append(last)
    return np.array(rows[-n:])


def episode(n, lost, seed):
    """Angles of so many steps, and which of their views arrived."""
    seen = np.ones(n, dtype=bool)
    seen[lost] = False
    return np.random.default_rng(seed).normal(0.02, 0.05, n).round(3), seen


CASES = (
    Case("a lost view", (*episode(6, [3], 0), 4, 3)),
    Case("a lost present view", (*episode(8, [1, 2, 5], 5), 5, 4)),
    Case("the start of an episode", (*episode(9, [1], 2), 2, 5)),
    Case("the first step", (*episode(5, [], 3), 0, 3)),
    Case("the last step of an episode", (*episode(7, [5], 4), 6, 2), rare=True),
)
