"""Causal heads as a module of four linear layers."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw

from .copying import Later, copied, made, result


def split(A, n_heads):
    return np.swapaxes(A.reshape(*A.shape[:-1], n_heads, -1), -3, -2)


def merge(A):
    A = np.swapaxes(A, -3, -2)
    return A.reshape(*A.shape[:-2], -1)


def torn(A, n_heads):
    """The split that only reshapes: rows of other items come into a head."""
    return A.reshape(*A.shape[:-2], n_heads, A.shape[-2], -1)


def combed(A, n_heads):
    """Every n_heads-th column goes to a head."""
    return np.moveaxis(A.reshape(*A.shape[:-1], -1, n_heads), -1, -3)


def masked_softmax(scores):
    return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf))


def heads(X, W_Q, W_K, W_V, W_O, n_heads, *, split=split, merge=merge, scale=None,
          weigh=masked_softmax):  # fmt: skip
    """Causal heads, of which each step can be another."""
    Q, K, V = (split(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    scale = np.sqrt(Q.shape[-1]) if scale is None else scale
    return merge(weigh(Q @ np.swapaxes(K, -1, -2) / scale) @ V) @ W_O


def causal_heads(X, W_Q, W_K, W_V, W_O, n_heads):
    """Each head attends to the items up to its own; what they find is joined by W_O."""
    return heads(X, W_Q, W_K, W_V, W_O, n_heads)


def adapt(answer, right=causal_heads):
    later = Later(CASES)

    def causal_heads(X, W_Q, W_K, W_V, W_O, n_heads):
        module = made(answer, len(W_O), n_heads)
        names = ("W_Q", "W_K", "W_V", "W_O")
        arrays = {f"{name}.weight": W for name, W in zip(names, (W_Q, W_K, W_V, W_O))}
        like = (right, X, W_Q, W_K, W_V, W_O, n_heads)
        return result(copied(module, arrays), X, like=like, later=later)

    return causal_heads


def later(scores):
    n = scores.shape[-1]
    return softmax(np.where(np.tri(n, dtype=bool).T, scores, -np.inf))


def strictly(scores):
    """Only those before; the first item sees itself."""
    n = scores.shape[-1]
    seen = np.tri(n, k=-1, dtype=bool)
    seen[0, 0] = True
    return softmax(np.where(seen, scores, -np.inf))


def one_more(scores):
    n = scores.shape[-1]
    return softmax(np.where(np.tri(n, k=1, dtype=bool), scores, -np.inf))


def zeros(scores):
    return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, 0))


def finite(low):
    """What is hidden has a finite score."""

    def weigh(scores):
        return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, low))

    return weigh


def after(scores):
    return softmax(scores) * np.tri(scores.shape[-1])


def over_queries(scores):
    return softmax(np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf), axis=-2)


def exchanged(scores):
    return masked_softmax(np.swapaxes(scores, -1, -2))


def unmerged(A):
    """Joined by a reshape alone."""
    return A.reshape(*A.shape[:-3], A.shape[-2], -1)


def case(kind, X, n_heads):
    d = X[-1]
    A, *W = draw(X, (d, d), (d, d), (d, d), (d, d))
    return Case(kind, (A, *W, n_heads))


CASES = (
    case("two heads", (3, 4), 2),
    case("a batch", (2, 5, 6), 3),
    case("two axes of texts", (2, 3, 4, 6), 2),
    case("one head", (4, 3), 1),
)
