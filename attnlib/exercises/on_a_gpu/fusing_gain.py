"""How much longer kernels in turns take than one that is fused."""

from attnlib.exercises import Case, Exercise, Mistake


def fusing_gain(d, itemsize, passes, ridge):
    """Two products and the passes between them, in units of the fused kernel's time."""
    one_pass = itemsize * ridge / (4 * d)
    return 2 * max(0.5, one_pass) + (passes - 2) * one_pass


def _with(*, product=lambda one: max(0.5, one), between=lambda passes: passes - 2):
    """fusing_gain with one step replaced."""

    def wrong(d, itemsize, passes, ridge):
        one_pass = itemsize * ridge / (4 * d)
        return 2 * product(one_pass) + between(passes) * one_pass

    return wrong


EXERCISE = Exercise(
    signature="fusing_gain(d, itemsize, passes, ridge)",
    task="Write fusing_gain(d, itemsize, passes, ridge): for very many items, the least time of "
    "naive attention over that of fused attention, which is compute-bound. Naive attention is "
    "kernels one after another: two matrix products of 2 n² d FLOPs, each of which moves the table "
    "of n² numbers once, and between them kernels that move it passes − 2 times in all, without "
    "FLOPs. No pair is skipped.",
    returns="a single number",
    reference=fusing_gain,
    own=True,
    cases=(
        Case("all kernels wait for memory", (64, 2, 4, 200.0)),
        Case("products wait for arithmetic", (64, 4, 4, 14.0)),
        Case("a scale in a kernel of its own", (128, 2, 6, 300.0)),
        Case("products wait for arithmetic, eight passes", (96, 4, 8, 20.0)),
        Case("double precision, wide heads", (256, 8, 6, 50.0)),
        Case("products wait for arithmetic, narrow heads", (8, 2, 6, 3.0)),
        Case("a pass of more than half of the fused time", (64, 2, 4, 100.0)),
    ),
    mistakes=(
        Mistake(
            "on_the_whole",
            lambda d, s, c, ridge: max(1, c * s * ridge / (4 * d)),
            "All FLOPs are weighed against all bytes. Kernels run one after another: while softmax "
            "waits for memory, no product is computed. Take the least time of each, and add up.",
        ),
        Mistake(
            "bytes_alone",
            lambda d, s, c, ridge: c * s * ridge / (4 * d),
            "Only the bytes are counted. A product takes at least its FLOPs, too.",
        ),
        Mistake(
            "all_added",
            lambda d, s, c, ridge: 1 + c * s * ridge / (4 * d),
            "FLOPs and bytes of a product are added up. Within a kernel they go on side by side: "
            "the longer decides.",
        ),
        Mistake(
            "products_by_arithmetic",
            _with(product=lambda one: 0.5),
            "A product takes the time of its FLOPs here. It moves the table once: if that takes "
            "longer, it decides.",
        ),
        Mistake(
            "products_left_out",
            _with(product=lambda one: 0.0),
            "The two products are missing. Only the kernels between them are counted.",
        ),
        Mistake(
            "held_against_all",
            _with(product=lambda one: 0.5 if one < 1 else one),
            "A pass is held against the whole fused time. A product has half of the FLOPs: it "
            "waits for memory as soon as a pass takes more than 0.5.",
        ),
        Mistake(
            "one_product",
            lambda d, s, c, ridge: fusing_gain(d, s, c, ridge) - max(0.5, s * ridge / (4 * d)),
            "One product is counted. The scores are one, the weighted sums another.",
        ),
        Mistake(
            "a_product_takes_all",
            _with(product=lambda one: max(1.0, one)),
            "Each product takes as long as the fused kernel. It has half of its FLOPs.",
        ),
        Mistake(
            "products_as_one",
            lambda d, s, c, ridge: max(1, s * ridge / (4 * d)) + (c - 2) * s * ridge / (4 * d),
            "The two products move the table once together. Each of them moves it once.",
        ),
        Mistake(
            "passes_again",
            _with(between=lambda passes: passes),
            "The passes of the products are counted twice: passes − 2 are left between them.",
        ),
        Mistake(
            "one_pass_too_many",
            _with(between=lambda passes: passes - 1),
            "There are passes − 1 between the products here. Both products move the table: two are "
            "gone.",
        ),
        Mistake(
            "four_passes",
            _with(between=lambda passes: 2),
            "Four passes are counted, whatever `passes` says.",
        ),
        Mistake(
            "upside_down",
            lambda *given: 1 / fusing_gain(*given),
            "Upside down: this is the time of fused attention over that of naive attention.",
        ),
        Mistake(
            "numbers",
            lambda d, s, c, ridge: fusing_gain(d, 1, c, ridge),
            "The ridge is FLOPs for each byte. A number has itemsize bytes.",
        ),
        Mistake(
            "multiply_adds",
            lambda d, s, c, ridge: fusing_gain(d, s, c, 2 * ridge),
            "The fused kernel is counted with 2 n² d. Two products of 2 n² d FLOPs are 4 n² d.",
        ),
        Mistake(
            "one_multiply_add",
            lambda d, s, c, ridge: fusing_gain(d, s, c, 4 * ridge),
            "A pass is measured against n² d. The fused kernel has 4 n² d FLOPs.",
        ),
        Mistake(
            "divided_by_the_ridge",
            lambda d, s, c, ridge: fusing_gain(d, s, c, 1 / ridge),
            "The ridge has got below the line. It is what the machine does while a byte moves: the "
            "higher it is, the more a pass costs.",
        ),
        Mistake(
            "slowest_kernel",
            lambda d, s, c, ridge: max(0.5, s * ridge / (4 * d) * max(1, c - 2)),
            "This is the time of the slowest kernel. They run one after another: add up.",
        ),
    ),
    definition="Times 4 n² d FLOPs, over the peak, it should be the seconds of all kernels "
    "together.",
    general="Take d = 64, two bytes, four passes and a ridge of 200. One pass takes "
    "2 · 200 / 256 = 1.5625 of the fused time, and all four 6.25.",
    why="Where the products wait for arithmetic the ratio is 1 and the passes between: one kernel "
    "computes and moves at once, kernels in turns do not.",
)
