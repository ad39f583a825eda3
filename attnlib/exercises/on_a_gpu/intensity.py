"""FLOPs for each byte that attention moves."""

from attnlib.exercises import Case, Exercise, Mistake


def intensity(n, d, itemsize, passes):
    """Two products over pairs, against the passes over the table and the four arrays of n d."""
    return 4 * n * n * d / (itemsize * (passes * n * n + 4 * n * d))


def _with(*, flops=4, passes=None, arrays=4):
    """intensity with another count."""

    def wrong(n, d, s, c):
        c = c if passes is None else passes
        return flops * n * n * d / (s * (c * n * n + arrays * n * d))

    return wrong


EXERCISE = Exercise(
    signature="intensity(n, d, itemsize, passes)",
    task="Write intensity(n, d, itemsize, passes): the FLOPs of scores and weighted sums for each "
    "byte that one head moves, with n queries and n keys, and queries, keys and values of length "
    "d. `passes` says how often the table of n² numbers is read or written; for a fused kernel it "
    "is 0.",
    returns="a single number",
    reference=intensity,
    own=True,
    cases=(
        Case("three items", (3, 2, 4, 4)),
        Case("a mask in a kernel of its own", (6, 4, 2, 6)),
        Case("many items", (1000, 64, 2, 4)),
        Case("eight passes, double precision", (40, 16, 8, 8)),
        Case("a single item", (1, 8, 4, 4)),
        Case("a fused kernel", (5, 3, 2, 0), rare=True),  # where the table alone ends in 1/0
    ),
    mistakes=(
        Mistake(
            "multiply_adds",
            _with(flops=2),
            "The number above is half of what it should be. A multiply-add is two FLOPs, and there "
            "are two products: scores and weighted sums.",
        ),
        Mistake(
            "one_multiply_add",
            _with(flops=1),
            "The number above is a quarter of what it should be: one product, in multiply-adds. "
            "There are two products, and a multiply-add is two FLOPs.",
        ),
        Mistake(
            "numbers",
            lambda n, d, s, c: intensity(n, d, 1, c),
            "These are FLOPs for each number that moves. A number has itemsize bytes.",
        ),
        Mistake(
            "times_the_bytes",
            lambda n, d, s, c: intensity(n, d, 1 / s, c),
            "The bytes of a number have got above the line. More bytes make fewer FLOPs for each.",
        ),
        Mistake(
            "upside_down",
            lambda n, d, s, c: 1 / intensity(n, d, s, c),
            "These are bytes for each FLOP. FLOPs stand above, bytes below.",
        ),
        Mistake(
            "table_only",
            lambda n, d, s, c: 4 * n * n * d / (s * c * n * n) if c else 0.0,
            "Only the table of pairs is counted below. Queries, keys, values and outputs move as "
            "well: with very many items they are a small part, but in a fused kernel all of it.",
        ),
        Mistake(
            "four_passes",
            _with(passes=4),
            "The table is counted with four passes whatever `passes` says.",
        ),
        Mistake(
            "fused_always",
            _with(passes=0),
            "The table of pairs is missing below. It is moved `passes` times.",
        ),
        Mistake(
            "no_output",
            _with(arrays=3),
            "Three arrays of n · d numbers are counted. Queries, keys and values are read, and the "
            "outputs are written.",
        ),
        Mistake(
            "two_arrays",
            _with(arrays=2),
            "Two arrays of n · d numbers are counted. There are four: queries, keys, values, "
            "outputs.",
        ),
        Mistake(
            "bytes_of_the_table_alone",
            lambda n, d, s, c: 4 * n * n * d / (s * c * n * n + 4 * n * d),
            "Only the table is counted in bytes, and not queries, keys, values and outputs. All of "
            "them have itemsize bytes a number: is a bracket missing?",
        ),
        Mistake(
            "bracket_missing",
            lambda n, d, s, c: 4 * n * n * d / s * (c * n * n + 4 * n * d),
            "You divide by itemsize and multiply by the rest. All of what is below the line needs "
            "a bracket.",
        ),
        Mistake(
            "one_array",
            _with(arrays=1),
            "One array of n · d numbers is counted. There are four: queries, keys, values, "
            "outputs.",
        ),
        Mistake(
            "exchanged",
            lambda n, d, s, c: intensity(d, n, s, c),
            "Exchanged: there are n items, of d numbers each.",
        ),
        Mistake(
            "linear_table",
            lambda n, d, s, c: 4 * n * n * d / (s * (c * n + 4 * n * d)),
            "The table has n numbers in this count. It has one for each pair: n².",
        ),
    ),
    definition="Times the bytes that move, it should be the FLOPs.",
    general="Take n = 3, d = 2, four bytes and four passes. There are 72 FLOPs and 240 bytes, so "
    "0.3 FLOPs a byte.",
    why="With many items it comes near to 4 d / (c s): heads that are wider raise it, and more "
    "items do not. Without passes it is n / s.",
)
