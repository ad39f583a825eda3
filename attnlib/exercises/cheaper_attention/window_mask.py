"""The mask of a window to both sides, with positions that are global."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def window_mask(n, width, n_global):
    """True where two positions are near, or one of them is global."""
    position = np.arange(n)
    is_global = position < n_global
    near = np.abs(position[:, None] - position) < width
    return near | is_global | is_global[:, None]


def _parts(n, width, n_global):
    """How far a key stands before its query; whether the key, the query is global."""
    position = np.arange(n)
    is_global = position < n_global
    return position[:, None] - position, is_global[None], is_global[:, None]


def _made(near, columns=True, rows=True):
    """A mask whose window is near(before, width), with global columns, global rows or neither."""

    def mask(n, width, n_global):
        before, column, row = _parts(n, width, n_global)
        return near(before, width) | (columns & column) | (rows & row)

    return mask


def _near(before, width):
    return np.abs(before) < width


def _other_globals(change):
    """The right mask, with change(n, n_global) in the place of which positions are global."""

    def mask(n, width, n_global):
        is_global = change(n, n_global)
        return window_mask(n, width, 0) | is_global | is_global[:, None]

    return mask


def _block(n, width, n_global):
    _, column, row = _parts(n, width, n_global)
    return window_mask(n, width, 0) | (column & row)


def _both(n, width, n_global):
    _, column, row = _parts(n, width, n_global)
    return window_mask(n, width, 0) & (column | row)


def _added(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    return _near(before, width).astype(int) + column + row


def _once(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    return _near(before, width) ^ column ^ row


def _round(n, width, n_global):
    before, column, row = _parts(n, width, n_global)
    distance = np.abs(before)
    return (np.minimum(distance, n - distance) < width) | column | row


TOTAL = (
    "The width is taken for the whole window, both sides together. Here it is counted to each "
    "side: fewer than width positions away, forwards or backwards."
)

EXERCISE = Exercise(
    signature="window_mask(n, width, n_global)",
    task="Write window_mask(n, width, n_global): True where a query may ask a key. They are fewer "
    "than width positions apart, in either direction, or one of the two is among the first "
    "n_global positions.",
    returns="an array of truth values of shape (n, n)",
    reference=window_mask,
    own=True,
    truth=True,
    cases=(
        Case("a window alone", (4, 2, 0)),
        Case("each its own key, and one global position", (4, 1, 1)),
        Case("a window and two global positions", (7, 2, 3)),
        Case("a wider window", (9, 4, 1)),
        Case("a window as wide as the sequence", (3, 3, 0)),
        Case("everything global", (3, 1, 3)),
    ),
    mistakes=(
        Mistake(
            "one_too_many",
            _made(lambda before, width: np.abs(before) <= width),
            "The window is one too wide to each side: keys that are width positions away are in "
            "it. Fewer than width means <: with width=1 a query asks only its own key.",
        ),
        Mistake(
            "one_too_few",
            _made(lambda before, width: np.abs(before) < width - 1),
            "The window is one too narrow to each side. With width=1 a query asks its own key: "
            "the distance 0 is less than 1.",
        ),
        Mistake(
            "ends_one_too_early",
            _made(lambda before, width: (before > -width + 1) & (before < width)),
            "The window is off by one on the side of later keys only: one is missing there. It is "
            "the same to both sides.",
        ),
        Mistake(
            "ends_one_too_late",
            _made(lambda before, width: (before >= -width) & (before < width)),
            "The window is off by one on the side of later keys only: one too many. It is the "
            "same to both sides.",
        ),
        Mistake(
            "starts_one_too_late",
            _made(lambda before, width: (before > -width) & (before < width - 1)),
            "The window is off by one on the side of earlier keys only: one is missing there. It "
            "is the same to both sides.",
        ),
        Mistake(
            "starts_one_too_early",
            _made(lambda before, width: (before > -width) & (before <= width)),
            "The window is off by one on the side of earlier keys only: one too many. It is the "
            "same to both sides.",
        ),
        Mistake(
            "backwards_only",
            _made(lambda before, width: (before >= 0) & (before < width)),
            "The window reaches back only. Here it reaches to both sides: there is no causal mask "
            "in this exercise.",
        ),
        Mistake(
            "causal",
            lambda n, width, n_global: window_mask(n, width, n_global) & np.tri(n, dtype=bool),
            "The whole mask is causal: no query asks a later key. That was not asked for; near "
            "and global keys may come later, too.",
        ),
        Mistake(
            "forwards_only",
            _made(lambda before, width: (before <= 0) & (before > -width)),
            "The window reaches forwards only. Here it reaches to both sides.",
        ),
        Mistake(
            "backwards_and_columns",
            _made(lambda before, width: (before >= 0) & (before < width), rows=False),
            "Two things: the window reaches back only, and global queries do not ask all keys. "
            "Both are the same in either direction here.",
        ),
        Mistake(
            "twice_the_width",
            _made(lambda before, width: np.abs(before) < 2 * width),
            "The window is twice as wide to each side. A key is near if it is fewer than width "
            "positions away.",
        ),
        Mistake(
            "all_later_keys",
            _made(lambda before, width: before < width),
            "All later keys are allowed: i - j is negative there, and so less than any width. "
            "Take the distance, np.abs(i - j).",
        ),
        Mistake(
            "all_earlier_keys",
            _made(lambda before, width: before > -width),
            "All earlier keys are allowed: j - i is negative there, and so less than any width. "
            "Take the distance, np.abs(i - j).",
        ),
        Mistake("total", _made(lambda before, width: np.abs(before) <= width // 2), TOTAL),
        Mistake("total_less", _made(lambda before, width: np.abs(before) < width / 2), TOTAL),
        Mistake(
            "blocks",
            lambda n, width, n_global: (
                window_mask(n, 1, n_global)
                | (np.arange(n)[:, None] // width == np.arange(n) // width)
            ),
            "The sequence is cut into blocks, and keys of the same block are allowed. A window "
            "moves with its query: what counts is the distance.",
        ),
        Mistake(
            "own_position_missing",
            _made(lambda before, width: (np.abs(before) < width) & (before != 0)),
            "A query does not ask its own key. It may: the distance 0 is less than any width.",
        ),
        Mistake(
            "round_the_ends",
            _round,
            "The window runs round the ends, as if the first position came after the last. Near "
            "the ends it is cut off.",
        ),
        Mistake(
            "no_rows",
            _made(_near, rows=False),
            "All queries ask the global keys, but a global query asks near keys only. What is "
            "global asks all keys: whole rows as well as whole columns.",
        ),
        Mistake(
            "no_columns",
            _made(_near, columns=False),
            "Global queries ask all keys, but the others do not ask the global keys. What is "
            "global is asked by all: whole columns as well as whole rows.",
        ),
        Mistake(
            "no_globals",
            _made(_near, columns=False, rows=False),
            "This is the window alone: n_global plays no part. The first n_global rows and columns "
            "are true throughout.",
        ),
        Mistake(
            "no_window",
            _made(lambda before, width: before != before),
            "These are the global rows and columns alone. Near keys are allowed, too.",
        ),
        Mistake(
            "global_among_themselves",
            _block,
            "Only pairs of two global positions were added. One of the two is enough: join rows "
            "and columns by |, not by &.",
        ),
        Mistake(
            "both_needed",
            _both,
            "A pair is allowed where it is near and global at once. One of them is enough: |, "
            "not &.",
        ),
        Mistake(
            "last_are_global",
            _other_globals(lambda n, n_global: np.arange(n) >= n - n_global),
            "The last positions are global. It should be the first n_global.",
        ),
        Mistake(
            "one_global_too_many",
            _other_globals(lambda n, n_global: np.arange(n) <= n_global),
            "One position too many is global. Counted from 0, the first n_global are those less "
            "than n_global.",
        ),
        Mistake(
            "one_global_too_few",
            _other_globals(lambda n, n_global: np.arange(n) < n_global - 1),
            "One position too few is global. Counted from 0, the first n_global are those less "
            "than n_global.",
        ),
        Mistake(
            "one_global",
            _other_globals(lambda n, n_global: np.arange(n) < min(n_global, 1)),
            "Only the first position is global, however large n_global is.",
        ),
        Mistake(
            "inverted",
            lambda n, width, n_global: ~window_mask(n, width, n_global),
            "The mask is inverted: it is true where a query may ask a key.",
        ),
        Mistake(
            "everything",
            lambda n, width, n_global: np.ones((n, n), dtype=bool),
            "Every query asks every key: nothing is left out.",
        ),
        Mistake(
            "added",
            _added,
            "The parts are added as numbers, so pairs that are near and global count twice. Join "
            "truth values by |.",
        ),
        Mistake(
            "once_only",
            _once,
            "Pairs that are both near and global are lost: ^ is true where exactly one holds. Use "
            "|, which is true for both as well.",
        ),
        Mistake(
            "to_be_added",
            lambda n, width, n_global: np.where(window_mask(n, width, n_global), 0.0, -np.inf),
            "These are numbers to be added to scores, 0 and −∞. What is asked for is the mask "
            "itself, True where a query may ask.",
        ),
    ),
    definition="It should be its own transpose: two positions ask each other, or neither asks.",
    general="Draw it for n = 4, width = 2: three diagonals. Each global position adds one whole "
    "row and one whole column.",
    why="Each ordinary row holds about 2 · width + n_global pairs, however long the sequence is.",
)
