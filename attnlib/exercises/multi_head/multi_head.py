"""The whole of multi-head attention, from items to outputs."""

import numpy as np

from attnlib import merge_heads, scaled_dot_product_attention, softmax, split_heads
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Each head attends for itself; W_O makes one output of all."""
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    weights = softmax(Q @ K.mT / np.sqrt(Q.shape[-1]))
    return merge_heads(weights @ V) @ W_O


def _with(
    *,
    split=split_heads,
    merge=merge_heads,
    length=lambda Q, W_Q: Q.shape[-1],
    root=np.sqrt,
    weigh=softmax,
    project_out=lambda merged, W_O, n_heads: merged @ W_O,
):
    """multi_head with one step replaced."""

    def wrong(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
        Q, K, V = (split(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
        scores = Q @ K.mT / root(np.float64(length(Q, W_Q)))
        return project_out(merge(weigh(scores) @ V), W_O, n_heads)

    return wrong


def _reshaped(X, n_heads):
    n, width = X.shape
    return X.reshape(n_heads, n, width // n_heads)


def _interleaved(X, n_heads):
    return np.stack([X[:, h::n_heads] for h in range(n_heads)])


def _merged_by_reshape(Y):
    n_heads, n, d_v = Y.shape
    return Y.reshape(n, n_heads * d_v)


def _first_rows(merged, W_O, n_heads):
    """The mean of the heads' outputs with as many rows of W_O as it has components."""
    Y = split_heads(merged, n_heads)
    return Y.mean(axis=0) @ W_O[: Y.shape[-1]]


def _summed(merged, W_O, n_heads):
    """The sum of the heads' outputs with as many rows of W_O as it has components."""
    Y = split_heads(merged, n_heads)
    return Y.sum(axis=0) @ W_O[: Y.shape[-1]]


def _under_one_another(Y):
    return Y.reshape(-1, Y.shape[-1])


def _not_moved(X, n_heads):
    return X.reshape(len(X), n_heads, -1)


