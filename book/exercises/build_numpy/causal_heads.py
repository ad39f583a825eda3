"""Causal self-attention in several heads, from items to outputs."""

import numpy as np

from attnlib import softmax, split_heads
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def causal_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    """Each head attends to the same place and to earlier ones; W_O makes one output of all."""
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return merged(softmax(masked(scores(Q, K))) @ V) @ W_O


def scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])


def masked(S, k=0):
    """The scores, with −∞ for keys more than k places after the query."""
    return np.where(np.tri(*S.shape[-2:], k=k, dtype=bool), S, -np.inf)


def merged(Y):
    """The heads side by side."""
    return np.concatenate([Y[..., h, :, :] for h in range(Y.shape[-3])], axis=-1)


def arguments(front, n, d_model, n_heads, d_k, d_v, d_out):
    keys, values = n_heads * d_k, n_heads * d_v
    matrices = [(d_model, keys), (d_model, keys), (d_model, values), (values, d_out)]
    return (*draw((*front, n, d_model), *matrices), n_heads)


def far_apart():
    """Items so long that scores lie between −2000 and 2000, and in both directions."""
    X, W_Q, W_K, W_V, W_O, n_heads = arguments((), 5, 3, 2, 2, 2, 5)
    return 18 * X, W_Q, W_K, W_V, W_O, n_heads


CASES = (
    Case("one head, two items", arguments((), 2, 2, 1, 2, 2, 2)),
    Case("square matrices", arguments((), 3, 4, 2, 2, 2, 4)),
    Case("three heads", arguments((), 5, 4, 3, 2, 3, 4)),
    Case("a batch", arguments((2,), 3, 4, 2, 2, 2, 4)),
    Case("as many texts as items", arguments((4,), 4, 6, 3, 2, 2, 6)),
    Case("two axes in front of the items", arguments((3, 2), 4, 5, 2, 3, 4, 6)),
    Case("a batch of one text", arguments((1,), 3, 6, 2, 3, 3, 6)),
    Case("scores far apart", far_apart(), rare=True),
)


def no_later_item_matters(Y, X, W_Q, W_K, W_V, W_O, n_heads):
    """A property: the first output is made of the first item alone."""
    alone = causal_heads(X[..., :1, :], W_Q, W_K, W_V, W_O, n_heads)
    if np.allclose(Y[..., :1, :], alone):
        return None
    return "The first item sees only itself, so its output should be its own value times W_O."


PROPERTIES = (no_later_item_matters,)


def by_hand(S):
    """Softmax that gives NaN for a row without keys."""
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def powers(S):
    """Causal weights by plain powers, which are too large for a float where scores are large."""
    e = np.exp(S) * np.tri(*S.shape[-2:])
    return e / e.sum(axis=-1, keepdims=True)


def without_largest(S):
    """The same, of which the largest score of the row is subtracted first, masked or not."""
    return powers(S - S.max(axis=-1, keepdims=True))


def first_alone(S):
    """Each place sees those before it, and the first one itself."""
    seen = np.tri(*S.shape[-2:], k=-1, dtype=bool)
    seen[0, 0] = True
    return softmax(np.where(seen, S, -np.inf))


def width_of_items(X, W_Q, W_K, W_V, W_O, n_heads, form):
    """Heads as wide as the items over n_heads, whatever the matrices are."""
    width = X.shape[-1] // n_heads
    if form == "reshaped":
        split = [(X @ W).reshape(*X.shape[:-1], n_heads, width) for W in (W_Q, W_K, W_V)]
        Q, K, V = (np.swapaxes(A, -3, -2) for A in split)
        return merged(softmax(masked(scores(Q, K))) @ V) @ W_O
    parts = [slice(h * width, (h + 1) * width) for h in range(n_heads)]
    cut = [[X @ W[:, part] for W in (W_Q, W_K, W_V)] for part in parts]
    heads = [softmax(masked(Q @ np.swapaxes(K, -1, -2) / np.sqrt(width))) @ V for Q, K, V in cut]
    if form == "joined":
        return np.concatenate(heads, axis=-1) @ W_O
    return sum(head @ W_O[part] for head, part in zip(heads, parts))


def torn(A, n_heads):
    """Split by a reshape alone, which deals the numbers out in their old order."""
    return A.reshape(*A.shape[:-2], n_heads, A.shape[-2], -1)


def glued(Y):
    """Merged by a reshape alone."""
    return Y.reshape(*Y.shape[:-3], Y.shape[-2], -1)


def interleaved(A, n_heads):
    return np.stack([A[..., h::n_heads] for h in range(n_heads)], axis=-3)


def for_one_text(X, W_Q, W_K, W_V, W_O, n_heads):
    n = len(X)
    Q, K, V = (
        np.swapaxes((X @ W).reshape(n, n_heads, -1), 0, 1)  # in a batch n counts the texts
        for W in (W_Q, W_K, W_V)
    )
    heads = softmax(masked(scores(Q, K))) @ V
    return np.swapaxes(heads, 0, 1).reshape(n, -1) @ W_O


def mask_of_texts(X, W_Q, W_K, W_V, W_O, n_heads):
    Q, K, V = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    return merged(softmax(np.where(np.tri(len(X)) > 0, scores(Q, K), -np.inf)) @ V) @ W_O


def by_loops(X, W_Q, W_K, W_V, W_O, n_heads):
    heads = []
    for W in zip(*(np.split(A, n_heads, axis=1) for A in (W_Q, W_K, W_V))):
        Q, K, V = (X @ A for A in W)
        n = X.shape[-2]
        outputs = [
            softmax(scores(Q[..., i : i + 1, :], K[..., : i + 1, :])) @ V[..., : i + 1, :]
            for i in range(n)
        ]
        heads.append(np.concatenate(outputs, axis=-2))
    return np.concatenate(heads, axis=-1) @ W_O
