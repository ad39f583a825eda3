"""Attention without the exponential of each pair: time and memory that grow with n."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked, outside
from attnlib._shapes import check_arguments, parse_all
from attnlib.efficient._inputs import first_position, slices
from attnlib.efficient.features import elu_plus_one


@checked(
    Q="(..., n_q, d_q)",
    K="(..., n_k, d_k)",
    V="(..., n_k, d_v)",
    features=_checks.function,
    causal=_checks.boolean,
    block=_checks.count,
)
def linear_attention(Q, K, V, *, features=elu_plus_one, causal=False, block=256):
    r"""Attend with weights that are dot products of positive features.

    Parameters
    ----------
    Q : array_like
        Queries, one in each row.
    K : array_like
        Keys, one in each row.
    V : array_like
        Values, one for each key.  The leading axes of `Q`, `K` and `V` broadcast.
    features : callable, optional
        ``features(X)`` returns one row of r positive features for each row: `elu_plus_one`, or what
        `random_features` draws, which estimates softmax.  Zeros are accepted as long as each query
        has a product above 0 with some key that it may attend to.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.
    block : int, optional
        With `causal`, number of positions that are added to the running sum together.

    Returns
    -------
    ndarray, shape (..., n_q, d_v)
        One answer for each query.  It is another mean than that of softmax.

    Notes
    -----
    Where the weight is a product of features, the sum over the keys does not depend on the query
    and is done once (Katharopoulos et al. 2020):

    .. math:: \v{y_i} = \frac{\sum_j \phi(\q{q_i}) \cdot \phi(\k{k_j}) \, \v{v_j}}
                             {\sum_j \phi(\q{q_i}) \cdot \phi(\k{k_j})}
              = \frac{\phi(\q{q_i})^\top \sum_j \phi(\k{k_j}) \, \v{v_j}^\top}
                     {\phi(\q{q_i})^\top \sum_j \phi(\k{k_j})}

    That is :math:`(n_q + n_k) \, r \, (d_v + 1)` multiply-adds instead of
    :math:`n_q n_k (d_k + d_v)`.  With `causal` the sum runs along, like the state of a recurrent
    network.

    Examples
    --------
    The features of 0, 0 and 2 are 1, 1 and 3, so the weights are 1/4 and 3/4, and ¾ of 8 is 6.

    >>> linear_attention([[0]], [[0], [2]], [[0], [8]])
    array([[6.]])
    """
    phi_q, phi_k = both_features(outside(features), Q, K)
    # A value of 1 beside the others: its weighted sum is what the others are divided by.
    V = np.concatenate([V, np.ones_like(V[..., :1])], axis=-1)
    sums = _causal_sums(phi_q, phi_k, V, block) if causal else phi_q @ (phi_k.mT @ V)
    lost = sums[..., -1] == 0
    if lost.any():
        index = _checks.first_index(lost)
        raise ValueError(
            f"query {_checks.show(index)} meets no key: all products of their features are 0. "
            f"Scale Q and K so that features do not vanish."
        )
    return sums[..., :-1] / sums[..., -1:]


def both_features(features, Q, K):
    """Return the features of queries and keys: equally many, none negative, one row for each."""
    plan = parse_all({"features(Q)": "(..., n_q, r)", "features(K)": "(..., n_k, r)"})
    phi, _ = check_arguments(plan, {"features(Q)": features(Q), "features(K)": features(K)})
    for (name, rows), X in zip(phi.items(), (Q, K)):
        if rows.shape[:-1] != X.shape[:-1] or (rows < 0).any():
            raise ValueError(
                f"{name} has shape {rows.shape} for rows of shape {X.shape}, its smallest entry "
                f"{rows.min(initial=np.inf):g}. Let features return one row, of no negative "
                f"numbers, for each row."
            )
    return phi.values()


def _causal_sums(phi_q, phi_k, V, block):
    """Return for each query the sum over the keys that it may see."""
    n_q = phi_q.shape[-2]
    before = first_position(n_q, phi_k.shape[-2])
    so_far = phi_k[..., :before, :].mT @ V[..., :before, :]
    leading = np.broadcast_shapes(*(X.shape[:-2] for X in (phi_q, phi_k, V)))
    sums = np.empty((*leading, n_q, V.shape[-1]), np.result_type(phi_q, phi_k, V))
    for rows in slices(n_q, block):
        new = slice(rows.start + before, rows.stop + before)
        q, k, v = phi_q[..., rows, :], phi_k[..., new, :], V[..., new, :]
        sums[..., rows, :] = q @ so_far + np.tril(q @ k.mT) @ v
        so_far = so_far + k.mT @ v
    return sums
