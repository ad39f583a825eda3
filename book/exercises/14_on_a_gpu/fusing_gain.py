"""How much longer kernels in turns take than one that is fused."""

from attnlib.exercises import Case


def fusing_gain(d, itemsize, passes, ridge):
    """Two products and the passes between them, in units of the fused kernel's time."""
    one_pass = itemsize * ridge / (4 * d)
    return 2 * max(0.5, one_pass) + (passes - 2) * one_pass


CASES = (
    Case("all kernels wait for memory", (64, 2, 4, 200.0)),
    Case("products wait for arithmetic", (64, 4, 4, 14.0)),
    Case("a scale in a kernel of its own", (128, 2, 6, 300.0)),
    Case("products wait for arithmetic, eight passes", (96, 4, 8, 20.0)),
    Case("double precision, wide heads", (256, 8, 6, 50.0)),
    Case("products wait for arithmetic, narrow heads", (8, 2, 6, 3.0)),
    Case("a pass of more than half of the fused time", (64, 2, 4, 100.0)),
)
