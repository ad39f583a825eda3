"""The head that looks one place back."""

import numpy as np

from attnlib import attend, softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

__all__ = ["attend"]  # for the forms that the text compares


def previous(X, gap):
    """Each row is nearly the one before it, as far as the gap goes."""
    n = len(X)
    scores = gap * np.eye(n, k=-1)
    return softmax(np.where(np.tri(n, dtype=bool), scores, -np.inf)) @ X


CASES = (
    Case("two rows", ([[1.0, 2.0], [5.0, 0.0]], 1.0)),
    Case("three rows, one number each", ([[3.0], [7.0], [-2.0]], 2.0)),
    Case("five rows", (*draw((5, 3)), 1.5)),
    Case("a large gap", (*draw((4, 2)), 6.0)),
)
