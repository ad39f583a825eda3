"""Sentences that are drawn in a picture and read aloud by a widget: one text, filled in both."""

import json
import math
import re

import numpy as np

_NUMBER, _TEXT = re.compile(r"\{(\w+):\.(\d)f\}"), re.compile(r"\{(\w+)\}")


def fill(sentence, values):
    """A sentence with the numbers that its places, such as ``{mean:.2f}``, name; one or several.

    It writes what `fill` in `parts.js` writes: a true minus, no negative zero, a dash for NaN.  A
    text has its place in ``{name}``.

    Examples
    --------
    >>> fill("{who}: {w:.2f}, error {e:.3f}.", {"who": "sat", "w": [0.5, -1], "e": math.nan})
    'sat: 0.50, −1.00, error –.'
    """

    text = _NUMBER.sub(lambda match: ", ".join(written(match[0], values)[match[1]]), sentence)
    return _TEXT.sub(lambda match: values[match[1]], text)


def written(words, numbers):
    """Numbers with the decimals of their places in `words`, which may be nested; name -> list.

    Examples
    --------
    >>> written({"announcement": ["Weights {w:.2f}", "error {e:.3f}."]}, {"w": [0.5, -1], "e": 2})
    {'w': ['0.50', '−1.00'], 'e': ['2.000']}
    """

    def text(x, digits):
        return "–" if math.isnan(x) else f"{x:z.{digits}f}".replace("-", "−")

    places = _NUMBER.findall(json.dumps(words))
    return {name: [text(x, digits) for x in np.ravel(numbers[name])] for name, digits in places}
