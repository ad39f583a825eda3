"""Heads that share keys and values: fewer of them to store while a text is generated."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.efficient._inputs import refuse_large_scores, same_batch
from attnlib.efficient.rows import attend_in_blocks


def refuse_uneven_groups(Q, K, **_):
    """Refuse heads that cannot be shared out equally to the groups, and scores that overflow."""
    heads_per_group(Q.shape[-3], K.shape[-3], f"Q has shape {Q.shape} and K has shape {K.shape}")
    refuse_large_scores(Q, K)


@checked(
    also=refuse_uneven_groups,
    Q="(..., n_heads, n_q, d_k)",
    K="(..., n_groups, n_k, d_k)",
    V="(..., n_groups, n_k, d_v)",
    mask="bool (..., n_q, n_k)",
    causal=_checks.boolean,
    block=_checks.count,
)
def grouped_heads(Q, K, V, *, mask=None, causal=False, block=256):
    r"""Attend with several heads, in groups that share their keys and values.

    Parameters
    ----------
    Q : array_like
        Queries of each head.
    K : array_like
        Keys of each group.  One group is multi-query attention; as many groups as heads is
        multi-head attention.
    V : array_like
        Values of each group.
    mask : array_like of bool, optional
        True where a query may attend to a key, the same for all heads.  Its shape broadcasts to
        (..., n_q, n_k): there is no axis for the heads.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.
    block : int, optional
        Number of queries that are answered together.

    Returns
    -------
    ndarray, shape (..., n_heads, n_q, d_v)
        One answer for each query of each head.

    Notes
    -----
    With H heads in G groups, head h reads the keys of group :math:`\lfloor h G / H \rfloor`
    (Shazeer 2019 for one group, Ainslie et al. 2023):

    .. math:: \v{Y_h} = \mathrm{softmax}\left(\frac{\q{Q_h} \k{K_g}^\top}{\sqrt{d_k}}\right)
              \v{V_g}, \qquad g = \left\lfloor \frac{h \, G}{H} \right\rfloor

    There are as many pairs as before.  What shrinks, by G/H, is what a cache must hold and what
    each new word must read: :math:`G \, n_k (d_k + d_v)` numbers.

    Examples
    --------
    Four heads, two groups, one key each: heads 0 and 1 get the first value, 2 and 3 the second.

    >>> import numpy as np
    >>> Q, K = np.ones((4, 1, 2)), np.ones((2, 1, 2))
    >>> grouped_heads(Q, K, [[[5]], [[7]]]).ravel()
    array([5., 5., 7., 7.])
    """
    n_heads, n_groups = Q.shape[-3], K.shape[-3]
    Q = Q.reshape(*Q.shape[:-3], n_groups, n_heads // n_groups, *Q.shape[-2:])
    Q, K, V = same_batch(Q, K[..., :, None, :, :], V[..., :, None, :, :])
    if mask is not None:
        mask = mask if mask.ndim < 3 else mask[..., None, None, :, :]
        mask = np.broadcast_to(mask, (*Q.shape[:-1], K.shape[-2]))
    output = attend_in_blocks(Q, K, V, block, mask, causal, named=lambda head: head[:-2])
    return output.reshape(*output.shape[:-4], n_heads, *output.shape[-2:])


@checked(X="(..., n_heads, n, d)", n_groups=_checks.count)
def pool_heads(X, n_groups):
    r"""Make the keys or values of each group the mean over its heads.

    Parameters
    ----------
    X : array_like
        Keys or values of each head.
    n_groups : int
        Number of groups; divides the number of heads.

    Returns
    -------
    ndarray, shape (..., n_groups, n, d)
        Keys or values of each group.

    Notes
    -----
    This turns a trained model with multi-head attention into one with groups, which is then
    trained a little further (Ainslie et al. 2023):

    .. math:: \k{K_g} = \frac{G}{H} \sum_{h \in g} \k{K_h}

    Examples
    --------
    >>> pool_heads([[[1, 2]], [[3, 6]]], 1)
    array([[[2., 4.]]])
    """
    size = heads_per_group(X.shape[-3], n_groups, f"X has shape {X.shape} and n_groups={n_groups}")
    return X.reshape(*X.shape[:-3], n_groups, size, *X.shape[-2:]).mean(axis=-3)


def heads_per_group(n_heads, n_groups, shapes):
    """Divide the heads into equal groups, or raise an error that begins with the text `shapes`."""
    if n_heads % n_groups:
        raise ValueError(
            f"{shapes}: {n_heads} heads cannot be shared out equally to {n_groups} groups. "
            f"Choose a number of groups that divides the number of heads."
        )
    return n_heads // n_groups
