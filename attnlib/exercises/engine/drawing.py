"""Arrays for the cases of an exercise."""

import numpy as np


def draw(*shapes):
    """Arrays of these shapes, with one decimal; other shapes, other numbers.

    All arrays of one call come from one stream, and the shapes are its seed: neither two arrays
    of a case nor two cases hold the same numbers.

    Examples
    --------
    >>> Q, K = draw((1, 2), (3, 2))
    >>> Q.shape, K.shape, draw((1, 2), (3, 2))[0] == Q
    ((1, 2), (3, 2), array([[ True,  True]]))
    """
    rng = np.random.default_rng([n for shape in shapes for n in (len(shape), *shape)])
    return tuple(rng.normal(size=shape).round(1) for shape in shapes)
