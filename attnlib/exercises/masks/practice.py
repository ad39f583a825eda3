"""Practice on masks: a masked row by hand, the size of a cache, the scores of all steps."""

from math import exp

import numpy as np

from attnlib import softmax
from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.heads import KeyValueCache, MultiHeadAttention
from attnlib.masks import causal, padding

N = 5


def row(rng):
    scores = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0], N, replace=False)
    values = rng.choice(np.arange(1.0, 13.0), N, replace=False)
    seen = int(rng.integers(2, 4))
    if rng.integers(2):
        said = f"A mask is causal, and the query is that of item `{seen}` of `{N}`. Its scores"
        why = f"Item `{seen}` sees itself and what comes before"
        mask = causal(N)[seen - 1]
    else:
        said = (
            f"A sequence of `{seen}` words is padded to `{N}`, and the mask forbids the padding "
            "as keys. A query's scores"
        )
        why = f"The words are the first `{seen}` keys"
        mask = padding(seen, N)[0]
    powers = [exp(s) for s in scores[:seen]]
    total = sum(powers)
    weights = [p / total for p in powers]
    found = sum(w * v for w, v in zip(weights, values))
    products = " + ".join(f"{short(w)} · {short(v)}" for w, v in zip(weights, values))

    def answered(w):
        return [w[0], w @ values]

    def only(kept):
        return answered(softmax(np.where(kept, scores, -np.inf)))

    places = np.arange(N)
    return Problem(
        question=f"{said} with the keys are `{short(scores)}`, the values "
        f"`{short(values)}`. What is the weight of the first key, and what is the output?",
        answer=only(mask),
        working=[
            f"{why}; the other scores become −∞, and their exponentials 0",
            f"Exponentials of those that are left: `{short(powers)}`, sum `{short(total)}`",
            f"Weights: `{short(weights)}`, and 0 for the rest",
            f"Output: `{products} = {short(found)}`",
            f"The weight and the output: `{short([weights[0], found])}`",
        ],
        mistakes={
            "Those are the weights without a mask: all five keys are in your sum.": answered(
                softmax(scores)
            ),
            "You masked after softmax. The sum that divides must not contain forbidden scores.": (
                answered(softmax(scores) * mask)
            ),
            "You multiplied the scores by the mask. A score of 0 still gets weight; −∞ does not.": (
                answered(softmax(scores * mask))
            ),
            "The mask is inverted: you kept the forbidden keys.": only(~mask),
            "You left out a key that it may see, the last one.": only(places < seen - 1),
            "You let in one key too many.": only(places <= seen),
            "Those are exponentials and values added up. Divide by the sum of exponentials.": [
                powers[0], total * found
            ],
        },
    )  # fmt: skip


def cache(rng):
    n_layers, n_heads = int(rng.integers(2, 7)), int(rng.integers(2, 7))
    d_k, d_v = (int(rng.choice([4, 8, 16])) for _ in range(2))
    n, each = int(rng.integers(2, 5)) * 500, int(rng.choice([2, 4]))
    kept = KeyValueCache(MultiHeadAttention.random(np.random.default_rng(0), 2, n_heads, d_k, d_v))
    kept.step(np.zeros((1, 2)))
    one = n_layers * (kept.K.size + kept.V.size)
    item = n_heads * (d_k + d_v)
    numbers, factor = n_layers * item, n * each // 1000

    def counted(numbers, items=n):
        return [numbers, numbers * items * each / 1000]

    return Problem(
        question=f"A model has `{n_layers}` layers, each with `{n_heads}` heads, `d_k = {d_k}` and "
        f"`d_v = {d_v}`. How many numbers does the cache keep of one item? And how many kilobytes, "
        f"of 1000 bytes, of `{n}` items, with `{each}` bytes a number?",
        answer=[one, one * n * each / 1000],
        working=[
            f"One head keeps a key and a value: `{d_k} + {d_v} = {d_k + d_v}` numbers",
            f"All heads of a layer: `{n_heads} · {d_k + d_v} = {item}`; all layers: "
            f"`{n_layers} · {item} = {numbers}`",
            f"`{n}` items of `{each}` bytes a number: `{n} · {each} / 1000 = {factor}` kilobytes "
            f"for each of them, `{factor} · {numbers} = {factor * numbers}` in all",
            f"The two: `[{numbers}, {factor * numbers}]`",
        ],
        mistakes={
            "You left out the values. A key and a value are kept.": counted(
                n_layers * n_heads * d_k
            ),
            "You left out the keys. A key and a value are kept.": counted(n_layers * n_heads * d_v),
            "Queries are not kept: each is asked once.": counted(n_layers * (item + n_heads * d_k)),
            "Each head has keys and values of its own.": counted(n_layers * (d_k + d_v)),
            "Each layer has a cache of its own.": counted(item),
            "A key has d_k numbers and a value d_v, which need not be the same.": counted(
                2 * n_layers * n_heads * d_k
            ),
            "The first is right. The cache grows with the number of items, not with its square: "
            "scores are not kept.": counted(numbers, n * n),
            "The first is right. The second is in thousands of numbers: times the bytes of each.": [
                numbers, numbers * n / 1000
            ],
        },
    )  # fmt: skip


