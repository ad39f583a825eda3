"""The time of a call by marks that a device passes, and by no clock of the processor."""

import statistics
from itertools import pairwise

from attnlib.exercises import Case, Exercise, Mistake

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


class _Anew(tuple):
    """Arguments that start with a device, which is new whenever they are taken."""

    def __iter__(self):
        return iter((*device(self.work), self[-1]))


def _given(repeats, *work):
    args = _Anew((*device(work), repeats))
    args.work = work
    return args


def _taken(f, mark, wait, repeats):
    marks = [mark()]
    for _ in range(repeats):
        f()
        marks.append(mark())
    wait()
    return [start.until(end) for start, end in pairwise(marks)]


def _of(summary, untimed=1, more=0):
    """event_seconds with another summary, or another number of calls."""

    def wrong(f, mark, wait, repeats):
        for _ in range(untimed):
            f()
        return summary(_taken(f, mark, wait, repeats + more))

    return wrong


def _waiting(f, mark, wait, repeats):
    """Each call is waited for, so the device stands still until the next is handed over."""
    f()
    wait()
    taken = []
    for _ in range(repeats):
        start = mark()
        f()
        end = mark()
        wait()
        taken.append(start.until(end))
    return statistics.median(taken)


def _each_warmed_up(f, mark, wait, repeats):
    return statistics.median(_taken(f, mark, wait, 2 * repeats)[1::2])


def _begun_too_early(f, mark, wait, repeats):
    untimed, first, *others = _taken(f, mark, wait, repeats + 1)
    return statistics.median([untimed + first, *others])


def _sums(taken):
    return [sum(taken[: i + 1]) for i in range(len(taken))]


