"""How many bytes the keys and values of a text take."""

from attnlib.exercises import Case, Exercise, Mistake


def cache_bytes(n, n_heads, n_groups, d_h, n_layers, itemsize):
    """Each word leaves a key and a value in each group of each layer."""
    return n * n_layers * 2 * n_groups * d_h * itemsize


def _times(factor):
    """The right count times factor(n, n_heads, n_groups, d_h, n_layers, itemsize)."""
    return lambda *sizes: cache_bytes(*sizes) * factor(*sizes)


EXERCISE = Exercise(
    signature="cache_bytes(n, n_heads, n_groups, d_h, n_layers, itemsize)",
    task="Write cache_bytes(n, n_heads, n_groups, d_h, n_layers, itemsize): the bytes that keys "
    "and values of n words take in all layers, where n_heads heads share them in n_groups groups "
    "and each has width d_h.",
    returns="a single number",
    reference=cache_bytes,
    own=True,
    cases=(
        Case("one word, one layer, every head with its own", (1, 2, 2, 3, 1, 4)),
        Case("heads in groups", (5, 6, 2, 3, 1, 4)),
        Case("layers", (7, 6, 3, 4, 5, 4)),
        Case("half precision, one group", (10, 8, 1, 5, 3, 2)),
        Case("double precision", (9, 12, 4, 7, 2, 8)),
    ),
    mistakes=(
        Mistake(
            "all_heads",
            _times(lambda n, h, g, d, layers, s: h / g),
            "Keys and values are counted for every head. Heads of one group share them: a word "
            "leaves one key and one value for each group.",
        ),
        Mistake(
            "heads_in_a_group",
            _times(lambda n, h, g, d, layers, s: h / g / g),
            "These are n_heads / n_groups keys for each word. That is how many heads share one; "
            "what is kept are n_groups of them.",
        ),
        Mistake(
            "heads_and_groups",
            _times(lambda n, h, g, d, layers, s: h),
            "Both heads and groups are counted. A group's key is kept once, however many heads "
            "ask it.",
        ),
        Mistake(
            "one_group",
            _times(lambda n, h, g, d, layers, s: 1 / g),
            "This is one group. Each has keys and values of its own.",
        ),
        Mistake(
            "queries_too",
            _times(lambda n, h, g, d, layers, s: (2 * g + h) / (2 * g)),
            "Queries are counted, too. A query is asked once and not kept.",
        ),
        Mistake(
            "three_of_each",
            _times(lambda n, h, g, d, layers, s: 3 / 2),
            "Three numbers are kept where there should be two. A query is asked once and not kept.",
        ),
        Mistake(
            "keys_alone",
            _times(lambda n, h, g, d, layers, s: 1 / 2),
            "Half of it is missing: values are kept as well as keys.",
        ),
        Mistake(
            "values_of_all_heads",
            _times(lambda n, h, g, d, layers, s: (g + h) / (2 * g)),
            "Keys are counted for each group, but values for each head, or the other way round. "
            "Heads of one group share both.",
        ),
        Mistake(
            "one_layer",
            _times(lambda n, h, g, d, layers, s: 1 / layers),
            "This is one layer. Each has keys and values of its own.",
        ),
        Mistake(
            "numbers",
            _times(lambda n, h, g, d, layers, s: 1 / s),
            "These are numbers. Each takes itemsize bytes.",
        ),
        Mistake(
            "always_four_bytes",
            _times(lambda n, h, g, d, layers, s: 4 / s),
            "Each number is counted with 4 bytes. How many it has is given: itemsize.",
        ),
        Mistake(
            "bits",
            _times(lambda n, h, g, d, layers, s: 8),
            "These are bits. itemsize is in bytes already.",
        ),
        Mistake(
            "one_word",
            _times(lambda n, h, g, d, layers, s: 1 / n),
            "This is what one word leaves. The cache keeps all n of them.",
        ),
        Mistake(
            "pairs",
            _times(lambda n, h, g, d, layers, s: n),
            "This grows with n². A cache keeps keys and values, and no scores: n of each.",
        ),
        Mistake(
            "table_of_scores",
            lambda n, h, g, d, layers, s: n * n * h * layers * s,
            "This is the table of all scores. A cache keeps keys and values instead.",
        ),
        Mistake(
            "no_width",
            _times(lambda n, h, g, d, layers, s: 1 / d),
            "Each key is counted as one number. It has d_h of them.",
        ),
        Mistake(
            "width_split_again",
            _times(lambda n, h, g, d, layers, s: 1 / h),
            "The width is divided by the number of heads. d_h is the width in one head already.",
        ),
        Mistake(
            "width_squared",
            _times(lambda n, h, g, d, layers, s: d),
            "This has the width twice, as a matrix of parameters would. A key is one row of d_h "
            "numbers.",
        ),
    ),
    definition="It should be twice as much for twice as many words, and the same for any number of "
    "heads.",
    general="What does one word leave in one layer? A key and a value for each group, of d_h "
    "numbers each. Then multiply by words, by layers and by bytes.",
    why="The number of heads is not in it. That is why heads share: the queries are free to be "
    "many.",
)
