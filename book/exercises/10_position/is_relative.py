"""Whether a score depends on positions through their difference only, found out by shifting."""

from functools import cache, wraps
from inspect import getsource
from math import isclose

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

#: Positions are 0 to LAST.
LAST = 11

OMEGAS = np.array([1.0, 0.1])


def is_relative(score, q, k):
    """Whether a shift of both positions by one leaves every score as it is."""
    return all(
        _close(score(q, k, t + 1, s + 1), score(q, k, t, s))
        for t in range(LAST)
        for s in range(LAST)
    )


def _close(a, b):
    return isclose(a, b, rel_tol=1e-7, abs_tol=1e-9)


def without_positions(q, k, t, s):
    return q @ k


def linear(q, k, t, s):
    return q @ k - 0.5 * abs(t - s)


def one_sided(q, k, t, s):
    return q @ k + 0.3 * (s - t)


def rotary(q, k, t, s):
    """q turned to t @ k turned to s, base 100"""
    return _turned(k, s, q[::2] + 1j * q[1::2], t)


def alone(q, k, t, s):
    """p[t] @ p[s], p the sinusoids of base 100"""
    return _described(t) @ _described(s)


def turned_sinusoids(q, k, t, s):
    """1e5 * (q turned to t @ k turned to s, base 100) + 3e5 * cos(t - s)"""
    # large numbers that nearly cancel: equal but for rounding
    return 1e5 * rotary(q, k, t, s) + 3e5 * np.cos(t - s)


def repeating(q, k, t, s):
    return q @ k + (s - t) % 4


def added(q, k, t, s):
    """(q + p[t]) @ (k + p[s]), p the sinusoids of base 100"""
    return (q + _described(t)) @ (k + _described(s))


def turned_query(q, k, t, s):
    """q turned to t @ k, base 100"""
    return _turned(k, 0, q[::2] + 1j * q[1::2], t)


def of_the_key(q, k, t, s):
    return q @ k + 0.1 * s


def of_the_query(q, k, t, s):
    return q @ k - 0.1 * t


def of_the_sum(q, k, t, s):
    return q @ k + 0.1 * (t + s)


def of_the_product(q, k, t, s):
    return q @ k + 0.1 * t * s


def of_the_ratio(q, k, t, s):
    return q @ k + (t - s) / (t + s + 1)


def sink(q, k, t, s):
    return q @ k + (s == 0)


def sink_of_later_queries(q, k, t, s):
    return q @ k + (s == 0 and t > 3)


def seen_key(q, k, t, s):
    return q @ k + (s == 5)


def last_key(q, k, t, s):
    """q @ k + (s == 11)"""
    return q @ k + (s == LAST)


def last_query(q, k, t, s):
    """q @ k + (t == 11)"""
    return q @ k + (t == LAST)


def in_small_steps(q, k, t, s):
    return q @ k + 0.001 * s


def seen_query(q, k, t, s):
    return q @ k + (t == 5)


def every_other(q, k, t, s):
    return q @ k + 0.5 * (s % 2)


def every_fifth(q, k, t, s):
    return q @ k + 0.5 * (s % 5 == 0)


