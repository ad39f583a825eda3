"""The causal mask of the newest queries of a sequence."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def causal_mask(n_q, n_k):
    """True where key j stands at the place of query i or before; the last query is the last key."""
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return j <= i + (n_k - n_q)


def _seen(n_q, n_k):
    """How far each key stands before its query; negative for a later key."""
    return np.arange(n_q)[:, None] + (n_k - n_q) - np.arange(n_k)


def _from_the_front(n_q, n_k):
    """The same, with the first query at the first key."""
    return np.arange(n_q)[:, None] - np.arange(n_k)


FRONT = (
    "The first query stands at the first key. With fewer queries than keys the last query is the "
    "last key: query i stands at key i + (n_k - n_q)."
)


EXERCISE = Exercise(
    signature="causal_mask(n_q, n_k)",
    task="Write causal_mask(n_q, n_k): True where a query may attend to a key, its own position or "
    "an earlier one. There are at most as many queries as keys, and the last query is the last "
    "key.",
    returns="an array of truth values of shape (n_q, n_k)",
    reference=causal_mask,
    own=True,
    truth=True,
    cases=(
        Case("as many queries as keys", (3, 3)),
        Case("one query", (1, 4)),
        Case("fewer queries than keys", (2, 5)),
        Case("one key", (1, 1)),
    ),
    mistakes=(
        Mistake(
            "inverted_from_the_front",
            lambda n_q, n_k: _from_the_front(n_q, n_k) < 0,
            "Two things: the mask is inverted, True means that a query may attend, and the first "
            "query stands at the first key, where the last one should stand at the last.",
        ),
        Mistake(
            "transposed",
            lambda n_q, n_k: _seen(n_q, n_k) <= 0,
            "Each query sees its own position and the later ones: the triangle is the wrong one, "
            "as if it were transposed. Row i is a query, and the keys before it are to its left.",
        ),
        Mistake(
            "diagonal_forbidden",
            lambda n_q, n_k: _seen(n_q, n_k) > 0,
            "Off by one: no query sees its own position. It may, and the first query of a sequence "
            "has no other key.",
        ),
        Mistake(
            "one_too_many",
            lambda n_q, n_k: _seen(n_q, n_k) >= -1,
            "Off by one: each query sees one key too many, that of the next position.",
        ),
        Mistake("first_at_first", lambda n_q, n_k: _from_the_front(n_q, n_k) >= 0, FRONT),
        Mistake(
            "shifted_back",
            lambda n_q, n_k: np.arange(n_k) <= np.arange(n_q)[:, None] - (n_k - n_q),
            "The shift between queries and keys has the wrong sign. The queries are the newest "
            "items: query i stands n_k - n_q places further on, not further back.",
        ),
        Mistake(
            "everything",
            lambda n_q, n_k: np.ones((n_q, n_k), dtype=bool),
            "Every query sees every key: nothing is masked. A mask with one row that is all True "
            "is right for the newest query only.",
        ),
        Mistake(
            "own_position_only",
            lambda n_q, n_k: _seen(n_q, n_k) == 0,
            "Each query sees its own position and no other. The earlier ones are allowed as well.",
        ),
        Mistake(
            "to_be_added",
            lambda n_q, n_k: np.where(_seen(n_q, n_k) >= 0, 0.0, -np.inf),
            "These are numbers to be added to scores, 0 and −∞. What is asked for is the mask "
            "itself, True where a query may attend: it says the same for any scores.",
        ),
        Mistake(
            "finite_to_be_added",
            lambda n_q, n_k: np.where(_seen(n_q, n_k) >= 0, 0.0, -1e9),
            "These are numbers to be added to scores, and finite ones. What is asked for is the "
            "mask itself, True where a query may attend.",
            recognise=lambda values, cases: all(
                np.array_equal(v < 0, _seen(*case.args) < 0) and (v[v >= 0] == 0).all()
                for v, case in zip(values, cases)
            ),
        ),
        Mistake(
            "all_rows",
            lambda n_q, n_k: _seen(n_k, n_k) >= 0,
            "There is a row for each key. Only the n_q newest items ask: of the square of all "
            "items these are the last n_q rows.",
        ),
        Mistake(
            "no_early_keys",
            lambda n_q, n_k: _seen(n_q, n_q) >= 0,
            "There is a column for each query only. The older items are keys too, n_k in all, and "
            "every query may see them.",
        ),
    ),
    definition="Entry (i, j), counted from 0, should be True exactly where j ≤ i + (n_k − n_q).",
    general="Draw the table for two queries and five keys: the last query is the last item and "
    "sees all five, the one before it four.",
    why="Counted from the end, queries and keys are the same items, whether all of them ask or "
    "only the newest. Some of PyTorch's masks are True where a query may not attend: turn those "
    "over with ~.",
)
