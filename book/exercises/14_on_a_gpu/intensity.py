"""FLOPs for each byte that attention moves."""

from attnlib.exercises import Case


def intensity(n, d, itemsize, passes):
    """Two products over pairs, against the passes over the table and the four arrays of n d."""
    return 4 * n * n * d / (itemsize * (passes * n * n + 4 * n * d))


CASES = (
    Case("three items", (3, 2, 4, 4)),
    Case("a mask in a kernel of its own", (6, 4, 2, 6)),
    Case("many items", (1000, 64, 2, 4)),
    Case("eight passes, double precision", (40, 16, 8, 8)),
    Case("a single item", (1, 8, 4, 4)),
    Case("a fused kernel", (5, 3, 2, 0), rare=True),  # where the table alone ends in 1/0
)
