"""From the derivatives by the scores to the matrix that makes the keys."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw

from ._scale import scale_mistakes


def key_matrix_gradient(d_scores, X_Q, X_KV, W_Q):
    """Scores to keys, keys to the matrix that made them, summed over the batch."""
    Q = X_Q @ W_Q
    d_K = d_scores.mT @ Q / np.sqrt(Q.shape[-1])
    return _summed(X_KV.mT @ d_K)


def _summed(products):
    return products.reshape(-1, *products.shape[-2:]).sum(axis=0)


def _with(
    *,
    queries=lambda X_Q, X_KV, W_Q: X_Q @ W_Q,
    to_keys=lambda d_scores, Q: d_scores.mT @ Q,
    divisor=lambda X_Q, X_KV, W_Q: np.sqrt(W_Q.shape[1]),
    to_matrix=lambda d_K, X_Q, X_KV: X_KV.mT @ d_K,
    gather=_summed,
):
    """key_matrix_gradient with one step replaced."""

    def wrong(d_scores, X_Q, X_KV, W_Q):
        d_K = to_keys(d_scores, queries(X_Q, X_KV, W_Q)) / divisor(X_Q, X_KV, W_Q)
        return gather(to_matrix(d_K, X_Q, X_KV))

    return wrong


def _over_batch(gathered):
    """What gathers the products of a batch, and leaves a single matrix alone."""
    return lambda products: products if products.ndim == 2 else gathered(products)


def _summed_before(d_scores, X_Q, X_KV, W_Q):
    d_K = d_scores.mT @ (X_Q @ W_Q) / np.sqrt(W_Q.shape[1])
    if d_K.ndim == 3:
        d_K, X_KV = d_K.sum(axis=0), X_KV.sum(axis=0)
    return X_KV.T @ d_K


def _batch_transposed(d_scores, X_Q, X_KV, W_Q):
    """With .T, which reverses all axes of a batch."""
    return X_KV.T @ (d_scores.T @ (X_Q @ W_Q)) / np.sqrt(W_Q.shape[1])


D_K = (
    "This is dK, the derivative by the keys. One step is left: the keys are X_KV @ W_K, and the "
    "matrix is what is learned."
)
NOT_SUMMED = (
    "There is a matrix for each item of the batch. One W_K served them all, so its derivative is "
    "their sum, over the first axis."
)

EXERCISE = Exercise(
    signature="key_matrix_gradient(d_scores, X_Q, X_KV, W_Q)",
    task="Write key_matrix_gradient(d_scores, X_Q, X_KV, W_Q): from the derivatives of the loss by "
    "scaled scores, q · k / √d_k, those by the matrix W_K that made the keys, X_KV @ W_K.",
    returns="an array of shape (d_source, d_k)",
    reference=key_matrix_gradient,
    cases=(
        Case(
            "one query and one key",
            (
                np.array([[2.0]]),
                np.array([[1.0, -1.0]]),
                np.array([[3.0, 5.0]]),
                np.array([[1.0, 0.0], [2.0, 4.0]]),
            ),
        ),
        Case("all sizes equal", draw(*[(3, 3)] * 4)),
        Case("all sizes different", draw((3, 4), (3, 5), (4, 6), (5, 2))),
        Case("a batch", draw((2, 3, 4), (2, 3, 5), (2, 4, 6), (5, 3))),
    ),
    mistakes=(
        *scale_mistakes(
            lambda root: _with(divisor=lambda X_Q, X_KV, W_Q: root(W_Q.shape[1])),
        ),
        Mistake(
            "by_root_d_model",
            _with(divisor=lambda X_Q, X_KV, W_Q: np.sqrt(W_Q.shape[0])),
            "The divisor is the root of the number of rows of W_Q, the length of an item. The "
            "scale belongs to the dot product of a query and a key: d_k, the columns of W_Q.",
        ),
        Mistake(
            "by_root_d_source",
            _with(divisor=lambda X_Q, X_KV, W_Q: np.sqrt(X_KV.shape[-1])),
            "The divisor is the root of the length of an item in X_KV. The scale belongs to the "
            "dot product of a query and a key: d_k, the columns of W_Q.",
        ),
        Mistake(
            "by_root_n_k",
            _with(divisor=lambda X_Q, X_KV, W_Q: np.sqrt(X_KV.shape[-2])),
            "The divisor is the root of a number of items. The scale belongs to the dot product "
            "of a query and a key: d_k, the columns of W_Q.",
        ),
        Mistake(
            "scores_not_transposed",
            _with(to_keys=lambda d_scores, Q: d_scores @ Q),
            "The matrix dS is not transposed, which runs only where n_q is n_k. Key j took part in "
            "column j of the scores, so its derivative is made of that column: dSᵀ Q.",
        ),
        Mistake(
            "keys_for_queries",
            _with(queries=lambda X_Q, X_KV, W_Q: X_KV @ W_Q),
            "The queries are made of X_KV. What a key met in its scores are the queries, X_Q @ "
            "W_Q.",
        ),
        Mistake(
            "items_for_queries",
            _with(queries=lambda X_Q, X_KV, W_Q: X_Q),
            "X_Q stands where the queries belong: W_Q is left out. A key met X_Q @ W_Q.",
        ),
        Mistake(
            "items_of_the_queries",
            _with(to_matrix=lambda d_K, X_Q, X_KV: X_Q.mT @ d_K),
            "The last product is made with X_Q, which runs only where there are as many of them. "
            "W_K made keys of X_KV, so what stands beside it is X_KV.",
        ),
        Mistake(
            "items_not_transposed",
            _with(to_matrix=lambda d_K, X_Q, X_KV: X_KV @ d_K),
            "X_KV is not transposed, which runs only where sizes happen to fit. Entry (a, b) of "
            "W_K took component a of every item to component b of its key: X_KVᵀ dK.",
        ),
        Mistake(
            "W_Q_transposed",
            _with(queries=lambda X_Q, X_KV, W_Q: X_Q @ W_Q.T),
            "W_Q is transposed, which runs only where it is square. Rows are items: the queries "
            "are X_Q @ W_Q.",
        ),
        Mistake("d_K", _with(to_matrix=lambda d_K, X_Q, X_KV: d_K, gather=lambda d_K: d_K), D_K),
        Mistake("d_K_summed", _with(to_matrix=lambda d_K, X_Q, X_KV: d_K), D_K),
        Mistake("not_summed", _with(gather=lambda products: products), NOT_SUMMED),
        Mistake(
            "batch_mean",
            _with(gather=_over_batch(lambda products: products.mean(axis=0))),
            "The batch is averaged. Each item's share is in d_scores already, however the loss "
            "was averaged: add them.",
        ),
        Mistake(
            "first_of_the_batch",
            _with(gather=_over_batch(lambda products: products[0])),
            "Only the first item of the batch counts. One W_K served them all, so their "
            "derivatives are added.",
        ),
        Mistake(
            "last_of_the_batch",
            _with(gather=_over_batch(lambda products: products[-1])),
            "Only the last item of the batch counts: each round of a loop overwrites the one "
            "before. Add them up.",
        ),
        Mistake(
            "summed_before",
            _summed_before,
            "Items and derivatives are each summed over the batch before they are multiplied, so "
            "items of one text meet derivatives of another. Multiply first, then add.",
        ),
        Mistake(
            "reversed_axes",
            _batch_transposed,
            "The .T reverses all axes, so it serves matrices only. In a batch exchange the last "
            "two, with .mT or swapaxes(-1, -2), and add up what the items of the batch give.",
        ),
        Mistake(
            "averaged_over_items",
            _with(divisor=lambda X_Q, X_KV, W_Q: X_KV.shape[-2] * np.sqrt(W_Q.shape[1])),
            "The sum over the items is divided by their number. The matrix served every item, "
            "and its derivative is the sum over all of them.",
        ),
    ),
    definition="Move one entry of W_K by 0.001, make keys and scores anew, and add up d_scores "
    "times what changed: a thousandth of the derivative.",
    general="Two steps: dK from the columns of d_scores and the queries, then W_K from the items "
    "and dK. Write the shapes of each product beside it.",
    why="What is learned served every item of every text, so its derivative is a sum over all of "
    "them: inside a matrix product for the items, by hand for the batch.",
)
