"""Check whether a recording is complete and plausible, and whether the code has changed since."""

import json
import math
import sys
from pathlib import Path

from benchmarks.gpu import plan as gpu
from benchmarks.one_core import plan as one_core
from benchmarks.recording import KEY, PATH, ROOT, faults, hash_of

#: By the kind of recording: the rows that its settings ask for (``tasks``), what bounds a row
#: (``least``, ``tolerance``), and the command that records again.
PROGRAMS = {plan.KIND: plan for plan in (one_core, gpu)}

#: How far above its measured ceilings a run may be, where the maker's peak is not known: a ceiling
#: is measured too, and a processor may be busier at that moment than later.
ABOVE_MEASURED = 1.3
#: How much the ceilings may differ between start and end without a notice.
DRIFT = 0.2


def load(path):
    """Return what a file holds, or raise a ValueError that names what is wrong with it."""
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name} is not JSON: {error}. Measure again.") from None
    if sentences := problems(data):
        message = f"{path.name} has {len(sentences)} problems. The first: {sentences[0]}"
        raise ValueError(f"{message} Measure again, or restore the file as it was recorded.")
    return data


def problems(data):
    """Say what is wrong with a recording, one sentence for each fault; nothing if all is well.

    A field that is missing, unknown or impossible; a row that is missing, repeated, or not asked
    for by the settings; quantiles out of order; an error beyond the tolerance; a path of the
    machine; a rate above the maker's peak or, where that is not known, above 1.3 times the ceiling
    measured in the same run.  Float32 may run on matrix units that round to tf32.
    """
    program = PROGRAMS.get(data.get("kind")) if isinstance(data, dict) else None
    if program is None:
        return [f"It is no recording of {' or of '.join(PROGRAMS)}."]
    try:
        text = json.dumps(data, allow_nan=False)
    except ValueError:
        return ["It holds NaN or infinity."]
    sentences = [
        f"{fault.json_path}: {fault.message:.200}." for fault in faults(data, program.KIND)
    ]
    if sentences:
        return sentences  # the rules below take every field for granted
    sentences = [f"A path of the machine is in it: {path[0]}." for path in PATH.finditer(text)]
    sentences += [*_ceilings_too_high(data), *_not_whole(data, program)]
    for row in data["rows"] if not sentences else ():
        sentences += [f"{name_of(row)}: {fault}." for fault in _row_faults(row, data, program)]
    return sentences


def notices(data):
    """Say what a reader of a sound recording should know, one sentence for each point.

    The code has changed since, with the command that shows how and the one that records again; or
    a ceiling differs by more than a fifth between start and end, because the device grew hot or
    something else ran on it.
    """
    sentences = []
    code, anew = data["code"], PROGRAMS[data["kind"]].ANEW.format(**data)
    changed = [path for path, hash_ in code["files"].items() if hash_of(ROOT / path) != hash_]
    if changed:
        many = f"{len(changed)} of {len(code['files'])} files have changed since they measured this"
        see = f"git diff {code['revision'] or ''} -- {' '.join(changed)}"
        sentences.append(f"{many}. To see how: {see}. To record anew: {anew}")
    both = [_flat(data["ceilings"][moment]) for moment in ("start", "end")]
    for (name, start), (_, end) in zip(*both):
        if abs(end / start - 1) > DRIFT:
            moved = f"from {start:.3g} at the start to {end:.3g} at the end"
            sentences.append(f"The ceiling {name} went {moved}: {100 * (end / start - 1):+.0f} %.")
    return sentences


def name_of(row):
    return ", ".join(f"{name} {row[name]}" for name in KEY).removeprefix("name ")


def limits(data, dtype):
    """Return the operations and the bytes a second that nothing may exceed."""
    if data["nominal"]:
        peaks = data["nominal"]["flops_per_s"]
        names = ("float32", "tf32") if dtype == "float32" else (dtype,)
        known = (peaks[name] for name in names if name in peaks)
        return max(known, default=math.inf), data["nominal"]["bytes_per_s"]
    both = data["ceilings"].values()
    flops = max(ceilings["flops_per_s"].get(dtype, 0) for ceilings in both)
    return ABOVE_MEASURED * flops, ABOVE_MEASURED * max(c["bytes_per_s"] for c in both)


def _flat(ceilings):
    """Return all measured rates of one moment, with their names."""
    flops = [(f"flops_per_s of {dtype}", rate) for dtype, rate in ceilings["flops_per_s"].items()]
    others = [(name, ceilings[name]) for name in ("bytes_per_s", "exponentials_per_s")]
    return [(name, rate) for name, rate in flops + others if rate]


def _ceilings_too_high(data):
    for moment, ceilings in data["ceilings"].items() if data["nominal"] else ():
        for dtype, rate in ceilings["flops_per_s"].items():
            flops, bytes_ = limits(data, dtype)
            if rate > flops or ceilings["bytes_per_s"] > bytes_:
                yield f"The ceilings at the {moment} ({dtype}) are above the maker's peak."


def _not_whole(data, program):
    wanted = {tuple(task[name] for name in KEY) for task in program.tasks(data["settings"])}
    recorded = [tuple(row[name] for name in KEY) for row in data["rows"]]
    for fault, keys in (
        ("is missing", wanted.difference(recorded)),
        ("is not asked for by the settings", set(recorded) - wanted),
        ("appears twice", {key for key in set(recorded) if recorded.count(key) > 1}),
    ):
        yield from sorted(f"{name_of(dict(zip(KEY, key)))} {fault}." for key in keys)


def _row_faults(row, data, program):
    if row["status"] != "ok":
        return
    seconds, allowed = row["p50_s"], program.tolerance(row)
    if not row["p20_s"] <= seconds <= row["p80_s"]:
        yield "p20_s, p50_s and p80_s do not rise"
    if row["overhead_s"] >= row["p20_s"]:
        yield "a call has to take longer than the overhead"
    if allowed and not (row["error"] is not None and row["error"] <= allowed):
        yield f"its error is {row['error']}, and {allowed:.2g} is allowed"
    if data["device"]["kind"] == "cuda" and row["peak_bytes"] is None:
        yield "peak_bytes is missing"
    amounts = zip(("operations", "bytes"), program.least(row) or (), limits(data, row["dtype"]))
    for name, amount, limit in amounts:
        if amount / seconds > limit:
            yield f"{amount / seconds:.3g} {name} a second is above the limit of {limit:.3g}"


def main(paths):
    """Print the problems and the notices of some files; return 1 if there are problems."""
    status = 0
    for path in paths:
        try:
            lines = notices(load(path)) or ["whole, and made by the code that is here."]
        except ValueError as error:
            lines, status = [str(error)], 1
        print(*(f"{Path(path).name}: {line}" for line in lines), sep="\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