EXERCISE = Exercise(
    signature="event_seconds(f, mark, wait, repeats)",
    task="Write event_seconds(f, mark, wait, repeats): the median time of `repeats` calls of f, "
    "each between two marks of its own, after one call that is not timed. f() hands its work over "
    "to a device and returns at once. mark() puts a mark into the device's queue, behind all work "
    "so far, and returns it; wait() returns when all is done, and then start.until(end) gives the "
    "seconds between two marks.",
    returns="a single number",
    reference=event_seconds,
    own=True,
    cases=(
        Case("three calls", _given(3, 9.0, 2.0, 3.0, 2.5, 4.0)),
        Case("one of five interrupted", _given(5, 7.0, 1.5, 1.2, 40.0, 1.4, 1.1, 1.0)),
        Case("an even number of calls", _given(4, 30.0, 0.4, 0.7, 0.5, 0.9, 0.2)),
        Case("a slow call at the end", _given(3, 6.0, 1.0, 1.25, 5.0, 3.5)),
        Case("two of four interrupted", _given(4, 7.0, 1.0, 2.0, 40.0, 30.0, 1.5)),
    ),
    mistakes=(
        Mistake(
            "nothing_between",
            lambda f, mark, wait, repeats: 0.0,
            "Between the two marks there is no work. One has to come before f(), and the other one "
            "after it.",
        ),
        Mistake(
            "no_warm_up",
            _of(statistics.median, untimed=0),
            "The first call is timed with the others. It takes longer than calls usually do; "
            "one call comes before, untimed.",
        ),
        Mistake(
            "warm_up_timed",
            _of(statistics.median, untimed=0, more=1),
            "One call more is made, but it is timed with the others. The first is not to be in the "
            "median.",
        ),
        Mistake(
            "one_more",
            _of(statistics.median, more=1),
            "One call too many is timed: `repeats` of them, and the untimed one is not counted.",
        ),
        Mistake(
            "first_left_out_too",
            _of(lambda taken: statistics.median(taken[1:])),
            "One call goes untimed, and then the first of the others is left out as well.",
        ),
        Mistake(
            "slowest_left_out",
            _of(lambda taken: statistics.median(sorted(taken)[:-1]), untimed=0, more=1),
            "The slowest call is left out. That need not be the first: another may have been "
            "interrupted. Leave out the first.",
        ),
        Mistake(
            "one_fewer",
            _of(statistics.median, more=-1),
            "One call too few is timed. The untimed one comes before all of `repeats`.",
        ),
        Mistake(
            "two_untimed",
            _of(statistics.median, untimed=2),
            "Two calls go untimed. One is asked for.",
        ),
        Mistake(
            "waits_in_the_loop",
            _waiting,
            "Each call is waited for before the next is handed over. Until that one comes the "
            "device stands still, and this is in its time. Wait once, after all calls.",
        ),
        Mistake(
            "each_warmed_up",
            _each_warmed_up,
            "Every timed call has an untimed one before it. One is asked for, before all.",
        ),
        Mistake(
            "begun_too_early",
            _begun_too_early,
            "The first time begins before the untimed call, and holds both.",
        ),
        Mistake(
            "mean",
            _of(statistics.mean),
            "This is the mean; or one pair of marks around all calls, divided, which is the same. "
            "A call that is interrupted moves it far. Give each call its own two marks, and take "
            "the median.",
        ),
        Mistake(
            "mean_without_warm_up",
            _of(statistics.mean, untimed=0),
            "Two things at once: the first call is timed with the others, and the mean is taken, "
            "or one pair of marks around all.",
        ),
        Mistake(
            "total",
            _of(sum),
            "These are all calls together. Give each call its own two marks, and take the median.",
        ),
        Mistake(
            "total_without_warm_up",
            _of(sum, untimed=0),
            "These are all calls together, with the first among them, which takes much longer.",
        ),
        Mistake(
            "last",
            _of(lambda taken: taken[-1]),
            "This is the last call alone. Keep both marks of every call in a list, and take the "
            "median of all.",
        ),
        Mistake(
            "first",
            _of(lambda taken: taken[0]),
            "This is a single call, the first after the untimed one. Take the median of all.",
        ),
        Mistake(
            "first_of_all",
            _of(lambda taken: taken[0], untimed=0),
            "This is the first call of all, which takes much longer than others.",
        ),
        Mistake(
            "least",
            _of(min),
            "This is the fastest call. What usually happens is the median.",
        ),
        Mistake(
            "most",
            _of(max),
            "This is the slowest call, perhaps the one that was interrupted. Take the median.",
        ),
        Mistake(
            "from_the_first_mark",
            _of(lambda taken: statistics.median(_sums(taken))),
            "Every time begins at the first mark, and holds all calls before. Each call has a mark "
            "of its own before it.",
        ),
        Mistake(
            "until_the_last_mark",
            _of(lambda taken: statistics.median(_sums(taken[::-1]))),
            "Every time runs to the last mark, and holds all calls that come after. Each call has "
            "a mark of its own behind it.",
        ),
        Mistake(
            "divided",
            _of(lambda taken: statistics.median(taken) / len(taken)),
            "The median is divided by the number of calls. It is the time of one call already.",
        ),
        Mistake(
            "middle_unsorted",
            _of(lambda taken: taken[len(taken) // 2]),
            "This is the time in the middle of the list as it came. The median is the middle of "
            "the sorted one.",
        ),
        Mistake(
            "upper_middle",
            _of(lambda taken: sorted(taken)[len(taken) // 2]),
            "Of an even number of times this is the upper of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake(
            "lower_middle",
            _of(statistics.median_low),
            "Of an even number of times this is the lower of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake(
            "backwards",
            _of(lambda taken: -statistics.median(taken)),
            "The times are negative: start.until(end), from the earlier mark to the later one.",
        ),
    ),
    definition="With a device that takes 9, 2, 3, 2.5 seconds for its calls, three timed ones "
    "should give 2.5.",
    general="Write down what stands in the queue, from front to back, for one untimed call and two "
    "that are timed: five entries with work or a mark, and then more. At which time does the "
    "device come by each mark?",
    why="What the processor does meanwhile is not in these times, as long as the queue does not "
    "run dry. So wait once, after all calls.",
)
