"""Execute the book's notebooks and write them in their canonical form.

python tools/notebooks.py                    execute and rewrite every notebook of the book
python tools/notebooks.py book/02_qkv.ipynb  only this one
python tools/notebooks.py --no-execute       rewrite with the outputs that are there
python tools/notebooks.py --check            change nothing, say what is not as it should be
"""

import argparse
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from canonical import NotebookFault, canonical, difference, prepared, read, write
from execution import ExecutionFailed, execute
from rules import problems

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # works from a checkout in which attnlib is not installed

from attnlib.palette import notebook_macros  # noqa: E402


def find_notebooks(paths):
    """The notebooks among some files and folders.

    Parameters
    ----------
    paths : iterable of path-like
        Folders are searched, without checkpoints and other hidden folders.

    Returns
    -------
    list of Path
        Sorted, each once.
    """
    found = set()
    for path in map(Path, paths):
        if path.is_dir():
            inside = [p.relative_to(path) for p in path.rglob("*.ipynb")]
            found |= {path / p for p in inside if not any(x.startswith(".") for x in p.parts)}
        else:
            found.add(path)
    return sorted(found)


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
    return stale + problems(wanted)


def process(path, run=True, stop=None):
    """Bring one notebook's file into canonical form; on any error the file stays as it was.

    Parameters
    ----------
    path : Path
    run : bool
        Whether to execute it first.
    stop : threading.Event, optional

    Returns
    -------
    list of str
        The rules that it breaks.
    """
    before = path.read_bytes()
    try:
        notebook = prepared(read(before.decode()), notebook_macros())
        if run:
            execute(notebook, path, stop or threading.Event())
        notebook = canonical(notebook, notebook_macros())
    except NotebookFault as fault:
        raise NotebookFault("\n".join(f"{path}: {x}" for x in str(fault).splitlines())) from None
    after = write(notebook).encode()
    if after != before:
        path.write_bytes(after)
    return problems(notebook)


def process_all(paths, jobs, run):
    """Bring notebooks into canonical form, several at a time; stop after the first error.

    Returns
    -------
    bool
        Whether all went well.
    """
    stop, clean = threading.Event(), True
    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(process, path, run, stop): path for path in paths}
        try:
            for future in as_completed(futures):
                for problem in future.result():
                    print(f"{futures[future]}: {problem}", flush=True)
                    clean = False
        except (ExecutionFailed, NotebookFault) as error:
            print(f"\n{error}", flush=True)
            return False
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return clean


def main(arguments=None):
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", default=[ROOT / "book"], help="files or folders")
    parser.add_argument("--check", action="store_true", help="change nothing, report")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (2)")
    parser.add_argument("--no-execute", action="store_true", help="keep the outputs that are there")
    options = parser.parse_args(arguments)
    paths = find_notebooks(options.paths)
    if not paths:
        print("no notebook found")
        return 1
    if not options.check:
        return 0 if process_all(paths, options.jobs, not options.no_execute) else 1
    found = [(path, problem) for path in paths for problem in check(path)]
    for path, problem in found:
        print(f"{path}: {problem}")
    print(f"{len(paths)} notebooks, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
