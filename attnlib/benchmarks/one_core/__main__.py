"""The command of `make bench`: measure, print the tables, write the picture and the data."""

import argparse
import json
import sys
from pathlib import Path

from tqdm import tqdm

from attnlib.benchmarks.one_core.picture import picture
from attnlib.benchmarks.one_core.recording import ROUNDS, SIZES, WorkerFailed, record
from attnlib.benchmarks.one_core.table import text, verdicts


def main(arguments=None):
    """Measure, print the table, write the picture and the data."""
    options = _parsed(arguments)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    data = record(options.sizes, options.rounds, options.seconds, shown=_with_progress)
    path = folder / "one_core.json"
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(text(data))
    (folder / "one_core.svg").write_text(picture(data), encoding="utf-8")
    print(f"\nData: {path}\nPicture: {folder / 'one_core.svg'}")
    missed = [v.sentence for v in verdicts(data) if v.met is False]
    return 1 if missed and options.strict else 0


def _with_progress(jobs):
    """Show a bar while the jobs are done, where somebody can see it."""
    return tqdm(jobs, desc="Measuring", unit="run", leave=False, disable=None)


def _parsed(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m attnlib.benchmarks.one_core", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sizes", type=_size, nargs="+", default=SIZES, metavar="N")
    parser.add_argument("--rounds", type=_size, default=ROUNDS)
    parser.add_argument("--seconds", type=_positive, default=0.6, help="for each measurement")
    parser.add_argument("--out", default="_build/bench", help="folder for data and picture")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    return parser.parse_args(arguments)


def _size(text):
    """Return a number above 0, for the command line."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _positive(text):
    """Return a time above 0, for the command line."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (WorkerFailed, OSError) as error:
        sys.exit(f"make bench stopped: {error}.")
    except KeyboardInterrupt:
        sys.exit("make bench was interrupted; nothing was written.")
