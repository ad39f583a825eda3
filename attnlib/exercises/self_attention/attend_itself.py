"""Self-attention from the items and three matrices."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def attend_itself(X, W_Q, W_K, W_V):
    """Queries, keys and values of the same items, each by a matrix of its own."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return softmax(Q @ K.T / np.sqrt(K.shape[1])) @ V


def _with(
    *,
    Q=lambda X, W_Q, W_K, W_V: X @ W_Q,
    K=lambda X, W_Q, W_K, W_V: X @ W_K,
    V=lambda X, W_Q, W_K, W_V: X @ W_V,
    divisor=lambda Q, K, V, X: np.sqrt(K.shape[1]),
    score=lambda Q, K: Q @ K.T,
    weigh=softmax,
    mix=lambda W, V: W @ V,
):
    """attend_itself with one step replaced."""

    def wrong(*given):
        q, k, v = (make(*given) for make in (Q, K, V))
        return mix(weigh(score(q, k) / divisor(q, k, v, given[0])), v)

    return wrong


def _by(name):
    """What is made with the matrix of this name, or the items themselves."""
    place = ("W_Q", "W_K", "W_V").index(name) if name else None
    return lambda X, *matrices: X if place is None else X @ matrices[place]


def _others_only(S):
    return softmax(np.where(np.eye(len(S)) == 1, -1e9, S))


def _earlier_only(S):
    return softmax(np.where(np.tri(len(S)) == 1, S, -1e9))


