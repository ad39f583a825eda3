"""Practice on scaling: how large scores are, weights of scaled scores, how weights respond."""

from math import exp, sqrt

import numpy as np

from attnlib import scaled_dot_product_attention, softmax, softmax_jacobian
from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.exercises.scaling.score_std import score_std

ORDER = ["first", "second", "third"]


def spread(rng):
    d = int(rng.choice([4, 9, 16, 25, 36, 49, 64, 81, 100, 144]))
    q, k = rng.choice([0.25, 1.0, 4.0, 9.0], 2)
    return Problem(
        question=f"Queries and keys have `{d}` independent components with mean 0; those of "
        f"queries have variance `{short(q)}`, those of keys `{short(k)}`. What is the standard "
        "deviation of a score, and what is it after division by √d?",
        answer=[score_std(d, q, k), score_std(1, q, k)],
        working=[
            f"One product of components has the variance `{short(q)} · {short(k)} "
            f"= {short(q * k)}`",
            f"A score adds {d} of them: `{d} · {short(q * k)} = {short(d * q * k)}`",
            f"Its root: `√{short(d * q * k)} = {short(sqrt(d * q * k))}`; divided by "
            f"`√{d} = {short(sqrt(d))}`, together: "
            f"`{short([sqrt(d * q * k), sqrt(d * q * k) / sqrt(d)])}`",
        ],
        mistakes={
            "Those are the variances. The standard deviation is the root.": [d * q * k, q * k],
            "That holds for components of variance 1. Here each product has the variance "
            "of the query's component times that of the key's.": [sqrt(d), 1],
            "You divided by d; the question asks for √d.": [sqrt(d * q * k), sqrt(q * k / d)],
            "The variances of independent factors are multiplied, not added.": [
                sqrt(d * (q + k)),
                sqrt(q + k),
            ],
            "Those roots are of the variances alone: a standard deviation is √(d · variance), "
            "not d times a root.": [d * sqrt(q * k), sqrt(d * q * k)],
        },
    )


def scaled_weights(rng):
    query = rng.choice([-2.0, -1.0, 0.0, 1.0, 2.0], 4)
    keys = rng.choice([-1.0, 0.0, 1.0], (2, 4))
    raw = [sum(a * b for a, b in zip(query, key)) for key in keys]
    scores = [s / 2 for s in raw]
    exponentials = [exp(s) for s in scores]
    first = exponentials[0] / sum(exponentials)
    _, by_attnlib = scaled_dot_product_attention(query[None], keys, np.eye(2))
    products = keys @ query
    listed = " and ".join(f"`{short(key)}`" for key in keys)

    def taken(scores):
        return [*scores, softmax(scores)[0]]

    return Problem(
        question=f"The query is `{short(query)}`, the keys are {listed}. What are the two scores "
        "after the scale, and what is the weight of the first key?",
        answer=[*(keys @ query / np.sqrt(4)), by_attnlib[0, 0]],
        working=[
            f"Dot products: `{short(raw)}`",
            f"Divided by `√4 = 2`: `{short(scores)}`",
            f"Exponentials: `exp({short(scores[0])}) = {short(exponentials[0])}` and "
            f"`exp({short(scores[1])}) = {short(exponentials[1])}`, their sum "
            f"`{short(sum(exponentials))}`",
            f"Scores and first weight: `{short([*scores, first])}`",
        ],
        mistakes={
            "The scale is missing: divide by √d = 2 before softmax.": taken(products),
            "You divided by d. The scale is 1/√d.": taken(products / 4),
            "You multiplied by √d. The scale divides.": taken(products * 2),
            "The scores are right. Their weight is an exponential over the sum of both.": [
                *(products / 2),
                np.exp(products[0] / 2),
            ],
            "The scores are right, and this is the weight of the second key.": [
                *(products / 2),
                softmax(products / 2)[1],
            ],
            "The scores are right, but the weight is taken from the scores before the scale.": [
                *(products / 2),
                softmax(products)[0],
            ],
        },
    )


def response(rng):
    tenths = np.sort(rng.choice(np.arange(1, 9), 2, replace=False))
    weights = rng.permutation(np.diff([0, *tenths, 10])) / 10
    j = int(rng.integers(3))
    entries = [w * ((i == j) - weights[j]) for i, w in enumerate(weights)]
    own, beside = np.eye(3)[j], 1 - np.eye(3)[j]
    steps = [
        f"`−{short(w)} · {short(weights[j])} = {short(entries[i])}`"
        for i, w in enumerate(weights)
        if i != j
    ]
    return Problem(
        question=f"A row of softmax weights is `{short(weights)}`. The {ORDER[j]} score rises a "
        "little. At what rate does each weight change?",
        answer=softmax_jacobian(np.log(weights))[:, j],
        working=[
            f"The weight of that score gains `w(1 − w)`: "
            f"`{short(weights[j])} · {short(1 - weights[j])} = {short(entries[j])}`",
            f"Each other weight loses its product with that one: {', '.join(steps)}",
            f"Together they sum to 0: `{short(entries)}`",
        ],
        mistakes={
            "Those are the rates at which each weight follows its own score. Only one score rises "
            "here.": weights * (1 - weights),
            "You let the others gain; what one weight gains the others should lose.": (
                np.abs(entries) * 1.0
            ),
            "A weight's own rate is w(1 − w), not −w².": -weights * weights[j],
            "The others move, too: all weights share one sum.": entries[j] * own,
            "Those are the rates of the weights' logarithms: multiply each by its own weight.": (
                own - weights[j]
            ),
            "You let the others lose equally; each should lose in proportion to its own weight.": (
                entries[j] * (own - beside / 2)
            ),
        },
    )


PRACTICE = {
    "spread": Kind(
        title="the size of a score",
        draw=spread,
        fields=["before", "after"],
        hint="The variance of one product first, then of their sum, then the root.",
    ),
    "scaled_weights": Kind(
        title="scaled scores and a weight",
        draw=scaled_weights,
        fields=["score 1", "score 2", "w₁"],
        hint="Dot products, divided by √d with d = 4; then softmax of the two.",
    ),
    "response": Kind(
        title="how weights respond",
        draw=response,
        fields=["w₁", "w₂", "w₃"],
        tolerance=0.004,
        hint="One column of the Jacobian: w(1 − w) for the weight of that score, minus a product "
        "for each other.",
    ),
}
