"""Practice on the block: a norm by hand, a network with its residual, parameters, operations."""

from math import sqrt

import numpy as np

from attnlib.blocks import EncoderBlock, feed_forward, layer_norm
from attnlib.cost import block_cost
from attnlib.exercises.engine.practising import Kind, Problem, short

SUBSCRIPTS = "₁₂₃₄"


def _factor(x):
    return f"({short(x)})" if x < 0 else short(x)


def _plus(terms):
    """Terms that are added, as they are typed into a calculator."""
    return " + ".join(map(_factor, terms))


def norm(rng):
    k, found = int(rng.integers(4)), [0.5] * 4
    while abs(found[k]) < 1:  # three digits would be too few, four too long
        x = rng.integers(-4, 10, 4).astype(float)
        x[3] = 4.0 * round(x[:3].mean()) - x[:3].sum()
        if not x.std():
            continue
        gain, bias = float(rng.choice([2.0, 3.0, -2.0])), float(rng.choice([1.0, -1.0, 4.0, 5.0]))
        (found,) = layer_norm([x], np.full(4, gain), np.full(4, bias), 1e-12)
    mean, sigma = x.mean(), x.std()
    row = x.tolist()
    m = sum(row) / 4
    squares = [(y - m) ** 2 for y in row]
    variance = sum(squares) / 4
    root = sqrt(variance)
    away = row[k] - m
    y = gain * away / root + bias
    z = (x[k] - mean) / sigma
    wide, size = x.std(ddof=1), sqrt((x**2).mean())
    return Problem(
        question=f"A layer norm with the gain `{short(gain)}` and the bias `{short(bias)}` in all "
        f"components normalises the row `{short(row)}`; ε is so small that it can be left out. "
        f"What are the mean μ, the divisor σ, and `y{SUBSCRIPTS[k]}`, which takes the place of "
        f"`x{SUBSCRIPTS[k]}`?",
        answer=[mean, sigma, found[k]],
        working=[
            f"The mean: `({_plus(row)}) / 4 = {short(m)}`",
            f"The squared distances from it: `({_plus(squares)}) / 4 = {short(variance)}`, and the "
            f"root `σ = {short(root)}`",
            f"Number {k + 1}: `{_factor(gain)} · ({short(row[k])} − {_factor(m)}) / {short(root)} "
            f"+ {_factor(bias)} = {short(y)}`; together `{short([m, root, y])}`",
        ],
        mistakes={
            "The squares are divided by 3. A row is no sample: divide by 4.": [
                mean,
                wide,
                gain * (x[k] - mean) / wide + bias,
            ],
            "That is the variance. The divisor is its root.": [
                mean,
                sigma**2,
                gain * (x[k] - mean) / sigma**2 + bias,
            ],
            "The squares are those of the numbers, not of their distances from the mean.": [
                mean,
                size,
                gain * (x[k] - mean) / size + bias,
            ],
            "The first two are right. In the new number the mean is not subtracted.": [
                mean,
                sigma,
                gain * x[k] / sigma + bias,
            ],
            "The first two are right. The new number lacks its gain.": [mean, sigma, z + bias],
            "The first two are right. The new number lacks its bias.": [mean, sigma, gain * z],
            "The first two are right. The new number lacks gain and bias.": [mean, sigma, z],
            "The first two are right. The bias comes after the gain, and is not multiplied.": [
                mean,
                sigma,
                gain * (z + bias),
            ],
            "The first two are right. The new number is not divided by σ.": [
                mean,
                sigma,
                gain * (x[k] - mean) + bias,
            ],
        },
    )


