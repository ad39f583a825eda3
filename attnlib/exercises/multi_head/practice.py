"""Practice on heads: counts, shapes, what each head adds, and what one head leaves over."""

import numpy as np

from attnlib import MultiHeadAttention
from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.exercises.multi_head.parts import parts


def parameters(rng):
    d, h, k, v = (int(rng.integers(low, high)) for low, high in ((5, 13), (2, 5), (2, 6), (2, 6)))
    layer = MultiHeadAttention(
        np.zeros((d, h * k)), np.zeros((d, h * k)), np.zeros((d, h * v)), np.zeros((h * v, d)), h
    )
    keys, values = d * h * k, h * v * d
    return Problem(
        question=f"Items and outputs have `{d}` components, there are `{h}` heads with `d_k = {k}` "
        f"and `d_v = {v}`, and no biases. How many entries does W_Q have, how many does W_O have, "
        "and how many parameters are there in all?",
        answer=[layer.W_Q.size, layer.W_O.size, layer.parameter_count],
        working=[
            f"W_Q has `{d}` rows and `{h} · {k} = {h * k}` columns: `{d} · {h * k} = {keys}`, and "
            "as many in W_K",
            f"W_V has `{d}` rows and `{h} · {v} = {h * v}` columns, W_O is turned round: "
            f"`{h * v} · {d} = {values}`",
            f"Twice each: `2 · {keys} + 2 · {values} = {2 * keys + 2 * values}`; together: "
            f"`[{keys}, {values}, {2 * keys + 2 * values}]`",
        ],
        mistakes={
            "Those are the matrices of one head. There are more.": [
                d * k, v * d, 2 * d * k + 2 * v * d,
            ],
            "W_O has d_v rows for each head, not d_k.": [keys, keys, 3 * keys + values],
            "W_O takes the outputs of all heads, so it has n_heads times d_v rows.": [
                keys, v * d, 2 * keys + values + v * d,
            ],
            "In all there are four matrices; W_K and W_V are two of them.": [
                keys, values, keys + values,
            ],
            "The two are right. W_O belongs to the sum as well.": [
                keys, values, 2 * keys + values,
            ],
            "W_O is as high as the merged heads are wide, which need not be the length of an "
            "item.": [keys, d * d, 2 * keys + values + d * d],
        },
    )  # fmt: skip


def shapes(rng):
    n_q, n_k, d = (int(rng.integers(low, high)) for low, high in ((2, 7), (3, 9), (6, 13)))
    h, k, v = (int(rng.integers(2, 6)) for _ in range(3))
    layer = MultiHeadAttention.random(np.random.default_rng(0), d, h, k, v)
    X_Q, X_KV = np.zeros((n_q, d)), np.zeros((n_k, d))
    Q, K, V = layer.project(X_Q, X_KV)
    _, weights = layer(X_Q, X_KV)
    keys, pairs, merged = h * n_k * k, h * n_q * n_k, n_q * h * v
    return Problem(
        question=f"`{n_q}` queries search `{n_k}` items of `{d}` components, in `{h}` heads with "
        f"`d_k = {k}` and `d_v = {v}`. How many numbers are there in the keys of all heads, in the "
        "weights, and in the merged outputs of the heads, before W_O?",
        answer=[K.size, weights.size, len(Q[0]) * h * V.shape[-1]],
        working=[
            f"Keys have the shape `({h}, {n_k}, {k})`: `{keys}` numbers",
            f"Weights have the shape `({h}, {n_q}, {n_k})`: `{pairs}` numbers",
            f"Merged outputs have the shape `({n_q}, {h} · {v})`: `{merged}` numbers; together: "
            f"`[{keys}, {pairs}, {merged}]`",
        ],
        mistakes={
            "Those are the numbers of one head.": [n_k * k, n_q * n_k, n_q * v],
            "Each head has weights of its own.": [keys, n_q * n_k, merged],
            "There is a key for each item that is searched, not for each query.": [
                h * n_q * k, pairs, merged,
            ],
            "There is an output for each query, not for each item that is searched.": [
                keys, pairs, n_k * h * v,
            ],
            "The outputs are mixtures of values, so they are as long as values.": [
                keys, pairs, n_q * h * k,
            ],
            "After W_O the output is as long as an item. The question is what goes in.": [
                keys, pairs, n_q * d,
            ],
        },
    )  # fmt: skip


