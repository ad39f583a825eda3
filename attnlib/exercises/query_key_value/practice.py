"""Practice on one query: weights from scores, the ratio of two weights, a whole lookup."""

from math import exp

import numpy as np

from attnlib import attend, dot, hardmax, softmax
from attnlib.exercises.engine.practising import Kind, Problem, short


def softmax_in_steps(scores):
    """The weights, and the steps that lead to them."""
    exponentials = [exp(s) for s in scores]
    total = sum(exponentials)
    found = [e / total for e in exponentials]
    shown = [f"`exp({short(s)}) = {short(e)}`" for s, e in zip(scores, exponentials)]
    return found, [
        f"Exponentials: {', '.join(shown)}",
        f"Their sum: `Z = {short(total)}`",
        f"Each divided by it: `w = {short(found)}`",
    ]


def weights(rng):
    scores = rng.choice(np.arange(-2.0, 4.0), 3, replace=False)
    _, working = softmax_in_steps(scores)
    return Problem(
        question=f"The scores of three keys are `{short(scores)}`. What are the weights?",
        answer=softmax(scores),
        working=working,
        mistakes=(
            {"You divided the scores by their sum: take exponentials first.": scores / scores.sum()}
            if scores.sum()
            else {}
        )
        | {
            "Those are the exponentials. Divide each by their sum.": np.exp(scores),
            "You gave the smallest score the largest weight; turn it round.": softmax(-scores),
            "That is a hard lookup. Softmax gives the other keys a share, too.": hardmax(scores),
            "Divide by the sum of all exponentials, not by the largest of them.": (
                np.exp(scores - scores.max())
            ),
            "The sum runs over all three keys, each key's own exponential included.": (
                np.exp(scores) / (np.exp(scores).sum() - np.exp(scores))
            ),
        },
    )


def lookup(rng):
    query = rng.choice([-2.0, -1.0, 1.0, 2.0], 2)
    keys = rng.integers(-1, 2, (3, 2)).astype(float)
    values = rng.choice(np.arange(0.0, 11.0), 3, replace=False)
    scores = [sum(a * b for a, b in zip(query, key)) for key in keys]
    found, working = softmax_in_steps(scores)
    result = sum(w * v for w, v in zip(found, values))
    products = " + ".join(f"{short(w)} · {short(v)}" for w, v in zip(found, values))
    listed = ", ".join(f"`{short(key)}`" for key in keys)
    raw = keys @ query
    return Problem(
        question=f"The query is `{short(query)}`, the keys are {listed}, and their values are "
        f"`{short(values)}`. With plain dot products as scores, what is the output?",
        answer=attend(query[None], keys, values[:, None], score=dot)[0][0],
        working=[
            f"Scores, query times each key: `{short(scores)}`",
            *working,
            f"Each value times its weight: `{products} = {short(result)}`",
        ],
        mistakes={
            "That is the plain mean of the values: the query had no say.": values.mean(),
            "That is the value of the best key: a hard lookup. The others have a share, too.": (
                hardmax(raw) @ values
            ),
            "Those are the scores times the values, without softmax.": raw @ values,
            "You did not divide the exponentials by their sum.": np.exp(raw) @ values,
            "You divided the scores by √2, which this question does not ask for: chapter 4 shows "
            "why one would.": softmax(raw / np.sqrt(2)) @ values,
            "You gave the key that fits worst the largest weight; turn it round.": (
                softmax(-raw) @ values
            ),
        }
        | (
            {
                "You divided the scores by their sum: softmax takes exponentials first.": (
                    raw @ values / raw.sum()
                )
            }
            if raw.sum()
            else {}
        ),
    )


def two_weights(rng):
    low = rng.choice(np.arange(-2.0, 2.25, 0.25))
    high = low + rng.choice(np.arange(0.5, 3.25, 0.25))
    return Problem(
        question=f"Two keys have the scores `{short(high)}` and `{short(low)}`. How many times as "
        "large as the second weight is the first?",
        answer=np.divide(*softmax(np.array([high, low]))),
        working=[
            f"The sum Z cancels: `exp({short(high)}) / exp({short(low)})`",
            f"Differences become ratios: `exp({short(high - low)}) = {short(exp(high - low))}`",
        ],
        mistakes={
            "That is the difference of the scores. Softmax takes its exponential.": high - low,
            "That is the second weight over the first; the question asks for the inverse.": (
                np.exp(low - high)
            ),
            "You added the scores: the ratio is the exponential of their difference.": np.exp(
                high + low
            ),
            "That is the exponential of the first score alone.": np.exp(high),
        }
        | (
            {"That is the ratio of the scores. Weights compare by their difference.": high / low}
            if low
            else {}
        ),
    )


PRACTICE = {
    "weights": Kind(
        title="from scores to weights",
        draw=weights,
        fields=["w₁", "w₂", "w₃"],
        hint="Take the exponential of each score, and divide each by the sum of all three.",
    ),
    "lookup": Kind(
        title="one query, three keys",
        draw=lookup,
        tolerance=0.02,
        hint="Three steps: a score for each key, weights by softmax, the weighted sum of the "
        "values. Which of them can you check?",
    ),
    "two_weights": Kind(
        title="how two weights compare",
        draw=two_weights,
        tolerance=0.02,
        hint="Write both weights as exp(score) / Z and divide one by the other.",
    ),
}