def step(rng):
    x = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], 2)
    W_1, W_2 = (rng.choice([-2.0, -1.0, 1.0, 2.0], (2, 2)) for _ in range(2))
    b_1, b_2 = (rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 2) for _ in range(2))

    def network(x, relu=lambda a: np.maximum(a, 0), W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2):
        return relu(x @ W_1 + b_1) @ W_2 + b_2

    right = x + feed_forward(x[None], W_1, b_1, W_2, b_2)[0]

    def column(row, W, b, j):
        """One number of row times W plus b, with its terms."""
        a = [y * w for y, w in zip(row, W[:, j].tolist())]
        said = " + ".join(f"{_factor(y)} · {_factor(w)}" for y, w in zip(row, W[:, j].tolist()))
        return f"{said} + {_factor(float(b[j]))}", sum(a) + float(b[j])

    row = x.tolist()
    into = [column(row, W_1, b_1, j) for j in range(2)]
    hidden = [max(total, 0.0) for _, total in into]
    out = [column(hidden, W_2, b_2, j) for j in range(2)]
    brought = [total for _, total in out]
    found = [a + b for a, b in zip(row, brought)]
    return Problem(
        question=f"An item is `{short(row)}`. The rows of W_1 are `{short(W_1[0])}` and "
        f"`{short(W_1[1])}`, b_1 is `{short(b_1)}`, the rows of W_2 are `{short(W_2[0])}` and "
        f"`{short(W_2[1])}`, b_2 is `{short(b_2)}`. There is no norm. The network, with relu, and "
        "the residual make two new numbers of it. Which?",
        answer=right.tolist(),
        working=[
            f"Into the hidden layer: `{into[0][0]} = {short(into[0][1])}` and `{into[1][0]} = "
            f"{short(into[1][1])}`; after relu `{short(hidden)}`",
            f"Out of it: `{out[0][0]} = {short(brought[0])}` and `{out[1][0]} = "
            f"{short(brought[1])}`",
            f"Added to the item: `{short(row)} + {short(brought)} = {short(found)}`",
        ],
        mistakes={
            "That is what the network brings. It is added to the item.": network(x),
            "Without relu the two matrices are one. What is negative in the hidden layer becomes "
            "0.": x + network(x, relu=lambda a: a),
            "The relu belongs to the hidden layer. What the network brings may be negative.": x
            + np.maximum(network(x), 0),
            "The relu keeps what is positive and makes the rest 0; it does not drop the sign.": x
            + network(x, relu=abs),
            "The bias b_1 is left out.": x + network(x, b_1=0),
            "The bias b_2 is left out.": x + network(x, b_2=0),
            "Both biases are left out.": x + network(x, b_1=0, b_2=0),
            "The bias b_1 is added after relu. It belongs to the sums that relu gets.": x
            + (np.maximum(x @ W_1, 0) + b_1) @ W_2
            + b_2,
            "An item is a row: its numbers meet the columns of the matrices, x W_1.": x
            + network(x, W_1=W_1.T, W_2=W_2.T),
            "The first matrix is turned round: the numbers of x meet a column of W_1.": x
            + network(x, W_1=W_1.T),
            "The second matrix is turned round: the hidden numbers meet a column of W_2.": x
            + network(x, W_2=W_2.T),
        },
    )


