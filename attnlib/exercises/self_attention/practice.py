"""Practice on self-attention: three tokens by hand, a score and back, an item more or fewer."""

from math import exp, sqrt

import numpy as np

from attnlib import MultiHeadAttention, scores, softmax
from attnlib.exercises.engine.practising import Kind, Problem, short


def _made(x, W):
    """A row times a matrix, term by term."""
    return [sum(a * b for a, b in zip(x, column)) for column in zip(*W)]


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def _spelled(rows):
    return ", ".join(f"`{short(row)}`" for row in rows)


def three_tokens(rng):
    X = rng.permutation([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [2.0, 1.0]])[:3]
    W_Q, W_K = (rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2)) for _ in range(2))
    W_V = np.sort(rng.choice(np.arange(1.0, 7.0), 2, replace=False))[::-1, None]
    i, j = rng.choice(3, 2, replace=False)
    layer = MultiHeadAttention(W_Q, W_K, W_V, np.eye(1), n_heads=1)
    output, ((*weights,),) = layer(X)
    if not 0.02 < weights[i][j] < 0.98:  # two decimals are to be enough
        return three_tokens(rng)

    query, keys = _made(X[i], W_Q), [_made(x, W_K) for x in X]
    values = [_made(x, W_V)[0] for x in X]
    raw = [_dot(query, key) for key in keys]
    powers = [exp(s / sqrt(2)) for s in raw]
    w = [p / sum(powers) for p in powers]
    y = _dot(w, values)

    def pair(W, V=X @ W_V):
        return [W[i, j], (W @ V)[i, 0]]

    S = scores.scaled_dot(X @ W_Q, X @ W_K)
    tied, turned = X @ W_Q @ W_Q.T @ X.T / np.sqrt(2), X @ W_K @ W_Q.T @ X.T / np.sqrt(2)
    asks, found = i + 1, j + 1
    return Problem(
        question=f"Three tokens have the vectors {_spelled(X)}. The rows of W_Q are "
        f"{_spelled(W_Q)}, those of W_K {_spelled(W_K)}, and W_V has one column, "
        f"`{short(W_V[:, 0])}`. What weight does token `{asks}` give to token `{found}`, and what "
        f"is the output of token `{asks}`?",
        answer=[weights[i][j], output[i, 0]],
        working=[
            f"Query of token `{asks}`: `{short(query)}`. Keys: {_spelled(keys)}. Values: "
            f"`{short(values)}`",
            f"Dot products `{short(raw)}`, to be divided by `√2 = {short(sqrt(2))}`",
            f"Their exponentials `{short(powers)}`, together `{short(sum(powers))}`",
            f"Weights of token `{asks}`: `{short(w)}`, so token `{found}` gets `{short(w[j])}`",
            f"Output `{' + '.join(f'{short(a)} · {short(v)}' for a, v in zip(w, values))}`"
            f" `= {short(y)}`; together `{short([w[j], y])}`",
        ],
        mistakes={
            "You made the keys with W_Q. They have a matrix of their own, W_K.": pair(
                softmax(tied)
            ),
            "You exchanged W_Q and W_K: the token that asks has the query.": pair(softmax(turned)),
            "You took the vectors themselves for queries and keys.": pair(
                softmax(X @ X.T / np.sqrt(2))
            ),
            "The scale is missing: divide the dot products by √2.": pair(softmax(S * np.sqrt(2))),
            "You divided by 2. The divisor is √d_k, here √2.": pair(softmax(S / np.sqrt(2))),
            "Your weights sum to 1 down the columns. Each token that asks has a row.": pair(
                softmax(S, axis=0)
            ),
            f"Those belong to token {found}, which asks token {asks}.": [
                softmax(S)[j, i], (softmax(S) @ X @ W_V)[j, 0]
            ],
            "The output is right. The weight is that of the token itself.": [
                softmax(S)[i, i], output[i, 0]
            ],
        },
    )  # fmt: skip


