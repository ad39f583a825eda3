"""How much time and memory there is, and how long the next row will take."""

import time
from collections import defaultdict

from attnlib.timing import machine

#: Seconds that a first call may take beyond the others: a compiler runs, or a library loads.
FIRST_CALL = defaultdict(lambda: 3.0, compiled=30.0, flex=45.0)
#: Share of its floor that a back end is taken to reach before it has been seen.
UNSEEN_OF_FLOOR = 0.03
#: Calls of one row beside the timed ones: the check, a trial of two, the memory.
OTHER_CALLS = 4


class OutOfTimeError(Exception):
    """The next piece of work does not fit into the time that is left."""


class Budget:
    """The seconds that a run may take, and what it has learned about its rows.

    Parameters
    ----------
    seconds : float
        From the moment at which the budget is made.
    reserve : float, optional
        Seconds that are kept for the end.
    clock : callable, optional
        Returns seconds.

    Raises
    ------
    ValueError
        If `seconds` is not above 0.

    Examples
    --------
    >>> budget = Budget(10, reserve=4, clock=lambda: 0.0)
    >>> budget.left
    6.0
    >>> budget.need(7, "the next row")
    Traceback (most recent call last):
        ...
    attnlib.benchmarks.budget.OutOfTimeError: the next row needs about 7 s and 6 s are left
    """

    def __init__(self, seconds, reserve=0.0, clock=time.monotonic):
        if not seconds > 0:
            raise ValueError(f"budget={seconds} must be above 0. Give seconds, say 540.")
        self.clock = clock
        self.end = clock() + seconds
        self.reserve = reserve
        self._per_flop = {}
        self._beside = {}

    @property
    def left(self):
        """Seconds that may still be spent on rows."""
        return self.end - self.clock() - self.reserve

    def need(self, seconds, what):
        """Raise `OutOfTimeError` if `what` takes longer than there is time left."""
        if seconds > self.left:
            raise OutOfTimeError(
                f"{what} needs about {seconds:.0f} s and {max(0, self.left):.0f} s are left"
            )

    def learn(self, row, spent=None):
        """Remember how fast a back end is, and how long its row took.

        Parameters
        ----------
        row : dict
            A finished row.
        spent : float, optional
            Seconds that the row took in all, where it was measured just now.
        """
        name = row["backend"]
        if row["p50_s"]:
            self._per_flop[name] = row["p50_s"] / row["flops"]
        if spent is not None:
            calls = (row["repeats"] or 0) * (row["p50_s"] or 0.0)
            self._beside[name] = max(spent - calls, 0.5 * self._beside.get(name, 0.0))

    def expected(self, row, calls):
        """Return the seconds that a row will take, for so many calls."""
        beside = self._beside.get(row["backend"], FIRST_CALL[row["backend"]])
        return 1.5 * beside + self.call_seconds(row) * calls

    def call_seconds(self, row):
        """Return the seconds that one call will take, from the last row of the back end."""
        if row["backend"] in self._per_flop:
            return row["flops"] * self._per_flop[row["backend"]]
        return row["floor_s"] / UNSEEN_OF_FLOOR


def available_bytes():
    """Return the bytes of memory that are free for use, or all there are, or None.

    Examples
    --------
    >>> available_bytes() is None or available_bytes() > 10**6
    True
    """
    try:
        with open("/proc/meminfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    return machine()["memory_bytes"]
