"""What attention costs on one core of this processor: ``python -m attnlib.benchmarks.one_core``.

`record` measures, `text` and `picture` show, `verdicts` compares with the book's targets, and
`load` reads a file that was recorded before, if nothing is wrong with it.
"""

from attnlib.benchmarks.one_core.checking import load, problems
from attnlib.benchmarks.one_core.recording import WorkerFailed, record
from attnlib.benchmarks.one_core.table import text, verdicts

__all__ = ["WorkerFailed", "load", "problems", "record", "text", "verdicts"]
