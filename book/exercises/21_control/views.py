"""What a policy has at hand: the last views, zeros where there is none."""

import numpy as np

from attnlib.exercises import Case


def views(theta, seen, t, n):
    """The last n views up to step t, the oldest first, as angle and flag."""
    table = np.stack([np.where(seen, theta, 0.0), seen * 1.0], axis=1)
    return np.concatenate([np.zeros((n, 2)), table])[t + 1 : t + 1 + n]


def episode(n, lost, seed):
    """Angles of so many steps, and which of their views arrived."""
    seen = np.ones(n, dtype=bool)
    seen[lost] = False
    return np.random.default_rng(seed).normal(0.02, 0.05, n).round(3), seen


CASES = (
    Case("one view is lost", (*episode(6, [3], 0), 4, 3)),
    Case("the present view is lost", (*episode(7, [1, 5], 1), 5, 4)),
    Case("the start of an episode", (*episode(8, [0], 2), 2, 5)),
    Case("the first step", (*episode(5, [], 3), 0, 3)),
)
