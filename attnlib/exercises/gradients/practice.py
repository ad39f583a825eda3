"""Practice on gradients: an entry of each by hand, from the outputs back to the matrices."""

from math import sqrt

import numpy as np

from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.gradients import (
    output_query_jacobian,
    projection_vjp,
    scaled_dot_vjp,
    softmax_vjp,
    weighted_sum_vjp,
)

SUBSCRIPTS = "₁₂₃"


def _rows(matrix):
    return f"`{short(matrix[0])}` and `{short(matrix[1])}`"


def _terms(a, b):
    """Products that are added, as they are typed into a calculator, and their sum."""

    def factor(x):
        return f"({short(x)})" if x < 0 else short(x)

    products = " + ".join(f"{factor(x)} · {factor(y)}" for x, y in zip(a, b))
    return products, round(sum(x * y for x, y in zip(a, b)), 9) + 0.0


def _place(rng):
    """A row and a column of a 2 × 2 matrix, and their names as they are read."""
    i, j = (int(n) for n in rng.integers(0, 2, 2))
    return i, j, f"{SUBSCRIPTS[i]}{SUBSCRIPTS[j]}"


def values(rng):
    shares = rng.choice([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], 2, replace=False)
    W = np.stack([shares, 1 - shares], axis=1).round(1)
    dY, V = (rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0, 4.0], (2, 2)) for _ in range(2))
    (j, c, value), (i, k, weight) = _place(rng), _place(rng)
    d_W, d_V = weighted_sum_vjp(dY, W, V)
    by_value, dv = _terms(*zip(*[(float(W[q, j]), float(dY[q, c])) for q in range(2)]))
    by_weight, dw = _terms(*zip(*[(float(dY[i, a]), float(V[k, a])) for a in range(2)]))
    right_v, right_w = d_V[j, c], d_W[i, k]
    return Problem(
        question=f"The rows of the weights W are {_rows(W)}, those of the values V {_rows(V)}, and "
        f"the derivatives dY of the loss by the outputs are {_rows(dY)}. What are the derivatives "
        f"by `v{value}`, component {c + 1} of value {j + 1}, and by the weight `w{weight}`?",
        answer=[right_v, right_w],
        working=[
            f"Value {j + 1} went to both outputs, by column {j + 1} of W; component {c + 1} meets "
            f"column {c + 1} of dY: `{by_value} = {short(dv)}`",
            f"Weight `w{weight}` carried value {k + 1} to output {i + 1}: row {i + 1} of dY times "
            f"row {k + 1} of V, `{by_weight} = {short(dw)}`",
            f"Together: `{short([dv, dw])}`",
        ],
        mistakes={
            "The first is W dY, without the transpose: a value takes its column of the weights.": [
                W[j] @ dY[:, c],
                right_w,
            ],
            "The second is dY V, without the transpose: a weight takes the row of its value.": [
                right_v,
                dY[i] @ V[:, k],
            ],
            "Both transposes are missing: Wᵀ dY and dY Vᵀ.": [W[j] @ dY[:, c], dY[i] @ V[:, k]],
            "The first takes one output only. The value went to both, and both count.": [
                W[j, j] * dY[j, c],
                right_w,
            ],
            "The first leaves the weights out. What comes back is as much as went.": [
                dY[:, c].sum(),
                right_w,
            ],
            "The second takes one component only. A weight carries all of its value.": [
                right_v,
                dY[i, k] * V[k, k],
            ],
            "Those are exchanged.": [right_w, right_v],
        },
    )


def scores(rng):
    w = rng.permutation([[0.1, 0.2, 0.7], [0.1, 0.3, 0.6], [0.2, 0.3, 0.5]][rng.integers(3)])
    dw = rng.choice([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 5.0], 3, replace=False)
    j = int(rng.integers(3))
    products, mean = _terms(w.tolist(), dw.tolist())
    away = round(float(dw[j]) - mean, 9)
    found = float(w[j]) * away
    D = w @ dw
    return Problem(
        question=f"A row of weights is `{short(w)}`, and the derivatives of the loss by these "
        f"weights are `{short(dw)}`. What is their mean D under the weights, and what is the "
        f"derivative by the score `s{SUBSCRIPTS[j]}`?",
        answer=[D, softmax_vjp(dw, w)[j]],
        working=[
            f"The mean under the weights: `D = {products} = {short(mean)}`",
            f"How far `{short(dw[j])}` lies from it: `{short(dw[j])} − {_in_brackets(mean)} = "
            f"{short(away)}`",
            f"Times the weight: `{short(w[j])} · {_in_brackets(away)} = {short(found)}`; together "
            f"`{short([mean, found])}`",
        ],
        mistakes={
            "D is right. The second is w (1 − w) dw, the diagonal alone: the other weights of the "
            "row move too.": [D, w[j] * (1 - w[j]) * dw[j]],
            "D is right, but the second leaves it out: w dw.": [D, w[j] * dw[j]],
            "D is right, and the distance from it too; it still has to be multiplied by the "
            "weight.": [D, dw[j] - D],
            "D is right; the second has the sign turned round: the derivative minus D.": [
                D,
                w[j] * (D - dw[j]),
            ],
            "That is the plain mean. Each derivative counts by its weight.": [
                dw.mean(),
                w[j] * (dw[j] - dw.mean()),
            ],
            "That D is divided by the number of weights once more. They sum to 1 already.": [
                D / 3,
                w[j] * (dw[j] - D / 3),
            ],
            "That is the plain sum. Each derivative counts by its weight.": [
                dw.sum(),
                w[j] * (dw[j] - dw.sum()),
            ],
        },
    )