def sum_of_heads(rng):
    y = rng.choice([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0], 2, replace=False)
    W_O = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], (2, 2))
    first, second = ([w * number for w in row] for number, row in zip(y, W_O))
    total = [a + b for a, b in zip(first, second)]
    by_parts = parts(y[:, None, None], W_O)[:, 0]
    return Problem(
        question=f"Two heads with `d_v = 1` return `{short(y[0])}` and `{short(y[1])}` for a "
        f"query. W_O has the rows `{short(W_O[0])}` and `{short(W_O[1])}`. What are the two "
        "numbers of the output, and what are they if the second head is switched off, its output "
        "0?",
        answer=[*by_parts.sum(axis=0), *by_parts[0]],
        working=[
            f"Head 1 adds `{short(y[0])} · {short(W_O[0])} = {short(first)}`",
            f"Head 2 adds `{short(y[1])} · {short(W_O[1])} = {short(second)}`",
            f"Their sum is `{short(total)}`, and head 1 alone leaves `{short(first)}`; together: "
            f"`{short([*total, *first])}`",
        ],
        mistakes={
            "You used columns of W_O. Each head has a row.": [
                *(W_O @ y), *(W_O[:, 0] * y[0]),
            ],
            "You divided by the number of heads. The output is a sum.": [
                *(by_parts.sum(axis=0) / 2), *by_parts[0],
            ],
            "The output is right. It is the second head that is switched off, not the first.": [
                *by_parts.sum(axis=0), *by_parts[1],
            ],
            "You used the first row for both heads. Each has its own.": [
                *(y.sum() * W_O[0]), *by_parts[0],
            ],
            "The output is right. What is left is not half of it: the head takes its own part "
            "away.": [*by_parts.sum(axis=0), *(by_parts.sum(axis=0) / 2)],
        },
    )  # fmt: skip


def one_head(rng):
    a, b = (int(x) for x in rng.choice(np.arange(1, 20), 2, replace=False))
    alpha, beta = a / (a + b), b / (a + b)
    s = alpha**2 + beta**2
    missed = [beta**2 / s, alpha**2 / s]
    A = np.array([[alpha, beta]])
    errors = ((np.eye(2) - np.linalg.pinv(A) @ A) ** 2).sum(axis=1)
    return Problem(
        question=f"One head gives two items the weights `{a}/{a + b}` and `{b}/{a + b}`. Their "
        "values are independent, with mean 0 and variance 1. What share of the variance of the "
        "first value does the best readout leave over, and which of the second?",
        answer=list(errors),
        working=[
            f"The weights squared: `{short(alpha**2)}` and `{short(beta**2)}`, their sum "
            f"`s = {short(s)}`",
            f"The first misses what the second mixes in: `{short(beta**2)} / {short(s)} = "
            f"{short(missed[0])}`",
            f"The second the other way round: `{short(alpha**2)} / {short(s)}`, the rest to 1; "
            f"together `{short(missed)}`",
        ],
        mistakes={
            "Those are exchanged: the value with the larger weight is missed less.": errors[::-1],
            "Those are the shares of the weights. Variances go with their squares.": [beta, alpha],
            "Those are not divided by the variance of the mixture, s.": [beta**2, alpha**2],
            "Together they are 1, but they are equal only for equal weights.": [0.5, 0.5],
        },
    )


PRACTICE = {
    "parameters": Kind(
        title="parameters",
        draw=parameters,
        fields=["W_Q", "W_O", "all"],
        tolerance=0.4,
        hint="Write down rows and columns of each matrix, the heads side by side.",
    ),
    "shapes": Kind(
        title="shapes",
        draw=shapes,
        fields=["keys", "weights", "merged"],
        tolerance=0.4,
        hint="Heads, then rows, then components: multiply the three.",
    ),
    "sum_of_heads": Kind(
        title="what each head adds",
        draw=sum_of_heads,
        fields=["output, first", "output, second", "alone, first", "alone, second"],
        hint="Each head's number times its row of W_O, then the sum of the two rows.",
    ),
    "one_head": Kind(
        title="one head, two values",
        draw=one_head,
        fields=["first", "second"],
        hint="Square both weights. What is mixed in, over the sum of both squares, is what is "
        "missed.",
    ),
}
