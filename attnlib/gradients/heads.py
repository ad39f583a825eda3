"""Gradients through multi-head attention."""

from attnlib._boundary import checked
from attnlib.heads import MultiHeadAttention


@checked(
    d_output="(..., n_q, d_out)",
    attention=MultiHeadAttention,
    X_Q="(..., n_q, d_model)",
    X_KV="(..., n_k, d_source) or X_Q",
    mask="bool (..., [n_heads], n_q, n_k)",
)
def multi_head_vjp(d_output, attention, X_Q, X_KV=None, *, mask=None):
    r"""Go back from the output of multi-head attention to its items and all its parameters.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the output.
    attention : MultiHeadAttention
        The attention.
    X_Q, X_KV, mask
        The arguments of the call.

    Returns
    -------
    d_X_Q : ndarray, same shape as `X_Q`
        Derivative of the loss with respect to the items that ask; in self-attention to the items,
        through queries, keys and values together.
    d_X_KV : ndarray, same shape as `X_KV`, or None
        Derivative of the loss with respect to the items that are asked; None in self-attention.
    d_attention : MultiHeadAttention
        Holds, for each parameter, the derivative of the loss with respect to it.

    Notes
    -----
    Forwards, then the same line read from the right:

    .. math:: X \xrightarrow{W_Q, W_K, W_V} \q{Q}, \k{K}, \v{V} \xrightarrow{\text{split}}
              \xrightarrow{\text{attention}} \xrightarrow{\text{merge}} \v{Y} \xrightarrow{W_O}
              \text{output}

    1. `projection_vjp` at :math:`W_O` gives :math:`dW_O = \v{Y}^\top \, d\text{output}` and
       :math:`\v{dY} = d\text{output} \; W_O^\top`.
    2. Merging moves numbers and computes nothing; its gradient is moved back by splitting.
    3. `attention_vjp` in each head gives :math:`\q{dQ_h}, \k{dK_h}, \v{dV_h}`.
    4. Splitting is undone by merging.  `projection_vjp` at each matrix gives

       .. math:: dW_Q = X_Q^\top \q{dQ}, \qquad dW_K = X_{KV}^\top \k{dK}, \qquad
                 dW_V = X_{KV}^\top \v{dV}

       .. math:: dX_Q = \q{dQ} \, W_Q^\top, \qquad dX_{KV} = \k{dK} \, W_K^\top + \v{dV} \, W_V^\top

    In self-attention an item is all three, and its derivative is the sum of the three.  Where
    heads share keys and values, these get the sum over the heads of their group; what was turned
    forwards is turned back (`rotary_vjp`).

    Examples
    --------
    One head, one item: its weight is 1 whatever it is, so only value and output learn.

    >>> attention = MultiHeadAttention([[2]], [[3]], [[5]], [[7]], n_heads=1)
    >>> d_X, _, d = multi_head_vjp([[1]], attention, [[11]])
    >>> d_X
    array([[35.]])
    >>> [W.item() for W in (d.W_Q, d.W_K, d.W_V, d.W_O)]
    [0.0, 0.0, 77.0, 55.0]
    """
    *_, back = attention.with_pullback(X_Q, X_KV, mask=mask)
    return back(d_output)
