"""A bias for every pair of positions, looked up by the shift between them in a learned table."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def _after(n_q, n_k):
    """How far each key stands after its query; negative for an earlier one."""
    return np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)


def _first_at_first(n_q, n_k):
    return np.arange(n_k) - np.arange(n_q)[:, None]


def _clipped(shift, m):
    return m + np.clip(shift, -m, m)


def bias_from_table(table, n_q, n_k, *, shifts=_after, entry=_clipped):
    """The entry for how far key j stands before or after query i; beyond its ends, the end."""
    return table[entry(shifts(n_q, n_k), len(table) // 2)]


def _made(**changed):
    """bias_from_table with one part replaced."""
    return lambda table, n_q, n_k: bias_from_table(table, n_q, n_k, **changed)


def _far_is_0(table, n_q, n_k):
    far = np.abs(_after(n_q, n_k)) > len(table) // 2
    return np.where(far, 0.0, bias_from_table(table, n_q, n_k))


def _remainder(table, n_q, n_k):
    return table[(len(table) // 2 + _after(n_q, n_k)) % len(table)]


EXERCISE = Exercise(
    signature="bias_from_table(table, n_q, n_k)",
    task="Write bias_from_table(table, n_q, n_k): what is to be added to each score. The table "
    "holds 2m + 1 numbers, for keys that stand m places before their query, m − 1 before, … at the "
    "same place, … m places after it. Keys that are further away get the number at that end. The "
    "last query stands at the last key.",
    returns="an array of shape (n_q, n_k)",
    reference=bias_from_table,
    own=True,
    cases=(
        Case("a table of three", (np.array([1.0, 2.0, 3.0]), 2, 2)),
        Case("a key before the table", (np.array([4.0, -1.0, 6.0]), 1, 3)),
        Case("fewer queries than keys", (*draw((7,)), 2, 4)),
        Case("a table that reaches further", (*draw((9,)), 3, 3)),
        Case("one query, keys far before it", (*draw((11,)), 1, 9)),
        Case("longer than the table reaches", (*draw((5,)), 5, 5)),
        Case("one number for all", (np.array([2.5]), 2, 3), rare=True),
    ),
    mistakes=(
        Mistake(
            "turned_round",
            _made(shifts=lambda n_q, n_k: -_after(n_q, n_k)),
            "Before and after are exchanged: i − j where j − i belongs. The table begins with keys "
            "that stand before their query, to its left.",
        ),
        Mistake(
            "turned_round_from_the_first",
            _made(shifts=lambda n_q, n_k: -_first_at_first(n_q, n_k)),
            "Two things: before and after are exchanged, i − j where j − i belongs; and the first "
            "query stands at the first key, where the last should stand at the last.",
        ),
        Mistake(
            "no_side",
            _made(shifts=lambda n_q, n_k: abs(_after(n_q, n_k))),
            "Keys before a query get the same as keys after it: the shift has lost its sign. "
            "The table has an entry for each side.",
        ),
        Mistake(
            "the_other_side_only",
            _made(shifts=lambda n_q, n_k: -abs(_after(n_q, n_k))),
            "Keys after a query get the same as keys before it: the shift has lost its sign. "
            "The table has an entry for each side.",
        ),
        Mistake(
            "not_clipped",
            _made(entry=lambda shift, m: m + shift),
            "Keys beyond the table are not clipped. A negative index is no error: it counts from "
            "the other end. An index that is too large is one. Clip the shifts to −m … m before "
            "you look them up.",
        ),
        Mistake(
            "remainder",
            _remainder,
            "Keys beyond the table get an entry from its other end: the remainder of a division "
            "is taken. Clip the shifts to −m … m before you look them up.",
        ),
        Mistake(
            "clipped_after_only",
            _made(entry=lambda shift, m: m + np.minimum(shift, m)),
            "Keys far after a query are clipped to the end of the table, but keys far before it "
            "are not, and a negative index counts from the end. Clip on both sides.",
        ),
        Mistake(
            "clipped_before_only",
            _made(entry=lambda shift, m: m + np.maximum(shift, -m)),
            "Keys far before a query are clipped to the start of the table, but keys far after it "
            "are not, and an index beyond the end is an error. Clip on both sides.",
        ),
        Mistake(
            "clipped_early",
            _made(entry=lambda shift, m: m + np.clip(shift, min(1 - m, 0), max(m - 1, 0))),
            "The first and the last entry are never used: shifts are clipped one place too "
            "early, at m − 1.",
        ),
        Mistake(
            "far_is_0",
            _far_is_0,
            "Keys beyond the table get 0. They get the number at that end: a key that is very far "
            "is like one that is far.",
        ),
        Mistake(
            "centre_too_late",
            _made(entry=lambda shift, m: np.clip(m + 1 + shift, 0, 2 * m)),
            "Off by one: the entry for the same place is table[m], counted from 0, not "
            "table[m + 1].",
        ),
        Mistake(
            "centre_too_early",
            _made(entry=lambda shift, m: np.clip(m - 1 + shift, 0, 2 * m)),
            "Off by one: the entry for the same place is table[m], counted from 0, not "
            "table[m − 1].",
        ),
        Mistake(
            "no_centre",
            _made(entry=lambda shift, m: np.clip(shift, -m, m)),
            "The shift itself is the index, so that the same place gets table[0], and keys "
            "before it are counted from the end. Add m: the same place is in the middle.",
        ),
        Mistake(
            "centre_at_0",
            _made(entry=lambda shift, m: np.clip(shift, 0, 2 * m)),
            "The same place gets the first entry, and so do all keys before it. Add m to the "
            "shift: the same place is in the middle of the table.",
        ),
        Mistake(
            "first_at_first",
            _made(shifts=_first_at_first),
            "The first query stands at the first key. With fewer queries than keys the last query "
            "is at the last key: query i stands at place i + (n_k − n_q).",
        ),
        Mistake(
            "shifted_back",
            _made(shifts=lambda n_q, n_k: np.arange(n_k) - (np.arange(n_q)[:, None] - (n_k - n_q))),
            "The places between the first key and the first query are counted the wrong way. The "
            "queries are the newest: query i stands n_k − n_q places further on, not further back.",
        ),
        Mistake(
            "by_key",
            lambda table, n_q, n_k: (
                np.zeros((n_q, 1))
                + table[np.clip(len(table) // 2 + np.arange(n_k) - n_k + 1, 0, len(table) - 1)]
            ),
            "All rows are alike: the shift is counted from the last query only. Each query "
            "has its own place, so each row is shifted against the one before.",
        ),
    ),
    definition="Entry (i, j) should be table[m + s], where s is j − i − (n_k − n_q), clipped to "
    "−m … m, and 2m + 1 is the length of the table.",
    general="Write the shifts for two queries and four keys by hand: −2, −1, 0, 1 and then −3, "
    "−2, −1, 0. Clip them, add m, and look them up.",
    why="A learned table has no formula, and yet works in longer texts: it is asked for shifts, "
    "and those that it has not seen are clipped to one that it has.",
)
