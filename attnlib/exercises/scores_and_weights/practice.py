"""Practice on scores and weights: bilinear scores, three normalisers, a threshold of sparsemax."""

from math import exp

import numpy as np

from attnlib import Bilinear, hardmax, sigmoid_normalize, softmax, sparsemax
from attnlib.exercises.engine.practising import Kind, Problem, short


def sparsemax_in_steps(scores):
    """How many scores are kept, the threshold, and the steps that lead to them."""
    ordered = sorted(scores, reverse=True)
    steps = [f"Sorted: `{short(ordered)}`"]
    for k in range(1, len(ordered) + 1):
        total = sum(ordered[:k])
        candidate = (total - 1) / k
        added = ordered[k - 1]
        shown = candidate if candidate >= 0 else round(candidate, 3)
        kept = added > candidate
        verdict = "is above it and is kept" if kept else "is not above it and falls out"
        steps.append(
            f"The best {k}: `({short(round(total, 1))} − 1) / {k} = {short(shown)}`; "
            f"`{short(added)}` {verdict}"
        )
        if not kept:
            break
        found = k, candidate
    return *found, steps


def shared(rng, count, low, high):
    """So many scores in tenths, of which sparsemax keeps at least two, above a threshold >= 0."""
    while True:
        scores = np.round(rng.choice(np.arange(low, high), count, replace=False) * 0.1, 1)
        kept, threshold, _ = sparsemax_in_steps(scores.tolist())
        on_the_edge = np.abs(scores - threshold).min() < 0.01
        if kept > 1 and threshold >= 0 and not on_the_edge:
            return scores


def by_softmax(scores):
    exponentials = [exp(s) for s in scores]
    total = sum(exponentials)
    return [e / total for e in exponentials], [
        f"Exponentials: `{short(exponentials)}`, their sum `{short(total)}`"
    ]


def by_sigmoid(scores):
    sigmoids = [1 / (1 + exp(-s)) for s in scores]
    total = sum(sigmoids)
    return [g / total for g in sigmoids], [
        f"Sigmoids, `1 / (1 + exp(−s))`: `{short(sigmoids)}`, their sum `{short(total)}`"
    ]


def by_sparsemax(scores):
    _, threshold, steps = sparsemax_in_steps(scores)
    return [max(s - threshold, 0.0) for s in scores], [
        *steps,
        f"Lower every score by `{short(threshold)}`, and cut at 0",
    ]


NAMES = {
    "softmax": (softmax, by_softmax),
    "sparsemax": (sparsemax, by_sparsemax),
    "the normalised sigmoid": (sigmoid_normalize, by_sigmoid),
}


def three_weights(rng):
    name = str(rng.choice(list(NAMES)))
    normalize, in_steps = NAMES[name]
    if name == "sparsemax":
        scores = shared(rng, 3, -10, 16)
    else:
        scores = rng.choice(np.arange(-2, 3.5, 0.5), 3, replace=False)
    found, steps = in_steps(scores.tolist())
    mistakes = {
        f"Those are the weights of {other}. The question asks for {name}.": function(scores)
        for other, (function, _) in NAMES.items()
        if other != name
    }
    mistakes["You gave the smallest score the largest weight; turn it round."] = normalize(-scores)
    if name == "softmax":
        mistakes |= {
            "Those are the exponentials. Divide each by their sum.": np.exp(scores),
            "That is hardmax: all to the best.": hardmax(scores),
        }
    elif name == "sparsemax":
        mistakes |= {
            "That is hardmax: all to the best. Here the best leads by less than 1.": (
                hardmax(scores)
            ),
        }
        if (sparsemax(scores) == 0).any():
            lowered = scores - (scores.sum() - 1) / 3
            mistakes |= {
                "You kept all three: a weight is never negative.": lowered,
                "You cut a negative weight to 0 and left the others, which now sum to more than "
                "1. Find the threshold of those that are kept.": np.maximum(lowered, 0),
            }
    else:
        mistakes |= {
            "Those are the sigmoids. Divide each by their sum.": 1 / (1 + np.exp(-scores)),
            "That is hardmax: all to the best.": hardmax(scores),
        }
    return Problem(
        question=f"The scores are `{short(scores)}`. What are their weights by {name}?",
        answer=normalize(scores),
        working=[*steps, f"Weights: `{short(found)}`"],
        mistakes=mistakes,
    )


