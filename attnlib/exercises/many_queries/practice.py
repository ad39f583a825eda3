"""Practice on many queries: shapes, the 2 × 2 case by hand, sums of rows along the wrong axis."""

from math import exp, sqrt

import numpy as np

from attnlib import attend, scaled_dot_product_attention, softmax
from attnlib.exercises.engine.practising import Kind, Problem, short


def shapes(rng):
    n_q, n_k, d_k, d_v = (int(n) for n in rng.choice(np.arange(2, 40), 4, replace=False))
    b = int(rng.choice(np.arange(2, 10)))
    output, weights = scaled_dot_product_attention(
        np.zeros((b, n_q, d_k)), np.zeros((b, n_k, d_k)), np.zeros((b, n_k, d_v))
    )
    return Problem(
        question=f"Q has the shape `({b}, {n_q}, {d_k})`, K has `({b}, {n_k}, {d_k})` and V has "
        f"`({b}, {n_k}, {d_v})`. How many rows and columns do the weights and the output of one "
        "sequence of the batch have?",
        answer=[*weights.shape[1:], *output.shape[1:]],
        working=[
            f"`{b}` is the batch: `{n_q}` queries and `{n_k}` keys in each sequence",
            f"Scores `Q Kᵀ`: ({n_q} × {d_k}) times ({d_k} × {n_k}). The `{d_k}` goes, and "
            "softmax changes no shape",
            f"Output `W V`: ({n_q} × {n_k}) times ({n_k} × {d_v}). The `{n_k}` goes",
            f"Weights and output: `{short([n_q, n_k, n_q, d_v])}`",
        ],
        mistakes={
            "The weights have a row for each query and a column for each key.": [
                n_k, n_q, n_q, d_v
            ],
            "The output is a mixture of values, so its rows are as long as a value.": [
                n_q, n_k, n_q, d_k
            ],
            "There is an answer for each query, not for each key.": [n_q, n_k, n_k, d_v],
            "Each of these has a row for each query.": [n_k, n_q, n_k, d_v],
            "In Q Kᵀ the components are summed over: they leave no axis.": [n_q, d_k, n_q, d_v],
            "Those are Q and V as they come in.": [n_q, d_k, n_k, d_v],
            "The batch is an axis of its own, in front: it is not among the rows.": [
                b, n_k, b, d_v
            ],
        },
    )  # fmt: skip


def by_hand(rng):
    Q, K = rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2)), rng.choice([-1.0, 0.0, 1.0], (2, 2))
    V = rng.choice(np.arange(1.0, 13.0), (2, 1), replace=False)
    (a, b), names = V[:, 0], ["1", "2"]
    raw = [[sum(x * y for x, y in zip(q, k)) for k in K] for q in Q]
    scores = [[s / sqrt(2) for s in row] for row in raw]
    steps, found = [], []
    for name, (s, t) in zip(names, scores):
        total = exp(s) + exp(t)
        w = [exp(s) / total, exp(t) / total]
        found.append(w[0] * a + w[1] * b)
        steps.append(
            f"Row {name}: exponentials `{short([exp(s), exp(t)])}`, sum `{short(total)}`, weights "
            f"`{short(w)}`, output `{short(w[0])} · {short(a)} + {short(w[1])} · {short(b)} = "
            f"{short(found[-1])}`"
        )
    S = Q @ K.T / np.sqrt(2)

    def answered(W):
        return (W @ V)[:, 0]

    return Problem(
        question=f"The queries are `{short(Q[0])}` and `{short(Q[1])}`, the keys `{short(K[0])}` "
        f"and `{short(K[1])}`, their values `[{short(a)}]` and `[{short(b)}]`. What does scaled "
        "dot-product attention return?",
        answer=attend(Q, K, V)[0][:, 0],
        working=[
            f"Dot products, a row for each query: `{short(raw)}`",
            f"Divided by `√2 = {short(sqrt(2))}`: `{short(np.round(scores, 3))}`",
            *steps,
            f"Both outputs: `{short(found)}`",
        ],
        mistakes={
            "Your weights sum to 1 down the columns. Each query has a row of its own.": answered(
                softmax(S, axis=0)
            ),
            "The scale is missing: divide the dot products by √2.": answered(softmax(Q @ K.T)),
            "You divided by 2. The divisor is √d_k, here √2.": answered(softmax(Q @ K.T / 2)),
            "You used the weights transposed: each row of them belongs to a query.": answered(
                softmax(S).T
            ),
            "Your scores are transposed: a row of them belongs to a query.": answered(softmax(S.T)),
            "Those are the plain means of the values.": answered(np.full((2, 2), 0.5)),
            "You gave the key that fits worse the larger weight.": answered(softmax(-S)),
            "Those are the outputs in the wrong order.": answered(softmax(S))[::-1],
        },
    )


def columns(rng):
    S = rng.choice([0.0, 0.6931, 1.0986, 1.3863], (2, 2))
    powers = np.exp(S).round()
    sums = powers.sum(axis=0)
    W = powers / sums
    shares = [[float(p) / float(c) for p, c in zip(row, sums)] for row in powers]
    found = [sum(row) for row in shares]
    return Problem(
        question=f"The exponentials of the scores are `{short(powers[0])}` for the first query and "
        f"`{short(powers[1])}` for the second. By mistake softmax runs down the columns. What do "
        "the two rows of weights sum to?",
        answer=softmax(np.log(powers), axis=0).sum(axis=1),
        working=[
            f"Sums of the columns: `{short(sums)}`",
            f"Each exponential over the sum of its column: `{short(shares[0])}` and "
            f"`{short(shares[1])}`",
            f"Sums of the rows, which should be 1 and are not: `{short(found)}`",
        ],
        mistakes={
            "That is what they should sum to. Here each column sums to 1, not each row.": [1, 1],
            "Those are the sums of the exponentials. Divide each by the sum of its column.": (
                powers.sum(axis=1)
            ),
            "Those are the first weights of the rows. Add the second ones.": W[:, 0],
            "You exchanged the two rows.": W.sum(axis=1)[::-1],
            "You divided by the sum of all four exponentials.": (powers.sum(axis=1) / powers.sum()),
        },
    )


PRACTICE = {
    "shapes": Kind(
        title="shapes of every stage",
        draw=shapes,
        fields=["weights, rows", "weights, columns", "output, rows", "output, columns"],
        hint="Write the two products with their shapes side by side. The inner sizes agree, and "
        "go.",
    ),
    "by_hand": Kind(
        title="two queries, two keys",
        draw=by_hand,
        fields=["y₁", "y₂"],
        tolerance=0.02,
        hint="Four dot products, each over √2. Then softmax along each row, and the values with "
        "the weights of that row.",
    ),
    "columns": Kind(
        title="softmax down the columns",
        draw=columns,
        fields=["row 1", "row 2"],
        hint="Divide each exponential by the sum of its column, then add along the rows. Both "
        "together give 2.",
    ),
}
