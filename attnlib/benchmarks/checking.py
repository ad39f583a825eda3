"""What is wrong with a recording, in sentences."""

import math

from attnlib.benchmarks import schema
from attnlib.benchmarks.plan import groups
from attnlib.benchmarks.provenance import first_path, script_hashes
from attnlib.benchmarks.work import TOLERANCE, floor_terms, work

#: How far above its own measured ceilings a run may be, where the maker's peak is not known:
#: a ceiling is measured too, and a processor may be busier at that moment than later.
ABOVE_MEASURED = 1.3
#: How much the ceilings may differ between start and end without a word.
DRIFT = 0.2


def problems(data, *, check_hash=True):
    r"""Say what is wrong with a recording.

    Parameters
    ----------
    data : dict
        As `json.load` reads it.
    check_hash : bool, optional
        Whether the code that measured has to be the code that is here.

    Returns
    -------
    list of str
        One sentence for each fault: a field that is missing, unknown or impossible; a row that is
        missing, there twice, or of another sweep; quantiles out of order; counts, floors and
        rates that do not follow from the sizes and the times; an error beyond the tolerance; a
        rate above the peak; a path of the machine; code that has changed.  Empty if all is well.

    Notes
    -----
    Nothing may be faster than the peak P of the maker or, where it is not known, than 1.3 times
    the ceiling that was measured in the same run:

    .. math:: \frac{\text{FLOPs}}{t_{50}} \le P

    and the same with the bytes that the fused way moves.  Float32 may run on matrix units that
    round to tf32 in parts, so their peak is the limit there.

    Examples
    --------
    >>> problems({"schema": 2})[0]
    'the header: schema is 2, which cannot be.'
    """
    found = list(schema.misfits(data, schema.HEADER, "the header"))
    if not found:
        for number, row in enumerate(data["rows"]):
            found += schema.misfits(row, schema.ROW, f"row {number}")
        found += _ceilings_missing(data)
    if found:
        return found  # the rules below take every field for granted
    found += _path(data) + _changed_code(data) if check_hash else _path(data)
    found += _sweep(data) + _ceilings_too_high(data)
    for row in data["rows"]:
        found += [f"{name_of(row)}: {fault}." for fault in _row_faults(row, data)]
    return found


def notices(data):
    """Say what is not wrong with a recording, but worth knowing.

    Parameters
    ----------
    data : dict
        A recording without `problems`.

    Returns
    -------
    list of str
        One sentence for each ceiling that differs by more than a fifth between start and end: the
        device grew hot, or something else ran on it.

    Examples
    --------
    >>> start = {"flops_per_s": {"float32": 10}, "bytes_per_s": 4, "exponentials_per_s": None}
    >>> notices({"ceilings": {"start": start, "end": start | {"bytes_per_s": 3}}})
    ['The ceiling bytes_per_s went from 4 at the start to 3 at the end: -25 %.']
    """
    start, end = (_flat(data["ceilings"][moment]) for moment in ("start", "end"))
    return [
        f"The ceiling {name} went from {start[name]:.3g} at the start to {end[name]:.3g} at the "
        f"end: {100 * (end[name] / start[name] - 1):+.0f} %."
        for name in start
        if name in end and abs(end[name] / start[name] - 1) > DRIFT
    ]


def name_of(row):
    """Return what a reader calls a row.

    Examples
    --------
    >>> name_of({"backend": "flash", "n": 8, "d": 4, "dtype": "float32", "causal": True})
    'flash at n=8, d=4, float32, causal'
    """
    causal = ", causal" if row["causal"] else ""
    return f"{row['backend']} at n={row['n']}, d={row['d']}, {row['dtype']}{causal}"


def limits(data, dtype):
    """Return the operations and the bytes a second that no row may exceed."""
    if data["nominal"]:
        peaks = data["nominal"]["flops_per_s"]
        names = ("float32", "tf32") if dtype == "float32" else (dtype,)
        known = [peaks[name] for name in names if name in peaks]
        return max(known, default=math.inf), data["nominal"]["bytes_per_s"]
    both = [data["ceilings"][moment] for moment in ("start", "end")]
    flops = max(ceilings["flops_per_s"][dtype] for ceilings in both)
    return ABOVE_MEASURED * flops, ABOVE_MEASURED * max(c["bytes_per_s"] for c in both)


