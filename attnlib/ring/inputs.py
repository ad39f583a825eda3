"""Queries, keys and values for a measurement, and the exact answer to them."""

import math

import numpy as np
import torch

#: Rows that are drawn together, and queries whose exact answers are computed together.
BLOCK = 256


def draw_rows(positions, *, batch, n_heads, d, dtype="float32", seed=0):
    r"""Draw queries, keys and values for some positions of a sequence, and for no others.

    A row depends on the seed and on its position alone.  So each process draws its own rows, in
    whatever layout, and together they are always the same sequence.

    Parameters
    ----------
    positions : ndarray of int, shape (m,)
        Where the rows stand.
    batch, n_heads, d : int
        Sequences, heads, entries of a row.
    dtype : str, optional
        ``"float32"`` or ``"float64"``.
    seed : int, optional
        Another seed, another sequence.

    Returns
    -------
    Tensor, shape (3, batch, n_heads, m, d)
        Q, K and V.

    Notes
    -----
    .. math:: X_t \sim \mathcal{N}(0, I)

    Examples
    --------
    >>> sizes = {"batch": 1, "n_heads": 1, "d": 2}
    >>> all_rows = draw_rows(np.arange(6), **sizes)
    >>> torch.equal(draw_rows(np.array([1, 4]), **sizes), all_rows[..., [1, 4], :])
    True
    """
    rows = torch.empty(3, batch, n_heads, len(positions), d, dtype=getattr(torch, dtype))
    block_of = positions // BLOCK
    for block in np.unique(block_of):
        rng = np.random.default_rng([seed, int(block)])
        drawn = rng.standard_normal((3, batch, n_heads, BLOCK, d), dtype=dtype)
        mine = np.flatnonzero(block_of == block)
        rows[..., mine, :] = torch.as_tensor(drawn[..., positions[mine] - block * BLOCK, :])
    return rows


def exact_attention(Q, K, V, causal=False):
    r"""Compute attention in float64 in one process, some rows at a time.

    Parameters
    ----------
    Q, K, V : Tensor, shape (..., n, d)
        The whole sequence.
    causal : bool, optional
        True if no query may attend to a later position.

    Returns
    -------
    Tensor of float64, shape (..., n, d)
        One answer for each query.

    Notes
    -----
    Softmax as it is defined, over all keys at once (Vaswani et al. 2017):

    .. math:: \v{Y} = \mathrm{softmax}\left(\frac{\q{Q} \k{K}^\top}{\sqrt{d}}\right) \v{V}

    Examples
    --------
    >>> V = torch.tensor([[2.0], [4.0]])
    >>> exact_attention(0 * V, V, V).flatten()
    tensor([3., 3.], dtype=torch.float64)
    >>> exact_attention(0 * V, V, V, causal=True).flatten()
    tensor([2., 3.], dtype=torch.float64)
    """
    n, d = Q.shape[-2:]
    K, V = K.double(), V.double()
    output = torch.empty_like(Q, dtype=torch.float64)
    for start in range(0, n, BLOCK):
        rows = torch.arange(start, min(start + BLOCK, n))
        end = int(rows[-1]) + 1 if causal else n
        scores = Q[..., rows, :].double() @ K[..., :end, :].transpose(-1, -2) / math.sqrt(d)
        if causal:
            scores.masked_fill_(torch.arange(end) > rows[:, None], -math.inf)
        output[..., rows, :] = torch.softmax(scores, dim=-1) @ V[..., :end, :]
    return output


def relative_error(found, exact):
    r"""Return how far `found` is from `exact`, in units of the largest exact number.

    Parameters
    ----------
    found, exact : Tensor
        Two arrays of the same shape.

    Returns
    -------
    float
        0 if they are equal.

    Notes
    -----
    .. math:: \max |\text{found} - \text{exact}| \, / \, \max |\text{exact}|

    Examples
    --------
    >>> relative_error(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 4.0]))
    0.25
    """
    return float((found.double() - exact).abs().max() / exact.abs().max())
