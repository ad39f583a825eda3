"""The induction score of one head."""

import numpy as np

from attnlib.exercises import Case


def follows(w, x):
    """The mean weight on what followed earlier occurrences, of all tokens that came before."""
    sums = []
    for t in range(len(x)):
        found = [s + 1 for s in range(t) if x[s] == x[t]]
        if found:
            sums.append(w[t, found].sum())
    return np.mean(sums)


def last(marked):
    """The last mark of each row alone."""
    n = marked.shape[1]
    places = n - 1 - np.argmax(marked[:, ::-1], axis=1)
    return marked & (np.arange(n) == places[:, None])


def looked(x, seed):
    """Causal weights of two decimals that sum to one, with these tokens."""
    n = len(x)
    w = np.random.default_rng(seed).dirichlet(np.ones(n), size=n) * np.tri(n)
    return (w / w.sum(axis=1, keepdims=True)).round(2), np.array(x)


CASES = (
    Case("one token twice", looked([7, 8, 7], 0)),
    Case("a text twice", looked([4, 9, 2, 4, 9, 2], 1)),
    Case("a token three times", looked([5, 6, 5, 3, 5, 1], 2)),
    Case("a doubled token", looked([2, 2, 8, 2, 6], 3)),
    Case("mostly new tokens", looked([1, 2, 3, 4, 2, 5, 6], 4)),
)
