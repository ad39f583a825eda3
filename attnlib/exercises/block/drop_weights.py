"""Dropout on attention weights, with what is kept given."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def drop_weights(weights, keep, p):
    """What is kept, over the chance to be kept."""
    return np.where(keep, weights / (1 - p), 0.0)


def _weights(*shape):
    (scores,) = draw(shape)
    return softmax(2 * scores)


def _kept(*rows):
    return np.array([[letter == "x" for letter in row] for row in rows])


def _renormalised(weights, keep, p):
    kept = weights * keep
    return kept / kept.sum(axis=-1, keepdims=True)


def _shared_equally(weights, keep, p):
    kept = weights * keep
    lost = (weights * ~keep).sum(axis=-1, keepdims=True)
    return kept + keep * lost / keep.sum(axis=-1, keepdims=True)


EXERCISE = Exercise(
    signature="drop_weights(weights, keep, p)",
    task="Write drop_weights(weights, keep, p): attention weights after dropout. keep is true "
    "where a weight stays; each was kept with the chance 1 − p, drawn already. On average, over "
    "all draws, every weight is to stay what it was.",
    returns="an array of the shape of weights",
    reference=drop_weights,
    own=True,
    cases=(
        Case("one row", (np.array([[0.5, 0.25, 0.25]]), _kept("xx."), 0.2)),
        Case("as many kept as expected", (_weights(2, 4), _kept("x.xx", "xx.x"), 0.25)),
        Case("half dropped", (_weights(3, 5), _kept("x..x.", ".xxx.", "x.xxx"), 0.5)),
        Case("a row that loses all", (_weights(4, 3), _kept("...", "x.x", ".xx", "xxx"), 0.3)),
        Case("nothing to drop", (_weights(2, 3), _kept("xxx", "xxx"), 0.0), rare=True),
        Case(
            "heads",
            (
                _weights(2, 3, 3),
                np.stack([_kept("xxx", "x.x", ".xx"), _kept("xx.", "xxx", "..x")]),
                0.1,
            ),
        ),
    ),
    mistakes=(
        Mistake(
            "not_divided",
            lambda w, keep, p: w * keep,
            "What is kept stays as it is. On average a weight is then smaller than it was, by the "
            "factor 1 − p: divide by that.",
        ),
        Mistake(
            "divided_by_p",
            lambda w, keep, p: w * keep / p if p else w * keep,
            "You divide by p. A weight is kept with the chance 1 − p, and is divided by that.",
        ),
        Mistake(
            "times_the_chance",
            lambda w, keep, p: w * keep * (1 - p),
            "You multiply by 1 − p. What is kept has to make up for what is dropped: divide.",
        ),
        Mistake(
            "times_1_plus_p",
            lambda w, keep, p: w * keep * (1 + p),
            "You multiply by 1 + p. Kept with the chance 1 − p, a weight has to be divided by it: "
            "with p = 0.5 it doubles.",
        ),
        Mistake(
            "renormalised",
            _renormalised,
            "Each row is divided by its sum, so it sums to 1 again. Dropout divides by the chance "
            "1 − p alone: its rows sum to 1 only on average.",
        ),
        Mistake(
            "shared_equally",
            _shared_equally,
            "What a row loses is shared among those that are kept. Each is only divided by 1 − p, "
            "whatever happened to the others.",
        ),
        Mistake(
            "by_the_share_kept",
            lambda w, keep, p: w * keep / keep.mean(),
            "You divide by the share that was kept this time. The chance 1 − p was fixed before "
            "the draw; only with it is the mean over all draws right.",
        ),
        Mistake(
            "by_the_share_kept_of_the_row",
            lambda w, keep, p: w * keep / keep.mean(axis=-1, keepdims=True),
            "You divide by the share of the row that was kept this time. The chance 1 − p was "
            "fixed before the draw.",
        ),
        Mistake(
            "keep_turned_round",
            lambda w, keep, p: w * ~keep / (1 - p),
            "What was to be kept is dropped, and what was to be dropped is kept.",
        ),
        Mistake(
            "dropped_over_p",
            lambda w, keep, p: w * ~keep / (p or 1),
            "The dropped weights are what comes back, over p. keep is true where a weight stays.",
        ),
        Mistake(
            "nothing_dropped",
            lambda w, keep, p: w / (1 - p),
            "Every weight is divided by 1 − p, and none is dropped. Where keep is false, 0 is "
            "wanted.",
        ),
        Mistake(
            "dropped_stay",
            lambda w, keep, p: np.where(keep, w / (1 - p), w),
            "Where keep is false the old weight stays. It is dropped: 0.",
        ),
        Mistake(
            "p_in_the_gaps",
            lambda w, keep, p: np.where(keep, w / (1 - p), p),
            "Where keep is false stands p. It is a chance, not a weight: 0 is wanted.",
        ),
        Mistake(
            "whole_columns",
            lambda w, keep, p: w * keep.all(axis=-2, keepdims=True) / (1 - p),
            "A key that one query loses is dropped for all. Each entry of keep is for one query "
            "and one key.",
        ),
        Mistake(
            "only_what_is_kept_somewhere",
            lambda w, keep, p: w * keep[..., :1, :] / (1 - p),
            "The first row of keep serves all queries. Each query has a row of its own.",
        ),
        Mistake(
            "root",
            lambda w, keep, p: w * keep / np.sqrt(1 - p),
            "You divide by the root of 1 − p. That would keep the mean square, not the mean.",
        ),
        Mistake(
            "by_the_square",
            lambda w, keep, p: w * keep / (1 - p) ** 2,
            "You divide by 1 − p twice. Once makes the mean right.",
        ),
    ),
    definition="Average over many draws of keep, and the weights come back.",
    general="Take one weight, 0.4, and p = 0.5. Half of the time it is 0. What must it be in the "
    "other half, so that the mean is 0.4?",
    why="Only the mean is kept. A row sums to 1 on average, and in one draw to more or less: "
    "without the division the block would hear less in training than in use.",
)