TURNED = (
    "Rows and columns of the scores are exchanged: what stands in row i is how well item i is "
    "found, not what it looks for. Row i belongs to the query of item i: Q times the keys "
    "transposed. W_Q and W_K exchanged give the same."
)
ROWS = (
    "The scores are divided by the root of the number of items. A dot product has d_k terms, "
    "however many items there are: divide by √d_k."
)
EXERCISE = Exercise(
    signature="attend_itself(X, W_Q, W_K, W_V)",
    task="Write attend_itself(X, W_Q, W_K, W_V): scaled dot-product attention of the rows of X to "
    "each other, with queries, keys and values each computed from X with its own matrix.",
    returns="an array of shape (n, d_v)",
    reference=attend_itself,
    cases=(
        Case(
            "all sizes equal",
            (
                np.array([[1.0, 0.0], [2.0, 1.0]]),
                np.array([[0.0, 1.0], [1.0, -1.0]]),
                np.array([[1.0, 2.0], [0.0, 1.0]]),
                np.array([[4.0, 0.0], [1.0, 3.0]]),
            ),
        ),
        Case("square matrices", draw((3, 4), (4, 4), (4, 4), (4, 4))),
        Case("all sizes different", draw((5, 4), (4, 3), (4, 3), (4, 2))),
        Case("a single item", draw((1, 3), (3, 2), (3, 2), (3, 4))),
        Case("queries and keys of one number", draw((4, 2), (2, 1), (2, 1), (2, 3))),
    ),
    mistakes=(
        Mistake(
            "keys_by_W_Q",
            _with(K=_by("W_Q")),
            "The keys are made with W_Q, so one matrix has two roles, and what an item looks for "
            "is what it is found by. The keys are X @ W_K.",
        ),
        Mistake(
            "queries_by_W_K",
            _with(Q=_by("W_K")),
            "The queries are made with W_K, so one matrix has two roles, and an item can only look "
            "for what is like itself. The queries are X @ W_Q.",
        ),
        Mistake(
            "values_by_W_K",
            _with(V=_by("W_K")),
            "The keys are mixed in the place of the values. A key says what an item is found by, a "
            "value what it passes on: the values are X @ W_V.",
        ),
        Mistake(
            "values_by_W_Q",
            _with(V=_by("W_Q")),
            "The queries are mixed in the place of the values, which are X @ W_V.",
        ),
        Mistake(
            "keys_are_items",
            _with(K=_by(None)),
            "The items themselves serve as keys. One source does not mean one matrix: the keys are "
            "X @ W_K.",
        ),
        Mistake(
            "values_are_items",
            _with(V=_by(None)),
            "The items themselves are mixed. What an item passes on is its value, X @ W_V.",
        ),
        Mistake(
            "scores_of_items",
            _with(Q=_by(None), K=_by(None)),
            "The scores are dot products of the items themselves, so W_Q and W_K are never used.",
        ),
        Mistake(
            "no_matrix",
            _with(Q=_by(None), K=_by(None), V=_by(None)),
            "X attends to itself as it is, without a matrix. “Q = K = V” says that the source is "
            "the same: each role has a matrix of its own.",
        ),
        Mistake("scores_turned", _with(score=lambda Q, K: K @ Q.T), TURNED),
        Mistake(
            "keys_not_turned",
            _with(score=lambda Q, K: Q @ K),
            "The keys are not transposed. Where n and d_k are equal that runs, and entry (i, j) is "
            "then no dot product of query i and key j: write Q @ K.T.",
        ),
        Mistake(
            "matrices_turned",
            lambda X, *matrices: attend_itself(X, *(W.T for W in matrices)),
            "The matrices are transposed. With items as rows a projection is X @ W: each column of "
            "W makes one number.",
        ),
        Mistake(
            "down_the_columns",
            _with(weigh=lambda S: softmax(S, axis=0)),
            "Softmax runs down the columns of the scores. Both axes are as long as there are "
            "items, so no shape tells; a row belongs to the item that asks: axis=1.",
        ),
        Mistake(
            "others_only",
            _with(weigh=_others_only),
            "No item looks at itself here. In self-attention every item is searched, also "
            "by itself.",
        ),
        Mistake(
            "earlier_only",
            _with(weigh=_earlier_only),
            "Each item looks only at those before it and at itself. That takes a mask, and none is "
            "asked for: each looks at all.",
        ),
        Mistake(
            "weights_turned",
            _with(mix=lambda W, V: W.T @ V),
            "The weights are transposed before they meet the values. Their table is square here, "
            "so no shape tells; row i has the weights of item i: W @ V as it stands.",
        ),
        Mistake(
            "no_scale",
            _with(divisor=lambda Q, K, V, X: 1.0),
            "The scale is missing: divide the dot products by √d_k.",
        ),
        Mistake(
            "by_d_k",
            _with(divisor=lambda Q, K, V, X: K.shape[1]),
            "The scores are divided by d_k, not by its root.",
        ),
        Mistake(
            "by_root_d_model",
            _with(divisor=lambda Q, K, V, X: np.sqrt(X.shape[1])),
            "The scores are divided by the root of the length of an item. The dot "
            "product is between a query and a key, with d_k numbers each: the columns of W_K.",
        ),
        Mistake("by_root_n", _with(divisor=lambda Q, K, V, X: np.sqrt(len(X))), ROWS),
        Mistake(
            "output_divided",
            lambda X, W_Q, W_K, W_V: (
                softmax(X @ W_Q @ (X @ W_K).T) @ X @ W_V / np.sqrt(W_K.shape[1])
            ),
            "The output is divided by √d_k, not the scores. The divisor belongs inside softmax.",
        ),
        Mistake(
            "keys_and_values_exchanged",
            lambda X, W_Q, W_K, W_V: attend_itself(X, W_Q, W_V, W_K),
            "Keys and values are exchanged: the scores are made with W_V, and the keys are mixed. "
            "The order is queries, keys, values.",
        ),
        Mistake(
            "item_added",
            lambda X, W_Q, W_K, W_V: X + attend_itself(X, W_Q, W_K, W_V),
            "X is added to the output. Blocks of a model do that after the layer; here the mixture "
            "alone is asked for.",
        ),
        Mistake(
            "weights",
            _with(mix=lambda W, V: W),
            "Those are the weights. The output is the values, mixed with them.",
        ),
    ),
    properties=(
        inside(
            lambda X, W_Q, W_K, W_V: (X @ W_V).min(axis=0),
            lambda X, W_Q, W_K, W_V: (X @ W_V).max(axis=0),
            "the range of the values X @ W_V, column by column",
        ),
    ),
    definition="Row i should be the mixture of the rows of X @ W_V that the query of item i asks "
    "for.",
    general="Print Q, K, V, the scores and the weights of the smallest case, each with its shape, "
    "and compute the first row of each by hand.",
    why="The items come in once and are used three times. How many there are is in no matrix, so "
    "the same three serve a row of any length.",
)
