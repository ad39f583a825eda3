"""Chapter 1: the reference answers against plain loops."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib.exercises import find

readings = st.lists(st.floats(-3, 3), min_size=1, max_size=6)


@given(readings, st.floats(0.3, 3))
@settings(deadline=None)
def test_kernel_weights_and_filter_agree_with_loops(values, h):
    x = np.array(values)
    kernel_weights = find("adaptive_weights.kernel_weights").reference
    filtered = find("adaptive_weights.adaptive_filter").reference(x, h)
    for t in range(len(x)):
        bells = [np.exp(-((x[t] - x_j) ** 2) / (2 * h**2)) for x_j in values]
        np.testing.assert_allclose(kernel_weights(x, t, h), np.array(bells) / sum(bells))
        mean = sum(b * x_j for b, x_j in zip(bells, values)) / sum(bells)
        np.testing.assert_allclose(filtered[t], mean, atol=1e-12)


@given(readings, st.integers(0, 4))
@settings(deadline=None)
def test_moving_average_agrees_with_loops(values, half):
    averages = find("adaptive_weights.moving_average").reference(np.array(values), 2 * half + 1)
    for t, average in enumerate(averages):
        window = [x_j for j, x_j in enumerate(values) if abs(t - j) <= half]
        np.testing.assert_allclose(average, sum(window) / len(window), atol=1e-12)