def _flat(ceilings):
    """Return all measured rates of one moment by name."""
    flops = {f"flops_per_s of {dtype}": rate for dtype, rate in ceilings["flops_per_s"].items()}
    others = {name: ceilings[name] for name in ("bytes_per_s", "exponentials_per_s")}
    return flops | {name: rate for name, rate in others.items() if rate is not None}


def _ceilings_missing(data):
    return [
        f"the ceilings at the {moment} have no flops_per_s of {dtype}."
        for moment in ("start", "end")
        for dtype in data["settings"]["dtype"]
        if dtype not in data["ceilings"][moment]["flops_per_s"]
    ]


def _path(data):
    path = first_path(data)
    return [f"A path of the machine is in it: {path!r}."] if path else []


def _changed_code(data):
    here = script_hashes()
    return [
        f"{name} is not the code that measured this. Measure again."
        for name in sorted(here.keys() | data["scripts"].keys())
        if here.get(name) != data["scripts"].get(name)
    ]


def _sweep(data):
    """Compare the rows with the rows that the settings ask for."""
    wanted = {
        group.key(backend): group.size
        for group in groups(data["settings"])
        for backend in data["settings"]["backends"]
    }
    found, seen = [], set()
    for row in data["rows"]:
        key = (row["n"], row["d"], row["dtype"], row["causal"], row["backend"])
        if key in seen:
            found.append(f"{name_of(row)} is there twice.")
        seen.add(key)
        if key not in wanted:
            found.append(f"{name_of(row)} is not among what the settings ask for.")
        elif (row["batch"], row["n_heads"]) != (wanted[key]["batch"], wanted[key]["n_heads"]):
            found.append(f"{name_of(row)}: batch and n_heads do not follow from the settings.")
    names = ("n", "d", "dtype", "causal", "backend")
    missing = [dict(zip(names, key)) for key in wanted if key not in seen]
    return found + [f"{name_of(row)} is missing." for row in missing]


def _ceilings_too_high(data):
    """Compare the ceilings themselves with the maker's peaks."""
    if not data["nominal"]:
        return []
    return [
        f"The ceiling at the {moment}, {name}, is {rate:.3g} and above the peak of {peak:.3g}."
        for moment, ceilings in data["ceilings"].items()
        for dtype, flops in ceilings["flops_per_s"].items()
        for name, rate, peak in zip(
            (f"flops_per_s of {dtype}", "bytes_per_s"),
            (flops, ceilings["bytes_per_s"]),
            limits(data, dtype),
        )
        if rate > peak
    ]


def _row_faults(row, data):
    """Say what is wrong with one row whose fields are all possible."""
    yield from schema.empty_or_full(row, data["device"]["kind"])
    size = {name: row[name] for name in ("n", "batch", "n_heads", "d", "dtype", "causal")}
    cost = work(row["backend"], **size)
    for name in ("flops", "bytes", "exponentials"):
        if row[name] != getattr(cost, name):
            yield f"{name} is {row[name]}, and its sizes make it {getattr(cost, name)}"
    floor = max(floor_terms(cost, data["ceilings"]["start"], row["dtype"]).values())
    if not math.isclose(row["floor_s"], floor, rel_tol=1e-9):
        yield f"floor_s is {row['floor_s']:.4g}, and the ceilings make it {floor:.4g}"
    if row["status"] == "ok" and all(row[name] is not None for name in [*schema.TIMED, "error"]):
        yield from _time_faults(row, data, work("flash", **size).bytes)


def _time_faults(row, data, least_bytes):
    """Say what is wrong with the measured numbers of a row."""
    seconds = row["p50_s"]
    if not row["p20_s"] <= seconds <= row["p80_s"]:
        yield "p20_s, p50_s and p80_s do not rise"
    for name, amount in (("achieved_flops_per_s", row["flops"]), ("of_floor", row["floor_s"])):
        if not math.isclose(row[name], amount / seconds, rel_tol=1e-9):
            yield f"{name} is {row[name]:.4g}, and its time makes it {amount / seconds:.4g}"
    if row["error"] > TOLERANCE[row["dtype"]]:
        yield f"error is {row['error']:.2g}, and {TOLERANCE[row['dtype']]:.2g} is allowed"
    amounts = {"operations": row["flops"], "bytes": least_bytes}
    for (name, amount), limit in zip(amounts.items(), limits(data, row["dtype"])):
        if amount / seconds > limit:
            yield f"{amount / seconds:.3g} {name} a second is above the limit of {limit:.3g}"
