"""Gradients through projections and multi-head attention."""

import dataclasses

from attnlib._boundary import checked
from attnlib.attention import scaled_dot_product_attention
from attnlib.gradients._sums import summed_in_groups, summed_over_rows, summed_products
from attnlib.gradients.attention import attention_vjp
from attnlib.gradients.positions import positions_vjp
from attnlib.heads import MultiHeadAttention, merge_heads, split_heads
from attnlib.heads.multi_head import for_scores, turned


@checked(d_output="(..., n, d_out)", X="(..., n, d_in)", W="(d_in, d_out)")
def projection_vjp(d_output, X, W):
    r"""Go back from projected rows to the rows, the matrix and the bias.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the projected rows.
    X : array_like
        The rows.
    W : array_like
        The matrix.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the rows.
    d_W : ndarray, same shape as `W`
        Derivative of the loss with respect to each entry of the matrix.
    d_b : ndarray, shape (d_out,)
        Derivative of the loss with respect to the bias; leave it if there was none.

    Notes
    -----
    .. math:: y_{tb} = \sum_a x_{ta} W_{ab} + b_b

    .. math:: dx_{ta} = \sum_b dy_{tb} W_{ab}, \qquad
              dW_{ab} = \sum_t x_{ta} \, dy_{tb}, \qquad
              db_b = \sum_t dy_{tb}

    or, all at once:

    .. math:: dX = dY \, W^\top, \qquad dW = X^\top dY, \qquad db = \mathbf{1}^\top dY

    The matrix and the bias serve every row, so their derivatives are sums over the rows t, of the
    whole batch.

    Examples
    --------
    Two rows through one number, 3: each row gets 3 times its derivative back, and 3 itself gets
    5 · 1 + 6 · 10.

    >>> d_X, d_W, d_b = projection_vjp([[1], [10]], [[5], [6]], [[3]])
    >>> d_X.ravel(), d_W, d_b
    (array([ 3., 30.]), array([[65.]]), array([11.]))
    """
    d_X = d_output @ W.T
    d_W = summed_products(X, d_output)
    d_b = summed_over_rows(d_output)
    return d_X, d_W, d_b


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
    Q, K, V = attention.project(X_Q, X_KV)
    n_kv_heads, n_k, _ = K.shape[-3:]
    Q, K = turned(attention, Q, n_k), turned(attention, K, n_k)
    K, V, bias = for_scores(attention, Q, K, V)
    outputs, _ = scaled_dot_product_attention(Q, K, V, mask=mask, bias=bias)
    merged = merge_heads(outputs)

    d_merged, d_W_O, d_b_O = projection_vjp(d_output, merged, attention.W_O)
    d_outputs = split_heads(d_merged, attention.n_heads)
    d_Q, d_K, d_V, *d_bias = attention_vjp(d_outputs, Q, K, V, mask=mask, bias=bias)
    d_K, d_V = summed_in_groups(d_K, n_kv_heads), summed_in_groups(d_V, n_kv_heads)
    d_Q, d_K = (turned(attention, d, n_k, direction=-1) for d in (d_Q, d_K))

    source = X_Q if X_KV is None else X_KV
    d_asking, d_W_Q, d_b_Q = projection_vjp(merge_heads(d_Q), X_Q, attention.W_Q)
    d_as_key, d_W_K, d_b_K = projection_vjp(merge_heads(d_K), source, attention.W_K)
    d_as_value, d_W_V, d_b_V = projection_vjp(merge_heads(d_V), source, attention.W_V)

    biases = {"b_Q": d_b_Q, "b_K": d_b_K, "b_V": d_b_V, "b_O": d_b_O}
    d_attention = dataclasses.replace(
        attention,
        **{"W_Q": d_W_Q, "W_K": d_W_K, "W_V": d_W_V, "W_O": d_W_O},
        **{name: d for name, d in biases.items() if getattr(attention, name) is not None},
        positions=positions_vjp(attention.positions, *d_bias),
    )
    if X_KV is None:
        return d_asking + d_as_key + d_as_value, None, d_attention
    return d_asking, d_as_key + d_as_value, d_attention
