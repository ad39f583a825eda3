"""The options of the command ``-m attnlib.ring``, checked before any message is sent."""

import argparse
import math

from attnlib.ring.guard import Refused
from attnlib.ring.launch import COMMAND
from attnlib.ring.layout import LAYOUTS, rows_per_process


class Parser(argparse.ArgumentParser):
    """A parser that leaves it to the caller to say what is wrong, and to say it once."""

    def error(self, message):
        """Raise instead of printing from every process."""
        raise Refused(f"{message}. See --help.")


def parser():
    """Return the parser of the command line.

    ``-n`` and ``-d`` have a short form, because torch.distributed.run looks at what stands behind
    the module, too, and on some Pythons takes ``--n`` and ``--d`` for options of its own.
    """
    p = Parser(
        prog=COMMAND,
        description="Attention by several processes in a ring, compared with one process.",
        allow_abbrev=False,
    )
    p.add_argument(
        "-n", "--n", type=_count, default=4096, help="rows of the sequence (%(default)s)"
    )
    p.add_argument("--heads", type=_count, default=8, help="heads (%(default)s)")
    p.add_argument("-d", "--d", type=_count, default=64, help="entries of a row (%(default)s)")
    p.add_argument("--batch", type=_count, default=1, help="sequences (%(default)s)")
    p.add_argument("--causal", action="store_true", help="no query attends to a later position")
    which = p.add_mutually_exclusive_group()
    which.add_argument("--layout", choices=LAYOUTS, default="contiguous", help="(%(default)s)")
    which.add_argument("--compare", action="store_true", help="both layouts, in turn")
    p.add_argument("--dtype", choices=("float32", "float64"), default="float32")
    p.add_argument("--repeats", type=_count, default=5, help="timed passes (%(default)s)")
    p.add_argument("--seed", type=_seed, default=0, help="of the random inputs (%(default)s)")
    p.add_argument(
        "--timeout",
        type=_seconds,
        default=60.0,
        help="seconds that a process waits for another before it gives up (%(default)s)",
    )
    p.add_argument("--threads", type=_count, help="of each process (cores / processes)")
    p.add_argument("--json", metavar="FILE", help="write the results there, too")
    return p


def read(arguments, here):
    """Return the options, or refuse what cannot work.

    Parameters
    ----------
    arguments : sequence of str or None
        The command line; None for that of this process.
    here : attnlib.ring.launch.Place

    Returns
    -------
    argparse.Namespace
        Its `layouts` are those to be run.

    Raises
    ------
    Refused
        With one line that names the option, what was found, and the remedy.
    """
    options = parser().parse_args(arguments)
    try:
        rows_per_process(options.n, here.world)
    except ValueError as error:
        raise Refused(str(error)) from None
    if options.json and here.rank == 0:
        try:
            open(options.json, "a", encoding="utf-8").close()
        except OSError as error:
            raise Refused(
                f"--json {options.json} cannot be written: {error.strerror}. Name another file."
            ) from None
    options.layouts = LAYOUTS if options.compare else (options.layout,)
    return options


def _count(text):
    return _number(text, int, 1, "an integer of at least 1")


def _seed(text):
    return _number(text, int, 0, "an integer of at least 0")


def _seconds(text):
    return _number(text, float, 0.1, "seconds, at least 0.1")


def _number(text, kind, least, wanted):
    """Return the number that is written in `text`, or say what is wanted."""
    try:
        number = kind(text)
    except ValueError:
        number = -math.inf
    if not least <= number < 2**31:
        raise argparse.ArgumentTypeError(f"{text} is not {wanted}")
    return number
