"""Execute the book's notebooks and write them in their canonical form.

python tools/notebooks.py                    execute and rewrite every notebook of the book
python tools/notebooks.py book/02_qkv.ipynb  only this one
python tools/notebooks.py --no-execute       rewrite with the outputs that are there
python tools/notebooks.py --check            change nothing, report what is wrong

The minutes in the chapters' heads, and what the cover, the README and *Teach with it* say of the
chapters, are brought up to date as well.
"""

import argparse
import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import contents
from canonical import NotebookFault, canonical, difference, prepared, read, write
from nbclient import NotebookClient
from outputs import ANSI
from pages import NOTEBOOKS, Page
from rules import problems

from attnlib.palette import notebook_macros

SECONDS_A_CELL = 120


def execute(notebook, path):
    """Run all cells of a notebook in a fresh kernel, in the notebook's folder.

    Raises
    ------
    NotebookFault
        If a cell raises, takes too long or takes its kernel down; with its id, source, traceback.
    """
    started = []
    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # or every kernel warns about its transport
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.resolve().parent)}},
        on_cell_start=lambda cell, cell_index: started.append(cell.id),
    )
    try:
        asyncio.run(client.async_execute())
    except Exception as error:
        where = f"cell {started[-1]} failed" if started else "no kernel started"
        raise NotebookFault(ANSI.sub("", f"{where}\n{error}")) from error


def check(path):
    """What keeps a notebook on disk from being committed.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of str
        Empty when the file is canonical, byte for byte, and keeps the rules.
    """
    text = path.read_bytes().decode()
    try:
        notebook = read(text)
        wanted = canonical(notebook, notebook_macros())
    except NotebookFault as fault:
        return str(fault).splitlines()
    stale = [f"is not canonical: {difference(notebook, wanted)}"] if write(wanted) != text else []
    return stale + problems(Page(path, wanted))


def process(path, run=True):
    """Bring one notebook's file into canonical form; on any error the file stays as it was.

    Parameters
    ----------
    path : Path
    run : bool
        Whether to execute it first.

    Returns
    -------
    list of str
        Why it was left, or the rules that it breaks.
    """
    before = path.read_bytes()
    start = time.monotonic()
    try:
        notebook = prepared(read(before.decode()), notebook_macros())
        if run:
            execute(notebook, path)
            print(f"{path.name}: run in {time.monotonic() - start:.0f} s", flush=True)
        notebook = canonical(notebook, notebook_macros())
    except NotebookFault as fault:
        return [str(fault)]
    after = write(notebook).encode()
    if after != before:
        path.write_bytes(after)
    return problems(Page(path, notebook))


def main(arguments=None):
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=NOTEBOOKS, help="notebooks")
    parser.add_argument("--check", action="store_true", help="change nothing, report")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (2)")
    parser.add_argument("--no-execute", action="store_true", help="keep the outputs that are there")
    options = parser.parse_args(arguments)
    missing = [str(path) for path in options.paths if not path.is_file()]
    if missing:
        parser.error(f"no such notebook: {', '.join(missing)}")

    def work(path):
        return check(path) if options.check else process(path, run=not options.no_execute)

    count = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, sentences in zip(options.paths, pool.map(work, options.paths)):
            print("".join(f"{path}: {line}\n" for line in sentences), end="", flush=True)
            count += len(sentences)
    if {path.resolve() for path in options.paths} & set(NOTEBOOKS):
        if options.check:
            for path in contents.stale():
                print(
                    f"{path}: does not match the chapters as they are counted: run make notebooks"
                )
                count += 1
        else:
            for path in contents.write():
                print(f"{path}: brought up to date")
    print(f"{len(options.paths)} notebooks, {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
