"""How a time grows with a size: what was measured, with a line and a curve through it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Growth:
    r"""How times grow with sizes: the result of `fit_exponent`.

    Parameters
    ----------
    sizes : ndarray, shape (m,)
        Sizes, in rising order.
    times : ndarray, shape (m,)
        Seconds at each size, the median where there were several.
    used : ndarray of bool, shape (m,)
        Whether a size was fitted; otherwise it lies too near to the overhead.
    exponent : float
        Slope of the straight line through the fitted points, both axes logarithmic.
    interval : tuple of float, or None
        Where the exponent lies, by bootstrap; None where each size was timed once.
    coefficients : tuple of float
        a, b, c of the curve a + bn + cn².
    coefficient_intervals : tuple of tuple of float, or None
        Where a, b and c lie.

    Notes
    -----
    The slope between neighbours, both axes logarithmic, is the local exponent:

    .. math:: \frac{\log t_{i+1} - \log t_i}{\log n_{i+1} - \log n_i}

    Examples
    --------
    >>> from attnlib.cost import fit_exponent
    >>> growth = fit_exponent([1, 2, 4, 8], [3, 6, 12, 24])
    >>> growth.local_slopes, growth.doubling_ratios
    (array([1., 1., 1.]), array([2., 2., 2.]))
    """

    sizes: np.ndarray
    times: np.ndarray
    used: np.ndarray
    exponent: float
    interval: tuple | None
    coefficients: tuple
    coefficient_intervals: tuple | None

    @property
    def local_slopes(self):
        """Exponent between each size and the next, over all sizes."""
        return np.diff(np.log(self.times)) / np.diff(np.log(self.sizes))

    @property
    def doubling_ratios(self):
        """By how much the time grows when the size doubles, from each size to the next."""
        return 2**self.local_slopes

    @property
    def crossing(self):
        """Size at which the term with n² overtakes the term with n; infinite if it never does."""
        _, b, c = self.coefficients
        return b / c if c > 0 else np.inf

    def time_at(self, n):
        """Seconds at size n by the fitted curve."""
        a, b, c = self.coefficients
        return a + b * n + c * n**2

    def exponent_at(self, n):
        """Local exponent at size n by the fitted curve."""
        _, b, c = self.coefficients
        return (b * n + 2 * c * n**2) / self.time_at(n)
