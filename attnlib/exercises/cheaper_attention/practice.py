"""Practice on cheaper attention: one more block, the pairs of a window, a cache."""

import numpy as np

from attnlib import causal
from attnlib.efficient import online_softmax
from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.masks import sliding_window


def four_digits(x):
    """The number that stands on the pocket calculator's sheet, from which one goes on."""
    return float(f"{x:.4g}")


def block(rng):
    a = int(rng.choice([2, 4, 5]))
    second = int(rng.integers(1, a + 1))
    larger = int(rng.choice([8, 10, 20]))
    other = int(rng.integers(1, larger))
    v = [int(x) for x in rng.choice(np.arange(1, 13), size=4, replace=False)]
    total, output = 1 + second / a, v[0] + v[1] * second / a
    c, power = a / larger, other / larger
    new_total = four_digits(c * total + 1 + power)
    new_output = four_digits(c * output + v[2] + power * v[3])
    keys = np.log([[a], [second], [larger], [other]])
    answer = online_softmax([[1]], keys, np.array(v, dtype=float)[:, None], block_k=2).item()
    exact = (a + second + larger + other) / larger

    def two(total, output):
        return [total, output / total]

    fresh, weighted = 1 + power, v[2] + power * v[3]
    return Problem(
        question=f"So far a query has the running maximum `log {a}`, the running sum "
        f"`{short(total)}` and the running output `{short(output)}`. Now a block of two keys "
        f"comes, with the scores `log {larger}` and `log {other}` and the values `{v[2]}` and "
        f"`{v[3]}`. What is the running sum after it? And what is the answer over all keys so far?",
        answer=[exact, answer],
        working=[
            f"The new maximum is `log {larger}`, so the correction is "
            f"`c = {a} / {larger} = {short(c)}`",
            f"Measured from it, the new exponentials are `{larger} / {larger} = 1` and "
            f"`{other} / {larger} = {short(power)}`",
            f"Sum: `{short(c)} · {short(total)} + 1 + {short(power)} = {short(new_total)}`",
            f"Output: `{short(c)} · {short(output)} + 1 · {v[2]} + {short(power)} · {v[3]} = "
            f"{short(new_output)}`",
            f"Answer: `{short(new_output)} / {short(new_total)} = {short(new_output / new_total)}`",
            f"The two: `{short([new_total, new_output / new_total])}`",
        ],
        mistakes={
            "What was summed before was not corrected. Measured from the new maximum it is "
            "smaller.": two(total + fresh, output + weighted),
            "The running sum was not corrected, only the output.": two(
                total + fresh, c * output + weighted
            ),
            "The sum is right. The running output was not corrected.": two(
                new_total, output + weighted
            ),
            "The correction is upside down: a larger maximum makes the old sums smaller.": two(
                total / c + fresh, output / c + weighted
            ),
            "The answer is right. The sum is measured from the old maximum; it should be measured "
            "from the new one.": [new_total / c, new_output / new_total],
            "The sum is right. Divide the running output by it.": [new_total, new_output],
            "That is the new block alone. What was there before counts, too.": two(
                fresh, weighted
            ),
            "The sum is right. An answer is not divided before the next block comes: the running "
            "output goes on as it is.": [
                new_total, (c * output / total + weighted) / new_total
            ],
            "The sum is right. That is the mean of two answers, that of the keys before and that "
            "of the block.": [new_total, (output / total + weighted / fresh) / 2],
        },
    )  # fmt: skip