def way_back(rng):
    W_Q, W_K = (rng.choice([-1.0, 0.0, 1.0, 2.0], (2, 2)) for _ in range(2))
    x, z = rng.choice([-1.0, 1.0, 2.0, 3.0], (2, 2))
    X = np.array([x, z])
    S = scores.scaled_dot(X @ W_Q, X @ W_K)
    q, k = ([_made(row, W) for row in (x, z)] for W in (W_Q, W_K))
    there, back = _dot(q[0], k[1]), _dot(q[1], k[0])
    if -1 in (there, back) or max(abs(there), abs(back)) > 20:
        return way_back(rng)

    def both(Q, K):
        return [Q[0] @ K[1] / np.sqrt(2), Q[1] @ K[0] / np.sqrt(2)]

    answer = [S[0, 1], S[1, 0]]
    return Problem(
        question=f"The rows of W_Q are {_spelled(W_Q)}, those of W_K {_spelled(W_K)}. Two items "
        f"are `x₁ = {short(x)}` and `x₂ = {short(z)}`. What are the scaled scores `s₁₂`, where the "
        "first asks the second, and `s₂₁`?",
        answer=answer,
        working=[
            f"Queries `x₁ W_Q = {short(q[0])}` and `x₂ W_Q = {short(q[1])}`",
            f"Keys `x₁ W_K = {short(k[0])}` and `x₂ W_K = {short(k[1])}`",
            f"Dot products: query 1 with key 2 `{short(there)}`, query 2 with key 1 "
            f"`{short(back)}`",
            f"Both over `√2 = {short(sqrt(2))}`: `{short([there / sqrt(2), back / sqrt(2)])}`",
        ],
        mistakes={
            "Those are exchanged: in s₁₂ the first asks, with its query.": answer[::-1],
            "You made the keys with W_Q as well. Then scores are symmetric.": both(
                X @ W_Q, X @ W_Q
            ),
            "You made the queries with W_K as well. Then scores are symmetric.": both(
                X @ W_K, X @ W_K
            ),
            "The scale is missing: divide the dot products by √2.": [there, back],
            "You divided by 2. The divisor is √d_k, here √2.": [there / 2, back / 2],
            "You multiplied each matrix by the item. Items are rows: x W, not W x.": both(
                X @ W_Q.T, X @ W_K.T
            ),
            "Those are the scores of each item with itself.": [S[0, 0], S[1, 1]],
            "You took the dot product of the items themselves.": both(X, X),
            "The first is right. The way back is no copy of it: it has a query and a key of its "
            "own.": [S[0, 1], S[0, 1]],
        },
    )


def removed(rng):
    parts = rng.permutation([(10, 6, 4), (8, 8, 4), (12, 5, 3), (9, 6, 5), (10, 8, 2)])[0]
    w = rng.permutation(parts) / 20
    v = rng.choice(np.arange(1.0, 16.0), 3, replace=False)
    j = int(rng.integers(3))
    places = "first", "second", "third"
    S, others, name = np.log(w), np.arange(3) != j, places[j]
    itself = places[(j + 1 + int(rng.integers(2))) % 3]
    gone = softmax(S[others]) @ v[others]
    twice = softmax(np.append(S, S[j])) @ np.append(v, v[j])

    share, value = float(w[j]), float(v[j])
    whole = sum(float(a) * float(b) for a, b in zip(w, v))
    rest = whole - share * value
    left = w[others] @ v[others]
    return Problem(
        question=f"An item gives the weights `{short(w)}` to three items, whose values are "
        f"`{short(v)}`; the {itself} of them is itself. What is its output once the {name} is "
        f"removed, and what is it if the {name} occurs twice instead?",
        answer=[gone, twice],
        working=[
            f"All three give `{short(whole)}`; without the {name} `{short(rest)}` is left, with "
            f"the weight `{short(1 - share)}`",
            f"Removed: `{short(rest)} / {short(1 - share)} = {short(rest / (1 - share))}`",
            f"Twice: `{short(whole + share * value)}` with the weight `{short(1 + share)}`, so "
            f"`{short((whole + share * value) / (1 + share))}`",
            f"Both: `{short([rest / (1 - share), (whole + share * value) / (1 + share)])}`",
        ],
        mistakes={
            "You did not divide by the new sum of the weights, which is no longer 1.": [
                left, w @ v + w[j] * v[j],
            ],
            "The first is right. With a copy the weights also have a new sum: divide by it.": [
                gone, w @ v + w[j] * v[j],
            ],
            "The first is right. A copy is no division of a weight: two equal keys have two "
            "exponentials.": [gone, w @ v],
            "The first is right. The second is halfway to the value that is there twice; how far "
            "it is depends on the weight.": [gone, (w @ v + v[j]) / 2],
            "The second is right. What is removed leaves its weight to the others, in proportion "
            "to what they have: divide.": [left, twice],
            "The second is right. The freed weight is shared in proportion, not in equal "
            "parts.": [left + w[j] * v[others].mean(), twice],
            "Those are exchanged.": [twice, gone],
            "That is the output as it was. Both change it.": [w @ v, w @ v],
        },
    )  # fmt: skip


PRACTICE = {
    "three_tokens": Kind(
        title="three tokens by hand",
        draw=three_tokens,
        fields=["weight", "output"],
        hint="One query, three keys, three values. Three dot products over √2, their exponentials, "
        "each over the sum of all three; then the values with these weights.",
    ),
    "way_back": Kind(
        title="a score and the way back",
        draw=way_back,
        fields=["s₁₂", "s₂₁"],
        hint="Two queries and two keys. s₁₂ is query 1 with key 2, s₂₁ is query 2 with key 1, each "
        "over √2.",
    ),
    "removed": Kind(
        title="an item fewer, an item more",
        draw=removed,
        fields=["removed", "twice"],
        hint="Write each weight as an exponential over the sum of all. Take one away, or count it "
        "twice, and make a new sum.",
    ),
}
