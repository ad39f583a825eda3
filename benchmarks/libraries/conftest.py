"""Libraries that the book does not need are not there to be collected."""

from benchmarks.libraries import NEEDS, version

collect_ignore = [f"in_{name}.py" for name, needs in NEEDS.items() if not all(map(version, needs))]
