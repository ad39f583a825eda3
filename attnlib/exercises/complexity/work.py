"""The work of a layer of self-attention, projections included."""

from attnlib.exercises import Case, Exercise, Mistake


def work(n, d_model, n_heads):
    """Multiply-adds of four projections, of the scores and of the weighted sums."""
    return 4 * n * d_model**2 + 2 * n**2 * d_model


PROJECTIONS_DOUBLE = (
    "The projections are counted in FLOPs, two for a multiply-add, and the pairs in multiply-adds. "
    "Count both alike, or their shares are wrong: multiply-adds are asked for."
)
PAIRS_DOUBLE = (
    "The scores and weighted sums are counted in FLOPs, two for a multiply-add, and the "
    "projections in multiply-adds. Count both alike: multiply-adds are asked for."
)
HEADS_WIDE = (
    "Each head is counted with keys and values of d_model components. It has d_model / n_heads, so "
    "that all heads together do as many multiply-adds as one of the full width."
)

EXERCISE = Exercise(
    signature="work(n, d_model, n_heads)",
    task="Write work(n, d_model, n_heads): the multiply-adds of the matrix products of a "
    "self-attention layer for n items, with four square projections. Each head has "
    "queries, keys and values of width d_model / n_heads.",
    returns="a single number",
    reference=work,
    own=True,
    cases=(
        Case("three items and one head", (3, 2, 1)),
        Case("two heads", (5, 6, 2)),
        Case("more items than components", (20, 8, 4)),
        Case("more components than items", (7, 48, 3)),
        Case("a single item", (1, 12, 4)),
        Case("many heads", (32, 24, 8)),
    ),
    mistakes=(
        Mistake(
            "softmax_counted",
            lambda n, d, h: work(n, d, h) + 6 * h * n * n,
            "Softmax is counted as well, six operations for each pair and head. Asked for are the "
            "multiply-adds of matrix products alone.",
        ),
        Mistake(
            "no_projections",
            lambda n, d, h: 2 * n * n * d,
            "The projections are missing: only scores and weighted sums are counted. Queries, keys "
            "and values are made of the items by three matrices, and a fourth comes last.",
        ),
        Mistake(
            "no_output_projection",
            lambda n, d, h: 3 * n * d * d + 2 * n * n * d,
            "Three projections are counted. A fourth, W_O, follows the heads.",
        ),
        Mistake(
            "one_projection",
            lambda n, d, h: n * d * d + 2 * n * n * d,
            "One projection is counted. Queries, keys and values have one each, and a fourth "
            "follows the heads.",
        ),
        Mistake(
            "two_projections",
            lambda n, d, h: 2 * n * d * d + 2 * n * n * d,
            "Two projections are counted. Queries, keys and values have one each, and a fourth "
            "follows the heads.",
        ),
        Mistake(
            "projections_only",
            lambda n, d, h: 4 * n * d * d,
            "Only the projections are counted. Scores and weighted sums are matrix products, too.",
        ),
        Mistake(
            "flops",
            lambda n, d, h: 2 * work(n, d, h),
            "These are FLOPs, two for each multiply-add. Multiply-adds are asked for.",
        ),
        Mistake(
            "flops_to_the_last",
            lambda n, d, h: (
                4 * n * d * (2 * d - 1) + h * n * n * (2 * (d // h) - 1) + n * d * (2 * n - 1)
            ),
            "These are multiplications and additions to the last, 2 k - 1 for a sum of k products. "
            "Multiply-adds are asked for: k of them.",
        ),
        Mistake(
            "projections_as_flops",
            lambda n, d, h: 8 * n * d * d + 2 * n * n * d,
            PROJECTIONS_DOUBLE,
        ),
        Mistake("pairs_as_flops", lambda n, d, h: 4 * n * d * d + 4 * n * n * d, PAIRS_DOUBLE),
        Mistake(
            "three_projections_as_flops",
            lambda n, d, h: 6 * n * d * d + 2 * n * n * d,
            "Two things at once: there is a fourth projection, after the heads; and a multiply-add "
            "counts two in the projections, one in the pairs.",
        ),
        Mistake(
            "three_projections_and_pairs_as_flops",
            lambda n, d, h: 3 * n * d * d + 4 * n * n * d,
            "Two things at once: there is a fourth projection, after the heads; and a multiply-add "
            "counts two in the pairs, one in the projections.",
        ),
        Mistake(
            "without_the_weighted_sums",
            lambda n, d, h: 4 * n * d * d + n * n * d,
            "There are n² d multiply-adds over pairs, which is one product. The scores are one, "
            "and the weighted sums another of the same size.",
        ),
        Mistake(
            "heads_of_full_width",
            lambda n, d, h: 4 * n * d * d + 2 * h * n * n * d,
            HEADS_WIDE,
        ),
        Mistake("everything_times_heads", lambda n, d, h: h * work(n, d, 1), HEADS_WIDE),
        Mistake(
            "projections_times_heads",
            lambda n, d, h: 4 * h * n * d * d + 2 * n * n * d,
            "The projections are multiplied by the heads. The matrices of all heads stand side by "
            "side in one of d_model times d_model.",
        ),
        Mistake(
            "one_head_only",
            lambda n, d, h: 4 * n * d * d + 2 * n * n * d / h,
            "The pairs are those of one head. All of them have scores and weighted sums: n_heads "
            "times d_model / n_heads.",
        ),
        Mistake(
            "projections_of_one_head",
            lambda n, d, h: 4 * n * d * d / h + 2 * n * n * d,
            "The projections are too small by the factor n_heads. All heads together make d_model "
            "components, and the matrices of each head take the whole item, not its share.",
        ),
        Mistake(
            "one_head_everywhere",
            lambda n, d, h: work(n, d, h) / h,
            "This is the work of one head. There are n_heads of them.",
        ),
        Mistake(
            "narrow_projections_before",
            lambda n, d, h: 3 * n * d * d / h + n * d * d + 2 * n * n * d,
            "The projections to queries, keys and values are too small by the factor n_heads. All "
            "heads together have d_model components of each, and the matrices of each head take "
            "the whole item, not its share.",
        ),
        Mistake(
            "softmax",
            lambda n, d, h: work(n, d, h) + h * n * n,
            "One operation for each score is counted besides, as of softmax. Only matrix products "
            "are asked for.",
        ),
        Mistake(
            "one_of_each",
            lambda n, d, h: n * d * d + n * n * d,
            "One projection and one product over pairs are counted. There are four projections, "
            "and two products over pairs: scores and weighted sums.",
        ),
        Mistake(
            "flops_without_the_output_projection",
            lambda n, d, h: 6 * n * d * d + 4 * n * n * d,
            "Two things at once: there is a fourth projection, after the heads; and these are "
            "FLOPs, two for each multiply-add.",
        ),
        Mistake(
            "linear_in_items",
            lambda n, d, h: 4 * n * d * d + 2 * n * d,
            "Each item meets only one other in this count. Every query meets every key: n² pairs.",
        ),
        Mistake(
            "pairs_as_one_number",
            lambda n, d, h: 4 * n * d * d + 2 * n * n,
            "Each pair counts as one multiply-add. A score is a dot product: as many as a key has "
            "components.",
        ),
        Mistake(
            "pairs_as_one_number_in_each_head",
            lambda n, d, h: 4 * n * d * d + 2 * h * n * n,
            "Each pair of a head counts as one multiply-add. A score is a dot product: as many as "
            "a key of that head has components.",
        ),
        Mistake(
            "exchanged",
            lambda n, d, h: 4 * n * n * d + 2 * n * d * d,
            "Exchanged: projections take n d² multiply-adds each, and pairs take n² d.",
        ),
        Mistake(
            "projections_quadratic_in_n",
            lambda n, d, h: 4 * n * n * d * d + 2 * n * n * d,
            "The projections grow with n² here. Each item is projected once: n rows times a "
            "matrix of d².",
        ),
        Mistake(
            "pairs_quadratic_in_d",
            lambda n, d, h: 4 * n * d * d + 2 * n * n * d * d,
            "The pairs grow with d² here. A score is one dot product, of d multiply-adds.",
        ),
        Mistake(
            "matrices_without_items",
            lambda n, d, h: 4 * d * d + 2 * n * n * d,
            "The projections count their matrices' entries. Each of the n items meets them all.",
        ),
        Mistake(
            "feed_forward",
            lambda n, d, h: 12 * n * d * d + 2 * n * n * d,
            "The feed-forward network of a block is counted too, 8 n d². Only the layer of "
            "attention is asked for.",
        ),
        Mistake(
            "half_masked",
            lambda n, d, h: 4 * n * d * d + n * (n + 1) * d,
            "Half of the pairs are left out, as if a causal mask spared them. No mask is given.",
        ),
        Mistake(
            "not_itself",
            lambda n, d, h: 4 * n * d * d + 2 * n * (n - 1) * d,
            "An item meets itself, too: n keys for each query, not n - 1.",
        ),
    ),
    definition="It should be what a counter in the innermost loop says when every product is "
    "written out.",
    general="Write down the two shapes of every product. (a, b) times (b, c) takes a · b · c.",
    why="Heads do not appear in the result, 4 n d² + 2 n² d: they share the width. And at n = 2 d "
    "both parts are equal.",
)
