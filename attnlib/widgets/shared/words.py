"""Sentences that are drawn in a picture and said by a widget: one text, filled in both."""

import math
import re

import numpy as np

_NUMBER = re.compile(r"\{(\w+):\.(\d)f\}")


def fill(sentence, numbers):
    """A sentence with the numbers that its places, such as ``{mean:.2f}``, name; one or several.

    It writes what `fill` in `parts.js` writes: a true minus, no negative zero, a dash for NaN.

    Examples
    --------
    >>> fill("Weights {w:.2f}, error {e:.3f}.", {"w": [0.5, -1], "e": math.nan})
    'Weights 0.50, −1.00, error –.'
    """

    def written(match):
        name, digits = match.groups()
        values = np.ravel(numbers[name])
        return ", ".join("–" if math.isnan(x) else f"{x:z.{digits}f}" for x in values)

    return _NUMBER.sub(lambda match: written(match).replace("-", "−"), sentence)
