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


def tokens(text, kinds):
    """Rows with a single 1: the start, then letters a, b, …"""
    places = [0, *(ord(letter) - ord("a") + 1 for letter in text)]
    return np.eye(kinds + 1)[places].tolist()


CASES = (
    Case("a, b, a", (tokens("aba", 2), 6.0)),
    Case("nothing comes twice", (tokens("abc", 3), 4.0)),
    Case("a letter is doubled", (tokens("aab", 2), 5.0)),
    Case("two different followers", (tokens("abacacb", 3), 3.0)),
    Case("a long repetition", (tokens("abcdabcd", 4), 10.0)),
)
