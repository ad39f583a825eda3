"""Scores: how well each query matches each key.

A score is called with ``Q`` and ``K`` and returns one number for each pair, with the queries down
the rows and the keys along the columns.  `dot` and `scaled_dot` learn nothing.  `Bilinear`,
`Additive` and `Location` hold parameters; made once, they are called in the same way.
"""

from attnlib.scores.learned import Additive, Bilinear, Location
from attnlib.scores.products import dot, dot_cost, scaled_dot

__all__ = ["dot", "scaled_dot", "dot_cost", "Bilinear", "Additive", "Location"]  # noqa: RUF022
