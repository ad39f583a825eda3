"""Turn queries and keys by their place."""

import numpy as np

from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, result, written


def turned(X, angles, *, pairs="neighbours", back="neighbours", sign=1):
    """Each pair turned by its angle, (n, d / 2); how pairs are taken and put back may differ."""
    d = X.shape[-1] // 2
    a, b = (X[..., ::2], X[..., 1::2]) if pairs == "neighbours" else (X[..., :d], X[..., d:])
    cos, sin = np.cos(angles), sign * np.sin(angles)
    a, b = a * cos - b * sin, a * sin + b * cos
    if back == "halves":
        return np.concatenate([a, b], axis=-1)
    return np.stack([a, b], axis=-1).reshape(X.shape)


def angles(X, start, base):
    """The angle of each place and pair."""
    d = X.shape[-1]
    return (start + np.arange(X.shape[-2]))[:, None] * base ** (-np.arange(0, d, 2) / d)


def rotary(X, start, base):
    """Components 2i and 2i + 1 turned by the place, times base to the power −2i/d."""
    return turned(X, angles(X, start, base))


def adapt(answer, right=rotary):
    later = Later(CASES)

    def rotary(X, start, base):
        like = (right, X, start, base)
        return result(written(answer), X, start, base, like=like, later=later, more=halved)

    def halved(base=100.0):
        """Stop if items in bfloat16 turn by angles in bfloat16."""
        import torch

        X = torch.ones(4, 4)
        try:
            with torch.no_grad():
                whole, half = (answer(A, 1001, base).float() for A in (X, X.bfloat16()))
        except RuntimeError:  # not every way of turning knows half types
            return
        if not torch.allclose(whole, half, atol=0.03):
            raise Misfit(
                "In float32 it is right, but for X in bfloat16 at place 1001 it turns by other "
                "angles: places or angles have X's type, which from 256 on has only even numbers. "
                "Make the angles in float32."
            )

    return rotary


def by_heads(X, start, base):
    """The place counted along the axis before that of the items."""
    if X.ndim == 2:
        return rotary(X, start, base)
    return np.swapaxes(rotary(np.swapaxes(X, -2, -3), start, base), -2, -3)


def first_overwritten(X, A):
    """The second component made of the first one after it was turned."""
    a, b = X[..., ::2], X[..., 1::2]
    a = a * np.cos(A) - b * np.sin(A)
    return np.stack([a, a * np.sin(A) + b * np.cos(A)], axis=-1).reshape(X.shape)


CASES = (
    Case("one pair", (np.array([[1.0, 0.0], [2.0, 1.0]]), 0, 100.0)),
    Case("a later start", (*draw((3, 4)), 5, 100.0)),
    Case("heads", (*draw((3, 2, 6)), 0, 50.0)),
    Case("a batch of heads", (*draw((2, 3, 4, 8)), 7, 1000.0)),
)
