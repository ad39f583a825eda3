"""Whether a recording reaches the targets that were set before it was made."""

from attnlib.benchmarks.work import FUSED, floor_terms, work

NOT_RECORDED = "not recorded"

#: The targets for a large GPU, by d: of the naive way's own floor, of the matrix product of the
#: same run, and how many times faster fused is than naive.
OF_FLOOR = {64: 0.8, 128: 0.8}
OF_PRODUCT = {64: 0.5, 128: 0.8}
TIMES_FASTER = {64: 4.5, 128: 3.5}


def verdicts(data, *, n=8192, dtype="bfloat16"):
    r"""Compare a recording with its targets, without a mask.

    Parameters
    ----------
    data : dict
        A recording; it may lack rows.
    n : int, optional
        At which length.
    dtype : str, optional
        In which number type.

    Returns
    -------
    list of dict
        For each target ``target`` (a sentence), ``d``, ``value`` and ``wanted``, ``met`` (True,
        False, or None where nothing is recorded), ``backend`` (which one reaches the value),
        ``binds`` (what its floor consists of: ``"operations"``, ``"bytes"`` or
        ``"exponentials"``) and ``note``.

    Notes
    -----
    With times t of the medians, for the fastest fused back end:

    .. math:: \frac{t_\text{floor}}{t_\text{naive}}, \qquad
              \frac{\text{FLOPs} / t_\text{fused}}{\text{FLOPs per second of the product}}, \qquad
              \frac{t_\text{naive}}{t_\text{fused}}

    The product is the faster of the two that were measured, at the start and at the end.

    Examples
    --------
    >>> [(v["target"], v["note"]) for v in verdicts({"rows": [], "ceilings": {}})][0]
    ('naive attention reaches 0.8 of its own floor at d=64', 'not recorded')
    """
    found = []
    for d in (64, 128):
        naive = _best(data, ("naive",), n, d, dtype)
        fused = _best(data, FUSED, n, d, dtype)
        both = naive and fused
        found += [
            _verdict(
                f"naive attention reaches {OF_FLOOR[d]} of its own floor at d={d}",
                naive and naive["of_floor"],
                OF_FLOOR[d],
                naive,
                data,
            ),
            _verdict(
                f"the best fused back end reaches {OF_PRODUCT[d]} of the matrix product at d={d}",
                fused and fused["achieved_flops_per_s"] / _product(data, dtype),
                OF_PRODUCT[d],
                fused,
                data,
            ),
            _verdict(
                f"the best fused back end is {TIMES_FASTER[d]} times faster than naive at d={d}",
                both and naive["p50_s"] / fused["p50_s"],
                TIMES_FASTER[d],
                both and fused,
                data,
            ),
        ]
        for verdict in found[-3:]:
            verdict["d"] = d
    return found


def binding_term(row, ceilings):
    """Return what the floor of a row consists of.

    Parameters
    ----------
    row : dict
        Of a recording.
    ceilings : dict
        Of the same recording, at one moment.

    Returns
    -------
    str
        ``"operations"``, ``"bytes"`` or ``"exponentials"``: the one that takes longest.

    Examples
    --------
    >>> row = {"n": 4, "batch": 1, "n_heads": 1, "d": 2, "dtype": "float32", "causal": False}
    >>> ceilings = {"flops_per_s": {"float32": 64}, "bytes_per_s": 32, "exponentials_per_s": None}
    >>> binding_term(row | {"backend": "flash"}, ceilings)
    'bytes'
    """
    size = {name: row[name] for name in ("n", "batch", "n_heads", "d", "dtype", "causal")}
    terms = floor_terms(work(row["backend"], **size), ceilings, row["dtype"])
    return max(terms, key=terms.get)


def _best(data, backends, n, d, dtype):
    """Return the fastest row of some back ends at one size, or None."""
    wanted = {"n": n, "d": d, "dtype": dtype, "causal": False, "status": "ok"}
    rows = [
        row
        for row in data["rows"]
        if row["backend"] in backends and all(row[name] == x for name, x in wanted.items())
    ]
    return min(rows, key=lambda row: row["p50_s"], default=None)


def _product(data, dtype):
    """Return the rate of the matrix product in the same run."""
    return max(ceilings["flops_per_s"][dtype] for ceilings in data["ceilings"].values())


def _verdict(target, value, wanted, row, data):
    """Return one verdict; `row` is the one that the value comes from, or None."""
    known = value is not None
    return {
        "target": target,
        "value": value,
        "wanted": wanted,
        "met": value >= wanted if known else None,
        "backend": row["backend"] if known else None,
        "binds": binding_term(row, data["ceilings"]["start"]) if known else None,
        "note": "" if known else NOT_RECORDED,
    }