def _weights_averaged(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    weights = softmax(Q @ K.mT / np.sqrt(Q.shape[-1])).mean(axis=0)
    return merge_heads(weights @ V) @ W_O


def _last_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Only what the last round of a loop over the heads has left."""
    d_v = W_V.shape[1] // n_heads
    Q, K, V = (split_heads(X, n_heads)[-1] for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    return softmax(Q @ K.T / np.sqrt(Q.shape[-1])) @ V @ W_O[-d_v:]


def _softmax_over(axis):
    def weigh(scores):
        exponentials = np.exp(scores - scores.max())
        return exponentials / exponentials.sum(axis=axis, keepdims=True)

    return weigh


def _pair_merged(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Outputs and weights of all heads merged as if they were one array."""
    Q, K, V = (split_heads(X, n_heads) for X in (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V))
    return merge_heads(scaled_dot_product_attention(Q, K, V)) @ W_O


def _pair_in_each_round(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads):
    """Outputs and weights of each head side by side, in a loop."""
    projected = (X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V)
    pieces = zip(*(np.split(X, n_heads, axis=-1) for X in projected))
    return np.hstack([scaled_dot_product_attention(*piece) for piece in pieces]) @ W_O


def _on_items(change):
    """multi_head with its arguments changed first."""
    return lambda *given: multi_head(*change(*given))


def _given(n_q, n_k, d_model, d_source, n_heads, d_k, d_v, d_out):
    """Items, matrices and the number of heads."""
    keys, values = n_heads * d_k, n_heads * d_v
    items, matrices = [(n_q, d_model), (n_k, d_source)], [(d_model, keys), (d_source, keys)]
    return (*draw(*items, *matrices, (d_source, values), (values, d_out)), n_heads)


SPLIT = (
    "Queries, keys and values are split by reshape alone. The shapes fit and the numbers do not: "
    "the first head gets all of the first rows instead of the first columns of every row."
)
PAIR = (
    "The call of scaled_dot_product_attention returns a pair, outputs and weights, and both go on "
    "to the merge. Give both a name, or take the element [0], which is the outputs."
)
BY_WIDTH = (
    "The scores are divided by the root of the whole width, d_model or n_heads times d_k. A dot "
    "product within a head has d_k terms: divide by √d_k."
)

EXERCISE = Exercise(
    signature="multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads)",
    task="Write multi_head(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads): project, split into heads, "
    "scaled dot-product attention in each, merge, and multiply by W_O.",
    returns="an array of shape (n_q, d_out)",
    reference=multi_head,
    cases=(
        Case("one head", _given(1, 2, 2, 2, 1, 2, 2, 2)),
        Case("square matrices", _given(4, 4, 4, 4, 2, 2, 2, 4)),
        Case("three heads", _given(2, 5, 6, 6, 3, 2, 2, 6)),
        Case("all sizes different", _given(3, 5, 6, 7, 2, 4, 9, 8)),
    ),
    mistakes=(
        Mistake("split_by_reshape", _with(split=_reshaped), SPLIT),
        Mistake(
            "split_and_merged_by_reshape",
            _with(split=_reshaped, merge=_merged_by_reshape),
            "The heads are split and merged by reshape alone. The two do undo each other, but in "
            "between a head holds pieces of several columns: a key is torn apart, and meets pieces "
            "of queries that are not its own.",
        ),
        Mistake(
            "merged_by_reshape",
            _with(merge=_merged_by_reshape),
            "The heads are merged by reshape alone, so a row of the output gets several rows of "
            "one head. Move the axis of the heads behind that of the rows first.",
        ),
        Mistake(
            "interleaved",
            _with(split=_interleaved),
            "Each head gets every n_heads-th column of the projections. Its columns stand side by "
            "side, as its rows in W_O do.",
        ),
        Mistake("scaled_by_d_model", _with(length=lambda Q, W_Q: W_Q.shape[0]), BY_WIDTH),
        Mistake("scaled_by_width", _with(length=lambda Q, W_Q: W_Q.shape[1]), BY_WIDTH),
        Mistake(
            "not_scaled",
            _with(root=lambda d: 1.0),
            "The scale is missing: divide the scores by √d_k, the length of a query in one head.",
        ),
        Mistake(
            "divided_by_d_k",
            _with(root=lambda d: d),
            "The scores are divided by d_k. The scale is its root.",
        ),
        Mistake(
            "scaled_by_d_v",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads: _with(
                length=lambda Q, W_Q: W_V.shape[1] // n_heads
            )(X_Q, X_KV, W_Q, W_K, W_V, W_O, n_heads),
            "The scores are divided by √d_v. A score is a dot product of a query and a key, and "
            "these have d_k components: divide by √d_k.",
        ),
        Mistake(
            "scaled_by_heads",
            _with(length=lambda Q, W_Q: len(Q)),
            "The scores are divided by the root of the number of heads, the first axis of what is "
            "split. d_k is the last.",
        ),
        Mistake(
            "one_wide_head",
            lambda *given: multi_head(*given[:-1], 1),
            "There is one head as wide as all: n_heads plays no part. Split queries, keys and "
            "values, so that each head has weights of its own.",
        ),
        Mistake(
            "averaged",
            _with(project_out=lambda merged, W_O, n_heads: merged @ W_O / n_heads),
            "The output is divided by the number of heads, as if they were averaged. The heads "
            "stand side by side, and W_O weighs them.",
        ),
        Mistake(
            "mean_of_heads",
            _with(project_out=_first_rows),
            "The heads' outputs are averaged, and the first d_v rows of W_O do for all. Which head "
            "said what is lost that way: put them side by side, and use all rows.",
        ),
        Mistake(
            "summed",
            _with(project_out=_summed),
            "The heads' outputs are added before W_O, and its first d_v rows do for all. Each head "
            "has rows of its own: put the outputs side by side, then multiply.",
        ),
        Mistake(
            "under_one_another",
            _with(merge=_under_one_another),
            "The heads' outputs are put under one another. They belong side by side: axis -1.",
        ),
        Mistake(
            "pair_merged",
            _pair_merged,
            PAIR,
        ),
        Mistake(
            "pair_in_each_round",
            _pair_in_each_round,
            PAIR,
        ),
        Mistake(
            "not_moved",
            _with(split=_not_moved, merge=lambda Y: Y.reshape(len(Y), -1)),
            "The axis of the heads stands behind that of the rows, so the heads of one row meet "
            "each other, and queries never meet keys. Move it in front of the rows.",
        ),
        Mistake(
            "weights_averaged",
            _weights_averaged,
            "All heads use the mean of their weights. That makes one head of them: let each mix "
            "its values with its own weights.",
        ),
        Mistake(
            "last_head_only",
            _last_head,
            "Only the last head is in the output: each round of the loop overwrites the one "
            "before. Collect the heads, then merge.",
        ),
        Mistake(
            "without_W_O",
            _with(project_out=lambda merged, W_O, n_heads: merged),
            "W_O is missing: these are the heads side by side. It makes one output of them.",
        ),
        Mistake(
            "W_O_transposed",
            _with(project_out=lambda merged, W_O, n_heads: merged @ W_O.T),
            "W_O is transposed. Rows are items, so the matrix stands on the right as it is.",
        ),
        Mistake(
            "softmax_over_queries",
            _with(weigh=_softmax_over(-2)),
            "Softmax runs over the queries, axis -2. The weights of one query over all keys sum to "
            "1: axis -1.",
        ),
        Mistake(
            "softmax_over_heads",
            _with(weigh=_softmax_over(0)),
            "Softmax runs over the heads, axis 0, so they compete for each pair. In every head, "
            "the weights of one query over all keys sum to 1: axis -1.",
        ),
        Mistake(
            "softmax_over_all_keys_and_heads",
            _with(weigh=_softmax_over((0, -1))),
            "Softmax runs over keys and heads together. Each head has weights that sum to 1 on "
            "their own.",
        ),
        Mistake(
            "no_softmax",
            _with(weigh=lambda scores: scores),
            "Softmax is missing: the values are mixed by their scores.",
        ),
        Mistake(
            "keys_of_the_queries",
            _on_items(lambda X_Q, X_KV, *rest: (X_Q, X_Q, *rest)),
            "Keys and values are made of X_Q. They belong to the items that are searched, X_KV.",
        ),
        Mistake(
            "queries_of_the_keys",
            _on_items(lambda X_Q, X_KV, *rest: (X_KV, X_KV, *rest)),
            "The queries are made of X_KV, so there is an answer for each item that is searched. "
            "The ones that ask are the rows of X_Q.",
        ),
        Mistake(
            "matrices_exchanged",
            _on_items(lambda X_Q, X_KV, W_Q, W_K, *rest: (X_Q, X_KV, W_K, W_Q, *rest)),
            "W_Q and W_K are exchanged: queries are made by W_Q, keys by W_K.",
        ),
        Mistake(
            "values_by_W_K",
            _on_items(lambda X_Q, X_KV, W_Q, W_K, W_V, *rest: (X_Q, X_KV, W_Q, W_K, W_K, *rest)),
            "The values are made by W_K, so the keys themselves are mixed. Use W_V for them.",
        ),
        Mistake(
            "heads_reversed",
            _with(merge=lambda Y: merge_heads(Y[::-1])),
            "The heads are merged in reverse order: the first one belongs leftmost, where its rows "
            "of W_O are the first.",
        ),
    ),
    properties=(),
    definition="Each head should be scaled dot-product attention on its own columns, and the "
    "output the heads side by side, times W_O.",
    general="Take one head alone: its columns of W_Q, W_K and W_V, attention as in chapter 4. "
    "Compare it with what your function computes for that head before the merge.",
    why="Heads do not mix before the output, and each has weights of its own: that is all that "
    "sets them apart from one wide head.",
)
