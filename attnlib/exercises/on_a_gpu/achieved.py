"""The share of a peak that a fused kernel achieves."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def achieved(n, d, n_heads, batch, causal, seconds, peak):
    """FLOPs by formula, over the median time, over the peak."""
    pairs = n * (n + 1) // 2 if causal else n * n
    return 4 * batch * n_heads * pairs * d / np.median(seconds) / peak


def _flops(*sizes):
    return achieved(*sizes, seconds=1.0, peak=1.0)


def _of(time=np.median, flops=_flops):
    """achieved with another time, or another count."""

    def wrong(n, d, n_heads, batch, causal, seconds, peak):
        return flops(n, d, n_heads, batch, causal) / time(seconds) / peak

    return wrong


EXERCISE = Exercise(
    signature="achieved(n, d, n_heads, batch, causal, seconds, peak)",
    task="Write achieved(n, d, n_heads, batch, causal, seconds, peak): the share of `peak`, in "
    "FLOPs a second, that a fused kernel achieves. `seconds` holds the time of each of many calls, "
    "and their median counts. Under a causal mask the kernel computes the allowed pairs only, "
    "each item's own among them.",
    returns="a single number",
    reference=achieved,
    own=True,
    cases=(
        Case("one head", (4, 2, 1, 1, False, np.array([0.5, 0.7, 0.6]), 1000.0)),
        Case("heads and sequences", (5, 3, 2, 4, False, np.array([2.0, 1.0, 1.5, 1.2]), 2500.0)),
        Case("a causal mask", (6, 4, 3, 1, True, np.array([0.9, 0.8, 1.1]), 1500.0)),
        Case(
            "one call interrupted", (9, 2, 2, 3, True, np.array([3.0, 3.1, 44.0, 2.9, 3.3]), 900.0)
        ),
        Case("a peak that is too low", (8, 2, 1, 1, False, np.array([0.5, 0.4]), 900.0)),
        Case("a causal mask, and one item", (1, 8, 5, 7, True, np.array([0.25, 0.2]), 9000.0)),
    ),
    mistakes=(
        Mistake(
            "mean",
            _of(time=np.mean),
            "The time is the mean. One call that was interrupted moves it far; the median stays.",
        ),
        Mistake(
            "fastest",
            _of(time=np.min),
            "The time is that of the fastest call. Take the median.",
        ),
        Mistake(
            "slowest",
            _of(time=np.max),
            "The time is that of the slowest call. Take the median.",
        ),
        Mistake(
            "total",
            _of(time=np.sum),
            "The times of all calls are added up, and the work is that of one.",
        ),
        Mistake(
            "first",
            _of(time=lambda t: t[0]),
            "The time is that of the first call. Take the median of all.",
        ),
        Mistake(
            "first_dropped",
            _of(time=lambda t: np.median(t[1:])),
            "The first time is left out. All of `seconds` count here; what was to warm up has been "
            "left out already.",
        ),
        Mistake(
            "middle_unsorted",
            _of(time=lambda t: t[len(t) // 2]),
            "The time is in the middle of the list as it came. The median is the middle of the "
            "sorted one.",
        ),
        Mistake(
            "upper_middle",
            _of(time=lambda t: np.sort(t)[len(t) // 2]),
            "Of an even number of times this is the upper of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake(
            "lower_middle",
            _of(time=lambda t: np.sort(t)[(len(t) - 1) // 2]),
            "Of an even number of times this is the lower of the two in the middle. The median is "
            "half-way between both.",
        ),
        Mistake(
            "mean_of_rates",
            _of(time=lambda t: 1 / np.mean(1 / t)),
            "This is the mean of the rates. Take the median of the times.",
        ),
        Mistake(
            "median_of_rates",
            _of(time=lambda t: 1 / np.median(1 / t)),
            "This is the median of the rates. Of an even number of calls it is not the rate of the "
            "median time, which is asked for here.",
        ),
        Mistake(
            "all_pairs",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, h, b, False)),
            "All pairs are counted, and the kernel skips those that the mask forbids. So it looks "
            "up to twice as fast as it is.",
        ),
        Mistake(
            "halved_twice",
            _of(
                flops=lambda n, d, h, b, causal: b * h * d * (n * (n + 1) if causal else 4 * n * n)
            ),
            "The mask is counted twice: a quarter of the pairs is left. It leaves n (n + 1) / 2.",
        ),
        Mistake(
            "exactly_half",
            _of(flops=lambda n, d, h, b, causal: b * h * d * n * n * (2 if causal else 4)),
            "The mask leaves exactly half of the pairs here. The diagonal is allowed, too: "
            "n (n + 1) / 2.",
        ),
        Mistake(
            "without_the_own_item",
            _of(
                flops=lambda n, d, h, b, causal: (
                    4 * b * h * d * (n * (n - 1) // 2 if causal else n * n)
                )
            ),
            "The mask leaves n (n − 1) / 2 pairs here. An item may attend to itself: that is n "
            "more.",
        ),
        Mistake(
            "not_above_1",
            lambda *given: min(1.0, achieved(*given)),
            "The share is cut off at 1. One that is larger is the mark of a mistake, in the count "
            "or in the peak: it has to be seen.",
        ),
        Mistake(
            "always_halved",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, h, b, True)),
            "The pairs are those that a causal mask leaves, without a mask, too.",
        ),
        Mistake(
            "multiply_adds",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, h, b, causal) / 2),
            "The share is half of what it should be. A multiply-add is two FLOPs, and there are "
            "two products.",
        ),
        Mistake(
            "one_head",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, 1, b, causal)),
            "This is the work of one head. There are n_heads of them.",
        ),
        Mistake(
            "one_sequence",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, h, 1, causal)),
            "This is the work of one sequence. There are `batch` of them.",
        ),
        Mistake(
            "one_of_both",
            _of(flops=lambda n, d, h, b, causal: _flops(n, d, 1, 1, causal)),
            "This is the work of one head of one sequence.",
        ),
        Mistake(
            "upside_down",
            lambda *given: 1 / achieved(*given),
            "This is upside down: it says how many times as long a call took as the peak would "
            "need.",
        ),
        Mistake(
            "rate",
            lambda *given: achieved(*given) * given[-1],
            "This is the rate, in FLOPs a second. Divide it by the peak.",
        ),
        Mistake(
            "per_cent",
            lambda *given: 100 * achieved(*given),
            "This is in per cent. A share of 1 is the whole peak.",
        ),
    ),
    definition="At the peak itself, in every call, it should be 1.",
    general="Take n = 4, d = 2, one head, no mask: 128 FLOPs. In 0.2 s at a peak of 1000 that "
    "is 0.64.",
    why="A share says little without the rule by which pairs were counted, and the peak that it "
    "is a share of.",
)