def steps(rng):
    old, new = int(rng.integers(2, 18)), int(rng.integers(3, 7))
    n = old + new
    steps = range(old + 1, n + 1)
    with_cache = sum(int(causal(1, t).size) for t in steps)
    all_rows = sum(int(causal(t).size) for t in steps)
    masked = int((~causal(n)).sum())
    lengths, squares = sum(steps), sum(t * t for t in steps)

    return Problem(
        question=f"A text of `{old}` words grows word by word to `{n}`. How many scores are "
        f"computed in these `{new}` steps together, by one head, with a cache that holds the keys "
        f"and values of the first `{old}`? How many if each step recomputes all rows? And how many "
        f"of the last step's `{n} · {n}` are masked?",
        answer=[with_cache, all_rows, masked],
        working=[
            f"With a cache the step to word t asks one query of t keys: "
            f"`{' + '.join(str(t) for t in steps)} = {lengths}`",
            f"For all rows it is t queries and t keys: "
            f"`{' + '.join(f'{t}²' for t in steps)} = {squares}`",
            f"In the last step row i has `{n} − i` keys that come later: "
            f"`{n} · {n - 1} / 2 = {n * (n - 1) // 2}`",
            f"The three: `[{lengths}, {squares}, {n * (n - 1) // 2}]`",
        ],
        mistakes={
            "A new item meets itself, too: its own key is one of the t.": [
                lengths - new, squares, masked
            ],
            "The diagonal is allowed: an item sees itself, and that score is not masked.": [
                lengths, squares, n * (n + 1) // 2
            ],
            "You counted from the first word. The old ones are there already.": [
                n * (n + 1) // 2, n * (n + 1) * (2 * n + 1) // 6, masked
            ],
            "All rows are recomputed in every step, not in the last one only.": [
                lengths, n * n, masked
            ],
            "With a cache there is one query in a step, and it meets all keys so far.": [
                new, squares, masked
            ],
            "The masked scores of all rows are computed as well: t² in a step.": [
                lengths, sum(t * (t + 1) // 2 for t in steps), masked
            ],
            "Half of a square is not masked: the diagonal is allowed.": [
                lengths, squares, n * n / 2
            ],
        },
    )  # fmt: skip


PRACTICE = {
    "row": Kind(
        title="a masked row",
        draw=row,
        fields=["weight of the first key", "output"],
        tolerance=0.01,
        hint="Cross out the forbidden keys first. Then exponentials, their sum, and weights, as if "
        "the others were not there.",
    ),
    "cache": Kind(
        title="the size of a cache",
        draw=cache,
        fields=["numbers of one item", "kilobytes of all"],
        tolerance=0.4,
        hint="Start with one head and one item: a key and a value. Then heads, layers, items, "
        "bytes.",
    ),
    "steps": Kind(
        title="scores, step by step",
        draw=steps,
        fields=["with a cache", "all rows", "masked"],
        tolerance=0.2,
        hint="Write down the first step: how many queries, how many keys? Then the next.",
    ),
}