def _in_brackets(x):
    return f"({short(x)})" if x < 0 else short(x)


def queries(rng):
    rises = rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 2, replace=False)
    dS = np.stack([rises, -rises], axis=1)
    Q, K = (rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0], (2, 2)) for _ in range(2))
    (i, c, query), (j, b, key) = _place(rng), _place(rng)
    d_Q, d_K = scaled_dot_vjp(dS, Q, K)
    by_query, dq = _terms(*zip(*[(float(dS[i, n]), float(K[n, c])) for n in range(2)]))
    by_key, dk = _terms(*zip(*[(float(dS[n, j]), float(Q[n, b])) for n in range(2)]))
    found = [dq / sqrt(2), dk / sqrt(2)]
    right_q, right_k = d_Q[i, c], d_K[j, b]
    root = sqrt(2)
    return Problem(
        question=f"The derivatives dS of the loss by the scaled scores have the rows {_rows(dS)}. "
        f"The queries are {_rows(Q)}, the keys {_rows(K)}. What are the derivatives by `q{query}`, "
        f"component {c + 1} of query {i + 1}, and by `k{key}`?",
        answer=[right_q, right_k],
        working=[
            f"Query {i + 1} is in row {i + 1} of the scores, beside component {c + 1} of each key: "
            f"`{by_query} = {short(dq)}`",
            f"Key {j + 1} is in column {j + 1}, beside component {b + 1} of each query: "
            f"`{by_key} = {short(dk)}`",
            f"Both over `√2 = {short(root)}`: `{short(np.round(found, 3))}`",
        ],
        mistakes={
            "The scale is missing: scores are dot products over √2.": [dq, dk],
            "You divided by 2. The scale is √d_k, here √2.": [dq / 2, dk / 2],
            "You multiplied by √2. The scores are divided by it, so what comes back is, too.": [
                dq * root,
                dk * root,
            ],
            "The scale is on the first only. The keys are in the same scores.": [right_q, dk],
            "The scale is on the second only. The queries are in the same scores.": [dq, right_k],
            "The second takes a row of dS. A key is in a column of the scores: dSᵀ Q.": [
                right_q,
                dS[j] @ Q[:, b] / root,
            ],
            "The first takes a column of dS. A query is in a row of the scores: dS K.": [
                dS[:, i] @ K[:, c] / root,
                right_k,
            ],
            "The first meets the queries. What a query met in its scores are the keys.": [
                dS[i] @ Q[:, c] / root,
                right_k,
            ],
            "The second meets the keys. What a key met in its scores are the queries.": [
                right_q,
                dS[:, j] @ K[:, b] / root,
            ],
        },
    )


