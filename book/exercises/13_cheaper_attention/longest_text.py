"""How long a text may be until its keys and values fill a memory."""

from attnlib.exercises import Case


def longest_text(memory, n_heads, n_groups, d_h, n_layers, itemsize):
    """Each word leaves a key and a value in each group of each layer."""
    return memory // (n_layers * 2 * n_groups * d_h * itemsize)


CASES = (
    Case("one layer, every head with its own", (1000, 2, 2, 3, 1, 4)),
    Case("heads in groups", (100_000, 6, 2, 3, 1, 4)),
    Case("layers", (1_000_001, 6, 3, 4, 5, 4)),
    Case("half precision, one group", (999_999, 8, 1, 5, 3, 2)),
    Case("float64", (9_999_999, 12, 4, 7, 2, 8)),
    Case("a memory that is just full", (960, 4, 2, 3, 2, 4)),
    Case("not one word fits", (191, 4, 4, 3, 2, 4)),
)
