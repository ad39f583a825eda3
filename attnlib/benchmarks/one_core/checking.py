"""Whether the data of `make bench` are whole, believable, and made by the code that is here."""

import itertools
import json
import math
from pathlib import Path

from attnlib.benchmarks.hashing import hashes
from attnlib.benchmarks.one_core.implementations import IMPLEMENTATIONS
from attnlib.benchmarks.one_core.recording import DECIDING
from attnlib.benchmarks.provenance import first_path
from attnlib.cost import attention_cost

HEADER = {
    "schema", "kind", "date", "machine", "scripts", "settings", "ceilings", "rows",
}  # fmt: skip
ROW = {
    "round", "name", "n", "inputs", "p20_s", "p50_s", "p80_s", "overhead_s", "repeats", "error",
    "peak_process_bytes", "peak_arrays_bytes",
}  # fmt: skip
#: An exact implementation in float32 differs from float64 by less.
TOLERANCE = 1e-5
#: A rate may pass the ceiling of its run by so much, since both are measured.
NOISE = 1.3


def load(path):
    """Return the data of a file.

    Parameters
    ----------
    path : path
        Of a file that `make bench` wrote.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If there are problems; all of them are named.
    """
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    found = problems(data)
    if found:
        raise ValueError(f"{Path(path).name}: {' '.join(found)}")
    return data


def problems(data, *, check_hash=True):
    """Return what is wrong with the data, one sentence each; nothing if all is well.

    Parameters
    ----------
    data : dict
        As `attnlib.benchmarks.one_core.record` returns it.
    check_hash : bool, optional
        Whether the code must be that which is here.

    Returns
    -------
    list of str
    """
    if not isinstance(data, dict) or set(data) != HEADER:
        return [f"The fields must be {', '.join(sorted(HEADER))}."]
    if (data["schema"], data["kind"]) != (1, "attention on one core"):
        return ["It is not a recording of attention on one core, schema 1."]
    found = []
    if check_hash and data["scripts"] != hashes(DECIDING):
        found.append("It was made by other code than is here. Measure again: make bench.")
    if first_path(data):
        found.append(f"It holds a path: {first_path(data)!r}.")
    for row in data["rows"]:
        found += [f"{_name(row)}: {fault}" for fault in _faults(row, data)]
    if not found:
        found += _missing(data)
    return found


def _faults(row, data):
    """Say what is wrong with one row."""
    if set(row) != ROW:
        yield f"its fields must be {', '.join(sorted(ROW))}."
        return
    if row["name"] not in IMPLEMENTATIONS or row["inputs"] not in ("random", "local"):
        yield "there is no such implementation or kind of input."
        return
    times = [row["p20_s"], row["p50_s"], row["p80_s"]]
    if not all(math.isfinite(t) and t > 0 for t in times) or times != sorted(times):
        yield f"its times {times} must rise and lie above 0."
        return
    if row["repeats"] < 3 or not 0 <= row["overhead_s"] < times[0]:
        yield "it needs three repetitions or more, each longer than the overhead."
    way = IMPLEMENTATIONS[row["name"]]
    if way.attention and way.exact and not (row["error"] or 0) < TOLERANCE:
        yield f"its error {row['error']} is not below {TOLERANCE}."
    if way.exact:
        settings = data["settings"]
        cost = attention_cost(
            row["n"], row["n"], settings["d"], settings["d"], n_heads=settings["n_heads"]
        )
        rate = cost.naive.flops / times[1]
        if rate > NOISE * data["ceilings"]["flops_per_s"]:
            yield f"{rate:.3g} FLOP/s is above the ceiling of the same run."


def _missing(data):
    """Say which rows are missing or there twice."""
    settings = data["settings"]
    exact = [name for name, way in IMPLEMENTATIONS.items() if way.exact]
    wanted = set(itertools.product(range(settings["rounds"]), exact, settings["sizes"], ["random"]))
    found = [(row["round"], row["name"], row["n"], row["inputs"]) for row in data["rows"]]
    if len(set(found)) < len(found):
        yield "A row is there twice."
    if not wanted <= set(found):
        yield f"{len(wanted - set(found))} rows are missing, {min(wanted - set(found))} for one."


def _name(row):
    return " ".join(str(row.get(name)) for name in ("name", "n", "inputs", "round"))
