"""Find items that look at the next one, where queries and keys are the items themselves."""

import numpy as np

from attnlib.exercises.engine.showing import listed, show

X = np.array([[1.0, 0.0], [2.0, 1.0], [1.5, 3.0]])

LINE = (
    "All items lie on one line through the origin. On each side of it all look at the same "
    "item, the one furthest out. Turn them a little."
)

SHORTER = (
    "The first item looks at itself. x₁ · x₂ has to be larger than x₁ · x₁, and that takes an x₂ "
    "that is longer than x₁: no dot product of x₁ with a vector of its own length is larger than "
    "x₁ · x₁."
)

APART = (
    "The first item looks at itself, although x₂ is longer: it points too far away. What counts is "
    "how far x₂ reaches along x₁."
)

PAST = (
    "The first item looks past the second, at the third. The third has to be found by the second "
    "and not by the first: let it point further away from the first."
)

AT_ITSELF = (
    "The first looks at the second, but the second looks at itself. What x₂ is to x₁, x₃ has to be "
    "to x₂: further out along it."
)

BACK = (
    "The other way round: the third looks at the second and the second at the first. The first is "
    "to look at the second."
)


def judge(X):
    """None if the first looks most at the second and the second at the third; else why not."""
    S = X @ X.T
    if reply := tied(S):
        return reply
    first, second, third = S.argmax(axis=1)
    if (first, second) == (1, 2):
        return None
    if np.linalg.matrix_rank(X, tol=1e-9 * abs(X).max()) < 2:
        return LINE
    if (second, third) == (0, 1):
        return BACK
    if first == 0:
        return SHORTER if S[1, 1] <= S[0, 0] * (1 + 1e-9) else APART
    return PAST if first == 2 else AT_ITSELF


def tied(S):
    """Which scores tie for the largest of the first item or of the second; None if none do."""
    names = "x₁", "x₂", "x₃"
    for asks, row in zip(names, S[:2]):
        near = row >= row.max() - 1e-6 * max(abs(row).max(), 1e-300)
        if near.sum() > 1:
            equal = listed([f"{asks} · {name}" for name, is_near in zip(names, near) if is_near])
            which = "first" if asks == "x₁" else "second"
            return (
                f"The largest scores of the {which} item tie: {equal} are equal. So it gives its "
                "largest weight to no item alone."
            )
    return None


def dot_products(X):
    return f"The dot products of the items are {show(X @ X.T)}.".replace("\n", "")


PROPERTIES = (dot_products,)
