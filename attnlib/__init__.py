"""Attention in plain NumPy: the functions of an interactive book, written to be read.

The mathematics is here: scores, weights, output, masks.  Figures, widgets and exercises live in
submodules that are imported only by who needs them, so this import loads NumPy and nothing more.

Examples
--------
One query, two keys that match it equally well, and so the mean of their values:

>>> import attnlib
>>> output, weights = attnlib.attend([[1, 1]], [[1, 0], [0, 1]], [[2], [4]])
>>> output
array([[3.]])
>>> weights
array([[0.5, 0.5]])
"""

from attnlib.attention import attend, scaled_dot_product_attention
from attnlib.masks import causal
from attnlib.normalizers import hardmax, sigmoid_normalize, softmax, softmax_jacobian, sparsemax
from attnlib.scores import dot, scaled_dot

__version__ = "0.1.0"

__all__ = [
    "attend",
    "causal",
    "dot",
    "hardmax",
    "scaled_dot",
    "scaled_dot_product_attention",
    "sigmoid_normalize",
    "softmax",
    "softmax_jacobian",
    "sparsemax",
]
