"""A recording of measurements: where its numbers come from, and rows that survive interruption."""

import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from jsonschema import Draft202012Validator

from attnlib.timing import machine

ROOT = Path(__file__).resolve().parents[1]
SCHEMA = 2

#: What tells one row from all others.
KEY = ["name", "n", "batch", "n_heads", "d", "dtype", "causal", "inputs", "round"]
#: The measurements; all are None where a row's status says that nothing could be measured.
TIMES = ["p20_s", "p50_s", "p80_s", "repeats", "overhead_s"]
MEASURED = [*TIMES, "error", "peak_bytes", "peak_process_bytes"]

#: A path from the root of a disk, which would tell whose machine this is.
PATH = re.compile(r"""(?<![\w.)\]])(?:[A-Za-z]:\\[^\s"']+|/(?:[^\s/"':,;()]+/)+[^\s"':,;()]*)""")


def header(kind, device, settings, *, nominal=None):
    """Return where a recording comes from: what is measured, when, by which code, on what.

    The revision is None where there is no git; the hashes of the files in use are always recorded.
    """
    changes = _git("status", "--porcelain", "attnlib", "benchmarks")
    code = {"revision": _git("rev-parse", "HEAD"), "dirty": bool(changes), "files": files_in_use()}
    made = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "code": code}
    where = {"machine": machine(), "device": device, "settings": settings, "nominal": nominal}
    return {"schema": SCHEMA, "kind": kind} | made | where


def files_in_use():
    """Return path -> hash for every file of this repository that has been imported by now."""
    hashes = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("attnlib", "benchmarks", "__main__"):
            path = Path(getattr(module, "__file__", None) or os.sep).resolve()
            if path.is_relative_to(ROOT):
                hashes[path.relative_to(ROOT).as_posix()] = hash_of(path)
    return dict(sorted(hashes.items()))


def hash_of(path):
    """Return git's hash of a file's content (as `git hash-object` does), or None without a file."""
    if not path.is_file():
        return None
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def times(timing):
    """Return the fields of a row that an `attnlib.timing.Timing` fills."""
    quantiles = {"p20_s": timing.p20, "p50_s": timing.p50, "p80_s": timing.p80}
    return quantiles | {"repeats": timing.repeats, "overhead_s": timing.overhead}


def row(task, *, status="ok", reason=None, **measured):
    """Return a row: the task, its status, and the measurements."""
    return task | {"status": status, "reason": reason} | dict.fromkeys(MEASURED) | measured


def faults(thing, definition):
    """Return the errors of a thing under one of the JSON Schema's definitions."""
    schema = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator(schema | {"$ref": f"#/$defs/{definition}"}).iter_errors(thing)


def checked(settings, kind):
    """Return the settings of a run, or name the first that is impossible."""
    for fault in faults(settings, f"{kind}_settings"):
        name = fault.json_path.removeprefix("$.")
        raise ValueError(f"{name}={fault.instance} cannot be: {fault.message}.")
    return settings


class Recorder:
    """A recording in the making: each row is a line of ``FILE.part`` until all are complete."""

    def __init__(self, out, header):
        self.out, self.part = Path(out), Path(f"{out}.part")
        self.header, self.rows = header, []
        self.out.parent.mkdir(parents=True, exist_ok=True)

    def resume(self):
        """Keep the rows that an interrupted run has finished; return whether there was one.

        A line without its end was being written when the run stopped, and is dropped.
        """
        if self.out.exists():
            raise ValueError(f"{self.out.name} is whole. Remove it, or give another --out.")
        text = self.part.read_bytes() if self.part.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if not whole:
            return False
        try:
            header, *rows = map(json.loads, whole.splitlines())
        except ValueError:
            raise ValueError(f"{self.part.name} is spoilt. Remove it, and measure again.") from None
        here = self.header | {name: header.get(name) for name in ("date", "ceilings")}
        if changes := _differences("header", header, here):
            message = f"{self.part.name} is from another run: {'; '.join(changes[:5])}"
            raise ValueError(f"{message}. Give another --out, or remove the file.")
        os.truncate(self.part, len(whole))
        self.header, self.rows = header, rows
        return True

    def begin(self, ceilings):
        """Start with no row, and with the ceilings as they are measured first."""
        self.header["ceilings"] = {"start": ceilings}
        self.part.write_text(_line(self.header), encoding="utf-8")

    def append(self, row):
        """Add a finished row; when this returns, it is on the disk."""
        with open(self.part, "a", encoding="utf-8") as file:
            file.write(_line(row))
            file.flush()
            os.fsync(file.fileno())
        self.rows.append(row)

    def finish(self, ceilings, **more):
        """Write the recording, with the ceilings as they are at the end; return all of it."""
        self.header["ceilings"]["end"] = ceilings
        self.header |= more
        head = json.dumps(self.header, indent=1, ensure_ascii=False, allow_nan=False)
        rows = ",\n".join("  " + _line(row).rstrip() for row in self.rows)
        whole = Path(f"{self.out}.tmp")
        whole.write_text(f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n', encoding="utf-8")
        os.replace(whole, self.out)
        self.part.unlink()
        return self.header | {"rows": self.rows}


def without_paths(text):
    """Return a message in one line, with each path of this machine replaced."""
    return " ".join(PATH.sub("(a path)", text).split())


def _differences(name, there, here):
    if isinstance(there, dict) and isinstance(here, dict):
        keys = dict.fromkeys([*here, *there])
        return [s for k in keys for s in _differences(f"{name}.{k}", there.get(k), here.get(k))]
    return [] if there == here else [f"{name} is {there!r:.60} there and {here!r:.60} here"]


def _line(thing):
    return json.dumps(thing, ensure_ascii=False, allow_nan=False) + "\n"


def _git(*arguments):
    """Return what git says about this repository, or None where it cannot."""
    try:
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
