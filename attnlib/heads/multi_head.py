"""Multi-head attention: project, attend in every head, merge, project."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._pullbacks import differentiable, summed_in_groups, with_derivatives
from attnlib._shapes import Shape, equal_shares
from attnlib.attention import scaled_dot_product_attention
from attnlib.heads.split import for_each_head, in_heads, merge_heads
from attnlib.parameters import Parameters, Part
from attnlib.positions.in_heads import NOWHERE, POSITIONS
from attnlib.projections import project, projection_vjp


class MultiHeadAttention(Parameters):
    r"""Attend with several heads, each to queries, keys and values projected for it.

    Parameters
    ----------
    W_Q : array_like
        Makes the queries of all heads, side by side.
    W_K : array_like
        Makes the keys.  ``d_source`` is ``d_model`` in self-attention.
    W_V : array_like
        Makes the values.
    W_O : array_like
        Makes one output of the heads' outputs, side by side.
    n_heads : int
        Number of heads.
    b_Q, b_K, b_V, b_O : array_like, optional
        Biases, with an entry for each column of their matrix; none by default.
    n_kv_heads : int, optional
        Number of heads of keys and values, a divisor of `n_heads` and by default as many: the
        heads of a group share theirs.
    positions : Rotary, LinearBias or RelativeBias, optional
        What queries and keys, or scores, are told of positions; nothing by default.

    Notes
    -----
    With ``H`` heads (Vaswani et al. 2017), each with its columns of the projections:

    .. math:: \q{Q_h} = X_Q W_{Q,h} \qquad \k{K_h} = X_{KV} W_{K,h} \qquad \v{V_h} = X_{KV} W_{V,h}

    .. math:: \v{Y} = [\v{Y_1}, \dots, \v{Y_H}] \, W_O = \sum_h \v{Y_h} \, W_{O,h}, \qquad
              \v{Y_h} = \mathrm{softmax}\left(\frac{\q{Q_h} \k{K_h}^\top}{\sqrt{d_k}}\right) \v{V_h}

    The sum says that heads do not mix before the output: each writes its own part of it.

    With G heads of keys and values, head h (counted from 0) reads those of group
    :math:`\lfloor h G / H \rfloor`: grouped-query attention (Ainslie et al. 2023), and for G = 1
    multi-query attention (Shazeer 2019).  A cache then holds G/H of the numbers.

    Examples
    --------
    Two heads that each copy one component.  The items tie in every score, so all get the mean.

    >>> zero, one = np.zeros((2, 2)), np.eye(2)
    >>> attention = MultiHeadAttention(zero, zero, one, one, n_heads=2)
    >>> output, weights = attention([[1, 10], [3, 30]])
    >>> output
    array([[ 2., 20.],
           [ 2., 20.]])
    >>> weights.shape, attention.parameter_count
    ((2, 2, 2), 16)
    """

    W_Q: Shape("(d_model, n_heads * d_k)")
    W_K: Shape("(d_source, n_kv_heads * d_k)")
    W_V: Shape("(d_source, n_kv_heads * d_v)")
    W_O: Shape("(n_heads * d_v, d_out)")
    n_heads: _checks.count
    b_Q: Shape("(n_heads * d_k,)") = None
    b_K: Shape("(n_kv_heads * d_k,)") = None
    b_V: Shape("(n_kv_heads * d_v,)") = None
    b_O: Shape("(d_out,)") = None
    n_kv_heads: _checks.count = None
    positions: Part(*POSITIONS, n_heads="n_heads") = None

    def _declared(self):
        declared = super()._declared()
        if self.n_kv_heads is None:  # then no error speaks of it
            for name in ("W_K", "W_V", "b_K", "b_V"):
                declared[name] = declared[name].replace("n_kv_heads", "n_heads")
        return declared

    def _fit(self):
        fitted, sizes = super()._fit()
        n = fitted["n_heads"]
        equal_shares(n, fitted["n_kv_heads"] or n, f"n_heads={n}", "n_kv_heads", "heads")
        if self.positions is not None:
            self.positions._refuse(sizes["d_k"][0])
        return fitted, sizes

    @classmethod
    @checked(
        rng=_checks.generator,
        d_model=_checks.count,
        n_heads=_checks.count,
        d_k=_checks.count,
        d_v=_checks.count,
        bias=_checks.boolean,
        n_kv_heads=_checks.count,
        positions=Part(*POSITIONS),
    )
    def random(
        cls,
        rng,
        d_model,
        n_heads,
        d_k=None,
        d_v=None,
        *,
        bias=False,
        n_kv_heads=None,
        positions=None,
    ):
        """Draw projections that keep the size of what they project.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of an item, and of an output.
        n_heads : int
            Number of heads.
        d_k, d_v : int, optional
            Length of a key and of a value of one head, ``d_model / n_heads`` by default.
        bias : bool, optional
            Whether to have biases; they start at 0.
        n_kv_heads, positions : optional
            As for `MultiHeadAttention`.

        Returns
        -------
        MultiHeadAttention
            The entries of each matrix are normal, with variance one over the number of its rows.
        """
        if d_k is None or d_v is None:
            share = equal_shares(d_model, n_heads, f"d_model={d_model}")
        d_k, d_v = share if d_k is None else d_k, share if d_v is None else d_v
        n_kv = n_kv_heads or n_heads
        shapes = {
            "Q": (d_model, n_heads * d_k),
            "K": (d_model, n_kv * d_k),
            "V": (d_model, n_kv * d_v),
            "O": (n_heads * d_v, d_model),
        }
        matrices = {f"W_{x}": rng.normal(0, s[0] ** -0.5, s) for x, s in shapes.items()}
        biases = {f"b_{x}": np.zeros(s[1]) for x, s in shapes.items()} if bias else {}
        options = {"n_kv_heads": n_kv_heads, "positions": positions}
        made = cls(**matrices, n_heads=n_heads, **biases, **options)
        made._fit()  # in here it is trusted, but groups and positions may not fit
        return made

    @checked(X_Q="(..., n_q, d_model)", X_KV="(..., n_k, d_source) or X_Q")
    def project(self, X_Q, X_KV=None):
        """Make queries of ``X_Q`` and keys and values of ``X_KV``, one matrix for each head.

        Returns
        -------
        Q : ndarray, shape (..., n_heads, n_q, d_k)
        K : ndarray, shape (..., n_kv_heads, n_k, d_k)
            Like the queries without their positions: nothing is turned yet.
        V : ndarray, shape (..., n_kv_heads, n_k, d_v)
        """
        X_KV = X_Q if X_KV is None else X_KV
        n_kv_heads = self.n_kv_heads or self.n_heads
        Q = in_heads(project(X_Q, self.W_Q, self.b_Q), self.n_heads)
        K = in_heads(project(X_KV, self.W_K, self.b_K), n_kv_heads)
        V = in_heads(project(X_KV, self.W_V, self.b_V), n_kv_heads)
        return Q, K, V

    @differentiable(
        X_Q="(..., n_q, d_model)",
        X_KV="(..., n_k, d_source) or X_Q",
        mask="bool (..., [n_heads], n_q, n_k)",
    )
    def __call__(self, X_Q, X_KV=None, *, mask=None):
        """Answer each row of ``X_Q`` from the rows of ``X_KV``.

        Parameters
        ----------
        X_Q : array_like
            The items that ask.
        X_KV : array_like, optional
            The items that are asked; ``X_Q`` itself by default (self-attention).
        mask : array_like of bool, optional
            True where a query may attend to a key.  It may have an axis for the heads; where it
            could be for the batch, it is.

        Returns
        -------
        output : ndarray, shape (..., n_q, d_out)
            One answer for each query.
        weights : ndarray, shape (..., n_heads, n_q, n_k)
            How much each key counted for each query in each head; rows sum to one.
        """
        source, where = X_Q if X_KV is None else X_KV, self.positions or NOWHERE
        Q, K, V = self.project(X_Q, source)
        n_k = K.shape[-2]
        Q, K = where._turn(Q, n_k), where._turn(K, n_k)
        output, weights, back_to_heads = self._answer(Q, K, V, mask)

        def back(d_output):
            d_Q, d_K, d_V, d_own = back_to_heads(d_output)
            d_Q, d_K = where._turn(d_Q, n_k, direction=-1), where._turn(d_K, n_k, direction=-1)
            d_X_Q, d_W_Q, d_b_Q = projection_vjp(merge_heads(d_Q), X_Q, self.W_Q)
            d_as_key, d_W_K, d_b_K = projection_vjp(merge_heads(d_K), source, self.W_K)
            d_as_value, d_W_V, d_b_V = projection_vjp(merge_heads(d_V), source, self.W_V)
            d_X_KV = d_as_key + d_as_value
            d_own |= {"W_Q": d_W_Q, "W_K": d_W_K, "W_V": d_W_V}
            d_own |= {"b_Q": d_b_Q, "b_K": d_b_K, "b_V": d_b_V}
            d_self = with_derivatives(self, d_own)
            return (d_X_Q + d_X_KV, None, d_self) if X_KV is None else (d_X_Q, d_X_KV, d_self)

        return output, weights, back

    with_pullback = __call__.with_pullback

    def _answer(self, Q, K, V, mask):
        """Attend in every head, merge, project; the pullback leads back to the heads."""
        where, n_kv_heads = self.positions or NOWHERE, K.shape[-3]
        K, V = for_each_head(K, self.n_heads), for_each_head(V, self.n_heads)
        outputs, weights, back_to_pairs = scaled_dot_product_attention.with_pullback(
            Q, K, V, mask=mask, bias=where._bias(Q, K)
        )
        merged = merge_heads(outputs)
        output = project(merged, self.W_O, self.b_O)

        def back(d_output):
            d_merged, d_W_O, d_b_O = projection_vjp(d_output, merged, self.W_O)
            d_Q, d_K, d_V, d_bias = back_to_pairs(in_heads(d_merged, self.n_heads))
            d_K, d_V = summed_in_groups(d_K, n_kv_heads), summed_in_groups(d_V, n_kv_heads)
            return d_Q, d_K, d_V, {"W_O": d_W_O, "b_O": d_b_O, "positions": where._back(d_bias)}

        return output, weights, back
