"""The handwritten digits of the widgets; `digits.json` holds them, with source and licence."""

import json
from pathlib import Path

import numpy as np

from attnlib.data.digits import LARGEST, SIDE

STORED = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def images(others=()):
    """The ten digits, ink from 0 to 1, shape (10, 8, 8); some may be the other one of their kind.

    >>> images().shape, (images() != images(others=[7, 8])).any(axis=(1, 2)).nonzero()[0]
    ((10, 8, 8), array([7, 8]))
    """
    chosen = [*STORED["pictures"]]
    for digit in others:
        chosen[digit] = STORED["others"][str(digit)]
    ink = [int(letter, LARGEST + 1) for picture in chosen for letter in picture]
    return np.reshape(ink, (-1, SIDE, SIDE)) / LARGEST
