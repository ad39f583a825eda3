"""The time of a call that hands its work over and returns at once."""

import statistics

from attnlib.exercises import Case

#: What it takes to hand a call's work over, in seconds.
HANDING_OVER = 0.001


def seconds(f, wait, clock, repeats):
    """The median of calls that are waited for, after one that is not timed."""
    f()
    wait()
    return statistics.median(timed(f, wait, clock, repeats))


def timed(f, wait, clock, repeats):
    """The time of each of these calls."""
    taken = []
    for _ in range(repeats):
        start = clock()
        f()
        wait()
        taken.append(clock() - start)
    return taken


def device(work):
    """A make-believe device as three functions: to hand work over, to wait, to read the clock."""
    now = free = 0.0
    waiting = iter(work)

    def hand_over():
        nonlocal now, free
        now += HANDING_OVER
        free = max(free, now) + next(waiting, work[-1])

    def wait_until_done():
        nonlocal now
        now = max(now, free)

    def make_believe_clock():
        return now

    return hand_over, wait_until_done, make_believe_clock


class OnDevice(tuple):
    """Arguments that begin with a make-believe device, which is new whenever they are taken."""

    def __new__(cls, repeats, *work):
        args = super().__new__(cls, (*device(work), repeats))
        args.work = work
        return args

    def __iter__(self):
        return iter((*device(self.work), self[-1]))


CASES = (
    Case("three calls", OnDevice(3, 9.0, 2.0, 3.0, 2.5, 4.0)),
    Case("one of five interrupted", OnDevice(5, 7.0, 1.5, 1.2, 40.0, 1.4, 1.1, 1.0)),
    Case("an even number of calls", OnDevice(4, 30.0, 0.5, 0.7, 0.4, 0.9, 0.2)),
    Case("a slow call at the end", OnDevice(2, 6.0, 1.25, 5.0, 3.5)),
)


def not_waited_for(f, wait, clock, repeats):
    f()
    wait()
    return statistics.median(timed(f, lambda: None, clock, repeats))


def all_at_once(f, wait, clock, repeats):
    start = clock()
    for _ in range(repeats):
        f()
    wait()
    return (clock() - start) / repeats


def clock_read_once(f, wait, clock, repeats):
    f()
    wait()
    start, taken = clock(), []
    for _ in range(repeats):
        f()
        wait()
        taken.append(clock() - start)
    return statistics.median(taken)
