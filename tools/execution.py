"""Run a notebook from top to bottom in a kernel of its own."""

import time

from nbclient import NotebookClient
from outputs import ANSI

TIMEOUT = 120  # seconds a cell


class ExecutionFailed(Exception):
    """A cell raised, took too long or took its kernel down; the message is the whole report."""


class Stopped(Exception):
    """Another notebook failed."""


def execute(notebook, path, stop):
    """Run all cells of a notebook in a fresh kernel, in the notebook's folder.

    Parameters
    ----------
    notebook : NotebookNode
        Its outputs are replaced.
    path : Path
        Where it lives.
    stop : threading.Event
        When set, no further cell is started.

    Raises
    ------
    ExecutionFailed
        If a cell fails, with its id, source and traceback.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    begin = said = time.monotonic()
    done, current = 0, None

    def say():
        seconds = time.monotonic() - begin
        print(f"{path}  {done}/{total} cells  {seconds:.1f} s\n", end="", flush=True)

    def start(cell, cell_index):
        nonlocal current
        if stop.is_set():
            raise Stopped
        current = cell

    def count(**_):
        nonlocal done, said
        done += 1
        if time.monotonic() - said > 2 and done < total:
            said = time.monotonic()
            say()

    client = NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # or every kernel warns about its transport
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.resolve().parent)}},
        on_cell_start=start,
        on_cell_executed=count,
    )
    try:
        client.execute()
    except Stopped:
        raise
    except Exception as error:
        if current is None:
            raise ExecutionFailed(f"{path}: no kernel started\n{error}") from error
        frames = [frame for o in current.get("outputs", []) for frame in o.get("traceback", [])]
        reason = "\n".join(frames) or f"{type(error).__name__}: {error}"
        report = [f"{path}: cell {current.id} failed", current.source, "-" * 60, reason]
        raise ExecutionFailed(ANSI.sub("", "\n".join(report))) from error
    say()
