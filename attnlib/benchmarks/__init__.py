"""Benchmarks of attention, and the recordings they leave.

`attnlib.benchmarks.gpu` measures all back ends on one device, a GPU or a processor::

    python -m attnlib.benchmarks.gpu --device cuda --out recording.json

What is imported here reads such recordings, and needs NumPy alone; PyTorch is loaded only by the
modules that measure.
"""

from attnlib.benchmarks.plan import Group, groups, settings_for
from attnlib.benchmarks.recording import (
    binding_term,
    load,
    notices,
    problems,
    rows,
    script_hashes,
    table,
    verdicts,
)
from attnlib.benchmarks.work import FUSED, PASSES, TOLERANCE, floor_terms, held_bytes, work

__all__ = [
    "FUSED",
    "PASSES",
    "TOLERANCE",
    "Group",
    "binding_term",
    "floor_terms",
    "groups",
    "held_bytes",
    "load",
    "notices",
    "problems",
    "rows",
    "script_hashes",
    "settings_for",
    "table",
    "verdicts",
    "work",
]
