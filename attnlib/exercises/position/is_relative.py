"""Whether a score depends on positions through their difference only, found out by shifting."""

from functools import cache, wraps
from inspect import getsource
from math import isclose

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
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


# Scores of a query at position t and a key at position s. A reply shows what they return, or
# their docstring.


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
RELATIVE = (without_positions, linear, rotary, alone, one_sided, repeating, turned_sinusoids)
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


# Tests that do not tell.


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


FEW = (
    "Only the first few positions are tried. A score can be relative up to a place and no further, "
    "as where a model was trained on short texts. Try all positions from 0 to 11."
)


EXERCISE = Exercise(
    signature="is_relative(score, q, k)",
    task="Write is_relative(score, q, k): True if score(q, k, t, s), the score of the query q at "
    "position t and the key k at position s, depends on positions through s − t only. Positions "
    "are the whole numbers from 0 to 11, for queries and keys.",
    returns="a truth value",
    reference=is_relative,
    truth=True,
    cases=CASES,
    mistakes=(
        Mistake(
            "always",
            lambda score, q, k: True,
            "This says True of every score. Are the shifted positions really passed on, both of "
            "them, and compared with the old ones?",
        ),
        Mistake(
            "never",
            lambda score, q, k: False,
            "This says False of every score. A score that ignores positions is relative: no shift "
            "changes it.",
        ),
        Mistake(
            "exact",
            _every(ALL, alike=lambda a, b: a == b),
            "The scores are compared with ==. After a shift the same number is computed from other "
            "angles, and the last digits differ: use np.isclose.",
        ),
        Mistake(
            "too_tight",
            _every(ALL, alike=lambda a, b: abs(a - b) < 1e-12),
            "The comparison asks for too many equal digits. After a shift the same number is "
            "computed from other angles, and rounding grows with the size of the numbers: use "
            "np.isclose.",
            recognise=_too_tight,
        ),
        Mistake(
            "too_loose",
            _every(ALL, alike=lambda a, b: abs(a - b) < 0.11),
            "The comparison lets too much pass: a score that changes little with every step is "
            "not relative either. Only rounding is to be forgiven: use np.isclose as it is.",
            recognise=_too_loose,
        ),
        Mistake(
            "query_shifted",
            _every(ALL, by=(1, 0)),
            "Only the query is shifted. Then s − t is another, and a relative score may change. "
            "Shift both by the same.",
        ),
        Mistake(
            "key_shifted",
            _every(ALL, by=(0, 1)),
            "Only the key is shifted. Then s − t is another, and a relative score may change. "
            "Shift both by the same.",
        ),
        Mistake(
            "opposite",
            _every([(t, s) for t, s in PLACES if t < LAST and s], by=(1, -1)),
            "Query and key are shifted against each other. Then t + s stays and s − t changes: "
            "shift both the same way.",
        ),
        Mistake(
            "no_positions",
            _no_positions,
            "This asks whether positions matter at all. They may, as long as only their "
            "difference does.",
        ),
        Mistake(
            "positions_exchanged",
            _exchanged,
            "The two positions are exchanged. That asks whether the score knows which side the "
            "key is on, and a relative one may: shift both by the same.",
        ),
        Mistake(
            "by_distance",
            _by_distance,
            "Every pair is compared with one of the same distance, whichever side the key is on. "
            "A relative score may tell the sides apart: s − t has a sign.",
        ),
        Mistake(
            "items_exchanged",
            _items_exchanged,
            "The query and the key are exchanged, not shifted. The items stay what they are; move "
            "their positions.",
        ),
        Mistake(
            "without_items",
            _without_items,
            "The test is made with items of zeros, where added sinusoids look relative: their "
            "products with the items are gone. Take the q and k that are given.",
        ),
        Mistake(
            "own_items",
            _own_items,
            "The test is made with other items than the q and k that are given. For these rows a "
            "score may be relative that is not for others: sinusoids added to zeros, for one.",
        ),
        Mistake(
            "some",
            _some,
            "One pair of positions that agrees is enough here. All have to: all, not any; or "
            "return False at the first that does not, and True after the last.",
        ),
        Mistake(
            "same_position",
            _every([(t, t) for t in range(LAST)]),
            "Query and key always stand at the same position. How a score depends on s − t, and on "
            "what else, shows with all pairs.",
        ),
        Mistake(
            "one_distance",
            _every([(t, t + 2) for t in range(LAST - 2)]),
            "Only one difference of positions is tried, with shifts as far as they go. A score "
            "can be relative at one and not at another.",
        ),
        Mistake(
            "from_the_first",
            _every([(0, s) for s in range(LAST)]),
            "Only a query at position 0 is tried, or shifted once. Try queries at every position.",
        ),
        Mistake(
            "key_at_the_first",
            _every([(t, 0) for t in range(LAST)]),
            "Only a key at position 0 is tried, or shifted once. Try keys at every position.",
        ),
        Mistake(
            "start_at_1",
            _every(_square(1, LAST)),
            "Position 0 is left out. A first key that all queries look at is not found.",
        ),
        Mistake("first_few", _every(_square(0, 6)), FEW, recognise=_first_places),
        Mistake(
            "earlier_keys_only",
            _every([(t, s) for t, s in ALL if s <= t]),
            "Only keys up to the query's own position are tried. Later ones have scores as well.",
        ),
        Mistake(
            "later_keys_only",
            _every([(t, s) for t, s in ALL if s >= t]),
            "Only keys from the query's own position on are tried. Earlier ones have scores as "
            "well.",
        ),
        Mistake(
            "two_at_a_time",
            _every(_square(0, LAST - 1), by=(2, 2)),
            "Both are shifted by an even number only. What distinguishes every other position does "
            "not show then. Shift by 1: all other shifts are made of it.",
        ),
        Mistake(
            "five_at_a_time",
            _every(_square(0, LAST - 4), by=(5, 5)),
            "Both are shifted by 5 or 10 only. What comes back after as many positions does not "
            "show then. Shift by 1: all other shifts are made of it.",
        ),
        Mistake(
            "too_few",
            _every([(1, 3)], by=(3, 3)),
            "This says True too often: of some scores that change under a shift. Either too few "
            "positions are tried, or the comparison lets too much pass. Take every t and every s, "
            "and compare each score with that at t + 1 and s + 1 by np.isclose.",
            recognise=_too_few,
        ),
        Mistake(
            "too_much",
            lambda *given: is_relative(*given) and _items_exchanged(*given),
            "This says False of some scores that are relative. Either more is changed than both "
            "positions by the same, such as the items, or the comparison forgives no rounding.",
            recognise=_too_much,
        ),
    ),
    definition="It should be True exactly where score(q, k, t + 1, s + 1) is score(q, k, t, s) for "
    "all t and s from 0 to 10.",
    general="Write a score that is not relative and should be found, such as q @ k + 0.1 * s, and "
    "one that is, such as q @ k − 0.5 * abs(t − s). For each, print the pairs of positions whose "
    "score a shift of both changes.",
    why="A shift by one is enough, as every other is made of it. And a finite test proves nothing "
    "about later positions: for those the formula has to be read.",
)
