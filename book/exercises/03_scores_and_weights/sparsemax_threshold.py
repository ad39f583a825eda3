"""By how much sparsemax lowers every score."""

import numpy as np

from attnlib.exercises import Case


def _threshold(kept, ordered):
    """The threshold for which so many of the largest scores, lowered by it, sum to one."""
    return (ordered[:kept].sum() - 1) / kept


def _count(ordered):
    """How many are kept: each as it comes has to stand above the threshold that includes it."""
    k = np.arange(1, len(ordered) + 1)
    return int((1 + k * ordered > np.cumsum(ordered)).sum())


def _descending(scores):
    return np.sort(scores)[::-1]


def _with(count=_count, order=_descending, threshold=_threshold):
    """The same with another way to count, to order or to make the threshold."""

    def found(scores):
        ordered = order(scores)
        return threshold(max(count(ordered), 1), ordered)

    return found


def sparsemax_threshold(scores):
    """The last candidate that lies below its score: the best k, minus one, divided by k."""
    ordered = np.sort(scores)[::-1]
    candidates = (np.cumsum(ordered) - 1) / np.arange(1, len(ordered) + 1)
    return candidates[ordered > candidates][-1]


def _loop(candidate, order=_descending, stop=True):
    """A running sum, and candidate(sum, k, n) for it, the last that lies below its score."""

    def found(scores):
        total, threshold = 0.0, 0.0
        for k, score in enumerate(order(scores), start=1):
            total += score
            if score > candidate(total, k, len(scores)):
                threshold = candidate(total, k, len(scores))
            elif stop:
                break
        return threshold

    return found


def _until_one_fails(ordered):
    """How many pass before the first that does not."""
    passes = [s > (sum(ordered[: i + 1]) - 1) / (i + 1) for i, s in enumerate(ordered)]
    return passes.index(False) if False in passes else len(passes)


def _counted(candidate, passes=np.greater):
    """All candidates at once, and the one with the number of those that pass."""

    def found(scores):
        ordered, n = _descending(scores), len(scores)
        candidates = candidate(np.cumsum(ordered), np.arange(1, n + 1), n)
        return candidates[passes(ordered, candidates).sum() - 1]

    return found


def _as_given(scores):
    return scores


def _one_last(total, k, n):
    return total / k - 1


def _by_n(total, k, n):
    return (total - 1) / n


def _undivided(total, k, n):
    return total - 1


CASES = (
    Case("scores that are all kept", (np.array([0.3, 0.1]),)),
    Case("a score that takes all", (np.array([3.0, 1.0]),)),
    Case("sorted scores", (np.array([0.9, 0.6, -0.5]),)),
    Case("unsorted scores", (np.array([0.2, 1.2, -1.0, 0.9]),)),
    Case("equal scores", (np.array([1.0, 0.2, 1.0]),)),
    Case("negative scores", (np.array([-3.0, -2.6, -5.0, -2.9]),)),
    Case("a single score", (np.array([0.7]),), rare=True),
)