def threshold(rng):
    scores = shared(rng, 4, -12, 20)
    kept, found, steps = sparsemax_in_steps(scores.tolist())
    weights = sparsemax(scores)
    ordered = np.sort(scores)[::-1]
    in_order = [(scores[:k].sum() - 1) / k for k in range(1, 5)]
    last = max((k for k in range(1, 5) if scores[k - 1] > in_order[k - 1]), default=1)
    mistakes = {
        "You kept only the best. Test the second against the threshold that includes it.": [
            1,
            ordered[0] - 1,
        ],
        "The number is right, but that is the mean of the scores that are kept: subtract 1 from "
        "their sum first.": [kept, ordered[:kept].mean()],
        "The number is right, but you divided by 4: divide by the number that is kept.": [
            kept,
            (ordered[:kept].sum() - 1) / 4,
        ],
        "The number is right; 1 is subtracted from the sum, not from the mean.": [
            kept,
            ordered[:kept].mean() - 1,
        ],
    }
    if kept < 4:
        mistakes["You kept all four, but the lowest would get a negative weight."] = [
            4,
            (ordered.sum() - 1) / 4,
        ]
    if [last, in_order[last - 1]] != [kept, found]:
        mistakes["You took the scores in the order in which they stand. Sort them first."] = [
            last,
            in_order[last - 1],
        ]
    return Problem(
        question=f"The scores are `{short(scores)}`. How many does sparsemax keep, and what is its "
        "threshold τ?",
        answer=[(weights > 0).sum(), (scores - weights)[weights > 0].mean()],
        working=[*steps, f"Kept, and the threshold: `{short([kept, found])}`"],
        mistakes=mistakes,
    )


def bilinear(rng):
    q, K = rng.integers(-2, 4, 2).astype(float), rng.integers(-2, 4, (2, 2)).astype(float)
    W = rng.integers(-1, 3, (2, 2)).astype(float)
    through = [q[0] * W[0, b] + q[1] * W[1, b] for b in range(2)]
    through = [x + 0.0 for x in through]  # no −0
    scores = [through[0] * k[0] + through[1] * k[1] + 0.0 for k in K]
    a, b = (short(x) for x in q)
    columns = " and ".join(
        f"`{a} · {short(W[0, c])} + {b} · {short(W[1, c])} = {short(through[c])}`" for c in (0, 1)
    )
    products = " and ".join(
        f"`{short(through[0])} · {short(k[0])} + {short(through[1])} · {short(k[1])} = {short(s)}`"
        for k, s in zip(K, scores)
    )
    return Problem(
        question=f"The query is `{short(q)}`, the keys are `{short(K[0])}` and `{short(K[1])}`, "
        f"and W is `{short(W)}`, row by row. What are the bilinear scores of the two keys?",
        answer=Bilinear(W)(q[None], K)[0],
        working=[
            f"The query through W, down its columns: {columns}",
            f"Dot products with the keys: {products}",
            f"Scores: `{short(scores)}`",
        ],
        mistakes={
            "W is transposed: the query meets its rows, so sum down the columns.": K @ W @ q,
            "Those are the plain dot products. The query goes through W first.": K @ q,
            "You multiplied by the diagonal of W only. Its other entries let different components "
            "meet.": K @ (q * np.diag(W)),
            "Those are softmax weights. The scores are asked for.": softmax(K @ (q @ W)),
            "That is the query after W. Its dot products with the keys are still to come.": q @ W,
        },
    )


PRACTICE = {
    "bilinear": Kind(
        title="bilinear scores",
        draw=bilinear,
        fields=["score 1", "score 2"],
        hint="First the query times W, a row times a matrix; then a dot product with each key.",
    ),
    "weights": Kind(
        title="three ways to weights",
        draw=three_weights,
        fields=["w₁", "w₂", "w₃"],
        hint="Which normaliser is asked for? Softmax and the normalised sigmoid divide by a sum; "
        "sparsemax lowers all scores by one threshold.",
    ),
    "threshold": Kind(
        title="the threshold of sparsemax",
        draw=threshold,
        fields=["kept", "τ"],
        hint="Sort the scores. For the best one, two, three, four: their sum minus one, over their "
        "number. Stop at the first score that does not lie above it.",
    ),
}
