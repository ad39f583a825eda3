"""The bytes that attention moves when all scores are written to memory."""

from attnlib.exercises import Case


def moved(n, d_k, d_v, n_heads, itemsize):
    """Scores, softmax, weighted sums: each reads its inputs and writes its result."""
    return itemsize * n_heads * (4 * n * n + 2 * n * d_k + 2 * n * d_v)


CASES = (
    Case("three items and one head", (3, 2, 2, 1, 4)),
    Case("values longer than keys", (4, 3, 5, 1, 4)),
    Case("heads", (5, 4, 3, 6, 4)),
    Case("half precision", (8, 2, 7, 3, 2)),
    Case("double precision, more items", (20, 6, 4, 5, 8)),
)
