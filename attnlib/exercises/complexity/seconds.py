"""The time of a call that hands its work over and returns at once."""

import statistics

from attnlib.exercises import Case, Exercise, Mistake

#: What it takes to hand a call's work over, in seconds.
HANDING_OVER = 0.001


def seconds(f, wait, clock, repeats):
    """The median of calls that are waited for, after one that is not timed."""
    f()
    wait()
    taken = []
    for _ in range(repeats):
        start = clock()
        f()
        wait()
        taken.append(clock() - start)
    return statistics.median(taken)


def _taken(f, wait, clock, repeats):
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


class _Anew(tuple):
    """Arguments that start with a device, which is new whenever they are taken."""

    def __iter__(self):
        return iter((*device(self.work), self[-1]))


def _given(repeats, *work):
    args = _Anew((*device(work), repeats))
    args.work = work
    return args


def _after_warm_up(of):
    """seconds with another summary of the times."""

    def wrong(f, wait, clock, repeats):
        f()
        wait()
        return of(_taken(f, wait, clock, repeats))

    return wrong


def _not_waited(f, wait, clock, repeats):
    f()
    wait()
    taken = []
    for _ in range(repeats):
        start = clock()
        f()
        taken.append(clock() - start)
    return statistics.median(taken)


def _not_warmed(f, wait, clock, repeats):
    return statistics.median(_taken(f, wait, clock, repeats))


def _warm_up_not_waited_for(f, wait, clock, repeats):
    f()
    return statistics.median(_taken(f, wait, clock, repeats))


def _all_at_once(f, wait, clock, repeats, warm=True):
    if warm:
        f()
        wait()
    start = clock()
    for _ in range(repeats):
        f()
    wait()
    return (clock() - start) / repeats


def _waited_for_at_the_end(f, wait, clock, repeats):
    f()
    wait()
    starts = []
    for _ in range(repeats):
        starts.append(clock())
        f()
    wait()
    return statistics.median(clock() - start for start in starts)


def _clock_read_once(f, wait, clock, repeats):
    f()
    wait()
    start, taken = clock(), []
    for _ in range(repeats):
        f()
        wait()
        taken.append(clock() - start)
    return statistics.median(taken)


def _two_before(f, wait, clock, repeats):
    f()
    wait()
    return seconds(f, wait, clock, repeats)


def _each_warmed_up(f, wait, clock, repeats):
    taken = []
    for _ in range(repeats):
        f()
        wait()
        taken += _taken(f, wait, clock, 1)
    return statistics.median(taken)


def _three_before(f, wait, clock, repeats):
    for _ in range(3):
        f()
    wait()
    return _not_warmed(f, wait, clock, repeats)


ALL_AT_ONCE = (
    "The clock runs over all calls together, and the sum is divided. One call that was interrupted "
    "is in that mean, and the device takes one call's work behind the other without a pause. Time "
    "each by itself, and take the median."
)

