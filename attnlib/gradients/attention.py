"""Gradients through attention: from outputs back to values, weights, scores, queries and keys."""

import math

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.attention import scaled_dot_product_attention


@checked(
    d_output="(..., n_q, d_v)",
    Q="(..., n_q, d_k)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    mask="bool (..., n_q, n_k)",
    bias="(..., n_q, n_k)",
    scale=_checks.number,
)
def attention_vjp(d_output, Q, K, V, *, mask=None, bias=None, scale=None):
    r"""Go back from the outputs of scaled dot-product attention to queries, keys and values.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the outputs.
    Q, K, V, mask, bias, scale
        The arguments of `scaled_dot_product_attention`.

    Returns
    -------
    d_Q, d_K, d_V : ndarray, same shapes as `Q`, `K`, `V`
        Derivative of the loss with respect to each entry.
    d_bias : ndarray, same shape as `bias`
        The same; only where there is a bias.

    Notes
    -----
    The three stages, from the last to the first; each has its own function.

    1. `weighted_sum_vjp`, from the output to weights and values:

       .. math:: dW = \v{dY} \v{V}^\top, \qquad \v{dV} = W^\top \v{dY}

    2. `softmax_vjp`, from weights to scores:

       .. math:: ds_{ij} = w_{ij} \, (dw_{ij} - D_i), \qquad D_i = \sum_j w_{ij} \, dw_{ij}

    3. `scaled_dot_vjp`, from scores to queries and keys:

       .. math:: \q{dQ} = \text{scale} \; dS \, \k{K}, \qquad
                 \k{dK} = \text{scale} \; dS^\top \q{Q}

    A masked pair has weight 0, so its score gets 0: the mask adds no term.  A bias is a term of the
    scores, so it gets what they get.

    :math:`D_i` needs no weights.  Put :math:`dw_{ij} = \sum_c \v{dy_{ic} v_{jc}}` into it, sum over
    j first, and the outputs appear:

    .. math:: D_i = \sum_c \v{dy_{ic}} \sum_j w_{ij} \v{v_{jc}} = \sum_c \v{dy_{ic}} \, \v{y_{ic}}

    Fused kernels compute it this way, one product for each row (Dao et al. 2022).

    Examples
    --------
    Two keys that tie, values 0 and 8, so the output is 4.  The second value lies above the
    output, so its score gets ½(8 − 4) and its key is pulled towards the query; the first gets
    ½(0 − 4).  The keys are 0 and cannot pull the query.

    >>> d_Q, d_K, d_V = attention_vjp([[1]], [[1]], [[0], [0]], [[0], [8]])
    >>> d_Q, d_K.ravel(), d_V.ravel()
    (array([[0.]]), array([-2.,  2.]), array([0.5, 0.5]))
    """
    options = {"mask": mask, "bias": bias, "scale": scale}
    *_, back = scaled_dot_product_attention.with_pullback(Q, K, V, **options)
    d_Q, d_K, d_V, d_bias = back(d_output)
    return (d_Q, d_K, d_V) if bias is None else (d_Q, d_K, d_V, d_bias)


@checked(q="(..., d_k)", K="(..., n_k, d_k)", V="(..., n_k, d_v)", scale=_checks.number)
def output_query_jacobian(q, K, V, scale=None):
    r"""Differentiate the output for one query with respect to that query.

    Parameters
    ----------
    q : array_like
        One query.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.
    scale : float, optional
        The factor on the dot products, :math:`1/\sqrt{d_k}` by default.

    Returns
    -------
    ndarray, shape (..., d_v, d_k)
        Entry (a, b) is the derivative of output component a with respect to query component b.

    Notes
    -----
    Score j changes with the query by :math:`\text{scale} \, \k{k_j}`, weight j with the scores as
    in `softmax_jacobian`, and the output with weight j by :math:`\v{v_j}`.  Together, with the mean
    key :math:`\k{\bar k} = \sum_j w_j \k{k_j}` and the output :math:`\v{y} = \sum_j w_j \v{v_j}`:

    .. math:: \frac{\partial \v{y}}{\partial \q{q}}
              = \text{scale} \sum_j w_j \, \v{v_j} (\k{k_j} - \k{\bar k})^\top
              = \text{scale} \sum_j w_j \, (\v{v_j} - \v{y}) (\k{k_j} - \k{\bar k})^\top

    The last step subtracts 0, because :math:`\sum_j w_j (\k{k_j} - \k{\bar k}) = 0`.  It is the
    covariance of values and keys under the weights: the output follows the query only as far as
    keys and values vary together among the items that count.  Where one weight is nearly 1 nothing
    varies, and the derivative vanishes.

    Examples
    --------
    Keys ±1 and values 0 and 8, both weights ½.  Deviations ±1 and ±4: the covariance is 4.

    >>> output_query_jacobian([0], [[-1], [1]], [[0], [8]])
    array([[4.]])
    """
    output, weights = scaled_dot_product_attention(q[..., None, :], K, V, scale=scale)
    scale = 1 / math.sqrt(K.shape[-1]) if scale is None else scale
    from_mean_key, from_output = K - weights @ K, V - output
    weighted = weights.mT * from_output
    return scale * (weighted.mT @ from_mean_key)
