"""By how much sparsemax lowers every score."""

import numpy as np

from attnlib.exercises import Case


def sparsemax_threshold(scores):
    """The last candidate that lies below its score: the best k, minus one, divided by k."""
    best = np.sort(scores)[::-1]
    candidates = (np.cumsum(best) - 1) / np.arange(1, len(best) + 1)
    return candidates[best > candidates][-1]


CASES = (
    Case("scores that are all kept", ([0.3, 0.1],)),
    Case("a score that takes all", ([3.0, 1.0],)),
    Case("sorted scores", ([0.9, 0.6, -0.5],)),
    Case("unsorted scores", ([0.2, 1.2, -1.0, 0.9],)),
    Case("equal scores", ([1.0, 0.2, 1.0],)),
    Case("negative scores", ([-3.0, -2.6, -5.0, -2.9],)),
    Case("a single score", ([0.7],), rare=True),
    Case("whole numbers", ([1, 2, 0],), rare=True),
    Case("large scores", ([1000.2, 999.0, 1000.5],), rare=True),
)


def threshold_of(scores, k):
    """The threshold if the first k scores are kept."""
    return (scores[:k].sum() - 1) / k


def passing(scores):
    """How many scores lie above the threshold that includes them."""
    k = np.arange(1, len(scores) + 1)
    return max((k * scores > np.cumsum(scores) - 1).sum(), 1)


def first_failing(scores):
    """How many scores come before the first that does not lie above its threshold."""
    k = np.arange(1, len(scores) + 1)
    return np.append(k * scores > np.cumsum(scores) - 1, False).argmin()


def last_candidate(scores, candidate, stop=True):
    """A running sum, and the last candidate(sum, k) that lies below its score."""
    total, threshold = 0.0, 0.0
    for k, score in enumerate(scores, start=1):
        total += score
        if score > candidate(total, k):
            threshold = candidate(total, k)
        elif stop:
            break
    return threshold
