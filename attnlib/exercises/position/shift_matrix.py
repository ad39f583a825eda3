"""The matrix that moves every sinusoidal description on by the same number of positions."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake

from ._frequencies import falling, wrong_frequencies


def _block(cos, sin):
    return [[cos, -sin], [sin, cos]]


def shift_matrix(
    k,
    d,
    base,
    *,
    places=lambda k: k,
    frequencies=falling,
    block=_block,
    columns=lambda i, d: [2 * i, 2 * i + 1],
):
    """A rotation for each pair of columns, by k times its frequency."""
    R = np.zeros((d, d))
    for i, angle in enumerate(places(k) * frequencies(d, base)):
        R[np.ix_(columns(i, d), columns(i, d))] = block(np.cos(angle), np.sin(angle))
    return R


def _made(**changed):
    """shift_matrix with one part replaced."""
    return lambda k, d, base: shift_matrix(k, d, base, **changed)


EXERCISE = Exercise(
    signature="shift_matrix(k, d, base)",
    task="Write shift_matrix(k, d, base): the matrix R for which P[t] @ R is P[t + k] at every "
    "position t. P is what sinusoids gives: the sine of pair i in column 2i, its cosine in column "
    "2i + 1, the frequency base^(−2i/d). k may be negative, and a fraction.",
    returns="an array of shape (d, d)",
    reference=shift_matrix,
    own=True,
    cases=(
        Case("one pair", (1, 2, 10.0)),
        Case("two pairs", (3, 4, 100.0)),
        Case("a shift back", (-2, 4, 16.0)),
        Case("a fraction of a position", (2.5, 6, 10000.0)),
        Case("no shift", (0, 4, 100.0)),
    ),
    mistakes=(
        *wrong_frequencies(_made),
        Mistake(
            "transposed",
            _made(block=lambda cos, sin: [[cos, sin], [-sin, cos]]),
            "This moves back by k: the sign of the sines is turned round, as if R were transposed. "
            "Check column 0 of pair 0: sin(t + k) = sin t cos k + cos t sin k, so below cos k "
            "stands +sin k. Rows are multiplied from the left, P[t] @ R.",
        ),
        Mistake(
            "wrong_pairs",
            _made(columns=lambda i, d: [i, i + d // 2]),
            "Columns i and i + d/2 are taken for a pair. The sine of pair i is in column 2i, and "
            "its cosine beside it.",
        ),
        Mistake(
            "one_step",
            _made(places=lambda k: 1),
            "This always moves by one position: k is left out of the angles.",
        ),
        Mistake(
            "exchanged",
            _made(block=lambda cos, sin: [[sin, -cos], [cos, sin]]),
            "Sine and cosine are exchanged: for k = 0 the matrix has to be the identity, with "
            "cosines on its diagonal.",
        ),
        Mistake(
            "no_minus",
            _made(block=lambda cos, sin: [[cos, sin], [sin, cos]]),
            "Both sines are positive, so this is no rotation and changes lengths. The cosine of a "
            "sum has a minus: cos(t + k) = cos t cos k − sin t sin k.",
        ),
        Mistake(
            "two_minuses",
            _made(block=lambda cos, sin: [[cos, -sin], [-sin, cos]]),
            "Both sines are negative, so this is no rotation and changes lengths. The sine of a "
            "sum has a plus: sin(t + k) = sin t cos k + cos t sin k.",
        ),
        Mistake(
            "mirrored",
            _made(block=lambda cos, sin: [[cos, sin], [sin, -cos]]),
            "This mirrors each pair, and twice a mirror is no shift at all. The minus belongs to "
            "a sine, not to a cosine.",
        ),
        Mistake(
            "cosines_only",
            _made(block=lambda cos, sin: [[cos, 0], [0, cos]]),
            "Only cosines on the diagonal: each component is scaled by itself. Sine and cosine of "
            "a pair have to mix, sin(t + k) = sin t cos k + cos t sin k.",
        ),
        Mistake(
            "one_too_many",
            _made(places=lambda k: k + 1),
            "This moves by k + 1. For k = 0 the matrix has to be the identity.",
        ),
        Mistake(
            "never_back",
            _made(places=abs),
            "Shifts back come out as shifts on. A negative k turns the other way.",
        ),
    ),
    properties=(
        lambda R, k, d, base: (
            None
            if np.shape(R) != (d, d) or np.allclose(R @ R.T, np.eye(d))
            else "R @ R.T is not the identity, so lengths change. All descriptions are equally "
            "long, and so is what a shift makes of them."
        ),
    ),
    definition="For each pair with frequency ω, the 2 × 2 block on the diagonal should take "
    "(sin t ω, cos t ω) to (sin (t + k) ω, cos (t + k) ω).",
    general="Write both addition theorems, with sin t and cos t in front of each term. What stands "
    "beside sin t is the first row of the block, what stands beside cos t the second.",
    why="The position t is nowhere in R: one matrix, which a layer can hold, serves all of them.",
)
