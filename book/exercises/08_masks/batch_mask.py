"""A causal mask for sequences of different lengths."""

import numpy as np

from attnlib.exercises import Case


def batch_mask(lengths, n):
    """Causal, and no key that is padding; one matrix for each sequence."""
    words = np.arange(n) < np.asarray(lengths)[:, None, None]
    return words & np.tri(n, dtype=bool)


def _words(lengths, n):
    """True where a place holds a word, shape (b, n)."""
    return np.arange(n) < np.asarray(lengths)[:, None]


def _made(keys=None, queries=None, order=None):
    """A mask made of three parts; those that are left out allow everything."""

    def mask(lengths, n):
        found = np.ones((len(lengths), n, n), dtype=bool)
        for part, axes in ((keys, (slice(None), None)), (queries, (slice(None), ..., None))):
            if part:
                found &= part(lengths, n)[axes]
        return found & order(n) if order else found

    return mask


def _in_front(lengths, n):
    return _words(lengths, n)[:, ::-1]


def _up_to(lengths, n):
    return _words(np.add(lengths, 1), n)


def _short(lengths, n):
    return _words(np.subtract(lengths, 1), n)


def _lower(n):
    return np.tri(n, dtype=bool)


def _strictly(n):
    return np.tri(n, k=-1, dtype=bool)


def _ahead(n):
    return np.tri(n, dtype=bool).T


CASES = (
    Case("one sequence", (np.array([2]), 3)),
    Case("a full and a short one", (np.array([3, 1]), 3)),
    Case("as many sequences as places", (np.array([2, 4, 1, 3]), 4)),
    Case("more sequences than places", (np.array([1, 2, 2, 1]), 2)),
)
