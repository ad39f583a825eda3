"""Which fields a recording has, and what may stand in each."""

import math
import re
from datetime import datetime, timedelta

from attnlib.benchmarks.provenance import KIND, SCHEMA
from attnlib.benchmarks.work import ITEMSIZE, PASSES

STATUSES = ("ok", "unsupported", "out of memory", "out of memory (predicted)", "wrong")

#: Measured only where the status is "ok".
TIMED = ["p20_s", "p50_s", "p80_s", "repeats", "overhead_s", "achieved_flops_per_s", "of_floor"]


def _is_count(x):
    return type(x) is int and x >= 1


def _is_number(x):
    return type(x) in (int, float) and math.isfinite(x) and x >= 0


def _is_above_0(x):
    return _is_number(x) and x > 0


def _is_text(x):
    return isinstance(x, str) and bool(x.strip())


def _is_flag(x):
    return isinstance(x, bool)


def _is_date(x):
    """Tell whether `x` is a moment in UTC as ISO 8601 writes it."""
    try:
        return datetime.fromisoformat(x).utcoffset() == timedelta(0)
    except (TypeError, ValueError):
        return False


def _or_none(check):
    return lambda x: x is None or check(x)


def _list_of(check):
    return lambda x: isinstance(x, list) and bool(x) and all(map(check, x))


def _table_of(check):
    return lambda x: isinstance(x, dict) and bool(x) and all(map(check, x.values()))


def _is_hash(x):
    return isinstance(x, str) and re.fullmatch("[0-9a-f]{64}", x) is not None


def _is_dtype(x):
    return x in tuple(ITEMSIZE)


def _is_backend(x):
    return x in tuple(PASSES)


_RATES = {
    "flops_per_s": _table_of(_is_above_0),
    "matrix_size": _table_of(_is_count),
    "bytes_per_s": _is_above_0,
    "exponentials_per_s": _or_none(_is_above_0),
    "exponentials_by": _or_none(_is_text),
    "seconds": _is_above_0,
}
_PEAKS = {"flops_per_s": _table_of(_is_above_0), "bytes_per_s": _is_above_0}

#: Field -> what tells whether its value is possible; a dict stands for fields inside it.
HEADER = {
    "schema": lambda x: type(x) is int and x == SCHEMA,
    "kind": lambda x: x == KIND,
    "device": {
        "name": _is_text,
        "kind": lambda x: x in ("cpu", "cuda"),
        "driver": _or_none(_is_text),
        "memory_bytes": _or_none(_is_count),
        "threads": _or_none(_is_count),
    },
    "versions": {
        "python": _is_text,
        "numpy": _is_text,
        "torch": _is_text,
        "triton": _or_none(_is_text),
        "cuda": _or_none(_is_text),
        "cudnn": _or_none(_is_text),
    },
    "machine": lambda x: isinstance(x, dict) and bool(x),
    "date": _is_date,
    "scripts": _table_of(_is_hash),
    "seed": lambda x: type(x) is int and x >= 0,
    "settings": {
        "tokens": _is_count,
        "width": _is_count,
        "n": _list_of(_is_count),
        "d": _list_of(_is_count),
        "dtype": _list_of(_is_dtype),
        "causal": _list_of(_is_flag),
        "backends": _list_of(_is_backend),
        "repeats": _is_count,
        "warmup": lambda x: type(x) is int and x >= 0,
        "row_seconds": _is_number,
        "quick": _is_flag,
    },
    "ceilings": {"start": _RATES, "end": _RATES},
    "nominal": lambda x: x is None or not list(misfits(x, _PEAKS, "nominal")),
    "rows": lambda x: isinstance(x, list),
}

ROW = {
    "n": _is_count,
    "batch": _is_count,
    "n_heads": _is_count,
    "d": _is_count,
    "dtype": _is_dtype,
    "causal": _is_flag,
    "backend": _is_backend,
    "status": lambda x: x in STATUSES,
    "reason": _or_none(_is_text),
    "p20_s": _or_none(_is_above_0),
    "p50_s": _or_none(_is_above_0),
    "p80_s": _or_none(_is_above_0),
    "repeats": _or_none(_is_count),
    "overhead_s": _or_none(_is_number),
    "error": _or_none(_is_number),
    "peak_bytes": _or_none(lambda x: type(x) is int and x >= 0),
    "flops": _is_count,
    "bytes": _is_count,
    "exponentials": _is_count,
    "floor_s": _is_above_0,
    "achieved_flops_per_s": _or_none(_is_above_0),
    "of_floor": _or_none(_is_above_0),
}


def misfits(data, fields, name):
    """Say which fields are missing, unknown, or hold what cannot be.

    Parameters
    ----------
    data : anything
        What was read from JSON.
    fields : dict
        Name -> check, as `HEADER` and `ROW`.
    name : str
        What `data` is called.

    Yields
    ------
    str
        One sentence for each fault.

    Examples
    --------
    >>> list(misfits({"n": 0, "m": 1}, {"n": _is_count}, "row 0"))
    ['row 0 has an unknown field m.', 'row 0: n is 0, which cannot be.']
    """
    if not isinstance(data, dict):
        yield f"{name} is {data!r:.60}, not a table of fields."
        return
    yield from (f"{name} has an unknown field {key}." for key in data if key not in fields)
    for key, check in fields.items():
        if key not in data:
            yield f"{name} has no field {key}."
        elif isinstance(check, dict):
            yield from misfits(data[key], check, f"{name}.{key}")
        elif not check(data[key]):
            yield f"{name}: {key} is {_short(data[key])}, which cannot be."


def empty_or_full(row, device):
    """Say where a row holds a measurement that its status rules out, or lacks one that it needs.

    Parameters
    ----------
    row : dict
        A row without `misfits`.
    device : {"cpu", "cuda"}
        Where it was measured; only a GPU tells its memory.

    Yields
    ------
    str
        What is wrong, to be put behind the name of the row.

    Examples
    --------
    >>> row = dict.fromkeys(TIMED, 1) | {"status": "unsupported", "error": None}
    >>> list(empty_or_full(row | {"reason": "no kernel", "peak_bytes": None}, "cpu"))[:1]
    ['p20_s is there although the status is unsupported']
    """
    status, ok = row["status"], row["status"] == "ok"
    needed = dict.fromkeys(TIMED, ok) | {"reason": not ok, "peak_bytes": ok and device == "cuda"}
    if status != "wrong":  # a wrong answer may be too wrong for a number
        needed["error"] = ok
    for field, need in needed.items():
        if need and row[field] is None:
            yield f"{field} is missing although the status is {status}"
        if not need and row[field] is not None:
            yield f"{field} is there although the status is {status}"


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
