"""Handwritten digits, 8 × 8 pixels each, and the patches that a picture is cut into.

The pictures are those of scikit-learn's `load_digits`, the test set of *Optical Recognition of
Handwritten Digits* by E. Alpaydin and C. Kaynak (1998), from the UCI Machine Learning Repository,
licensed CC BY 4.0.  `digits.json` holds them, packed, with source and licence.
"""

import base64
import json
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from attnlib import _checks

SIDE, LARGEST = 8, 16
TESTED = 497  # pictures that are never trained on


@cache
def _stored():
    stored = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    pixels = zlib.decompress(base64.b64decode(stored["pixels"]))
    images = np.frombuffer(pixels, np.uint8).reshape(-1, SIDE, SIDE) / LARGEST
    labels = np.array([int(digit) for digit in stored["labels"]])
    for array in (images, labels):
        array.setflags(write=False)
    return images, labels


def load_digits():
    """Return all digits, in the order of scikit-learn.

    Returns
    -------
    images : ndarray, shape (1797, 8, 8)
        Ink, from 0 (paper) to 1.
    labels : ndarray of int, shape (1797,)

    Examples
    --------
    >>> images, labels = load_digits()
    >>> images.shape, labels[:5]
    ((1797, 8, 8), array([0, 1, 2, 3, 4]))
    """
    return _stored()


def split_digits(seed=0):
    """Return 1,300 digits to learn from and 497 others to test on, drawn by chance.

    Both parts hold digits of the same thirteen people.

    Returns
    -------
    to_train, to_test : tuple of ndarray
        Images and labels each.

    Examples
    --------
    >>> (images, labels), (others, _) = split_digits()
    >>> len(images), len(others)
    (1300, 497)
    """
    images, labels = load_digits()
    order = np.random.default_rng(seed).permutation(len(images))
    return tuple((images[part], labels[part]) for part in (order[TESTED:], order[:TESTED]))


def patches(images, size=2):
    """Cut pictures into square patches, row by row, and lay the pixels of each in a row.

    Parameters
    ----------
    images : array_like, shape (..., height, width)
        Pictures whose sides are multiples of `size`.
    size : int, optional
        Side of a patch in pixels.

    Returns
    -------
    ndarray, shape (..., n_patches, size * size)

    Examples
    --------
    >>> patches([[1, 2, 3, 4], [5, 6, 7, 8]])
    array([[1, 2, 5, 6],
           [3, 4, 7, 8]])
    """
    images, size = np.asarray(images), _checks.count(size, "size")
    *some, height, width = images.shape
    if height % size or width % size:
        raise ValueError(f"images of {height} × {width} cannot be cut into patches of side {size}.")
    cut = images.reshape(*some, height // size, size, width // size, size)
    return cut.swapaxes(-2, -3).reshape(*some, -1, size * size)


def joined(rows, size=2, shape=None):
    """Put the patches of pictures together again; the pictures are square without a `shape`.

    Examples
    --------
    >>> joined(patches(np.arange(16).reshape(4, 4)))[0]
    array([0, 1, 2, 3])
    >>> joined(patches(np.arange(8).reshape(2, 4)), shape=(2, 4))[1]
    array([4, 5, 6, 7])
    """
    rows = np.asarray(rows)
    *some, n, _ = rows.shape
    height, width = shape or (size * round(n**0.5),) * 2
    if height * width != n * size**2 or height % size or width % size:
        raise ValueError(
            f"{n} patches of side {size} make no picture of {height} × {width}. Give its shape."
        )
    cut = rows.reshape(*some, height // size, width // size, size, size)
    return cut.swapaxes(-2, -3).reshape(*some, height, width)
