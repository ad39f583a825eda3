"""Rows turned by their positions: rotary, by hand."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw

from ._frequencies import falling, side_by_side, wrong_frequencies


def _neighbours(X):
    return X[:, 0::2], X[:, 1::2]


def _rotated(x, y, cos, sin):
    return x * cos - y * sin, x * sin + y * cos


def turn(
    X,
    positions,
    base,
    *,
    places=np.asarray,
    frequencies=falling,
    split=_neighbours,
    rotated=_rotated,
    join=side_by_side,
):
    """Each pair of neighbouring components turned by its frequency times the row's position."""
    angles = np.outer(places(positions), frequencies(X.shape[1], base))
    return join(*rotated(*split(X), np.cos(angles), np.sin(angles)))


def _made(**changed):
    """Turn with one part replaced."""
    return lambda X, positions, base: turn(X, positions, base, **changed)


def _halves(X):
    half = X.shape[1] // 2
    return X[:, :half], X[:, half:]


def _one_behind_the_other(first, second):
    return np.concatenate([first, second], axis=1)


def _overwritten(x, y, cos, sin):
    x = x * cos - y * sin
    return x, x * sin + y * cos


def _described(positions, d, base):
    angles = np.asarray(positions)[:, None] * falling(d, base)
    return side_by_side(np.sin(angles), np.cos(angles))


def _own_angles(X, positions, base):
    d = X.shape[1]
    angles = np.asarray(positions)[:, None] * base ** (-np.arange(d) / d)
    partner = side_by_side(-X[:, 1::2], X[:, 0::2])
    return X * np.cos(angles) + partner * np.sin(angles)


EXERCISE = Exercise(
    signature="turn(X, positions, base)",
    task="Write turn(X, positions, base): the rows of X, queries or keys, each turned by its "
    "position. In row r the components 2i and 2i + 1, taken as x and y in the plane, turn "
    "counter-clockwise by positions[r] times base^(−2i/d).",
    returns="an array of the shape of X",
    reference=turn,
    own=True,
    cases=(
        Case("one row, one pair", (np.array([[1.0, 2.0]]), np.array([1]), 10.0)),
        Case("two rows, two pairs", (*draw((2, 4)), np.array([3, 0]), 100.0)),
        Case("positions in another order", (*draw((3, 6)), np.array([5, 2, 9]), 16.0)),
        Case("a square", (*draw((4, 4)), np.array([7, 8, 9, 10]), 10000.0)),
        Case("a position before 0", (*draw((2, 6)), np.array([-2, 4]), 100.0)),
    ),
    mistakes=(
        *wrong_frequencies(_made),
        Mistake(
            "halves",
            _made(split=_halves, join=_one_behind_the_other),
            "Components i and i + d/2 are turned together. Some libraries pair them so, and it is "
            "as good, with weights that were learned for it; here 2i and 2i + 1 are a pair.",
        ),
        Mistake(
            "put_together_as_halves",
            _made(join=_one_behind_the_other),
            "The pairs are turned as they should be, but then all first components are put in "
            "front and all second ones behind. Each has to go back to its own column.",
        ),
        Mistake(
            "split_as_halves",
            _made(split=_halves),
            "The components are split as halves and put back side by side. Split as you join: "
            "X[:, 0::2] and X[:, 1::2].",
        ),
        Mistake(
            "backwards",
            _made(places=np.negative),
            "The rows turn clockwise: the minus stands at the wrong sine. From (1, 0), "
            "counter-clockwise, the second component becomes positive, x sin + y cos.",
        ),
        Mistake(
            "counted",
            _made(places=lambda positions: np.arange(len(positions))),
            "The rows are counted 0, 1, 2, … and the positions that are given play no part. A "
            "cache, for one, asks for later ones.",
        ),
        Mistake(
            "from_1",
            _made(places=lambda positions: np.asarray(positions) + 1),
            "Each row is turned by one position too many. At position 0 a row stays as it is.",
        ),
        Mistake(
            "from_the_first_row",
            _made(places=lambda positions: np.asarray(positions) - positions[0]),
            "Each row is turned by how far it stands from the first. Among these rows the scores "
            "are the same, but not with rows that were turned in another call, such as those in a "
            "cache. Take the positions as they are.",
        ),
        Mistake(
            "added",
            lambda X, positions, base: X + _described(positions, X.shape[1], base),
            "Descriptions of the positions are added to the rows. Rotary adds nothing: it turns "
            "what is there, and a row keeps its length.",
        ),
        Mistake(
            "one_position",
            _made(places=lambda positions: np.full(len(positions), positions[0])),
            "All rows are turned by the position of the first. Each has its own: positions[:, None]"
            " makes a column of them.",
        ),
        Mistake(
            "cosines_only",
            _made(rotated=lambda x, y, cos, sin: (x * cos, y * cos)),
            "Each component is multiplied by a cosine, and that is all. A rotation mixes the two: "
            "x cos − y sin, x sin + y cos.",
        ),
        Mistake(
            "no_minus",
            _made(rotated=lambda x, y, cos, sin: (x * cos + y * sin, x * sin + y * cos)),
            "There is no minus, so this is no rotation and changes lengths: x cos − y sin, "
            "x sin + y cos.",
        ),
        Mistake(
            "two_minuses",
            _made(rotated=lambda x, y, cos, sin: (x * cos - y * sin, y * cos - x * sin)),
            "Both sines have a minus, so this is no rotation and changes lengths: x cos − y sin, "
            "x sin + y cos.",
        ),
        Mistake(
            "exchanged",
            _made(rotated=lambda x, y, cos, sin: (x * sin - y * cos, x * cos + y * sin)),
            "Sine and cosine are exchanged. At position 0 a row has to stay as it is: its own "
            "component goes with the cosine.",
        ),
        Mistake(
            "overwritten",
            _made(rotated=_overwritten),
            "The second component is computed from the first one after that was turned. Both need "
            "the old ones: keep them until both are there.",
        ),
        Mistake(
            "own_angles",
            _own_angles,
            "Every column has an angle of its own, by base^(−j/d). Both components of a pair turn "
            "by one angle, that of the even column; otherwise lengths change.",
        ),
    ),
    properties=(
        lambda found, X, positions, base: (
            None
            if np.shape(found) != X.shape
            or np.allclose(np.linalg.norm(found, axis=1), np.linalg.norm(X, axis=1))
            else "Rows have changed their lengths. What is only turned keeps its length."
        ),
    ),
    definition="Pair i of row r should be x cos a − y sin a and x sin a + y cos a, with the angle "
    "a = positions[r] · base^(−2i/d).",
    general="Turn one row [1, 0, 1, 0] at position 1, base 100: cos 1, sin 1, cos 0.1, sin 0.1.",
    why="A dot product of two turned rows knows how far apart they stand and which comes first, "
    "and no more about where.",
)
