"""The time of a call by marks that a device passes, and by no clock of the processor."""

import statistics
from itertools import accumulate, pairwise

from attnlib.exercises import Case

#: What it takes to hand a call's work over, in seconds.
HANDING_OVER = 0.001


class Mark:
    """A mark in a device's queue, with the time at which the device comes by."""

    def __init__(self, at, reached):
        self._at, self._reached = at, reached

    def until(self, other):
        """Seconds from this mark to another one."""
        if not (self._reached(self._at) and self._reached(other._at)):
            raise RuntimeError("The device has not come by this mark yet. Wait for it first.")
        return other._at - self._at


def device(work):
    """A make-believe device as three functions: to hand work over, to make a mark, to wait."""
    now = free = 0.0
    waiting = iter(work)

    def hand_over():
        nonlocal now, free
        now += HANDING_OVER
        free = max(free, now) + next(waiting, work[-1])

    def put_mark():
        return Mark(max(free, now), lambda at: at <= now)

    def wait_until_done():
        nonlocal now
        now = max(now, free)

    return hand_over, put_mark, wait_until_done


class OnDevice(tuple):
    """Arguments that begin with a make-believe device, which is new whenever they are taken."""

    def __new__(cls, repeats, *work):
        args = super().__new__(cls, (*device(work), repeats))
        args.work = work
        return args

    def __iter__(self):
        return iter((*device(self.work), self[-1]))


def event_seconds(f, mark, wait, repeats):
    """The median of calls between two marks each, after one that is not timed."""
    f()
    marks = []
    for _ in range(repeats):
        start = mark()
        f()
        marks.append((start, mark()))
    wait()
    return statistics.median([start.until(end) for start, end in marks])


CASES = (
    Case("three calls", OnDevice(3, 9.0, 2.0, 3.0, 2.5, 4.0)),
    Case("one of five interrupted", OnDevice(5, 7.0, 1.5, 1.2, 40.0, 1.4, 1.1, 1.0)),
    Case("an even number of calls", OnDevice(4, 30.0, 0.4, 0.7, 0.5, 0.9, 0.2)),
    Case("a slow call at the end", OnDevice(3, 6.0, 1.0, 1.25, 5.0, 3.5)),
    Case("two of four interrupted", OnDevice(4, 7.0, 1.0, 2.0, 40.0, 30.0, 1.5)),
)


def timed(f, mark, wait, repeats):
    """The time of each of these calls."""
    marks = [mark()]
    for _ in range(repeats):
        f()
        marks.append(mark())
    wait()
    return [start.until(end) for start, end in pairwise(marks)]


def waiting(f, mark, wait, repeats):
    """Each call is waited for, so the device stands still until the next is handed over."""
    f()
    wait()
    return statistics.median(timed(f, mark, wait, 1)[0] for _ in range(repeats))


def begun_too_early(f, mark, wait, repeats):
    untimed, first, *others = timed(f, mark, wait, repeats + 1)
    return statistics.median([untimed + first, *others])
