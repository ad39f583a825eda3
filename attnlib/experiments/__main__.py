"""Train again what the book ships: `python -m attnlib.experiments vision`, or several names."""

import argparse
from importlib import import_module
from pathlib import Path

CHAPTERS = {
    path.stem: import_module(f"attnlib.experiments.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py"))
}
RECORDS = {name: of.record for name, of in CHAPTERS.items() if hasattr(of, "record")}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m attnlib.experiments", description=__doc__)
    parser.add_argument("name", nargs="+", choices=RECORDS, help="what to train and to record")
    for name in parser.parse_args().name:
        RECORDS[name]()
