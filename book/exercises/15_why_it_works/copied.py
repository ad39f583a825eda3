"""The head that finds what followed the same token before, and copies it."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case

__all__ = ["attend"]  # for the forms that the text compares


def noted(T):
    """What the previous-token head writes: the token before, and nothing at the start."""
    return np.vstack([0 * T[:1], T[:-1]])


def head(scores, V):
    """A causal head with these scores."""
    seen = np.tri(len(scores), dtype=bool)
    return softmax(np.where(seen, scores, -np.inf)) @ V


def copied(T, gap):
    """At each place a mixture of what followed its token before."""
    return head(gap * (T @ noted(T).T + T[:, 0] / 2), T)


def mixed(powers, T):
    """Rows of T, mixed by weights in proportion to these powers."""
    return powers / powers.sum(axis=1, keepdims=True) @ T


def fits(T):
    """Where the note at s is the token at t, and s is no later."""
    return (T @ noted(T).T > 0) & np.tri(len(T), dtype=bool)


def one_match(T, gap, which):
    """Only the first (0) or the last (-1) place that fits gets the gap."""
    found = np.zeros((len(T), len(T)))
    for t, row in enumerate(fits(T)):
        found[t, np.flatnonzero(row)[which:][:1]] = 1
    return head(gap * (found + T[:, 0] / 2), T)


def limit(T):
    """The mean of what followed, or the start where nothing fits."""
    found = fits(T)
    found[~found.any(axis=1), 0] = True
    return mixed(found, T)


def tokens(text, kinds):
    """Rows with a single 1: the start, then letters a, b, …"""
    places = [0, *(ord(letter) - ord("a") + 1 for letter in text)]
    return np.eye(kinds + 1)[places].tolist()


CASES = (
    Case("the text a b a", (tokens("aba", 2), 6.0)),
    Case("a text without repetition", (tokens("abc", 4), 4.0)),
    Case("a doubled letter", (tokens("aab", 2), 5.0)),
    Case("different followers", (tokens("abacacb", 3), 3.0)),
    Case("a long repetition", (tokens("abcdabcd", 4), 10.0)),
)


def finite_mask(values, cases):
    """Whether one finite score, any, for later places explains each result."""
    for Y, case in zip(values, cases):
        T, gap = case.args
        n = len(T)
        powers = np.exp(gap * (T @ noted(T).T + T[:, 0] / 2))
        away = T[1:].sum(axis=0) - (n - 1) * Y[0]
        later = powers[0, 0] * (Y[0] - T[0]) @ away / (away @ away or np.inf)
        powers = np.where(np.tri(n, dtype=bool), powers, later)
        if not (later > 1e-9 and np.allclose(Y, mixed(powers, T))):
            return False
    return True
