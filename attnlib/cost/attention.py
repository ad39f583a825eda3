"""The cost of attention itself: scores, normalise, weigh."""

from dataclasses import dataclass

from attnlib import _checks, _shapes
from attnlib.cost.counts import Cost, Step

#: Least passes over an array of all pairs: write scores, read them, write weights, read them.
LEAST_PASSES = 4
#: Besides the exponential: scale, compare with the maximum, subtract it, add up, divide.
OTHER_PER_PAIR = 5


@dataclass(frozen=True)
class AttentionCost:
    r"""The cost of attention in the two ways it is computed, as `attention_cost` counts it.

    Parameters
    ----------
    pairs : int
        Pairs of query and key, over all heads and sequences.
    allowed_pairs : int
        Those that a causal mask leaves; all of them without one.
    naive : Cost
        All scores are written to memory; what a mask rules out is computed and thrown away.
    fused : Cost
        One pass over blocks that never leave the processor: queries, keys and values are read
        once, the output is written once, and what a mask rules out is never computed.

    Notes
    -----
    .. math:: \text{pairs} = B \, H \, n_q \, n_k

    Examples
    --------
    >>> cost = attention_cost(4, 4, 8, 8, causal=True)
    >>> cost.pairs, cost.allowed_pairs
    (16, 10)
    """

    pairs: int
    allowed_pairs: int
    naive: Cost
    fused: Cost


def attention_cost(n_q, n_k, d_k, d_v, *, n_heads=1, batch=1, causal=False, itemsize=4, passes=4):
    r"""Count the operations of attention and the bytes it moves, step by step.

    Parameters
    ----------
    n_q, n_k : int
        Number of queries and of keys in one sequence.
    d_k, d_v : int
        Length of a key and of a value in one head.
    n_heads, batch : int, optional
        Number of heads and of sequences.
    causal : bool, optional
        Whether a query attends only to its own position and earlier ones, the last query
        standing at the last key.
    itemsize : int, optional
        Bytes of one number: 4 for float32, 2 for half precision.
    passes : int, optional
        How often the naive way reads or writes an array of all pairs.  At least 4: the scores
        are written, read, written as weights, and read.  A scale or a mask that is applied in
        a separate call adds 2.

    Returns
    -------
    AttentionCost
        ``naive`` and ``fused``, each with ``multiply_adds``, ``flops``, ``other``,
        ``exponentials``, ``bytes`` and the same in ``steps``: ``"scores"``, ``"normalise"``,
        ``"weigh"``.  In ``fused`` nothing is moved in the middle: the scores read queries and
        keys, weighing reads the values and writes the output.

    Raises
    ------
    ValueError
        If a number is below 1, `passes` is below 4, or causal queries outnumber the keys.
    TypeError
        If a number is not an integer, or `causal` is not True or False.

    Notes
    -----
    For B sequences and H heads, s bytes per number and c passes (Vaswani et al. 2017 count the
    operations, Dao et al. 2022 the bytes):

    .. math:: \text{multiply-adds} = B H n_q n_k (d_k + d_v)

    .. math:: \text{bytes}_\text{naive} = s B H \left(c \, n_q n_k + (n_q + n_k)(d_k + d_v)\right)

    .. math:: \text{bytes}_\text{fused} = s B H (n_q + n_k)(d_k + d_v)

    A causal mask leaves :math:`n_q n_k - n_q (n_q - 1) / 2` pairs of a sequence and a head.

    The bytes are those that must be moved when every array is larger than the cache and each is
    read once by each step that needs it; small arrays stay in the cache and cost less.

    Examples
    --------
    Two queries, three keys, vectors of four and five: 2·3·4 and 2·3·5 multiply-adds.

    >>> cost = attention_cost(2, 3, 4, 5)
    >>> [step.multiply_adds for step in cost.naive.steps.values()]
    [24, 0, 30]
    >>> cost.naive.flops, cost.naive.exponentials
    (108, 6)

    Of the 4·(4·6 + 5·9) naive bytes, the fused way leaves the 4·5·9 without pairs.

    >>> cost.naive.bytes, cost.fused.bytes
    (276, 180)
    """
    n_q, n_k = _checks.count(n_q, "n_q"), _checks.count(n_k, "n_k")
    d_k, d_v = _checks.count(d_k, "d_k"), _checks.count(d_v, "d_v")
    groups = _checks.count(n_heads, "n_heads") * _checks.count(batch, "batch")
    itemsize = _checks.count(itemsize, "itemsize")
    passes = _checks.count(passes, "passes", least=LEAST_PASSES)
    allowed = n_q * n_k
    if _checks.boolean(causal, "causal"):
        allowed = causal_pairs(n_q, n_k)
    pairs, allowed = groups * n_q * n_k, groups * allowed
    read_q_and_k = groups * (n_q + n_k) * d_k * itemsize
    read_v_write_output = groups * (n_q + n_k) * d_v * itemsize
    one_pass = pairs * itemsize
    naive = _steps(
        pairs,
        d_k,
        d_v,
        bytes_moved=(
            read_q_and_k + one_pass,
            (passes - 2) * one_pass,
            one_pass + read_v_write_output,
        ),
    )
    fused = _steps(allowed, d_k, d_v, bytes_moved=(read_q_and_k, 0, read_v_write_output))
    return AttentionCost(pairs, allowed, naive, fused)


def causal_pairs(n_q, n_k):
    """Return how many pairs a causal mask leaves when the last query stands at the last key."""
    _shapes.refuse_more_queries(n_q, n_k)
    return n_q * n_k - n_q * (n_q - 1) // 2


def _steps(pairs, d_k, d_v, bytes_moved):
    """Return the three steps of attention over some pairs."""
    scores, normalise, weigh = bytes_moved
    return Cost(
        {
            "scores": Step(multiply_adds=pairs * d_k, bytes=scores),
            "normalise": Step(other=OTHER_PER_PAIR * pairs, exponentials=pairs, bytes=normalise),
            "weigh": Step(multiply_adds=pairs * d_v, bytes=weigh),
        }
    )
