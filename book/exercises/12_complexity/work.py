"""The work of a layer of self-attention, projections included."""

import numpy as np

from attnlib.exercises import Case


def work(n, d_model, n_heads):
    """Multiply-adds of four projections, of the scores and of the weighted sums."""
    return 4 * n * d_model**2 + 2 * n**2 * d_model


CASES = (
    Case("three items and one head", (3, 2, 1)),
    Case("two heads", (5, 6, 2)),
    Case("more items than components", (20, 8, 4)),
    Case("more components than items", (7, 48, 3)),
    Case("a single item", (1, 12, 4)),
    Case("many heads", (32, 24, 8)),
)


def projections_miscounted(answers, cases):
    """Whether the pairs are right, beside another multiple of n d² than 4."""
    n, d, _ = np.array([case.args for case in cases]).T
    multiples = (np.ravel(answers) - 2 * n**2 * d) / (n * d**2)
    return np.allclose(multiples, multiples[0]) and not np.isclose(multiples[0], 4)


def pairs_miscounted(answers, cases):
    """Whether the projections are right, beside another multiple of n² d than 2."""
    n, d, _ = np.array([case.args for case in cases]).T
    multiples = (np.ravel(answers) - 4 * n * d**2) / (n**2 * d)
    return np.allclose(multiples, multiples[0]) and not np.isclose(multiples[0], 2)
