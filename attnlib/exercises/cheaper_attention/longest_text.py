"""How long a text may be until its keys and values fill a memory."""

from attnlib.exercises import Case, Exercise, Mistake


def longest_text(memory, n_heads, n_groups, d_h, n_layers, itemsize):
    """Each word leaves a key and a value in each group of each layer."""
    return memory // (n_layers * 2 * n_groups * d_h * itemsize)


def _word(factor):
    """The right answer if a word took factor(n_heads, n_groups, d_h, n_layers, itemsize) times."""
    return lambda memory, *sizes: int(
        memory // (factor(*sizes) * sizes[3] * 2 * sizes[1] * sizes[2] * sizes[4])
    )


def _exact(memory, *sizes):
    return memory / (sizes[3] * 2 * sizes[1] * sizes[2] * sizes[4])


EXERCISE = Exercise(
    signature="longest_text(memory, n_heads, n_groups, d_h, n_layers, itemsize)",
    task="Write longest_text(memory, n_heads, n_groups, d_h, n_layers, itemsize): how many words' "
    "keys and values fit into memory bytes, a whole number, where n_heads heads share them in "
    "n_groups groups, each of width d_h.",
    returns="a single number",
    reference=longest_text,
    own=True,
    cases=(
        Case("one layer, every head with its own", (1000, 2, 2, 3, 1, 4)),
        Case("heads in groups", (100_000, 6, 2, 3, 1, 4)),
        Case("layers", (1_000_001, 6, 3, 4, 5, 4)),
        Case("half precision, one group", (999_999, 8, 1, 5, 3, 2)),
        Case("float64", (9_999_999, 12, 4, 7, 2, 8)),
        Case("a memory that is just full", (960, 4, 2, 3, 2, 4)),
        Case("not one word fits", (191, 4, 4, 3, 2, 4)),
    ),
    mistakes=(
        Mistake(
            "all_heads",
            _word(lambda h, g, d, layers, s: h / g),
            "Keys and values are counted for every head. Heads of one group share them: a word "
            "leaves one key and one value for each group.",
        ),
        Mistake(
            "heads_in_a_group",
            _word(lambda h, g, d, layers, s: h / g / g),
            "These are n_heads / n_groups keys for each word. That is how many heads share one; "
            "what is kept are n_groups of them.",
        ),
        Mistake(
            "heads_and_groups",
            _word(lambda h, g, d, layers, s: h),
            "Both heads and groups are counted. A group's key is kept once, however many heads "
            "ask it.",
        ),
        Mistake(
            "one_group",
            _word(lambda h, g, d, layers, s: 1 / g),
            "This is one group. Each has keys and values of its own.",
        ),
        Mistake(
            "queries_too",
            _word(lambda h, g, d, layers, s: (2 * g + h) / (2 * g)),
            "Queries are counted, too. A query is asked once and not kept.",
        ),
        Mistake(
            "three_of_each",
            _word(lambda h, g, d, layers, s: 3 / 2),
            "Three numbers are kept where there should be two. A query is asked once and not kept.",
        ),
        Mistake(
            "keys_alone",
            _word(lambda h, g, d, layers, s: 1 / 2),
            "Only half of what a word leaves is counted: values are kept as well as keys.",
        ),
        Mistake(
            "one_layer",
            _word(lambda h, g, d, layers, s: 1 / layers),
            "This is one layer. Each has keys and values of its own.",
        ),
        Mistake(
            "numbers",
            _word(lambda h, g, d, layers, s: 1 / s),
            "A word is counted in numbers. Each takes itemsize bytes.",
        ),
        Mistake(
            "always_four_bytes",
            _word(lambda h, g, d, layers, s: 4 / s),
            "Each number is counted with 4 bytes. How many it has is given: itemsize.",
        ),
        Mistake(
            "bits",
            _word(lambda h, g, d, layers, s: 8),
            "A word is counted in bits. itemsize is in bytes already, and so is the memory.",
        ),
        Mistake(
            "no_width",
            _word(lambda h, g, d, layers, s: 1 / d),
            "Each key is counted as one number. It has d_h of them.",
        ),
        Mistake(
            "width_split_again",
            _word(lambda h, g, d, layers, s: 1 / h),
            "The width is divided by the number of heads. d_h is the width in one head already.",
        ),
        Mistake(
            "rounded_up",
            lambda *args: -int(-_exact(*args) // 1),
            "This is rounded up: the last word does not fit as a whole.",
        ),
        Mistake(
            "rounded",
            lambda *args: round(_exact(*args)),
            "This is rounded to the nearest: where it goes up, the last word does not fit.",
        ),
        Mistake(
            "not_whole",
            _exact,
            "A part of a word does not fit. Round down, with // or int().",
        ),
        Mistake(
            "one_too_few",
            lambda *args: longest_text(*args) - 1,
            "One more word would fit. A memory that is full to the last byte is not too small.",
        ),
    ),
    definition="It should be twice as much for twice the memory, up to one word, and the same for "
    "any number of heads.",
    general="How many bytes does one word leave? A key and a value for each group of each layer, "
    "of d_h numbers each, of itemsize bytes. How often does that fit into the memory?",
    why="The number of heads is not in it. That is why heads share: the queries are free to be "
    "many.",
)