def in_blocks(q, k, t, s):
    return q @ k - (t // 4 != s // 4)


def trained_length(q, k, t, s):
    return q @ k - 0.1 * abs(t - s) * (max(t, s) < 8)


def of_earlier_keys(q, k, t, s):
    return q @ k + 0.1 * t * (s < t)


def of_later_keys(q, k, t, s):
    return q @ k + 0.1 * t * (s > t)


def of_its_own_key(q, k, t, s):
    return q @ k + 0.1 * t * (s == t)


def of_the_next_keys(q, k, t, s):
    return q @ k + 0.1 * t * (abs(s - t) > 4)


@cache
def _described(t):
    return np.stack([np.sin(t * OMEGAS), np.cos(t * OMEGAS)], axis=-1).reshape(-1)


@cache
def _angle(t):
    """A position as numbers of length 1 in the complex plane."""
    return np.exp(1j * t * OMEGAS)


def _turned(k, s, pairs, t):
    keys = k[::2] + 1j * k[1::2]
    return (pairs * _angle(t) * np.conj(keys * _angle(s))).real.sum()


#: By the kind of score, in the words of a reply.
SCORES = {
    "scores without positions": (without_positions,),
    "biases by the shift": (linear, one_sided, repeating),
    "positions in a sum": (of_the_key, of_the_query, of_the_sum, of_the_product, of_the_ratio),
    "turned rows": (rotary,),
    "added sinusoids": (added,),
    "sinusoids without items": (alone,),
    "a query that is turned alone": (turned_query,),
    "one place unlike the others": (
        sink,
        sink_of_later_queries,
        seen_key,
        seen_query,
        last_key,
        last_query,
    ),
    "every other or every fifth key": (every_other, every_fifth),
    "blocks of positions": (in_blocks,),
    "a bias up to position 7": (trained_length,),
    "changes on one side or far away": (
        of_earlier_keys,
        of_later_keys,
        of_its_own_key,
        of_the_next_keys,
    ),
    "small steps": (in_small_steps,),
    "large numbers": (turned_sinusoids,),
}

KINDS = [(kind, score) for kind, scores in SCORES.items() for score in scores]

#: A query and a key for each.
ITEMS = draw(*[(2, 4)] * len(KINDS))


def _shown(score, q, k):
    """The score under a name that a reader can compute again: formula, and where it changes."""

    @wraps(score)
    def named(*given):
        return score(*given)

    lines = [score.__doc__ or getsource(score).partition("return ")[2].strip()]
    for t, s in np.ndindex(LAST, LAST):
        both = [(t, s), (t + 1, s + 1)]
        if not _close(*(score(q, k, *places) for places in both)):
            lines += [f"at (t, s) = {places}: {score(q, k, *places):.4f}" for places in both]
            break
    named.__name__ = "\n".join(lines)
    return named


CASES = tuple(
    Case(kind, (_shown(score, q, k), q, k))
    for kind, score, (q, k) in [
        *((*named, items) for named, items in zip(KINDS, ITEMS)),
        ("items of zeros", added, np.zeros((2, 4))),
    ]
)


def _every(pairs, by=(1, 1), alike=_close):
    """A test that shifts these pairs of positions, and compares."""

    def found(score, q, k):
        return all(alike(score(q, k, t + by[0], s + by[1]), score(q, k, t, s)) for t, s in pairs)

    return found


def _square(first, last):
    return [(t, s) for t in range(first, last) for s in range(first, last)]


#: Where both can be shifted by one, and all positions.
ALL, PLACES = _square(0, LAST), _square(0, LAST + 1)

#: Rounding of numbers about 1 is smaller.
ROUNDING = 1e-13


def _exchanged(score, q, k):
    return all(_close(score(q, k, t, s), score(q, k, s, t)) for t, s in PLACES)


def _without_items(score, q, k):
    return is_relative(score, np.zeros_like(q), np.zeros_like(k))


def _own_items(score, q, k):
    return is_relative(score, np.ones_like(q), np.ones_like(k))


def _by_distance(score, q, k):
    return all(_close(score(q, k, t, s), score(q, k, abs(t - s), 0)) for t, s in PLACES)


def _no_positions(score, q, k):
    return all(_close(score(q, k, t, s), q @ k) for t, s in PLACES)


def _items_exchanged(score, q, k):
    return all(_close(score(q, k, t, s), score(k, q, t, s)) for t, s in PLACES)


def _some(score, q, k):
    return any(_close(score(q, k, t + 1, s + 1), score(q, k, t, s)) for t, s in ALL)


def _wrong_of(relative, values, cases):
    """Whether all that is said wrongly is said of scores that are relative, or of those not."""
    truths = [is_relative(*case.args) for case in cases]
    wrong = [truth for value, truth in zip(values, truths) if bool(value) != truth]
    return bool(wrong) and all(truth == relative for truth in wrong)


def _largest_step(score, q, k):
    """The most that a score changes when both positions are shifted by one."""
    return max(abs(score(q, k, t + 1, s + 1) - score(q, k, t, s)) for t, s in ALL)


def _by_tolerance(values, cases):
    """Whether those scores are called relative whose steps are below some number."""
    steps = [_largest_step(*case.args) for case in cases]
    below = max((step for step, value in zip(steps, values) if value), default=0)
    above = min((step for step, value in zip(steps, values) if not value), default=0)
    return below < above and above > ROUNDING


def _first_places(values, cases):
    """Whether all positions up to some place are tried, and none beyond it."""
    return any(
        all(bool(value) == tried(*case.args) for value, case in zip(values, cases))
        for tried in (_every(_square(0, n)) for n in range(2, LAST))
    )


def _too_tight(*seen):
    return _wrong_of(True, *seen) and _by_tolerance(*seen)


def _too_loose(*seen):
    return _wrong_of(False, *seen) and _by_tolerance(*seen)


def _too_much(*seen):
    return _wrong_of(True, *seen) and not _by_tolerance(*seen)


def _too_few(*seen):
    return _wrong_of(False, *seen) and not (_by_tolerance(*seen) or _first_places(*seen))


CASES = CASES
