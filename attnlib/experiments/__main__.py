"""Train again what the book ships: `python -m attnlib.experiments vision`, or several names."""

import argparse

from attnlib.experiments import control, describing, translation, vision

RECORDS = {
    "control": control.record,
    "describing": describing.record,
    "translation": translation.record,
    "vision": vision.record,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m attnlib.experiments", description=__doc__)
    parser.add_argument("name", nargs="+", choices=RECORDS, help="what to train and to record")
    for name in parser.parse_args().name:
        RECORDS[name]()
