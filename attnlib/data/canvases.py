"""Canvases of one handwritten digit or two, and the words that describe them."""

from typing import NamedTuple

import numpy as np

from attnlib import _checks
from attnlib.data.digits import SIDE, patches, split_digits

HEIGHT, WIDTH, PATCH = 10, 20, 5
N_PATCHES = (HEIGHT // PATCH) * (WIDTH // PATCH)
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
END = "·"  # begins and ends every description
LEFT, RIGHT = "left?", "right?"  # begin the answer to a question
WORDS = (END, "and", LEFT, RIGHT, *DIGITS)
QUESTIONS = (END, LEFT, RIGHT)
LONGEST = 4  # words of a description, END included


class Canvas(NamedTuple):
    """One digit or two on a canvas, from left to right.

    Examples
    --------
    >>> made = held_out([7, 2], [1, 11])
    >>> made.pixels.shape, made.digits, made.corners
    ((10, 20), (7, 2), ((1, 1), (1, 11)))
    """

    #: Ink from 0 to 1, shape (10, 20).
    pixels: np.ndarray
    #: The digits from left to right.
    digits: tuple
    #: Where the upper left corner of each digit is: row and column.
    corners: tuple


def canvas(images, digits, corners):
    """Put images of digits on a canvas.

    Parameters
    ----------
    images : sequence of array_like, shape (8, 8)
        From left to right, two at most.
    digits : sequence of int
        Which digits they are.
    corners : sequence of (int, int)
        Row, from 0 to 2, and column, from 0 to 12, of the upper left corner of each; digits do not
        overlap.

    Examples
    --------
    >>> made = canvas([np.ones((8, 8))], [7], [(1, 3)])
    >>> made.pixels.shape, float(made.pixels.sum()), made.digits
    ((10, 20), 64.0, (7,))
    """
    if not len(images) == len(digits) == len(corners):
        raise ValueError(
            f"images, digits and corners are {len(images)}, {len(digits)} and {len(corners)}. Give "
            f"as many of each."
        )
    pixels, free = np.zeros((HEIGHT, WIDTH)), 0
    for image, digit, (row, column) in zip(images, digits, corners):
        _in_range(digit, "digit", 0, 9)
        _in_range(row, "row", 0, HEIGHT - SIDE)
        _in_range(column, "column", 0, WIDTH - SIDE)
        if column < free:
            raise ValueError(
                f"column={column} is taken. Give digits from left to right, without overlap."
            )
        if np.shape(image) != (SIDE, SIDE):
            raise ValueError(f"images holds shape {np.shape(image)}, expected ({SIDE}, {SIDE}).")
        pixels[row : row + SIDE, column : column + SIDE] = image
        free = column + SIDE
    return Canvas(pixels, tuple(map(int, digits)), tuple(tuple(map(int, c)) for c in corners))


def _in_range(n, name, least, most):
    if not least <= _checks.integer(n, name) <= most:
        raise ValueError(f"{name}={n} is out of range. Give one from {least} to {most}.")


def draw_canvas(rng, images, labels, count=None):
    """Draw a canvas with one digit or two, which do not touch.

    Parameters
    ----------
    rng : numpy.random.Generator
    images, labels : ndarray
        Digits to choose from, as `split_digits` gives them.
    count : {1, 2}, optional
        How many; by default one in three canvases has a single digit.

    Returns
    -------
    Canvas

    Examples
    --------
    >>> made = draw_canvas(np.random.default_rng(0), *split_digits()[0], count=2)
    >>> made.digits
    (1, 6)
    """
    if count is None:
        count = 1 + int(rng.random() < 2 / 3)
    elif count not in (1, 2):
        raise ValueError(f"count={count!r} must be 1 or 2: a canvas has room for two digits.")
    chosen = rng.integers(len(images), size=count)
    rows = rng.integers(3, size=2)
    first = rng.integers(13) if count == 1 else rng.integers(5)
    columns = first, rng.integers(first + SIDE, 13) if count == 2 else 0
    corners = [*zip(rows, columns)][:count]
    return canvas(images[chosen], labels[chosen], corners)


def wanted_words(canvas, question=END):
    """The words that describe a canvas, or answer a question about it.

    "left? two" asks what is left of the two, of a canvas with two different digits.  A digit that
    is not there leaves the side's digit as the answer.

    Examples
    --------
    >>> made = canvas(np.ones((2, 8, 8)), [7, 2], [(0, 0), (2, 9)])
    >>> wanted_words(made), wanted_words(made, RIGHT)
    (['seven', 'and', 'two', '·'], ['two', '·'])
    >>> wanted_words(made, "left? two"), wanted_words(made, "left? seven")
    (['seven', '·'], ['·'])
    """
    names = [DIGITS[digit] for digit in canvas.digits]
    asked = [f"{side} {name}".strip() for name in ("", *DIGITS) for side in (LEFT, RIGHT)]
    _checks.choice(question, "question", [END, *asked * bool(names)])
    if question == END:
        return [*names[0:1], *(w for name in names[1:] for w in ("and", name)), END]
    side, *named = question.split()
    answer = [names[0 if side == LEFT else -1]]
    return [END] if answer == named else [*answer, END]


def ink_of(canvas):
    """Say which share of each patch's ink belongs to each digit, shape (n_digits, 8).

    A patch without ink of a digit has 0.  Row 0 is the left one.

    Examples
    --------
    >>> ink_of(held_out([7, 2], [1, 11])).round(1)[0]
    array([1., 1., 0., 0., 1., 1., 0., 0.])
    """
    rows = []
    for row, column in canvas.corners:
        own = np.zeros((HEIGHT, WIDTH))
        area = slice(row, row + SIDE), slice(column, column + SIDE)
        own[area] = canvas.pixels[area]
        rows.append(patches(own, PATCH).sum(-1))
    rows = np.array(rows)
    return rows / np.maximum(rows.sum(0), 1e-9)


def held_out(digits, columns, rows=(1, 1), which=0):
    """A canvas of digits that the trained network never saw.

    Parameters
    ----------
    digits, columns, rows : sequence of int
        Which digits, from left to right, and where their upper left corners are.
    which : int, optional
        Number of the image among those of its digit.

    Examples
    --------
    >>> held_out([7, 2], [1, 11]).corners
    ((1, 1), (1, 11))
    """
    images, labels = split_digits()[1]
    chosen = []
    for digit in digits:
        _in_range(digit, "digit", 0, 9)
        own = images[labels == digit]
        _in_range(which, "which", 0, len(own) - 1)
        chosen.append(own[which])
    return canvas(chosen, digits, [*zip(rows, columns)])


def held_out_canvases(n=200, seed=1, count=None):
    """Draw `n` canvases of digits that the trained network never saw.

    Examples
    --------
    >>> len(held_out_canvases(3))
    3
    """
    rng, (images, labels) = np.random.default_rng(seed), split_digits()[1]
    return [draw_canvas(rng, images, labels, count) for _ in range(n)]
