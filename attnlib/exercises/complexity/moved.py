"""The bytes that attention moves when all scores are written to memory."""

from attnlib.exercises import Case, Exercise, Mistake


def moved(n, d_k, d_v, n_heads, itemsize):
    """Scores, softmax, weighted sums: each reads its inputs and writes its result."""
    return itemsize * n_heads * (4 * n * n + 2 * n * d_k + 2 * n * d_v)


def _with(pairs=4, keys=2, values=2):
    """moved with other numbers of passes over arrays."""
    return lambda n, k, v, h, s: s * h * (pairs * n * n + n * (keys * k + values * v))


EXERCISE = Exercise(
    signature="moved(n, d_k, d_v, n_heads, itemsize)",
    task="Write moved(n, d_k, d_v, n_heads, itemsize): the bytes that scores, softmax and weighted "
    "sums of all heads read and write, each reading its inputs once and writing its result once, "
    "for n queries and n keys. d_k and d_v are the lengths in one head.",
    returns="a single number",
    reference=moved,
    own=True,
    cases=(
        Case("three items and one head", (3, 2, 2, 1, 4)),
        Case("values longer than keys", (4, 3, 5, 1, 4)),
        Case("heads", (5, 4, 3, 6, 4)),
        Case("half precision", (8, 2, 7, 3, 2)),
        Case("double precision, more items", (20, 6, 4, 5, 8)),
    ),
    mistakes=(
        Mistake(
            "numbers",
            lambda n, k, v, h, s: moved(n, k, v, h, 1),
            "These are numbers. Each takes itemsize bytes.",
        ),
        Mistake(
            "always_four_bytes",
            lambda n, k, v, h, s: moved(n, k, v, h, 4),
            "Each number is counted with 4 bytes. How many it has is given: itemsize.",
        ),
        Mistake(
            "bits",
            lambda n, k, v, h, s: moved(n, k, v, h, 8 * s),
            "These are bits. itemsize is in bytes already.",
        ),
        Mistake(
            "megabytes",
            lambda n, k, v, h, s: moved(n, k, v, h, s) / 1e6,
            "These are megabytes. Bytes are asked for.",
        ),
        Mistake(
            "no_pass",
            _with(pairs=0),
            "The arrays of all pairs are missing. Here all scores are written to memory, and read "
            "again; only a fused kernel spares that.",
        ),
        Mistake(
            "one_pass",
            _with(pairs=1),
            "An array of n² numbers is moved once. The scores are written; softmax reads them and "
            "writes weights; the weighted sum reads those: count these.",
        ),
        Mistake(
            "two_passes",
            _with(pairs=2),
            "Arrays of n² numbers are moved twice. What one step writes, the next one has to read: "
            "that counts again.",
        ),
        Mistake(
            "three_passes",
            _with(pairs=3),
            "Arrays of n² numbers are moved three times. Go from the scores to the weighted sum: "
            "written, read, written, read.",
        ),
        Mistake(
            "five_passes",
            _with(pairs=5),
            "Arrays of n² numbers are moved five times. Softmax here is one step: it reads scores "
            "once and writes weights once.",
        ),
        Mistake(
            "six_passes",
            _with(pairs=6),
            "Arrays of n² numbers are moved six times, as with a scale or a mask in a call of its "
            "own. Here there are three steps only.",
        ),
        Mistake(
            "pairs_only",
            _with(keys=0, values=0),
            "Only arrays of all pairs are counted. Queries, keys, values and outputs move, too.",
        ),
        Mistake(
            "no_output",
            _with(values=1),
            "One array of n · d_v numbers is missing: the values are read, and the outputs are "
            "written.",
        ),
        Mistake(
            "keys_or_queries",
            _with(keys=1),
            "One array of n · d_k numbers is missing: queries and keys are both read.",
        ),
        Mistake(
            "one_of_each",
            _with(keys=1, values=1),
            "One array of n · d_k and one of n · d_v is counted. Queries and keys are read, values "
            "are read, and outputs are written: two of each.",
        ),
        Mistake(
            "three_by_d_k",
            _with(keys=3, values=1),
            "Values or outputs are counted with d_k. Both have d_v components.",
        ),
        Mistake(
            "all_by_d_k",
            _with(keys=4, values=0),
            "Everything is counted with d_k. Values and outputs have d_v components.",
        ),
        Mistake(
            "all_by_d_v",
            _with(keys=0, values=4),
            "Everything is counted with d_v. Queries and keys have d_k components.",
        ),
        Mistake(
            "three_by_d_v",
            _with(keys=1, values=3),
            "Queries or keys are counted with d_v. They meet in a dot product: both have d_k.",
        ),
        Mistake(
            "read_only",
            _with(pairs=2, values=1),
            "Only what is read is counted. Writing moves bytes as well: scores, weights, outputs.",
        ),
        Mistake(
            "written_only",
            _with(pairs=2, keys=0, values=1),
            "Only what is written is counted. Each step reads its inputs as well.",
        ),
        Mistake(
            "one_head",
            lambda n, k, v, h, s: moved(n, k, v, 1, s),
            "This is one head. Each has scores of its own, and queries, keys and values.",
        ),
        Mistake(
            "one_array_of_pairs_for_all",
            lambda n, k, v, h, s: s * (4 * n * n + h * n * (2 * k + 2 * v)),
            "The heads share one array of pairs here. Each head has scores of its own.",
        ),
        Mistake(
            "vectors_of_one_head",
            lambda n, k, v, h, s: s * (4 * h * n * n + n * (2 * k + 2 * v)),
            "Queries, keys and values are those of one head. d_k and d_v are lengths in one head, "
            "and there are n_heads of them.",
        ),
        Mistake(
            "scores_once",
            _with(pairs=1, keys=0, values=0),
            "This is how large the array of scores is. It is written and read, and softmax writes "
            "another one; queries, keys, values and outputs move as well.",
        ),
        Mistake(
            "projections",
            lambda n, k, v, h, s: s * h * (4 * n * n + 4 * n * (k + v)),
            "The vectors are moved twice as often as the three steps do. Projections are not "
            "part of this.",
        ),
        Mistake(
            "work",
            lambda n, k, v, h, s: s * h * n * n * (k + v),
            "That is the work, n² (d_k + d_v) multiply-adds, times bytes. What is moved are the "
            "arrays, each as large as its shape says.",
        ),
        Mistake(
            "pairs_times_length",
            lambda n, k, v, h, s: s * h * (4 * n * n * k + 2 * n * (k + v)),
            "Each pair is counted with d_k numbers. Its score is a single one.",
        ),
        Mistake(
            "linear",
            lambda n, k, v, h, s: s * h * (4 * n + 2 * n * (k + v)),
            "There are n pairs in this count. Each of n queries has a score with each of n keys.",
        ),
    ),
    definition="It should be the sizes of all arrays that the three steps take and return, in "
    "bytes, added up.",
    general="Take n = 3, d_k = d_v = 2, one head of 4 bytes. Write for each step what it reads "
    "and what it writes, with shapes; in the end 240 bytes should be there.",
    why="Of the four terms with n² none has a width in it: at d_k = d_v = 64 and n = 4096 they are "
    "98 % of the bytes.",
)
