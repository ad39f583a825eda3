"""How a time grows with a size: one exponent with its interval, and a fitted curve."""

import itertools

import numpy as np

from attnlib import _checks
from attnlib.cost.growth import Growth

#: A time is fitted only where it is more than this many times the overhead of the clock.
ABOVE_OVERHEAD = 20
#: Numbers beyond these would leave their type when squared.
LEAST, LARGEST = 1e-100, 1e100


def fit_exponent(sizes, times, overhead=0.0, *, resamples=1000, confidence=0.95, rng=None):
    r"""Fit how times grow with sizes, where they are clear of the overhead.

    Parameters
    ----------
    sizes : array_like, shape (m,)
        Sizes above 0, in rising order.
    times : array_like, shape (m,) or (m, repeats)
        Seconds at each size, a column for each repetition.  For an interval there should be five
        or more: two are too few to tell how much the times scatter.
    overhead : float, optional
        Seconds that measuring itself takes, as in `attnlib.timing.Timing`.  Sizes at which the
        median is not above twenty times this are shown, not fitted.
    resamples : int, optional
        How often the repetitions are resampled for the intervals.
    confidence : float, optional
        Share of the resamples inside an interval.
    rng : numpy.random.Generator, optional
        Draws the resamples; a generator with seed 0 by default.

    Returns
    -------
    Growth
        Local slopes, doubling ratios, exponent and coefficients with intervals.

    Raises
    ------
    ValueError
        If shapes do not fit, sizes do not rise, a time is not above 0, or fewer than three sizes
        are clear of the overhead.
    TypeError
        If an argument is of the wrong type.

    Notes
    -----
    The exponent p is the slope of a straight line, by least squares:

    .. math:: \log t \approx p \, \log n + \text{constant}

    A sum of terms has no single exponent, so a curve is fitted as well, whose coefficients may not
    be negative (Lawson and Hanson 1974) and whose errors count relative to the times:

    .. math:: \min_{a, b, c \ge 0} \sum_i \left(\frac{a + b n_i + c n_i^2 - t_i}{t_i}\right)^2

    For the intervals the repetitions of each size are resampled with replacement, and everything is
    fitted again (Efron 1979).

    Examples
    --------
    A second of preparation, and 2n² seconds of work.  The clock itself takes 0.2 s, so the 3 s at
    n = 1 are too near to it; the rest is fitted:

    >>> n = np.array([1, 2, 4, 8, 16])
    >>> growth = fit_exponent(n, 1 + 2 * n**2, overhead=0.2)
    >>> growth.used
    array([False,  True,  True,  True,  True])
    >>> np.round(growth.coefficients, 6)
    array([1., 0., 2.])
    >>> growth.local_slopes.round(2)
    array([1.58, 1.87, 1.97, 1.99])
    """
    sizes, times = _sizes_and_times(sizes, times)
    medians = np.median(times, axis=1)
    if _checks.number(overhead, "overhead") < 0:
        raise ValueError(f"overhead={overhead} is negative. Give a time in seconds.")
    used = medians > ABOVE_OVERHEAD * overhead
    if len(sizes) < 3:
        raise ValueError(f"sizes holds {len(sizes)} sizes, and a fit needs 3. Measure more.")
    if used.sum() < 3:
        raise ValueError(
            f"only {used.sum()} of {len(sizes)} sizes take more than {ABOVE_OVERHEAD} times the "
            f"overhead of {overhead:g} s, and a fit needs 3. Measure larger sizes."
        )
    resamples = _checks.count(resamples, "resamples")
    if not 0 < _checks.number(confidence, "confidence") < 1:
        raise ValueError(f"confidence={confidence} must lie between 0 and 1. Give, say, 0.95.")
    rng = np.random.default_rng(0) if rng is None else _checks.generator(rng)
    n, observed = sizes[used], times[used]
    exponent, *coefficients = _fit(n, np.median(observed, axis=1))
    interval, intervals = None, None
    if times.shape[1] > 1:
        fits = [_fit(n, np.median(_resampled(observed, rng), axis=1)) for _ in range(resamples)]
        ends = np.quantile(fits, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
        interval, *intervals = (tuple(map(float, pair)) for pair in ends.T)
        intervals = tuple(intervals)
    return Growth(sizes, medians, used, exponent, interval, tuple(coefficients), intervals)


def _sizes_and_times(sizes, times):
    """Return rising sizes, shape (m,), and their times, shape (m, repeats)."""
    sizes = _checks.numbers(sizes, "sizes").astype(float)
    times = _checks.numbers(times, "times").astype(float)
    if sizes.ndim != 1 or (sizes <= 0).any() or (np.diff(sizes) <= 0).any():
        raise ValueError(f"sizes must be one rising row of numbers above 0, not {sizes}. Sort it.")
    if times.ndim not in (1, 2) or len(times) != len(sizes) or times.size == 0:
        raise ValueError(
            f"sizes has shape {sizes.shape} and times has shape {times.shape}. Give one time, or "
            f"one row of times, for each size."
        )
    for name, array in (("sizes", sizes), ("times", times)):
        if (array > LARGEST).any():
            raise ValueError(f"{name} holds {array.max():g}. Give numbers up to {LARGEST:g}.")
        if ((0 < array) & (array < LEAST)).any():
            raise ValueError(f"{name} holds {array.min():g}. Give numbers from {LEAST:g} on.")
    if (times <= 0).any():
        index = _checks.first_index(times <= 0)
        where = _checks.show(index)
        raise ValueError(f"times[{where}]={times[index]:g} is not above 0. Give seconds.")
    return sizes, times.reshape(len(sizes), -1)


def _resampled(times, rng):
    """Resample the repetitions of each size with replacement."""
    return np.take_along_axis(times, rng.integers(times.shape[1], size=times.shape), axis=1)


def _fit(n, t):
    """Return the exponent, and the coefficients a, b, c."""
    x, y = np.log(n) - np.log(n).mean(), np.log(t)
    exponent = float(x @ y / (x @ x))
    largest = float(n.max())
    powers = np.stack([np.ones_like(n), n / largest, (n / largest) ** 2], axis=1)
    a, b, c = _non_negative_least_squares(powers / t[:, None], np.ones_like(t))
    return exponent, a, b / largest, c / largest**2


def _non_negative_least_squares(A, y):
    """Return the best x >= 0: the best of the solutions with some entries free, the rest 0."""
    lengths = np.linalg.norm(A, axis=0)
    A = A / lengths  # columns of one size: a small one would be mistaken for rounding
    best, least = np.zeros(A.shape[1]), (y**2).sum()
    columns = range(A.shape[1])
    for size in range(1, A.shape[1] + 1):
        for free in map(list, itertools.combinations(columns, size)):
            x = np.zeros(A.shape[1])
            x[free] = np.linalg.lstsq(A[:, free], y, rcond=None)[0]
            error = ((A @ x - y) ** 2).sum()
            if (x >= 0).all() and error < least:
                best, least = x, error
    return map(float, best / lengths)
