"""Cross-attention: the same layer, with queries of one source and keys and values of another."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def two_sources(X_Q, X_KV, W_Q, W_K, W_V, W_O):
    """Queries from X_Q; keys and values from X_KV; W_O on what comes back."""
    Q, K, V = X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V @ W_O


def _with(
    *,
    asks=lambda X_Q, X_KV: X_Q,
    found=lambda X_Q, X_KV: X_KV,
    passed=lambda X_Q, X_KV: X_KV,
    divisor=lambda K, X_Q, X_KV: np.sqrt(K.shape[1]),
    score=lambda Q, K: Q @ K.T,
    weigh=softmax,
    out=lambda Y, W_O: Y @ W_O,
):
    """two_sources with one step replaced, or with rows of another source."""

    def wrong(X_Q, X_KV, W_Q, W_K, W_V, W_O):
        Q, K = asks(X_Q, X_KV) @ W_Q, found(X_Q, X_KV) @ W_K
        V = passed(X_Q, X_KV) @ W_V
        return out(weigh(score(Q, K) / divisor(K, X_Q, X_KV)) @ V, W_O)

    return wrong


def _asking(X_Q, X_KV):
    return X_Q


def _searched(X_Q, X_KV):
    return X_KV


def _both(X_Q, X_KV):
    return np.concatenate([X_Q, X_KV])


LENGTH = (
    "The scores are divided by the root of the length of an item. The dot product is between a "
    "query and a key, with d_k numbers each: the columns of W_K."
)
ROWS = (
    "The scores are divided by the root of the number of items. A dot product has d_k terms, "
    "however many items there are: divide by √d_k."
)
EXERCISE = Exercise(
    signature="two_sources(X_Q, X_KV, W_Q, W_K, W_V, W_O)",
    task="Write two_sources(X_Q, X_KV, W_Q, W_K, W_V, W_O): the rows of X_Q ask, the rows of "
    "X_KV, which may be longer or shorter than those of X_Q, are searched and answer, by scaled "
    "dot-product attention with one head, and W_O makes the output.",
    returns="an array of shape (n_q, d_out)",
    reference=two_sources,
    cases=(
        Case("as many rows on both sides", draw((3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3))),
        Case("more rows are searched", draw((2, 4), (5, 4), (4, 4), (4, 4), (4, 4), (4, 4))),
        Case("all sizes different", draw((4, 5), (6, 3), (5, 2), (3, 2), (3, 4), (4, 7))),
        Case("one row is searched", draw((3, 2), (1, 2), (2, 3), (2, 3), (2, 4), (4, 2))),
    ),
    mistakes=(
        Mistake(
            "keys_of_X",
            _with(found=_asking),
            "The keys are made from X_Q, so the rows of X_Q are scored with each other, and their "
            "weights are then given to values of other rows. Keys and values go in pairs: both "
            "come from X_KV.",
        ),
        Mistake(
            "values_of_X",
            _with(passed=_asking),
            "The values are made from X_Q: what was found in X_KV is never passed on. Keys and "
            "values go in pairs: both come from X_KV.",
        ),
        Mistake(
            "queries_of_source",
            _with(asks=_searched),
            "The queries are made from X_KV, so it asks itself, and X_Q plays no part. X_Q must "
            "ask.",
        ),
        Mistake(
            "all_of_X",
            _with(found=_asking, passed=_asking),
            "X_Q attends to itself: X_KV plays no part. Keys and values come from X_KV.",
        ),
        Mistake(
            "exchanged",
            _with(asks=_searched, found=_asking, passed=_asking),
            "The two sources are exchanged: X_KV asks, and X_Q answers. A row comes back for each "
            "row that asks, and those are the rows of X_Q.",
        ),
        Mistake(
            "both_together",
            _with(found=_both, passed=_both),
            "The rows of X_Q are searched along with those of X_KV. That is another layer, in "
            "which X_Q attends to both; here keys and values come from X_KV alone.",
        ),
        Mistake(
            "no_W_O",
            _with(out=lambda Y, W_O: Y),
            "W_O is missing: what comes back is the mixture of the values. The last step takes it "
            "to the length of the output.",
        ),
        Mistake(
            "pair",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: (
                scaled_dot_product_attention(X_Q @ W_Q, X_KV @ W_K, X_KV @ W_V) @ W_O
            ),
            "The call of attention returns a pair, outputs and weights, and both are multiplied by "
            "W_O. Give both a name, or take the element [0], which is the outputs.",
        ),
        Mistake(
            "item_added",
            lambda X_Q, X_KV, *matrices: X_Q + two_sources(X_Q, X_KV, *matrices),
            "X_Q is added to the output. Blocks of a model do that after the layer; here only the "
            "output is asked for.",
        ),
        Mistake(
            "W_O_turned",
            _with(out=lambda Y, W_O: Y @ W_O.T),
            "W_O is transposed. It has a row for each number of a value, so the mixtures, as rows, "
            "stand on its left: Y @ W_O.",
        ),
        Mistake(
            "no_W_V",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: two_sources(
                X_Q, X_KV, W_Q, W_K, np.eye(len(W_V)), W_O
            ),
            "W_V is missing: the rows of X_KV themselves are mixed. The values are X_KV @ W_V.",
        ),
        Mistake(
            "keys_by_W_Q",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: two_sources(X_Q, X_KV, W_Q, W_Q, W_V, W_O),
            "The keys are made with W_Q, so one matrix has two roles. They are X_KV @ W_K.",
        ),
        Mistake(
            "values_by_W_K",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: two_sources(X_Q, X_KV, W_Q, W_K, W_K, W_O),
            "The keys are mixed in the place of the values, which are X_KV @ W_V.",
        ),
        Mistake(
            "matrices_of_queries_and_keys_exchanged",
            lambda X_Q, X_KV, W_Q, W_K, W_V, W_O: two_sources(X_Q, X_KV, W_K, W_Q, W_V, W_O),
            "W_Q and W_K are exchanged. W_Q makes queries from X_Q, W_K keys from X_KV.",
        ),
        Mistake(
            "scores_turned",
            _with(score=lambda Q, K: K @ Q.T),
            "Rows and columns of the scores are exchanged: a row belongs to a row of X_KV. It "
            "should belong to a row of X_Q, which asks: Q @ K.T.",
        ),
        Mistake(
            "along_the_queries",
            _with(weigh=lambda S: softmax(S, axis=0)),
            "Softmax runs along the queries, so that the rows of X_Q compete for a key. Each row "
            "of X_Q shares a weight of 1 among the rows of X_KV: axis=1.",
        ),
        Mistake(
            "no_scale",
            _with(divisor=lambda K, X_Q, X_KV: 1.0),
            "The scale is missing: divide the dot products by √d_k.",
        ),
        Mistake(
            "by_d_k",
            _with(divisor=lambda K, X_Q, X_KV: K.shape[1]),
            "The scores are divided by d_k, not by its root.",
        ),
        Mistake(
            "by_root_d_model",
            _with(divisor=lambda K, X_Q, X_KV: np.sqrt(X_Q.shape[1])),
            LENGTH,
        ),
        Mistake(
            "by_root_d_searched",
            _with(divisor=lambda K, X_Q, X_KV: np.sqrt(X_KV.shape[1])),
            LENGTH,
        ),
        Mistake("by_root_n_q", _with(divisor=lambda K, X_Q, X_KV: np.sqrt(len(X_Q))), ROWS),
        Mistake("by_root_n_k", _with(divisor=lambda K, X_Q, X_KV: np.sqrt(len(X_KV))), ROWS),
    ),
    definition="Row i should be what the query of row i of X_Q gets from the keys and values of "
    "X_KV, times W_O.",
    general="Print the shapes of queries, keys, values and weights. There are as many queries as "
    "X_Q has rows, as many keys and values as X_KV has: n_q × n_k weights.",
    why="Called with two_sources(X, X, …) this is self-attention: what was one source is now two, "
    "and no line is different.",
)
