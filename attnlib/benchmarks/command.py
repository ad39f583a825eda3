"""The command line of `attnlib.benchmarks.gpu`."""

import argparse

from attnlib.benchmarks.work import ITEMSIZE, PASSES


def parse(argv):
    """Read the command line.

    Examples
    --------
    >>> options = parse(["--device", "cpu", "--out", "a.json", "--n", "64", "--causal", "no"])
    >>> options.n, options.causal, options.budget
    ([64], ['no'], 540.0)
    """
    parser = argparse.ArgumentParser(
        prog="python -m attnlib.benchmarks.gpu",
        description="Measure attention on one device, and record it. What is not given is usual "
        "for the device. The same command goes on where it stopped.",
    )
    add = parser.add_argument
    add("--device", choices=["cuda", "cpu"], required=True)
    add("--out", required=True, metavar="FILE.json", help="the recording")
    add("--n", type=int, nargs="+", help="lengths of a sequence")
    add("--d", type=int, nargs="+", help="lengths of a key")
    add("--dtype", nargs="+", choices=list(ITEMSIZE))
    add("--causal", nargs="+", choices=["no", "yes"])
    add("--backends", nargs="+", choices=list(PASSES))
    add("--tokens", type=int, help="positions in all sequences together")
    add("--width", type=int, help="all heads together")
    add("--repeats", type=int, help="timed calls of a row, at most")
    add("--warmup", type=int, help="calls before them")
    add("--row-seconds", type=float, help="about how long a row is timed, at most")
    add("--seed", type=int, default=0, help="of inputs and order")
    add("--budget", type=float, default=540.0, metavar="SECONDS", help="stop before this")
    add("--quick", action="store_true", help="small sizes, to see that all works")
    add("--fresh", action="store_true", help="set an old file aside as .old, and start anew")
    return parser.parse_args(argv)
