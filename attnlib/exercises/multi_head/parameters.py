"""How many numbers multi-head attention learns."""

from attnlib.exercises import Case, Exercise, Mistake


def parameters(d_model, n_heads, d_k, d_v):
    """Entries of W_Q, W_K, W_V and W_O, without biases."""
    return n_heads * d_model * (2 * d_k + 2 * d_v)


EXERCISE = Exercise(
    signature="parameters(d_model, n_heads, d_k, d_v)",
    task="Write parameters(d_model, n_heads, d_k, d_v): how many entries W_Q, W_K, W_V and W_O "
    "have together, without biases, if items and outputs have d_model components.",
    returns="a single number",
    reference=parameters,
    cases=(
        Case("one head", (5, 1, 2, 3)),
        Case("keys longer than values", (6, 2, 5, 4)),
        Case("values longer than keys", (7, 3, 2, 6)),
        Case("equal shares", (64, 8, 8, 8)),
    ),
    mistakes=(
        Mistake(
            "one_sized_by_d_k",
            lambda d, h, k, v: h * d * (3 * k + v),
            "One of W_V and W_O is counted with d_k. Both belong to values: W_V makes them, and "
            "W_O takes n_heads outputs of length d_v.",
        ),
        Mistake(
            "all_sized_by_d_k",
            lambda d, h, k, v: 4 * h * d * k,
            "All four matrices are counted with d_k. W_V and W_O belong to values, which have d_v "
            "components in each head.",
        ),
        Mistake(
            "of_one_head",
            lambda d, h, k, v: d * (2 * k + 2 * v),
            "These are the matrices of a single head. Each head has its own columns of W_Q, W_K "
            "and W_V, and its own rows of W_O.",
        ),
        Mistake(
            "without_W_O",
            lambda d, h, k, v: h * d * (2 * k + v),
            "W_O is missing: n_heads times d_v rows, d_model columns.",
        ),
        Mistake(
            "W_O_of_one_head",
            lambda d, h, k, v: h * d * (2 * k + v) + v * d,
            "W_O is counted for one head, d_v rows. It takes the outputs of all heads, side by "
            "side.",
        ),
        Mistake(
            "W_O_square",
            lambda d, h, k, v: h * d * (2 * k + v) + d * d,
            "W_O is counted as a square of d_model. It has as many rows as the merged heads have "
            "columns, and that is d_model only if n_heads times d_v is.",
        ),
        Mistake(
            "W_O_square_of_the_heads",
            lambda d, h, k, v: h * d * (2 * k + v) + (h * v) ** 2,
            "W_O is counted as a square of n_heads times d_v. It makes outputs as long as an item: "
            "its columns are d_model.",
        ),
        Mistake(
            "four_squares",
            lambda d, h, k, v: 4 * d * d,
            "That is 4 d_model², which is right only where n_heads · (d_k + d_v) is "
            "twice d_model. Use the lengths that are given.",
        ),
        Mistake(
            "keys_share_with_queries",
            lambda d, h, k, v: h * d * (k + 2 * v),
            "Only one of W_Q and W_K is counted. Queries and keys have a matrix each.",
        ),
        Mistake(
            "with_biases",
            lambda d, h, k, v: h * d * (2 * k + 2 * v) + h * (2 * k + v) + d,
            "The biases are counted too. Only the four matrices are asked for.",
        ),
        Mistake(
            "heads_twice",
            lambda d, h, k, v: h * h * d * (2 * k + 2 * v),
            "The number of heads is multiplied in twice. d_k and d_v are the lengths in one head.",
        ),
        Mistake(
            "shared_by_heads",
            lambda d, h, k, v: d * (2 * k + 2 * v) / h,
            "The lengths are divided by the number of heads. d_k and d_v are the lengths in one "
            "head already, and there are n_heads of them.",
        ),
        Mistake(
            "no_d_model",
            lambda d, h, k, v: h * (2 * k + 2 * v),
            "These are the columns of the matrices, W_O turned round. Each has d_model entries.",
        ),
        Mistake(
            "added",
            lambda d, h, k, v: 4 * d + h * (2 * k + 2 * v),
            "Rows and columns are added. A matrix has rows times columns entries.",
        ),
        Mistake(
            "three_of_d_v",
            lambda d, h, k, v: h * d * (k + 3 * v),
            "One of W_Q and W_K is counted with d_v. Queries and keys meet in a dot product, so "
            "both have d_k components.",
        ),
        Mistake(
            "one_matrix_for_all",
            lambda d, h, k, v: h * d * (k + v),
            "There are four matrices, two with d_k and two with d_v.",
        ),
    ),
    definition="It should be what you count when you make the four matrices and add up their "
    "sizes.",
    general="Write down the shape of each matrix, for one head first, then side by side for all. "
    "Then multiply and add.",
    why="With d_k = d_v = d_model / n_heads it is 4 d_model², however many heads: more heads are "
    "narrower, not more numbers.",
)
