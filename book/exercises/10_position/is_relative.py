"""Whether a score depends on positions through their difference only, tried by shifting both."""

from functools import cache
from math import isclose

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

LAST = 11  # positions are 0 to 11
PLACES = list(np.ndindex(LAST + 1, LAST + 1))
ALL = list(np.ndindex(LAST, LAST))  # where both can be shifted by one


def is_relative(score, q, k):
    """Whether a shift of both positions by one leaves every score as it is."""
    return all(close(score(q, k, t + 1, s + 1), score(q, k, t, s)) for t, s in ALL)


def close(a, b):
    return isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)


OMEGAS = np.array([1.0, 0.1])


@cache
def described(t):
    return np.stack([np.sin(t * OMEGAS), np.cos(t * OMEGAS)], axis=-1).reshape(-1)


@cache
def rotation(t):
    """A position as numbers of length 1 in the complex plane."""
    return np.exp(1j * t * OMEGAS)


def rotary(q, k, t, s):
    queries, keys = q[::2] + 1j * q[1::2], k[::2] + 1j * k[1::2]
    return (queries * rotation(t) * np.conj(keys * rotation(s))).real.sum()


#: Scores that are not computed as they are written.
WRITTEN = {
    "q turned to t @ k turned to s, base 100": rotary,
    "q turned to t @ k, base 100": lambda q, k, t, s: rotary(q, k, t, 0),
    "(q + p[t]) @ (k + p[s]), p the sinusoids of base 100": lambda q, k, t, s: (
        (q + described(t)) @ (k + described(s))
    ),
    "p[t] @ p[s], p the sinusoids of base 100": lambda q, k, t, s: described(t) @ described(s),
    # large numbers that nearly cancel: equal but for rounding
    "1e5 * (q turned to t @ k turned to s, base 100) + 3e5 * cos(t - s)": lambda q, k, t, s: (
        1e5 * rotary(q, k, t, s) + 3e5 * np.cos(t - s)
    ),
}

#: By the kind of score, in the words of a reply.
SCORES = {
    "scores without positions": ["q @ k"],
    "biases by the shift": [
        "q @ k - 0.5 * abs(t - s)",
        "q @ k + 0.3 * (s - t)",
        "q @ k + (s - t) % 4",
    ],
    "positions in a sum": [
        "q @ k + 0.1 * s",
        "q @ k - 0.1 * t",
        "q @ k + 0.1 * (t + s)",
        "q @ k + 0.1 * t * s",
        "q @ k + (t - s) / (t + s + 1)",
    ],
    "turned rows": ["q turned to t @ k turned to s, base 100"],
    "added sinusoids": ["(q + p[t]) @ (k + p[s]), p the sinusoids of base 100"],
    "sinusoids without items": ["p[t] @ p[s], p the sinusoids of base 100"],
    "a query that is turned alone": ["q turned to t @ k, base 100"],
    "one place unlike the others": [
        "q @ k + (s == 0)",
        "q @ k + (s == 0 and t > 3)",
        "q @ k + (s == 5)",
        "q @ k + (t == 5)",
        "q @ k + (s == 11)",
        "q @ k + (t == 11)",
    ],
    "every other or every fifth key": ["q @ k + 0.5 * (s % 2)", "q @ k + 0.5 * (s % 5 == 0)"],
    "blocks of positions": ["q @ k - (t // 4 != s // 4)"],
    "a bias up to position 7": ["q @ k - 0.1 * abs(t - s) * (max(t, s) < 8)"],
    "changes on one side or far away": [
        "q @ k + 0.1 * t * (s < t)",
        "q @ k + 0.1 * t * (s > t)",
        "q @ k + 0.1 * t * (s == t)",
        "q @ k + 0.1 * t * (abs(s - t) > 4)",
    ],
    "small steps": ["q @ k + 0.001 * s", "q @ k + 0.001 * (s == 5)"],
    "large numbers": ["1e5 * (q turned to t @ k turned to s, base 100) + 3e5 * cos(t - s)"],
}


def named(formula, q, k):
    """The score, with a name that shows how to compute it and the first place where it changes."""
    compute = WRITTEN.get(formula) or eval(f"lambda q, k, t, s: {formula}")

    def score(q, k, t, s):
        return compute(q, k, t, s)

    lines = [formula]
    for t, s in ALL:
        if not close(score(q, k, t + 1, s + 1), score(q, k, t, s)):
            for place in [(t, s), (t + 1, s + 1)]:
                lines.append(f"at (t, s) = {place}: {score(q, k, *place):.4f}")
            break
    score.__name__ = "\n".join(lines)
    return score


KINDS = [(kind, formula) for kind, formulas in SCORES.items() for formula in formulas]
KINDS.append(("items of zeros", "(q + p[t]) @ (k + p[s]), p the sinusoids of base 100"))
ITEMS = (*draw(*[(2, 4)] * (len(KINDS) - 1)), np.zeros((2, 4)))  # a query and a key for each
CASES = tuple(
    Case(kind, (named(formula, q, k), q, k)) for (kind, formula), (q, k) in zip(KINDS, ITEMS)
)


def wrong_only_of(relative, values, cases):
    """Whether the wrong answers are all about scores that are relative, or all about others."""
    truths = [is_relative(*case.args) for case in cases]
    wrong = [truth for value, truth in zip(values, truths) if bool(value) != truth]
    return bool(wrong) and all(truth == relative for truth in wrong)


def too_much(values, cases):
    return wrong_only_of(True, values, cases)


def too_few(values, cases):
    return wrong_only_of(False, values, cases)
