"""Whether a score depends on positions through their difference only, tried by shifting both."""

from functools import cache
from math import isclose

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

LAST = 11  # positions are 0 to 11
POSITIONS = range(LAST + 1)
PLACES = list(np.ndindex(LAST + 1, LAST + 1))
ALL = list(np.ndindex(LAST, LAST))  # where both can be shifted by one


def is_relative(score, q, k):
    """Whether a shift of both positions by one leaves every score as it is."""
    return all(close(score(q, k, t + 1, s + 1), score(q, k, t, s)) for t, s in ALL)


def on(q, k, score, chosen):
    """Whether a shift by one leaves the scores of these pairs of positions as they are."""
    return all(close(score(q, k, t + 1, s + 1), score(q, k, t, s)) for t, s in chosen)


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
    "a first place unlike the others": [
        "q @ k + (s == 0)",
        "q @ k + (s == 0 and t > 3)",
        "q @ k + (t == 0)",
    ],
    "a middle place unlike the others": ["q @ k + (s == 5)", "q @ k + (t == 5)"],
    "a last place unlike the others": ["q @ k + (s == 11)", "q @ k + (t == 11)"],
    "changes at every other or every fifth key": [
        "q @ k + 0.5 * (s % 2)",
        "q @ k + 0.5 * (s % 5 == 0)",
    ],
    "a sign that changes from key to key": ["q @ k * (-1) ** s"],
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
    known = {}

    def score(q, k, t, s):
        if t not in POSITIONS or s not in POSITIONS:
            raise ValueError(f"positions are the whole numbers from 0 to {LAST}, not {t} and {s}")
        q, k = np.asarray(q), np.asarray(k)
        key = t, s, q.tobytes(), k.tobytes()
        if key not in known:  # many mistakes ask for the same
            known[key] = compute(q, k, t, s)
        return known[key]

    lines = [formula]
    for t, s in ALL:
        if not close(score(q, k, t + 1, s + 1), score(q, k, t, s)):
            for place in [(t, s), (t + 1, s + 1)]:
                lines.append(f"at (t, s) = {place}: {score(q, k, *place):.4f}")
            break
    score.__name__ = "\n".join(lines)
    return score


KINDS = [(kind, formula) for kind, formulas in SCORES.items() for formula in formulas]
KINDS.append(("a query of zeros", "q @ k + 0.1 * s * sum(abs(q))"))
KINDS.append(("items of zeros", "(q + p[t]) @ (k + p[s]), p the sinusoids of base 100"))
ITEMS = list(draw(*[(2, 4)] * len(KINDS)))  # a query and a key for each
ITEMS[-2][0], ITEMS[-1][:] = 0, 0
CASES = tuple(
    Case(kind, (named(formula, q, k), q, k)) for (kind, formula), (q, k) in zip(KINDS, ITEMS)
)


@cache
def truths():
    return [is_relative(*case.args) for case in CASES]


def wrong(values, cases):
    """Of which kinds of scores a wrong answer is given, and which truth these should have got."""
    faults = [(c.kind, truth) for v, truth, c in zip(values, truths(), cases) if bool(v) != truth]
    return {kind for kind, _ in faults}, {truth for _, truth in faults}


EXACT = {"turned rows", "sinusoids without items", "large numbers", "items of zeros"}


def never_the_last(values, cases):
    return wrong(values, cases)[0] == {"a last place unlike the others"}


def never_the_first(values, cases):
    return wrong(values, cases)[0] == {"a first place unlike the others"}


def jumps(values, cases):
    kinds = wrong(values, cases)[0] - {"a sign that changes from key to key"}
    return kinds == {"changes at every other or every fifth key"}


def coarse(values, cases):
    return wrong(values, cases)[0] == {"small steps"}


def too_few(values, cases):
    """True too often, and not in one of the ways above."""
    known = (never_the_last, never_the_first, jumps, coarse)
    return wrong(values, cases)[1] == {False} and not any(f(values, cases) for f in known)


def strict(values, cases):
    """False of scores that are relative but for rounding, and of no others."""
    kinds = wrong(values, cases)[0]
    return kinds == EXACT or (bool(kinds) and kinds <= EXACT - {"items of zeros"})


def too_much(values, cases):
    return wrong(values, cases)[1] == {True} and not strict(values, cases)
