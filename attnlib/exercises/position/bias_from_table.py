"""A bias for every pair of positions, looked up by their distance in a learned table."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def bias_from_table(table, n_q, n_k):
    """The entry for how far key j stands behind or before query i; beyond its ends, the end."""
    m = len(table) // 2
    step = np.arange(n_k) - np.arange(n_q)[:, None] - (n_k - n_q)
    return table[m + np.clip(step, -m, m)]


def _after(n_q, n_k):
    """How far each key stands after its query; negative for an earlier one."""
    return np.arange(n_k) - (np.arange(n_q)[:, None] + n_k - n_q)


def _first_at_first(n_q, n_k):
    return np.arange(n_k) - np.arange(n_q)[:, None]


def _clipped(step, m):
    return m + np.clip(step, -m, m)


def _made(steps=_after, entry=_clipped):
    """bias_from_table with one part replaced."""

    def made(table, n_q, n_k):
        m = len(table) // 2
        return table[entry(steps(n_q, n_k), m) % len(table)]

    return made


def _far_is_0(table, n_q, n_k):
    steps, m = _after(n_q, n_k), len(table) // 2
    return np.where(np.abs(steps) > m, 0.0, bias_from_table(table, n_q, n_k))


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
        Case("longer than the table reaches", (*draw((5,)), 5, 5)),
        Case("fewer queries than keys", (*draw((7,)), 2, 4)),
        Case("one query, far keys", (np.array([4.0, -1.0, 6.0]), 1, 6)),
        Case("a table that reaches further", (*draw((9,)), 3, 3)),
        Case("one number for all", (np.array([2.5]), 2, 3), rare=True),
    ),
    mistakes=(
        Mistake(
            "turned_round",
            _made(lambda n_q, n_k: -_after(n_q, n_k)),
            "Before and after are exchanged: i − j where j − i belongs. The table begins with keys "
            "that stand before their query, to its left.",
        ),
        Mistake(
            "no_side",
            _made(lambda n_q, n_k: abs(_after(n_q, n_k))),
            "Keys before a query get the same as keys after it: the distance has lost its sign. "
            "The table has an entry for each side.",
        ),
        Mistake(
            "the_other_side_only",
            _made(lambda n_q, n_k: -abs(_after(n_q, n_k))),
            "Keys after a query get the same as keys before it: the distance has lost its sign. "
            "The table has an entry for each side.",
        ),
        Mistake(
            "wrapped",
            _made(entry=lambda step, m: m + step),
            "Far keys get an entry from the other end of the table: a negative index counts from "
            "the end, or the remainder of a division is taken. Clip the distances to −m … m before "
            "you look them up.",
        ),
        Mistake(
            "clipped_after_only",
            _made(entry=lambda step, m: m + np.minimum(step, m)),
            "Keys far after a query are clipped to the end of the table, but keys far before it "
            "are not, and a negative index counts from the end. Clip on both sides.",
        ),
        Mistake(
            "clipped_before_only",
            _made(entry=lambda step, m: m + np.maximum(step, -m)),
            "Keys far before a query are clipped to the start of the table, but keys far after it "
            "are not. Clip on both sides.",
        ),
        Mistake(
            "clipped_early",
            _made(entry=lambda step, m: m + np.clip(step, min(1 - m, 0), max(m - 1, 0))),
            "The first and the last entry are never used: distances are clipped one place too "
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
            _made(entry=lambda step, m: np.clip(m + 1 + step, 0, 2 * m)),
            "Off by one: the entry for the same place is table[m], counted from 0, not "
            "table[m + 1].",
        ),
        Mistake(
            "centre_too_early",
            _made(entry=lambda step, m: np.clip(m - 1 + step, 0, 2 * m)),
            "Off by one: the entry for the same place is table[m], counted from 0, not "
            "table[m − 1].",
        ),
        Mistake(
            "no_centre",
            _made(entry=lambda step, m: np.clip(step, -m, m)),
            "The distance itself is the index, so that the same place gets table[0], and keys "
            "before it are counted from the end. Add m: the same place is in the middle.",
        ),
        Mistake(
            "centre_at_0",
            _made(entry=lambda step, m: np.clip(step, 0, 2 * m)),
            "The same place gets the first entry, and so do all keys before it. Add m to the "
            "distance: the same place is in the middle of the table.",
        ),
        Mistake(
            "first_at_first",
            _made(_first_at_first),
            "The first query stands at the first key. With fewer queries than keys the last query "
            "is at the last key: query i stands at place i + (n_k − n_q).",
        ),
        Mistake(
            "shifted_back",
            _made(lambda n_q, n_k: np.arange(n_k) - (np.arange(n_q)[:, None] - (n_k - n_q))),
            "The shift between queries and keys has the wrong sign. The queries are the newest: "
            "query i stands n_k − n_q places further on, not further back.",
        ),
        Mistake(
            "by_key",
            lambda table, n_q, n_k: (
                np.zeros((n_q, 1))
                + table[np.clip(len(table) // 2 + np.arange(n_k) - n_k + 1, 0, len(table) - 1)]
            ),
            "All rows are alike: the distance is measured from the last query only. Each query "
            "has its own place, so each row is shifted against the one before.",
        ),
    ),
    definition="Entry (i, j) should be table[m + s], where s is j − i − (n_k − n_q), clipped to "
    "−m … m, and 2m + 1 is the length of the table.",
    general="Write the distances for two queries and four keys by hand: −2, −1, 0, 1 and then −3, "
    "−2, −1, 0. Clip them, add m, and look them up.",
    why="A learned table has no formula, and yet works in longer texts: it is asked for distances, "
    "and those that it has not seen are clipped to one that it has.",
)
