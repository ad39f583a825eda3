"""The cost of a transformer block: attention, and the matrix products around it."""

from dataclasses import dataclass

from attnlib import _checks, _shapes
from attnlib.cost.attention import attention_cost
from attnlib.cost.counts import Cost, Step

#: Layer norm: sum, subtract the mean, square and add up, divide, gain, bias.
OTHER_PER_NORM = 7


@dataclass(frozen=True)
class BlockCost:
    r"""The cost of a block with attention in either way, as `block_cost` counts it.

    Parameters
    ----------
    naive : Cost
        With all scores written to memory.
    fused : Cost
        With attention in one pass; everything else is the same.

    Notes
    -----
    Only attention grows with the square of n; the rest grows with n:

    .. math:: \text{multiply-adds} = a \, n + b \, n^2

    Examples
    --------
    >>> cost = block_cost(16, 8, 2, 32)
    >>> cost.naive.flops == cost.fused.flops
    True
    >>> cost.naive.bytes > cost.fused.bytes
    True
    """

    naive: Cost
    fused: Cost


def block_cost(n, d_model, n_heads, d_ff, *, batch=1, causal=False, itemsize=4, passes=4):
    r"""Count the operations of one transformer block and the bytes it moves, step by step.

    Parameters
    ----------
    n : int
        Number of items in one sequence.
    d_model : int
        Length of an item.
    n_heads : int
        Number of heads; each has keys and values of length ``d_model / n_heads``.
    d_ff : int
        Width of the hidden layer of the feed-forward network.
    batch, causal, itemsize, passes : optional
        As for `attention_cost`.

    Returns
    -------
    BlockCost
        ``naive`` and ``fused``, each with ``steps``: ``"projections"`` (of queries, keys and
        values), ``"scores"``, ``"normalise"``, ``"weigh"``, ``"output projection"``,
        ``"feed-forward"``, ``"norms and residuals"``.

    Raises
    ------
    ValueError
        If a number is too small, or `n_heads` does not divide `d_model`.
    TypeError
        If a number is not an integer, or `causal` is not True or False.

    Notes
    -----
    With m = ``d_model`` and h = ``d_ff``, for each sequence (Vaswani et al. 2017):

    .. math:: \text{multiply-adds} = \underbrace{3 n m^2}_\text{projections}
              + \underbrace{2 n^2 m}_\text{scores, weigh}
              + \underbrace{n m^2}_\text{output} + \underbrace{2 n m h}_\text{feed-forward}

    With h = 4m, attention overtakes all projections together (:math:`4nm^2`) at n = 2m, and
    everything else (:math:`12nm^2`) at n = 6m.

    Each matrix product reads its input and its matrix and writes its output; the activation
    reads and writes the hidden layer once more; a norm reads and writes the items, a residual
    sum reads two and writes one.  The matrices are read once for the whole batch.  What grows with
    n or d alone is left out: biases, and the mean and deviation of each item.

    Examples
    --------
    >>> steps = block_cost(10, 8, 2, 32).naive.steps
    >>> for name in ("projections", "scores", "weigh", "feed-forward"):
    ...     print(steps[name].multiply_adds, name)
    1920 projections
    800 scores
    800 weigh
    5120 feed-forward
    """
    n, d_model = _checks.count(n, "n"), _checks.count(d_model, "d_model")
    n_heads, d_ff = _checks.count(n_heads, "n_heads"), _checks.count(d_ff, "d_ff")
    batch, itemsize = _checks.count(batch, "batch"), _checks.count(itemsize, "itemsize")
    d_head = _shapes.equal_shares(d_model, n_heads, f"d_model={d_model}")
    attention = attention_cost(
        n,
        n,
        d_head,
        d_head,
        n_heads=n_heads,
        batch=batch,
        causal=causal,
        itemsize=itemsize,
        passes=passes,
    )
    rows = batch * n
    before = {"projections": _times(3, _product(rows, d_model, d_model, itemsize))}
    two_layers = _times(2, _product(rows, d_model, d_ff, itemsize))  # one wider, one narrower
    hidden = rows * d_ff
    after = {
        "output projection": _product(rows, d_model, d_model, itemsize),
        "feed-forward": Step(
            multiply_adds=two_layers.multiply_adds,
            other=hidden,
            bytes=two_layers.bytes + 2 * hidden * itemsize,
        ),
        "norms and residuals": Step(
            other=2 * (OTHER_PER_NORM + 1) * rows * d_model,
            bytes=2 * (2 + 3) * rows * d_model * itemsize,
        ),
    }
    return BlockCost(
        *(Cost(before | way.steps | after) for way in (attention.naive, attention.fused))
    )


def _product(rows, d_in, d_out, itemsize):
    """Return the cost of multiplying some rows by one matrix."""
    return Step(
        multiply_adds=rows * d_in * d_out,
        bytes=(rows * d_in + d_in * d_out + rows * d_out) * itemsize,
    )


def _times(k, step):
    return Step(multiply_adds=k * step.multiply_adds, bytes=k * step.bytes)
