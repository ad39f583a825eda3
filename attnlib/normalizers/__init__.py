"""Normalisers: from scores to weights that are at least 0 and sum to one.

A score of -inf means "may not be attended to", and its weight is exactly 0.  Each normaliser but
`hardmax` has a Jacobian: hardmax jumps, and between the jumps its derivative is 0.
"""

from attnlib.normalizers.functions import hardmax, sigmoid_normalize, softmax, sparsemax
from attnlib.normalizers.jacobians import (
    sigmoid_normalize_jacobian,
    softmax_jacobian,
    sparsemax_jacobian,
)

__all__ = [  # noqa: RUF022
    "softmax",
    "sparsemax",
    "sigmoid_normalize",
    "hardmax",
    "softmax_jacobian",
    "sparsemax_jacobian",
    "sigmoid_normalize_jacobian",
]