EXERCISE = Exercise(
    signature="seconds(f, wait, clock, repeats)",
    task="Write seconds(f, wait, clock, repeats): the median time of repeats calls of f, each "
    "by itself, after one call that is not timed. f() hands its work over to a device and returns "
    "at once, wait() returns when all work is done, clock() gives the time in seconds. The first "
    "call takes much longer than others, and now and then one is interrupted.",
    returns="a single number",
    reference=seconds,
    own=True,
    cases=(
        Case("three calls", _given(3, 9.0, 2.0, 3.0, 2.5, 4.0)),
        Case("one of five interrupted", _given(5, 7.0, 1.5, 1.2, 40.0, 1.4, 1.1, 1.0)),
        Case("an even number of calls", _given(4, 30.0, 0.5, 0.7, 0.4, 0.9, 0.2)),
        Case("a slow call at the end", _given(2, 6.0, 1.25, 5.0, 3.5)),
    ),
    mistakes=(
        Mistake(
            "not_waited_for",
            _not_waited,
            "The clock is read before the work is done: these are the times of handing it over. "
            "wait() belongs between f() and the second look at the clock.",
        ),
        Mistake(
            "no_warm_up",
            _not_warmed,
            "The work of the first call is in one of the times, and it takes much longer than any "
            "other. Either no call comes before them, untimed; or wait() stands before f(), so "
            "that each time holds the work of the call before.",
        ),
        Mistake(
            "warm_up_not_waited_for",
            _warm_up_not_waited_for,
            "The untimed call is not waited for, so its work is still going on when the clock "
            "starts, and is part of the first time. wait() after it, too.",
        ),
        Mistake(
            "warm_up_timed",
            lambda f, wait, clock, repeats: _not_warmed(f, wait, clock, repeats + 1),
            "One call more is made, but it is timed with the others. The first is not to be in the "
            "median.",
        ),
        Mistake(
            "one_fewer",
            lambda f, wait, clock, repeats: seconds(f, wait, clock, repeats - 1),
            "One call too few is timed. The untimed one comes before all of repeats.",
        ),
        Mistake(
            "two_untimed",
            _two_before,
            "Two calls go untimed. One is asked for.",
        ),
        Mistake("three_untimed", _three_before, "Three calls go untimed. One is asked for."),
        Mistake(
            "each_warmed_up",
            _each_warmed_up,
            "A call goes untimed before each that is timed. One at the start is enough: what makes "
            "the first call slow is done once.",
        ),
        Mistake(
            "first_call",
            lambda f, wait, clock, repeats: _taken(f, wait, clock, 1)[0],
            "This is the first call of all, which takes much longer than others. Make one untimed, "
            "then time repeats of them.",
        ),
        Mistake(
            "divided",
            _after_warm_up(lambda taken: statistics.median(taken) / len(taken)),
            "The median is divided by the number of calls. It is the time of one call already.",
        ),
        Mistake(
            "mean",
            _after_warm_up(statistics.mean),
            "This is the mean. One call that is interrupted moves it far; the median stays.",
        ),
        Mistake(
            "mean_without_warm_up",
            lambda f, wait, clock, repeats: statistics.mean(_taken(f, wait, clock, repeats)),
            "Two things at once: the first call is timed with the others, and their mean is taken. "
            "One call comes before, untimed; and the median stays where one call is interrupted.",
        ),
        Mistake(
            "least",
            _after_warm_up(min),
            "This is the fastest call. That is what can happen at best; what usually happens is "
            "the median.",
        ),
        Mistake(
            "most",
            _after_warm_up(max),
            "This is the slowest call, perhaps the one that was interrupted. Take the median.",
        ),
        Mistake(
            "total",
            _after_warm_up(sum),
            "These are the times of all calls added up. Take their median.",
        ),
        Mistake(
            "last",
            _after_warm_up(lambda taken: taken[-1]),
            "This is the time of the last call. Keep all of them in a list, then take the median.",
        ),
        Mistake(
            "first",
            _after_warm_up(lambda taken: taken[0]),
            "This is the time of a single call, the first after the untimed one. Time repeats of "
            "them, and take the median.",
        ),
        Mistake(
            "middle_unsorted",
            _after_warm_up(lambda taken: taken[len(taken) // 2]),
            "This is the time in the middle of the list as it came. The median is the middle of "
            "the sorted one.",
        ),
        Mistake(
            "upper_middle",
            _after_warm_up(lambda taken: sorted(taken)[len(taken) // 2]),
            "Of an even number of times this is the upper of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake(
            "lower_middle",
            _after_warm_up(statistics.median_low),
            "Of an even number of times this is the lower of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake("all_at_once", _all_at_once, ALL_AT_ONCE),
        Mistake(
            "all_at_once_without_warm_up",
            lambda *given: _all_at_once(*given, warm=False),
            ALL_AT_ONCE + " And one call comes before, untimed.",
        ),
        Mistake(
            "waited_for_at_the_end",
            _waited_for_at_the_end,
            "All work is waited for at the end only, so every time runs until the last call is "
            "done. Wait for each before the clock is read again.",
        ),
        Mistake(
            "clock_read_once",
            _clock_read_once,
            "The clock is read once at the start, so each time runs from there and holds all "
            "calls before it. Read it anew before every call.",
        ),
        Mistake(
            "backwards",
            _after_warm_up(lambda taken: -statistics.median(taken)),
            "The times are negative: the later look at the clock comes first in the difference.",
        ),
        Mistake(
            "handing_over_subtracted",
            _after_warm_up(lambda taken: statistics.median(taken) - HANDING_OVER),
            "The time of handing the work over is missing. The clock starts before f() is called.",
        ),
    ),
    definition="With a device that takes 9, 2, 3, 2.5 seconds for its calls, three timed ones "
    "should give 2.5 and the little that it takes to hand a call over.",
    general="Write down for a device that takes 9, 2, 3 seconds what the clock says at each step, "
    "and what is still being worked on.",
    why="A clock measures what lies between two looks at it, and nothing else: work that "
    "goes on after a call has returned has to be waited for.",
)