def matrix(rng):
    X, dQ = (rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0], (2, 2)) for _ in range(2))
    W = rng.choice([-1.0, 1.0, 2.0, 3.0], (2, 2))
    (a, b, _), (t, c, item) = _place(rng), _place(rng)
    d_X, d_W, _ = projection_vjp(dQ, X, W)
    by_matrix, dW = _terms(X[:, a].tolist(), dQ[:, b].tolist())
    by_item, dX = _terms(dQ[t].tolist(), W[c].tolist())
    right_W, right_X = d_W[a, b], d_X[t, c]
    return Problem(
        question=f"Queries are made of items, Q = X W_Q. The items are {_rows(X)}, the rows of W_Q "
        f"are {_rows(W)}, and the derivatives dQ of the loss by the queries are {_rows(dQ)}. What "
        f"are the derivatives by the entry of W_Q in row {a + 1} and column {b + 1}, and by "
        f"`x{item}`, component {c + 1} of item {t + 1}?",
        answer=[right_W, right_X],
        working=[
            f"The entry took component {a + 1} of both items to component {b + 1} of their "
            f"queries: `{by_matrix} = {short(dW)}`",
            f"`x{item}` went by row {c + 1} of W_Q into both components of query {t + 1}: "
            f"`{by_item} = {short(dX)}`",
            f"Together: `{short([dW, dX])}`",
        ],
        mistakes={
            "The first is dQᵀ X: rows and columns are exchanged.": [X[:, b] @ dQ[:, a], right_X],
            "The first is X dQ, without the transpose: the matrix served both items, so the sum "
            "runs over the items.": [X[a] @ dQ[:, b], right_X],
            "The first takes one item only. The matrix served both.": [
                X[0, a] * dQ[0, b],
                right_X,
            ],
            "The first is the mean over the items. It is their sum.": [right_W / 2, right_X],
            "The second is dQ W_Q, without the transpose: a component of an item went by a row "
            "of W_Q.": [right_W, dQ[t] @ W[:, c]],
            "Both transposes are missing: Xᵀ dQ and dQ W_Qᵀ.": [X[a] @ dQ[:, b], dQ[t] @ W[:, c]],
            "Those are exchanged.": [right_X, right_W],
        },
    )


def covariance(rng):
    base = int(rng.choice([2, 3]))
    keys = np.arange(3.0) + int(rng.integers(2))
    powers = np.array([1.0, base, base**2])
    w = powers / powers.sum()
    shares = [float(p) / float(powers.sum()) for p in powers]
    mean_key = sum(x * k for x, k in zip(shares, keys))
    found = -0.5
    while -1 < found < 0:  # three digits would be too few, four too long
        v = rng.choice(np.arange(13.0), 3, replace=False)
        output = sum(x * y for x, y in zip(shares, v))
        both = sum(x * k * y for x, k, y in zip(shares, keys, v))
        found = both - mean_key * output
    jacobian = output_query_jacobian([np.log(base)], keys[:, None], v[:, None], scale=1.0)
    return Problem(
        question=f"Three keys are single numbers, `{short(keys)}`, their values `{short(v)}`, and "
        f"there is no scale. A query gives them the weights `1/{powers.sum():.0f}`, "
        f"`{base}/{powers.sum():.0f}` and `{base**2}/{powers.sum():.0f}`. What is the output, and "
        "what is its derivative by the query?",
        answer=[w @ v, jacobian.item()],
        working=[
            f"Under the weights, the mean value, which is the output: `y = {short(output)}`",
            f"The mean key: `{short(mean_key)}`; the mean of key times value: `{short(both)}`",
            f"Their covariance: `{short(both)} − {_in_brackets(mean_key)} · "
            f"{_in_brackets(output)} = {short(found)}`; together `{short([output, found])}`",
        ],
        mistakes={
            "The second is the mean of key times value. The product of the two means has to be "
            "subtracted.": [output, both],
            "The second is the covariance with equal weights. Each key counts by its weight.": [
                output,
                np.mean(keys * v) - np.mean(keys) * np.mean(v),
            ],
            "The output is the mean under the weights, not the plain mean.": [v.mean(), found],
            "The second is the variance of the keys under the weights. The output follows keys "
            "and values together.": [output, w @ keys**2 - mean_key**2],
            "The second has the sign turned round.": [output, -found],
            "The second is divided by √3. There is no scale here.": [output, found / sqrt(3)],
        },
    )


PRACTICE = {
    "values": Kind(
        title="back to a value and to a weight",
        draw=values,
        fields=["by the value", "by the weight"],
        hint="A value takes its column of the weights and its component's column of dY. A weight "
        "takes its query's row of dY and its value's row of V.",
    ),
    "scores": Kind(
        title="back through softmax",
        draw=scores,
        fields=["D", "by the score"],
        hint="First the mean of the derivatives under the weights. Then the distance from it, "
        "times the weight.",
    ),
    "queries": Kind(
        title="back to a query and to a key",
        draw=queries,
        fields=["by the query", "by the key"],
        hint="A query takes its row of dS and a column of K, a key its column of dS and a column "
        "of Q; both over √2.",
    ),
    "matrix": Kind(
        title="back to the matrix and to the items",
        draw=matrix,
        fields=["by the matrix", "by the item"],
        hint="The matrix served both items, so its derivative is a sum over the items. An item "
        "went by a row of W_Q into all components of its query.",
    ),
    "covariance": Kind(
        title="how the output follows the query",
        draw=covariance,
        fields=["output", "derivative"],
        tolerance=0.02,
        hint="The mean of key times value minus the product of the means, all under the weights.",
    ),
}