def pairs(rng):
    u = int(rng.integers(3, 20))
    n = int(rng.integers(3 * u, 8 * u))
    near = sliding_window(n, n, width=u)
    corner, both = u * (u - 1) // 2, n * (2 * u - 1)
    return Problem(
        question=f"`{n}` items ask keys fewer than `{u}` positions away, their own included. How "
        "many pairs are there under a causal mask, and how many without one?",
        answer=[int((near & causal(n)).sum()), int(near.sum())],
        working=[
            f"Causal, a row that is full has `{u}` pairs: `{n} · {u} = {n * u}`",
            f"The first `{u - 1}` rows lack `{u - 1}`, …, `1` of them, together "
            f"`{u} · {u - 1} / 2 = {corner}`",
            f"Causal: `{n * u} - {corner} = {n * u - corner}`",
            f"In both directions a full row has `2 · {u} - 1 = {2 * u - 1}` pairs, and both ends "
            f"lack `{corner}`: `{n} · {2 * u - 1} - 2 · {corner} = {both - 2 * corner}`",
            f"The two: `{short([n * u - corner, both - 2 * corner])}`",
        ],
        mistakes={
            "The rows at the ends have fewer pairs: there is nothing beyond.": [n * u, both],
            "The first is right. In both directions both ends lack pairs.": [
                n * u - corner, both - corner
            ],
            "The first is right. An item's own key was counted twice.": [
                n * u - corner, 2 * (n * u - corner)
            ],
            "The window is one too wide: fewer than that many positions away, so the farthest is "
            "one nearer.": [
                n * (u + 1) - u * (u + 1) // 2, n * (2 * u + 1) - u * (u + 1)
            ],
            "The window is one too narrow: an item asks its own key, too.": [
                n * (u - 1) - (u - 1) * (u - 2) // 2, n * (2 * u - 3) - (u - 1) * (u - 2)
            ],
            "An item asks its own key, too: it is missing in both.": [
                n * (u - 1) - corner, n * (2 * u - 2) - 2 * corner
            ],
            "That is without any window.": [n * (n + 1) // 2, n * n],
            "The two are exchanged.": [both - 2 * corner, n * u - corner],
        },
    )  # fmt: skip


def cache(rng):
    groups = int(rng.choice([3, 5]))
    heads, width = groups * int(rng.choice([2, 4, 8])), int(rng.choice([8, 10, 12]))
    layers, size = int(rng.choice([7, 9, 10])), int(rng.choice([4, 8]))
    thousands = int(rng.integers(2, 10))
    word = 2 * groups * width * layers * size
    right = thousands * word / 1000

    def megabytes(factor):
        return [right * factor, heads / groups]

    return Problem(
        question=f"A model has `{layers}` layers, each with `{heads}` heads in `{groups}` groups "
        f"that share keys and values. These have `{width}` numbers each, of `{size}` bytes. How "
        f"many megabytes, of a million bytes, does the cache of `{thousands}000` words take? And "
        "how many times as much would it be, if each head had keys and values of its own?",
        answer=[right, heads / groups],
        working=[
            f"A word leaves a key and a value in each group: `2 · {groups} · {width} = "
            f"{2 * groups * width}` numbers in a layer",
            f"In all layers, in bytes: `{2 * groups * width} · {layers} · {size} = {word}`",
            f"A thousand words take `{short(word / 1000)}` megabytes, all of them "
            f"`{thousands} · {short(word / 1000)} = {short(right)}`",
            f"With `{heads}` in place of `{groups}`: `{heads} / {groups} = "
            f"{short(heads / groups)}` times as much",
            f"The two: `{short([right, heads / groups])}`",
        ],
        mistakes={
            "Heads of one group share keys and values: count groups.": megabytes(heads / groups),
            "Both keys and values are kept.": megabytes(1 / 2),
            "That is one layer. Each has keys and values of its own.": megabytes(1 / layers),
            "Those are millions of numbers. Each has its bytes.": megabytes(1 / size),
            "That is one group. Each has keys and values of its own.": megabytes(1 / groups),
            "Queries are not kept: two for each group, not three.": megabytes(3 / 2),
            "A group is counted with all its heads, and each head with all groups. A word leaves "
            "one key for each group.": megabytes(heads),
            "The megabytes are right. Divide the heads by the groups.": [right, groups / heads],
            "The megabytes are right. That is how many heads there are, not how many times the "
            "groups.": [right, heads],
        },
    )  # fmt: skip


PRACTICE = {
    "block": Kind(
        title="one more block",
        draw=block,
        fields=["running sum", "answer"],
        tolerance=0.012,
        hint="What is the largest score now? How much smaller is all that was summed before, when "
        "it is measured from there?",
    ),
    "pairs": Kind(
        title="pairs of a window",
        draw=pairs,
        fields=["causal", "both directions"],
        hint="How many pairs has a row in the middle? How many do the rows at the ends lack?",
    ),
    "cache": Kind(
        title="a cache",
        draw=cache,
        fields=["megabytes", "times as much"],
        hint="What does one word leave in one layer? Then layers, words, bytes.",
    ),
}
