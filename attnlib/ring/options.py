"""The options of the command ``-m attnlib.ring``, checked before any message is sent."""

import argparse
import os

import torch.distributed as dist

from attnlib.ring.guard import Refused
from attnlib.ring.layout import LAYOUTS, rows_per_process

#: How a ring is started.  Without ``--local-addr`` the launcher looks up this machine's name, and
#: waits for minutes where no name server knows it.
COMMAND = (
    "python -m torch.distributed.run --standalone --local-addr localhost --nproc-per-node 4 "
    "-m attnlib.ring"
)


class Parser(argparse.ArgumentParser):
    """A parser that leaves it to the caller to say what is wrong."""

    def error(self, message):
        """Raise instead of printing from every process."""
        raise Refused(f"{message}. See --help.")

    def print_help(self, file=None):
        """Print it once."""
        if os.environ.get("RANK", "0") == "0":
            super().print_help(file)


def parser():
    """Return the parser of the command line.

    ``-n`` and ``-d`` have a short form, because on some Pythons torch.distributed.run takes ``--n``
    and ``--d`` for options of its own.
    """
    about = "Attention by several processes in a ring, compared with one process."
    shown = {"formatter_class": argparse.ArgumentDefaultsHelpFormatter}
    p = Parser(prog=COMMAND, description=about, allow_abbrev=False, **shown)
    count = _at_least(1)
    p.add_argument("-n", "--n", type=count, default=4096, help="rows of the sequence")
    p.add_argument("--heads", type=count, default=8, help="heads")
    p.add_argument("-d", "--d", type=count, default=64, help="entries of a row")
    p.add_argument("--batch", type=count, default=1, help="sequences")
    p.add_argument("--causal", action="store_true", help="no query attends to a later position")
    which = p.add_mutually_exclusive_group()
    which.add_argument("--layout", choices=LAYOUTS, default="contiguous")
    which.add_argument("--compare", action="store_true", help="both layouts, in turn")
    p.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    p.add_argument("--repeats", type=count, default=5, help="timed passes")
    p.add_argument("--seed", type=_at_least(0), default=0, help="of the random inputs")
    p.add_argument("--timeout", type=count, default=60, help="seconds to wait for another process")
    p.add_argument("--threads", type=count, help="of each process; cores / processes by default")
    p.add_argument("--json", metavar="FILE", help="write the results there, too")
    return p


def read(arguments):
    """Return the options, or refuse in one line what cannot work."""
    options = parser().parse_args(arguments)
    if not dist.is_torchelastic_launched():
        alone = "this is one process of a ring and was started by itself"
        raise Refused(f"{alone}. Run: {COMMAND}")
    try:
        rows_per_process(options.n, int(os.environ["WORLD_SIZE"]))
        if options.json and os.environ["RANK"] == "0":
            open(options.json, "a", encoding="utf-8").close()
    except ValueError as error:
        raise Refused(str(error)) from None
    except OSError as error:
        failed = f"--json {options.json} cannot be written: {error.strerror}"
        raise Refused(f"{failed}. Name another file.") from None
    return options


def _at_least(least):
    def number(text):
        if not text.isdecimal() or not least <= int(text) < 2**31:
            raise argparse.ArgumentTypeError(f"{text} is not an integer of at least {least}")
        return int(text)

    return number
