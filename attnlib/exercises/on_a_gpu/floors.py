"""The least times of naive and of fused attention."""

from functools import partial

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def _floors(
    *,
    join=max,
    naive_pairs=lambda n, causal: n * n,
    fused_pairs=lambda n, causal: n * (n + 1) // 2 if causal else n * n,
    naive_exponentials=None,
    fused_exponentials=None,
    passes=lambda causal: 6 if causal else 4,
    in_table=lambda n, causal: n * n,
    arrays=4,
    flops=4,
    exponentials=True,
):
    """floors, right or with one step replaced."""

    def found(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s):
        moved = (
            itemsize * (passes(causal) * in_table(n, causal) + arrays * n * d),
            itemsize * arrays * n * d,
        )
        pairs = naive_pairs(n, causal), fused_pairs(n, causal)
        softmax = naive_exponentials or naive_pairs, fused_exponentials or fused_pairs
        times = []
        for i in range(2):
            terms = [flops * pairs[i] * d / flops_per_s, moved[i] / bytes_per_s]
            if exponentials:
                terms.append(softmax[i](n, causal) / exponentials_per_s)
            times.append(join(terms))
        return np.array(times, float)

    return found


def _all(n, causal):
    return n * n


def _half(n, causal):
    return n * (n + 1) // 2 if causal else n * n


def _in_turns(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s, arrays=2):
    """Naive attention as kernels one after another, each with a least time of its own."""
    table, pair = n * n, arrays * n * d
    kernels = [(2 * table * d, pair + table, 0), (0, 2 * table, table)]
    kernels += [(0, 2 * table, 0)] if causal else []
    kernels += [(2 * table * d, table + pair, 0)]
    rates = flops_per_s, bytes_per_s / itemsize, exponentials_per_s
    naive = sum(max(x / rate for x, rate in zip(kernel, rates)) for kernel in kernels)
    fused = floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s)[1]
    return np.array([naive, fused])


def floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s):
    """The slowest of arithmetic, memory and exponentials, for each of the two ways."""
    arrays, allowed = 4 * n * d, n * (n + 1) // 2 if causal else n * n
    passes = 6 if causal else 4
    return np.array(
        [
            max(4 * pairs * d / flops_per_s, moved / bytes_per_s, pairs / exponentials_per_s)
            for pairs, moved in (
                (n * n, itemsize * (passes * n * n + arrays)),
                (allowed, itemsize * arrays),
            )
        ]
    )


