"""Positions that a layer of attention gives its queries and keys, or adds to its scores.

In every layer the last query stands at the last key, as in `causal`.
"""

import numpy as np

from attnlib._shapes import Shape
from attnlib.parameters import Parameters
from attnlib.positions.gradients import relative_bias_vjp
from attnlib.positions.relative import (
    linear_bias,
    pairing,
    refuse_bad_table,
    relative_bias,
    turned,
)
from attnlib.positions.sinusoids import above_1, frequencies


class Positions(Parameters):
    """Base of what can be the `positions` of a layer; itself it tells nothing of them."""

    def _refuse(self, d_k):
        """Refuse keys of a length with which this cannot be used."""

    def _turn(self, X, end, direction=1):
        """Turn queries or keys, the last of which stands at position `end` - 1."""
        return X

    def _bias(self, Q, K):
        """Return what is added to the scores of queries and keys, or None."""

    def _back(self, d_bias):
        """Go back from what was added to the scores to the parameters."""
        return self


class Rotary(Positions):
    r"""Turn the queries and keys of each head by their positions.

    Parameters
    ----------
    base, convention
        As for `rotary`.

    Notes
    -----
    Given to `MultiHeadAttention` as its ``positions``, it replaces each query and key by what
    `rotary` makes of it (Su et al. 2021).  With the rotation :math:`R_t` of position t the score
    depends on the shift alone:

    .. math:: (\q{q_t} R_t) \cdot (\k{k_s} R_s) = \q{q_t} R_{t - s} \cdot \k{k_s}

    Examples
    --------
    >>> from attnlib import MultiHeadAttention
    >>> rng = np.random.default_rng(0)
    >>> where = Rotary(convention="halves")
    >>> attention = MultiHeadAttention.random(rng, 8, 2, positions=where)
    >>> X = np.ones((5, 8))
    >>> weights = attention(X)[1]
    >>> bool(np.ptp(weights, axis=-1).min() > 0)
    True
    """

    base: above_1 = 10000.0
    convention: pairing = "neighbours"

    def _refuse(self, d_k):
        """Refuse keys whose components make no pairs."""
        frequencies(d_k, self.base, "with positions=Rotary, d_k")

    def _turn(self, X, end, direction=1):
        """Turn queries or keys, the last of which stands at position `end` - 1."""
        positions = np.arange(end - X.shape[-2], end)
        return turned(X, positions, self.base, self.convention, direction)


class LinearBias(Positions):
    r"""Lower each score in proportion to the distance of its key.

    Notes
    -----
    Given to `MultiHeadAttention` as its ``positions``, it adds `linear_bias` to the scores (Press
    et al. 2022):

    .. math:: s_{hij} = \frac{\q{q_{hi}} \cdot \k{k_{hj}}}{\sqrt{d_k}} - 2^{-8h/H} \, |i - j|

    Examples
    --------
    The items are equal, and near ones get more:

    >>> from attnlib import MultiHeadAttention
    >>> rng, where = np.random.default_rng(0), LinearBias()
    >>> attention = MultiHeadAttention.random(rng, 8, 2, positions=where)
    >>> attention(np.ones((3, 8)))[1][0].round(3)
    array([[0.354, 0.333, 0.313],
           [0.326, 0.347, 0.326],
           [0.313, 0.333, 0.354]])
    """

    def _bias(self, Q, K):
        """Return what is added to the scores of queries and keys."""
        return linear_bias(Q.shape[-2], K.shape[-2], Q.shape[-3]).astype(Q.dtype)


class RelativeBias(Positions):
    r"""Add a learned number to each score, by the shift from query to key.

    Parameters
    ----------
    table : array_like
        As for `relative_bias`.

    Notes
    -----
    Given to `MultiHeadAttention` as its ``positions``, it adds `relative_bias` to the scores
    (Raffel et al. 2020); the table is learned with the layer.  With :math:`t_h` for its row,
    within its reach:

    .. math:: s_{hij} = \frac{\q{q_{hi}} \cdot \k{k_{hj}}}{\sqrt{d_k}} + t_h[j - i]

    Examples
    --------
    >>> from attnlib import MultiHeadAttention
    >>> rng = np.random.default_rng(0)
    >>> where = RelativeBias(np.zeros((2, 9)))
    >>> attention = MultiHeadAttention.random(rng, 8, 2, positions=where)
    >>> attention.parameters()["positions.table"].shape
    (2, 9)
    """

    table: Shape("(n_heads, n_shifts)")

    def __post_init__(self):
        super().__post_init__()
        refuse_bad_table(self.table)

    def _bias(self, Q, K):
        """Return what is added to the scores of queries and keys."""
        return relative_bias(self.table, Q.shape[-2], K.shape[-2])

    def _back(self, d_bias):
        """Go back from what was added to the scores to the table."""
        return RelativeBias(relative_bias_vjp(d_bias, self.table))


POSITIONS = Rotary, LinearBias, RelativeBias
NOWHERE = Positions()