def parameters(rng):
    m, bias = int(rng.choice([4, 6, 8, 10, 12, 14, 16])), bool(rng.integers(2))
    h = int(rng.choice([m // 2, 3 * m // 2, 2 * m, 3 * m, 4 * m]))
    block = EncoderBlock.random(np.random.default_rng(0), m, 2, h, bias=bias)
    attention = 4 * m * m + 4 * m * bias
    network = 2 * m * h + h + m
    total = attention + network + 4 * m
    biases = f"plus four biases of `{m}`" if bias else "without biases"
    have = "have biases" if bias else "have no biases"
    no_bias = 2 * m * h

    def all_of(a, n, norms=4 * m):
        return [a, n, a + n + norms]

    return Problem(
        question=f"In an encoder block items have `{m}` numbers, the hidden layer has `{h}`, and "
        f"there are `2` heads. The projections of attention {have}; the network has its two, and "
        "each norm has gain and bias. How many numbers are learned in attention, in the network, "
        "and in the whole block?",
        answer=[
            block.attention.parameter_count,
            block.feed_forward.parameter_count,
            block.parameter_count,
        ],
        working=[
            f"Attention, however many heads: `4 · {m} · {m} = {4 * m * m}`, {biases}: "
            f"`{attention}`",
            f"The network: `2 · {m} · {h} = {no_bias}`, plus its biases: `{no_bias} + {h} + {m} = "
            f"{network}`",
            f"Two norms: `4 · {m} = {4 * m}`. In all `{attention} + {network} + {4 * m} = "
            f"{total}`; together `[{attention}, {network}, {total}]`",
        ],
        mistakes={
            "The network's biases are forgotten: one for the hidden layer, one for what comes "
            "out.": all_of(attention, no_bias),
            "The network has two biases; that of what comes out is missing.": all_of(
                attention, no_bias + h
            ),
            "The network has two biases; that of the hidden layer is missing.": all_of(
                attention, no_bias + m
            ),
            "Attention's biases are forgotten, or counted where there are none.": all_of(
                4 * m * m + 4 * m * (not bias), network
            ),
            "Attention and network are right. The norms are missing in the sum.": all_of(
                attention, network, 0
            ),
            "Attention and network are right. There are two norms, each with gain and bias.": (
                all_of(attention, network, 2 * m)
            ),
            "Attention has four matrices: W_O is missing.": all_of(
                attention - m * m - m * bias, network
            ),
            "The heads share the length of an item; attention is not doubled by them.": all_of(
                2 * attention, network
            ),
            "The network has two matrices, in and out.": all_of(attention, network - m * h),
        },
    )


def operations(rng):
    m = int(rng.choice([4, 6, 8, 10]))
    n, h = int(rng.integers(3, 13)), int(rng.choice([2, 3, 4])) * m
    steps = block_cost(n, m, 2, h).naive.steps
    made = steps["projections"].multiply_adds + steps["output projection"].multiply_adds
    mixed = steps["scores"].multiply_adds + steps["weigh"].multiply_adds
    by_matrices, by_pairs, by_network = 4 * n * m * m, 2 * n * n * m, 2 * n * m * h
    right = [made, mixed, steps["feed-forward"].multiply_adds]
    return Problem(
        question=f"`{n}` items of `{m}` numbers go through an encoder block with `2` heads, which "
        f"share the `{m}`, and a hidden layer of `{h}`. How many multiply-adds do the "
        "four projections of attention, its scores and weighted sums, and the network take?",
        answer=right,
        working=[
            f"Four matrices, for each item: `4 · {n} · {m} · {m} = {by_matrices}`",
            f"Each of `{n} · {n}` pairs, over all heads, needs `{m}` for its score and `{m}` for "
            f"its share of the sum: `2 · {n} · {n} · {m} = {by_pairs}`",
            f"Two matrices, for each item: `2 · {n} · {m} · {h} = {by_network}`; together "
            f"`[{by_matrices}, {by_pairs}, {by_network}]`",
        ],
        mistakes={
            "Those are operations: a multiply-add counts as one here, not as two.": [
                2 * made,
                2 * mixed,
                2 * by_network,
            ],
            "The matrices are counted once. Each item is multiplied by them.": [
                4 * m * m,
                mixed,
                2 * m * h,
            ],
            "Attention has four projections: W_O is missing.": [3 * n * m * m, mixed, by_network],
            "That is half of it: the scores alone, or one head. The weighted sums count, too.": [
                made,
                n * n * m,
                by_network,
            ],
            "The heads share the length of an item: two scores of half the length cost as much as "
            "one.": [made, 2 * mixed, by_network],
            "Every item meets every item: n² pairs.": [made, 2 * n * m, by_network],
            "The network has two matrices, in and out.": [made, mixed, n * m * h],
            "The hidden layer is not as wide as an item: one side of each matrix is larger.": [
                made,
                mixed,
                2 * n * m * m,
            ],
        },
    )


PRACTICE = {
    "norm": Kind(
        title="a layer norm by hand",
        draw=norm,
        fields=["μ", "σ", "new number"],
        hint="The mean, then the mean of the squared distances from it, then the root of that.",
    ),
    "step": Kind(
        title="a network and its residual",
        draw=step,
        fields=["first", "second"],
        hint="Row times W_1 plus b_1, then relu, then times W_2 plus b_2, and added to the item.",
    ),
    "parameters": Kind(
        title="the numbers a block learns",
        draw=parameters,
        fields=["attention", "network", "block"],
        hint="Four squares for attention, two oblong matrices for the network, and do not forget "
        "biases and norms.",
    ),
    "operations": Kind(
        title="the multiply-adds of a block",
        draw=operations,
        fields=["projections", "scores and sums", "network"],
        hint="A row times a matrix takes as many multiply-adds as the matrix has entries.",
    ),
}
