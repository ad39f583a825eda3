"""Cross-attention: the same layer, with queries of one source and keys and values of another."""

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def two_sources(X, source, W_Q, W_K, W_V, W_O):
    """Queries of X; keys and values of the source; W_O on what comes back."""
    Q, K, V = X @ W_Q, source @ W_K, source @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V @ W_O


def _with(
    *,
    asks=lambda X, source: X,
    found=lambda X, source: source,
    passed=lambda X, source: source,
    root=lambda Q, K, V, X: np.sqrt(K.shape[1]),
    score=lambda Q, K: Q @ K.T,
    weigh=softmax,
    out=lambda Y, W_O: Y @ W_O,
):
    """two_sources with one step replaced, or with rows of another source."""

    def wrong(X, source, W_Q, W_K, W_V, W_O):
        Q, K = asks(X, source) @ W_Q, found(X, source) @ W_K
        V = passed(X, source) @ W_V
        return out(weigh(score(Q, K) / root(Q, K, V, X)) @ V, W_O)

    return wrong


def _x(X, source):
    return X


def _source(X, source):
    return source


def _both(X, source):
    return np.concatenate([X, source])


EXERCISE = Exercise(
    signature="two_sources(X, source, W_Q, W_K, W_V, W_O)",
    task="Write two_sources(X, source, W_Q, W_K, W_V, W_O): the rows of X ask, the rows of source, "
    "which may be longer or shorter than those of X, are searched and answer, by scaled "
    "dot-product attention with one head, and W_O makes the output.",
    returns="an array of shape (n_q, d_out)",
    reference=two_sources,
    cases=(
        Case("as many rows as in X", draw((3, 3), (3, 3), (3, 3), (3, 3), (3, 3), (3, 3))),
        Case("a longer source", draw((2, 4), (5, 4), (4, 4), (4, 4), (4, 4), (4, 4))),
        Case("all sizes different", draw((4, 5), (6, 3), (5, 2), (3, 2), (3, 4), (4, 7))),
        Case("a source of one row", draw((3, 2), (1, 2), (2, 3), (2, 3), (2, 4), (4, 2))),
    ),
    mistakes=(
        Mistake(
            "keys_of_X",
            _with(found=_x),
            "The keys are made of X, so the rows of X are scored with each other, and their "
            "weights are then given to values of other rows. Keys and values go in pairs: both "
            "come from source.",
        ),
        Mistake(
            "values_of_X",
            _with(passed=_x),
            "The values are made of X: what was found in source is never passed on. Keys and "
            "values go in pairs: both come from source.",
        ),
        Mistake(
            "queries_of_source",
            _with(asks=_source),
            "The queries are made of source, so it asks itself, and X plays no part. X is to ask.",
        ),
        Mistake(
            "all_of_X",
            _with(found=_x, passed=_x),
            "X attends to itself: source plays no part. Keys and values come from source.",
        ),
        Mistake(
            "exchanged",
            _with(asks=_source, found=_x, passed=_x),
            "The two sources are exchanged: source asks, and X answers. A row comes back for each "
            "row that asks, and those are the rows of X.",
        ),
        Mistake(
            "values_and_queries_exchanged",
            _with(asks=_source, passed=_x),
            "Queries come from source and values from X: these two are exchanged.",
        ),
        Mistake(
            "both_together",
            _with(found=_both, passed=_both),
            "The rows of X are searched along with those of source. That is another layer, in "
            "which X attends to both; here keys and values come from source alone.",
        ),
        Mistake(
            "no_W_O",
            _with(out=lambda Y, W_O: Y),
            "W_O is missing: what comes back is the mixture of the values. The last step takes it "
            "to the length of the output.",
        ),
        Mistake(
            "pair",
            lambda X, source, W_Q, W_K, W_V, W_O: (
                scaled_dot_product_attention(X @ W_Q, source @ W_K, source @ W_V) @ W_O
            ),
            "The call of attention returns a pair, outputs and weights, and both are multiplied by "
            "W_O. Give both a name, or take the element [0], which is the outputs.",
        ),
        Mistake(
            "item_added",
            lambda X, source, *matrices: X + two_sources(X, source, *matrices),
            "X is added to the output. Blocks of a model do that after the layer; here the output "
            "alone is asked for.",
        ),
        Mistake(
            "both_added",
            lambda X, source, *matrices: (
                two_sources(X, source, *matrices) + two_sources(X, X, *matrices)
            ),
            "X asks itself as well, and both answers are added. Here it asks source alone.",
        ),
        Mistake(
            "W_O_turned",
            _with(out=lambda Y, W_O: Y @ W_O.T),
            "W_O is transposed. It has a row for each number of a value, so the mixtures, as rows, "
            "stand on its left: Y @ W_O.",
        ),
        Mistake(
            "W_O_from_the_left",
            _with(out=lambda Y, W_O: W_O @ Y),
            "W_O stands on the left of the mixtures, so that it mixes rows. On the right it works "
            "on the numbers of each row alone.",
        ),
        Mistake(
            "W_O_for_W_V",
            lambda X, source, W_Q, W_K, W_V, W_O: two_sources(X, source, W_Q, W_K, W_O, W_V),
            "W_V and W_O are exchanged. W_V makes the values of the source, W_O the output of "
            "their mixtures.",
        ),
        Mistake(
            "no_W_V",
            lambda X, source, W_Q, W_K, W_V, W_O: two_sources(
                X, source, W_Q, W_K, np.eye(len(W_V)), W_O
            ),
            "W_V is missing: the rows of source themselves are mixed. The values are source @ W_V.",
        ),
        Mistake(
            "keys_by_W_Q",
            lambda X, source, W_Q, W_K, W_V, W_O: two_sources(X, source, W_Q, W_Q, W_V, W_O),
            "The keys are made with W_Q, so one matrix has two roles. They are source @ W_K.",
        ),
        Mistake(
            "values_by_W_K",
            lambda X, source, W_Q, W_K, W_V, W_O: two_sources(X, source, W_Q, W_K, W_K, W_O),
            "The keys are mixed in the place of the values, which are source @ W_V.",
        ),
        Mistake(
            "matrices_of_queries_and_keys_exchanged",
            lambda X, source, W_Q, W_K, W_V, W_O: two_sources(X, source, W_K, W_Q, W_V, W_O),
            "W_Q and W_K are exchanged. W_Q makes queries of X, W_K keys of source.",
        ),
        Mistake(
            "scores_turned",
            _with(score=lambda Q, K: K @ Q.T),
            "Rows and columns of the scores are exchanged: a row belongs to a row of source. It "
            "should belong to a row of X, which asks: Q @ K.T.",
        ),
        Mistake(
            "along_the_queries",
            _with(weigh=lambda S: softmax(S, axis=0)),
            "Softmax runs along the queries, so that the rows of X compete for a key. Each row of "
            "X shares a weight of 1 among the rows of source: axis=1.",
        ),
        Mistake(
            "no_scale",
            _with(root=lambda Q, K, V, X: 1.0),
            "The scale is missing: divide the dot products by √d_k.",
        ),
        Mistake(
            "by_d_k",
            _with(root=lambda Q, K, V, X: K.shape[1]),
            "The scores are divided by d_k, not by its root.",
        ),
        Mistake(
            "by_root_d_model",
            _with(root=lambda Q, K, V, X: np.sqrt(X.shape[1])),
            "The scores are divided by the root of the length of an item. What meets is a query "
            "and a key, and these have d_k numbers: as many as W_K has columns.",
        ),
        Mistake(
            "by_root_d_v",
            _with(root=lambda Q, K, V, X: np.sqrt(V.shape[1])),
            "The divisor is taken from the values. Values take no part in the scores: it is √d_k.",
        ),
        Mistake(
            "by_root_n_k",
            _with(root=lambda Q, K, V, X: np.sqrt(len(K))),
            "The scores are divided by the root of the number of rows of source. A dot product has "
            "d_k terms, however many rows there are: divide by √d_k.",
        ),
        Mistake(
            "by_root_n_q",
            _with(root=lambda Q, K, V, X: np.sqrt(len(Q))),
            "The scores are divided by the root of the number of rows of X. A dot product has d_k "
            "terms, however many rows there are: divide by √d_k.",
        ),
    ),
    definition="Row i should be what the query of row i of X gets from the keys and values of "
    "source, times W_O.",
    general="Print the shapes of queries, keys, values and weights. Queries are as many as X has "
    "rows, keys and values as many as source has: n_q × n_k weights.",
    why="Called with two_sources(X, X, …) this is self-attention: what was one source is now two, "
    "and no line is different.",
)
