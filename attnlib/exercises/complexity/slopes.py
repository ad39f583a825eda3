"""Local exponents, of those sizes only that are clear of the overhead."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def slopes(sizes, times, overhead):
    """Differences of logarithms, over sizes above twenty times the overhead."""
    clear = times > 20 * overhead
    return np.diff(np.log(times[clear])) / np.diff(np.log(sizes[clear]))


def _with(
    *,
    clear=lambda n, t, overhead: t > 20 * overhead,
    of=lambda n, t: np.diff(np.log(t)) / np.diff(np.log(n)),
    timed=lambda t, overhead: t,
):
    """slopes with one step replaced."""

    def wrong(sizes, times, overhead):
        kept = clear(sizes, times, overhead)
        return of(sizes[kept], timed(times, overhead)[kept])

    return wrong


def _everything(n, t, overhead):
    return np.ones(len(n), bool)


def _above(factor):
    return lambda n, t, overhead: t > factor * overhead


def _line(n, t):
    return np.polyfit(np.log(n), np.log(t), 1)[0]


def _one(value, n):
    return np.full(len(n) - 1, value)


def _given(sizes, parts, overhead, place):
    """Times a + bn + cn² that scatter a little and rise."""
    n = np.array(sizes, float)
    a, b, c = parts
    (scatter,) = draw((len(n) + place,))
    t = (a + b * n + c * n * n) * (1 + 0.02 * np.tanh(scatter[place:]))
    return n, np.maximum.accumulate(t * (1 + 1e-6 * np.arange(len(n)))), overhead


OVERHEAD = (
    "Sizes whose time is hardly more than the overhead are in it. There it is the clock and the "
    "call that are measured, so the slope is too flat. Keep those above 20 times the overhead."
)
THRESHOLD = (
    "Too many sizes are kept: some of their times are below 20 times the overhead, the bound that "
    "the task sets."
)
ONE = (
    "One exponent stands for all. Where the time is a sum of powers the slope changes from size to "
    "size, and a single line through all hides that: one slope for each pair of neighbours."
)

EXERCISE = Exercise(
    signature="slopes(sizes, times, overhead)",
    task="Write slopes(sizes, times, overhead): the local exponents between neighbouring sizes, "
    "after all sizes whose time is not above 20 times the overhead are left out. sizes rise, but "
    "need not be doublings; times holds one median for each, in seconds.",
    returns="an array, one number less than there are sizes left",
    reference=slopes,
    own=True,
    cases=(
        Case(
            "three sizes, doubled, all clear",
            (np.array([100.0, 200.0, 400.0]), np.array([3.0, 6.0, 24.0]), 0.01),
        ),
        Case("sizes that are no doublings", _given([50, 70, 210, 300], (0, 0.5, 0.01), 0.001, 0)),
        Case(
            "small sizes near the overhead",
            _given([8, 16, 64, 192, 512], (0.3, 0.01, 2e-4), 0.03, 1),
        ),
        Case(
            "sizes with a time between one and twenty overheads",
            _given([10, 30, 100, 400, 1000, 3000], (2.0, 0.1, 1e-3), 0.9, 2),
        ),
        Case(
            "a median that drops, and times next to twenty overheads",
            (
                np.array([10.0, 20.0, 40.0, 80.0, 200.0, 320.0]),
                np.array([0.1, 1.9, 3.0, 1.0, 2.1, 9.0]),
                0.1,
            ),
        ),
        Case(
            "a time of exactly twenty overheads",
            (np.array([2.0, 6.0, 12.0]), np.array([10.0, 15.0, 45.0]), 0.5),
        ),
        Case(
            "a time below the overhead",
            (
                np.array([4.0, 12.0, 48.0, 96.0, 160.0]),
                np.array([0.0021, 0.0031, 0.0494, 0.197, 0.563]),
                0.0024,
            ),
        ),
    ),
    mistakes=(
        Mistake("overhead_kept", _with(clear=_everything), OVERHEAD),
        Mistake(
            "above_the_overhead",
            _with(clear=lambda n, t, overhead: t > overhead),
            "All sizes above the overhead itself are kept. A time of twice the overhead is half "
            "overhead: keep those above 20 times.",
        ),
        Mistake("above_twice_the_overhead", _with(clear=_above(2)), THRESHOLD),
        Mistake("above_ten_times_the_overhead", _with(clear=_above(10)), THRESHOLD),
        Mistake(
            "twenty_itself",
            _with(clear=lambda n, t, overhead: t >= 20 * overhead),
            "A time of exactly 20 overheads is kept. Those above it are asked for: >, not >=.",
        ),
        Mistake(
            "original_neighbours",
            lambda n, t, overhead: (np.diff(np.log(t)) / np.diff(np.log(n)))[
                (t[:-1] > 20 * overhead) & (t[1:] > 20 * overhead)
            ],
            "Slopes are taken between the sizes as they came, and sorted out afterwards. Where a "
            "size in the middle is left out, those before and after it become neighbours: choose "
            "the sizes first, then take slopes.",
        ),
        Mistake(
            "sizes_above_the_overhead",
            _with(clear=lambda n, t, overhead: n > 20 * overhead),
            "The sizes are compared with the overhead. It is a time, in seconds: compare the "
            "times with it.",
        ),
        Mistake(
            "all_after_the_first_clear",
            _with(clear=lambda n, t, overhead: np.maximum.accumulate(t > 20 * overhead)),
            "Every size after the first clear one is kept. A later median can fall below 20 times "
            "the overhead: look at each time by itself.",
        ),
        Mistake(
            "overhead_subtracted",
            _with(timed=lambda t, overhead: t - overhead),
            "The overhead is subtracted from the times. It is itself only measured, and differs "
            "from call to call; leave out the sizes where it counts, and take the others as they "
            "are.",
        ),
        Mistake(
            "subtracted_and_all_kept",
            _with(clear=_everything, timed=lambda t, overhead: t - overhead),
            "The overhead is subtracted, and all sizes are kept. What is left near it is mostly "
            "error: leave those sizes out, and take the others as they are.",
        ),
        Mistake("one_exponent", _with(of=_line), ONE),
        Mistake("one_exponent_repeated", _with(of=lambda n, t: _one(_line(n, t), n)), ONE),
        Mistake(
            "mean",
            _with(of=lambda n, t: np.mean(np.diff(np.log(t)) / np.diff(np.log(n)))),
            ONE,
        ),
        Mistake("one_exponent_of_all", _with(clear=_everything, of=_line), ONE),
        Mistake(
            "first_to_last",
            _with(of=lambda n, t: np.log(t[-1] / t[0]) / np.log(n[-1] / n[0])),
            "This is one slope, from the first size to the last. Take one for each two neighbours.",
        ),
        Mistake(
            "from_the_first",
            _with(of=lambda n, t: np.log(t[1:] / t[0]) / np.log(n[1:] / n[0])),
            "Every slope starts at the first size. A local one goes from each size to the next.",
        ),
        Mistake(
            "ratios",
            _with(of=lambda n, t: t[1:] / t[:-1]),
            "These are ratios of times. An exponent says to which power the ratio of the sizes "
            "gives that: take logarithms, and divide.",
        ),
        Mistake(
            "ratio_of_ratios",
            _with(of=lambda n, t: (t[1:] / t[:-1]) / (n[1:] / n[:-1])),
            "Ratios of times are divided by ratios of sizes. For n² over a doubling that gives "
            "4 / 2. Take the logarithm of both ratios first.",
        ),
        Mistake(
            "doublings",
            _with(of=lambda n, t: np.log2(t[1:] / t[:-1])),
            "The logarithm to the base 2 of the times' ratio: that is right where sizes double. "
            "Divide by the same logarithm of the sizes' ratio.",
        ),
        Mistake(
            "doublings_of_all",
            _with(clear=_everything, of=lambda n, t: np.log2(t[1:] / t[:-1])),
            "Two things at once: sizes near the overhead are kept, and the logarithm to the base 2 "
            "is right only where sizes double.",
        ),
        Mistake(
            "logarithm_of_times_only",
            _with(of=lambda n, t: np.log(t[1:] / t[:-1])),
            "These are logarithms of the times' ratios. Divide by those of the sizes' ratios.",
        ),
        Mistake(
            "not_logarithmic",
            _with(of=lambda n, t: np.diff(t) / np.diff(n)),
            "These are seconds per item, slopes on plain axes. Both axes are logarithmic.",
        ),
        Mistake(
            "sizes_not_logarithmic",
            _with(of=lambda n, t: np.diff(np.log(t)) / np.diff(n)),
            "Only the times are logarithms. Both axes are logarithmic.",
        ),
        Mistake(
            "times_not_logarithmic",
            _with(of=lambda n, t: np.diff(t) / np.diff(np.log(n))),
            "Only the sizes are logarithms. Both axes are logarithmic.",
        ),
        Mistake(
            "two_bases",
            _with(of=lambda n, t: np.diff(np.log(t)) / np.diff(np.log2(n))),
            "The logarithms have two bases, natural above and 2 below. Any will do, but the same.",
        ),
        Mistake(
            "two_bases_turned",
            _with(of=lambda n, t: np.diff(np.log2(t)) / np.diff(np.log(n))),
            "The logarithms have two bases, 2 above and natural below. Any will do, but the same.",
        ),
        Mistake(
            "turned_over",
            _with(of=lambda n, t: np.diff(np.log(n)) / np.diff(np.log(t))),
            "Sizes are divided by times. The exponent says how the time grows: times above.",
        ),
        Mistake(
            "no_differences",
            _with(of=lambda n, t: np.log(t) / np.log(n)),
            "Logarithms are divided without differences. That depends on the unit: in "
            "milliseconds it would be another number. A slope is a difference over a difference.",
        ),
        Mistake(
            "differences_before_logarithms",
            _with(of=lambda n, t: np.log(np.diff(t)) / np.log(np.diff(n))),
            "The differences come before the logarithms. It is the logarithms' differences that "
            "are wanted, which are logarithms of ratios.",
        ),
        Mistake(
            "gradient",
            _with(of=lambda n, t: np.gradient(np.log(t), np.log(n))),
            "These are slopes at the sizes, from both neighbours. Between each size and the next "
            "there is one: np.diff.",
        ),
        Mistake(
            "first_clear_left_out",
            lambda n, t, overhead: slopes(n, t, overhead)[1:],
            "The first slope is missing. The smallest size that is clear of the overhead counts.",
        ),
        Mistake(
            "one_side_enough",
            lambda n, t, overhead: (np.diff(np.log(t)) / np.diff(np.log(n)))[t[1:] > 20 * overhead],
            "A slope is kept where the larger of two sizes is clear of the overhead. Both have to "
            "be: choose the sizes first, then take slopes.",
        ),
        Mistake(
            "smaller_side_enough",
            lambda n, t, overhead: (np.diff(np.log(t)) / np.diff(np.log(n)))[
                t[:-1] > 20 * overhead
            ],
            "A slope is kept where the smaller of two sizes is clear of the overhead. Both have to "
            "be: choose the sizes first, then take slopes.",
        ),
        Mistake(
            "per_item",
            _with(
                timed=lambda t, overhead: t,
                of=lambda n, t: np.diff(np.log(t / n)) / np.diff(np.log(n)),
            ),
            "These are the exponents of the time for one item: one less. Take the times as they "
            "are.",
        ),
    ),
    definition="Where times are exactly c n², every slope is 2, whatever the sizes and the unit.",
    general="Take three sizes, 100, 200 and 400, with times 3, 6 and 24: the slopes are 1 and 2. "
    "Then let the sizes be no doublings, and then the first time be near the overhead.",
    why="Slopes that still rise from left to right say that no single power describes the time: it "
    "is a sum of powers, or something of the overhead is left, or a cache is full.",
)
