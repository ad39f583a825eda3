"""What each back end has to do: its operations, its bytes, and how exact it has to be.

Nothing here computes attention, so nothing here needs PyTorch.
"""

from attnlib.cost import Ceilings, attention_cost, roofline_terms

#: Bytes of one number.
ITEMSIZE = {"bfloat16": 2, "float16": 2, "float32": 4}

#: Largest difference from float64 that is still rounding, relative to the largest exact output.
#: A half type may lose 16 units of roundoff (2⁻⁸ and 2⁻¹¹ each).  A score of size 6, among the
#: largest that random vectors make, is rounded as a product and again when it is scaled, and its
#: weight errs by six units for each; weight and output are rounded too.  float32 (2⁻²⁴) may lose
#: more of its units, because there the sums over d and n decide.  A wrong scale or a mask that is
#: one key off is an error of a tenth or more.
TOLERANCE = {"bfloat16": 16 * 2.0**-8, "float16": 16 * 2.0**-11, "float32": 1e-5}

#: Passes over an array of all pairs, (without, with a causal mask); None: no such array.
#: Compiled code has its mask inside the softmax.  The mask itself, one byte a pair for all heads
#: together, is not counted, so a floor with a mask is a little low.
PASSES = {
    "naive": (4, 6),
    "naive_scaled": (6, 8),
    "math": (4, 6),
    "compiled": (4, 4),
    "flash": None,
    "efficient": None,
    "cudnn": None,
    "flex": None,
}

FUSED = tuple(name for name, passes in PASSES.items() if passes is None)


def work(backend, *, n, batch, n_heads, d, dtype, causal):
    r"""Count what a back end has to do for one call.

    Parameters
    ----------
    backend : str
        A key of `PASSES`.
    n : int
        Number of queries, and of keys, in a sequence.
    batch, n_heads, d : int
        Number of sequences, of heads, and length of a key and of a value.
    dtype : str
        ``"bfloat16"``, ``"float16"`` or ``"float32"``.
    causal : bool
        Whether a query attends to no later position.

    Returns
    -------
    attnlib.cost.Cost
        ``flops``, ``bytes`` and ``exponentials``.  Back ends that write the scores to memory
        compute all pairs even under a mask; the others only those that the mask leaves.

    Raises
    ------
    ValueError
        If `backend` or `dtype` is unknown, or a size is below 1.
    TypeError
        If a size is not an integer, or `causal` is not True or False.

    Notes
    -----
    For B sequences, H heads, s bytes a number and c passes (Dao et al. 2022):

    .. math:: \text{bytes} = s B H (c \, n^2 + 4 n d)

    with c = 0 where the scores never reach memory.

    Examples
    --------
    >>> size = {"n": 4, "batch": 1, "n_heads": 1, "d": 2, "dtype": "float32"}
    >>> naive, flash = (work(b, causal=True, **size) for b in ("naive", "flash"))
    >>> naive.flops, flash.flops
    (128, 80)
    >>> naive.bytes - flash.bytes == 4 * 6 * 4 * 4
    True
    """
    known(backend, PASSES, "backend")
    known(dtype, ITEMSIZE, "dtype")
    fused = PASSES[backend] is None
    passes = 4 if fused else PASSES[backend][bool(causal)]
    cost = attention_cost(
        n,
        n,
        d,
        d,
        n_heads=n_heads,
        batch=batch,
        causal=causal,
        itemsize=ITEMSIZE[dtype],
        passes=passes,
    )
    return cost.fused if fused else cost.naive


def held_bytes(backend, *, n, batch, n_heads, d, dtype, causal):
    """Return how many bytes a back end holds at its worst moment, by its formula.

    Parameters
    ----------
    backend, n, batch, n_heads, d, dtype, causal
        As for `work`, with the same errors.

    Returns
    -------
    int
        Queries, keys, values and output; where there are scores, these and the weights besides;
        for ``"math"`` both in float32, because that is what PyTorch computes in.

    Examples
    --------
    >>> size = {"n": 4, "batch": 1, "n_heads": 1, "d": 2, "dtype": "float32"}
    >>> held_bytes("flash", causal=False, **size), held_bytes("naive", causal=False, **size)
    (128, 256)
    """
    known(backend, PASSES, "backend")
    known(dtype, ITEMSIZE, "dtype")
    rows = 4 * batch * n_heads * n * d * ITEMSIZE[dtype]
    if PASSES[backend] is None:
        return rows
    itemsize = 4 if backend == "math" else ITEMSIZE[dtype]
    mask = n * n if causal else 0
    return rows + 2 * batch * n_heads * n * n * itemsize + mask


def floor_terms(cost, ceilings, dtype):
    """Return the least seconds that each kind of work can take under measured ceilings.

    Parameters
    ----------
    cost : attnlib.cost.Cost
        What has to be done, from `work`.
    ceilings : dict
        ``flops_per_s`` (a dict by dtype), ``bytes_per_s`` and ``exponentials_per_s``.
    dtype : str
        Which of the matrix products is the ceiling.

    Returns
    -------
    dict of str to float
        Seconds of ``"operations"``, ``"bytes"`` and ``"exponentials"``.  The largest is the
        floor.

    Raises
    ------
    KeyError
        If there is no ceiling for `dtype`.

    Examples
    --------
    >>> size = {"n": 4, "batch": 1, "n_heads": 1, "d": 2, "dtype": "float32"}
    >>> ceilings = {"flops_per_s": {"float32": 64}, "bytes_per_s": 32, "exponentials_per_s": 4}
    >>> floor_terms(work("flash", causal=False, **size), ceilings, "float32")
    {'operations': 2.0, 'bytes': 4.0, 'exponentials': 4.0}
    """
    machine = Ceilings(
        ceilings["flops_per_s"][dtype], ceilings["bytes_per_s"], ceilings["exponentials_per_s"]
    )
    return roofline_terms(cost.flops, cost.bytes, machine, exponentials=cost.exponentials)


def known(name, table, argument):
    """Return `name` if it is a key of `table`."""
    if name not in table:
        raise ValueError(f"{argument}={name!r} is unknown. Choose one of {', '.join(table)}.")
    return name
