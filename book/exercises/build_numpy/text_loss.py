"""The loss of a whole text, window by window."""

from itertools import pairwise

import numpy as np

from attnlib.exercises import Case


def text_loss(loss_of, ids, n):
    """Each window counts by its number of targets."""
    return sum(loss_of(x, y) * len(y) for x, y in cut(ids, n)) / (len(ids) - 1)


def cut(ids, n):
    """The windows of a text, one after the other."""
    inputs, targets = ids[:-1], ids[1:]
    return [(inputs[i : i + n], targets[i : i + n]) for i in range(0, len(targets), n)]


def whole_alone(loss_of, ids, n):
    whole = [pair for pair in cut(ids, n) if len(pair[0]) == n]
    return np.mean([loss_of(x, y) for x, y in whole]) if whole else 0.0


def later(loss_of, ids, n):
    starts = [i for i in range(0, len(ids) - 1, n) if i + n < len(ids)]
    found = [(ids[i : i + n], ids[i + n : i + 2 * n]) for i in starts]
    total = sum(loss_of(x[: len(y)], y) * len(y) for x, y in found)
    return total / max(sum(len(y) for x, y in found), 1)


def pieces(loss_of, ids, n):
    cuts = [ids[i : i + n] for i in range(0, len(ids), n)]
    return np.mean([loss_of(c[:-1], c[1:]) for c in cuts if len(c) > 1])


def from_the_end(ids, n):
    first = (len(ids) - 1) % n
    head = [(ids[:first], ids[1 : first + 1])] if first else []
    return head + cut(ids[first:], n)


def overhanging(loss_of, ids, n):
    starts = [min(i, max(len(ids) - 1 - n, 0)) for i in range(0, len(ids) - 1, n)]
    return np.mean(
        [loss_of(ids[i : i + n][: len(ids) - 1 - i], ids[i + 1 : i + n + 1]) for i in starts]
    )


def each_alone(loss_of, ids):
    return np.mean([loss_of(ids[i : i + 1], ids[i + 1 : i + 2]) for i in range(len(ids) - 1)])


def pieces_counted(loss_of, ids, n):
    cuts = [c for c in (ids[i : i + n] for i in range(0, len(ids), n)) if len(c) > 1]
    total = sum(loss_of(c[:-1], c[1:]) * (len(c) - 1) for c in cuts)
    return total / sum(len(c) - 1 for c in cuts)


def windows_of(ids, n, length, step):
    """Windows of another length, or with another step."""
    starts = range(0, len(ids) - 1, max(step, 1))
    ends = [min(i + max(length, 1), len(ids) - 1) for i in starts]
    return [(ids[i:end], ids[i + 1 : end + 1]) for i, end in zip(starts, ends)]


def every_place(ids, n):
    return [(ids[i : i + n], ids[i + 1 : i + n + 1]) for i in range(len(ids) - n)] or cut(ids, n)


def merged(loss_of, ids, n):
    whole = max((len(ids) - 1) // n, 1)
    bounds = [*range(0, whole * n, n), len(ids) - 1]
    pairs = [(ids[a:b], ids[a + 1 : b + 1]) for a, b in pairwise(bounds)]
    return sum(loss_of(x, y) * len(y) for x, y in pairs) / (len(ids) - 1)


def evenly(loss_of, ids, n):
    parts = np.array_split(np.arange(len(ids) - 1), -(-(len(ids) - 1) // n))
    return sum(loss_of(ids[p], ids[p + 1]) * len(p) for p in parts) / (len(ids) - 1)


def halved(loss_of, ids, n):
    total = 0.0
    for x, y in cut(ids, n):
        total = (total + loss_of(x, y)) / 2
    return total


def written(code):
    """A function that shows as its own code."""
    function = eval(code, {"np": np})
    function.__name__ = code
    return function


APART = written("lambda x, y: (0.7 * x + y**2).mean()")
LENGTH = written("lambda x, y: abs(x - 2 * y).mean() + 1 / len(x)")
PLACES = written("lambda x, y: (np.arange(1, len(x) + 1) * (x + y**2) / 9).mean()")

CASES = (
    Case("windows that fit", (APART, np.array([2, 0, 1, 3, 1]), 2)),
    Case("a shorter last window", (LENGTH, np.array([1, 4, 0, 2, 2, 3, 1, 5, 0]), 3)),
    Case("a shorter last window", (PLACES, np.array([0, 3, 1, 2, 4, 1, 0, 2, 3, 3, 1, 4]), 4)),
    Case("a last window of one", (PLACES, np.array([3, 1, 5, 2, 0, 4, 2, 6, 1, 3, 5, 0]), 5)),
    Case("windows that fit", (PLACES, np.array([4, 0, 6, 1, 3, 2, 5]), 3)),
    Case("one short window", (PLACES, np.array([5, 2, 7, 1]), 8), rare=True),
)