IN_TURNS = (
    "The kernels of naive attention are taken one after another, each with a least time of its "
    "own. That is a sound bound, and a higher one. Asked for is the lower, with all FLOPs, all "
    "bytes and all exponentials taken together."
)
EXERCISE = Exercise(
    signature="floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s)",
    task="Write floors(n, d, itemsize, causal, flops_per_s, bytes_per_s, exponentials_per_s): the "
    "least seconds of naive and of fused attention for one head of n items, as an array of two "
    "numbers. Arithmetic, memory and exponentials go on side by side, all bytes of a way taken "
    "together. Naive attention computes all pairs, in four passes over the table, and in six with "
    "a causal mask; a fused kernel computes the allowed pairs only, each item's own among them.",
    returns="an array of two numbers, naive and fused",
    reference=floors,
    own=True,
    cases=(
        Case("memory as the limit", (3, 2, 4, False, 100.0, 40.0, 10.0)),
        Case("arithmetic as the limit", (10, 4, 2, False, 50.0, 1000.0, 900.0)),
        Case("exponentials as the limit", (8, 2, 2, False, 1e4, 1.1e4, 10.0)),
        Case("another limit for each way", (20, 4, 2, False, 1000.0, 400.0, 800.0)),
        Case("a mask with arithmetic as the limit", (6, 4, 2, True, 20.0, 400.0, 1000.0)),
        Case("a mask with memory as the limit", (5, 3, 4, True, 1000.0, 10.0, 900.0)),
        Case("a mask with exponentials as the limit", (7, 2, 2, True, 1e4, 1.2e4, 10.0)),
    ),
    mistakes=(
        Mistake(
            "sum",
            _floors(join=sum),
            "The times are added up. Arithmetic, memory and exponentials go on side by side: the "
            "slowest decides.",
        ),
        Mistake("in_turns", _in_turns, IN_TURNS),
        Mistake("tables_in_turns", partial(_in_turns, arrays=0), IN_TURNS),
        Mistake(
            "products_and_exponentials_added",
            _floors(join=lambda terms: max(terms[0] + terms[2], terms[1])),
            "Products and exponentials are added up. Here they go on side by side, and the slowest "
            "of the three decides.",
        ),
        Mistake(
            "table_of_allowed_pairs",
            _floors(in_table=_half),
            "The table has only the allowed pairs in this count. Naive attention writes and reads "
            "all n² numbers, forbidden ones too.",
        ),
        Mistake(
            "three_arrays",
            _floors(arrays=3),
            "Three arrays of n · d numbers move in this count. Queries, keys and values are read, "
            "and the outputs are written.",
        ),
        Mistake(
            "table_only",
            lambda n, d, s, causal, p, b, e: np.array(
                [
                    max(4 * n * n * d / p, (6 if causal else 4) * n * n * s / b, n * n / e),
                    floors(n, d, s, causal, p, b, e)[1],
                ]
            ),
            "In naive attention queries, keys, values and outputs move as well, beside the table.",
        ),
        Mistake(
            "no_exponentials",
            _floors(exponentials=False),
            "The exponentials are forgotten. Softmax takes one for each pair, and they have a rate "
            "of their own.",
        ),
        Mistake(
            "naive_halved",
            _floors(naive_pairs=_half),
            "Naive attention is spared the pairs that the mask forbids. It computes all of them, "
            "and throws these away.",
        ),
        Mistake(
            "naive_exponentials_halved",
            _floors(naive_exponentials=_half),
            "The exponentials of naive attention are halved by the mask. It takes one for each "
            "pair, of −∞ too.",
        ),
        Mistake(
            "fused_not_halved",
            _floors(fused_pairs=_all),
            "The fused kernel computes all pairs under the mask. It skips what is forbidden.",
        ),
        Mistake(
            "fused_exponentials_not_halved",
            _floors(fused_exponentials=_all),
            "The fused kernel takes an exponential for forbidden pairs, too. It skips these.",
        ),
        Mistake(
            "fused_work_not_halved",
            _floors(fused_pairs=_all, fused_exponentials=_half),
            "The FLOPs of the fused kernel are those of all pairs. It skips forbidden ones.",
        ),
        Mistake(
            "without_the_own_item",
            _floors(fused_pairs=lambda n, causal: n * (n - 1) // 2 if causal else n * n),
            "The mask leaves n (n − 1) / 2 pairs here. An item may attend to itself: that is n "
            "more.",
        ),
        Mistake(
            "exactly_half",
            _floors(fused_pairs=lambda n, causal: n * n / 2 if causal else n * n),
            "The mask leaves exactly half of the pairs here. The diagonal is allowed, too: "
            "n (n + 1) / 2.",
        ),
        Mistake(
            "four_passes",
            _floors(passes=lambda causal: 4),
            "Naive attention has four passes with the mask, too. As a kernel of its own the mask "
            "reads the table and writes it again.",
        ),
        Mistake(
            "six_passes",
            _floors(passes=lambda causal: 6),
            "Naive attention has six passes without a mask, too. The mask makes the two more.",
        ),
        Mistake(
            "multiply_adds",
            _floors(flops=2),
            "The work is counted in multiply-adds, and the rate in FLOPs: two for each.",
        ),
        Mistake(
            "rates_exchanged",
            lambda n, d, s, causal, p, b, e: floors(n, d, s, causal, b, p, e),
            "FLOPs are divided by the bytes a second, and bytes by the FLOPs a second. What waits "
            "for memory is taken for what waits for arithmetic.",
        ),
        Mistake(
            "ways_exchanged",
            lambda *given: floors(*given)[::-1],
            "Exchanged: naive comes first, then fused.",
        ),
        Mistake(
            "numbers",
            lambda n, d, s, causal, *rates: floors(n, d, 1, causal, *rates),
            "These are numbers that move. Each has itemsize bytes.",
        ),
    ),
    definition="It should be the largest of three quotients, for each of the two ways.",
    general="Take n = 3, d = 2, four bytes, no mask, and the rates 100, 40 and 10. The three "
    "quotients are 0.72, 6 and 0.9 for naive attention, and 0.72, 2.4 and 0.9 for fused. With a "
    "mask 6 of its 9 pairs are allowed: fused 0.48, 2.4 and 0.6, and naive moves two passes more.",
    why="A mask makes naive attention slower where memory is the limit, and a kernel that skips "
    "faster where it is not.",
)
