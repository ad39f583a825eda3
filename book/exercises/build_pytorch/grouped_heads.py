"""Heads that share keys and values, with rotary positions and a cache."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, copied, made, result
from .rotary import angles, turned


def split(A, n_heads):
    return np.swapaxes(A.reshape(*A.shape[:-1], n_heads, -1), -3, -2)


def grouped(
    X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, *, turn=turned, places=None,
    key_places=None, order=np.repeat, order_of_values=None, mask=None, on="QK", scale=None,
):  # fmt: skip
    """Grouped heads, of which each step can be another."""
    n = X.shape[-2]
    n_t, seen = np.arange(n), np.tri(n, dtype=bool) if mask is None else mask
    places = n_t if places is None else places
    at = {"Q": places, "K": places if key_places is None else key_places, "V": places}

    def rows(name, W, heads):
        A = split(X @ W, heads)
        if name not in on:
            return A
        return turn(A, at[name][:, None] * base ** (-np.arange(0, A.shape[-1], 2) / A.shape[-1]))

    Q = rows("Q", W_Q, n_heads)
    K, V = rows("K", W_K, n_kv_heads), rows("V", W_V, n_kv_heads)
    share = n_heads // n_kv_heads
    spread = {
        np.repeat: lambda A: np.repeat(A, share, axis=-3),
        np.tile: lambda A: np.concatenate([A] * share, axis=-3),
    }
    K, V = spread[order](K), spread[order_of_values or order](V)
    scale = np.sqrt(Q.shape[-1]) if scale is None else scale
    weights = softmax(np.where(seen, Q @ np.swapaxes(K, -1, -2) / scale, -np.inf))
    return np.swapaxes(weights @ V, -3, -2).reshape(*X.shape[:-1], -1) @ W_O


def grouped_heads(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut):
    """The same with and without a cache, wherever the text is cut."""
    return grouped(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base)


def adapt(answer, right=grouped_heads):
    later = Later(CASES)

    def grouped_heads(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut):
        module = made(answer, len(W_O), n_heads, n_kv_heads, base)
        names = ("W_Q", "W_K", "W_V", "W_O")
        arrays = {f"{name}.weight": W for name, W in zip(names, (W_Q, W_K, W_V, W_O))}
        copied(module, arrays)

        def run(X):
            import torch

            if not cut:
                return module(X)
            cache, found = {}, []
            for piece in X.split(cut, -2):
                found.append(module(piece, cache))
                if found[-1] is None:
                    return None
                if not {"K", "V"} <= cache.keys():
                    raise Misfit('After a call with an empty cache {}, it should hold "K" and "V".')
            return torch.cat(found, -2)

        # A cache may be kept without gradients, so these are asked for where there is none.
        like = (right, X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut)
        return result(run, X, like=like, later=later, module=module, learned=not cut)

    return grouped_heads


def calls(n, cut):
    """For each item the number of its call, where that begins and where it ends."""
    which = np.arange(n) // (cut or n)
    return which, which * (cut or n), np.minimum((which + 1) * (cut or n), n)


def mask_of(n, cut, later):
    """The causal mask, but in all calls after the first ``later(i, j)`` of items and keys."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return np.where(calls(n, cut)[1][:, None] > 0, later(i, j), i >= j)


def unmasked(n, cut):
    """In later calls all keys are seen that there are."""
    return mask_of(n, cut, lambda i, j: j < calls(n, cut)[2][:, None])


def no_mask(n, cut):
    """All keys are seen that there are, in the first call, too."""
    return np.arange(n) < calls(n, cut)[2][:, None]


def from_the_corner(n, cut):
    """In later calls item i sees the keys up to i, counted from the first of all."""
    return mask_of(n, cut, lambda i, j: j <= i - calls(n, cut)[1][:, None])


def forgotten(n, cut):
    """Later calls see only their own keys."""
    return mask_of(n, cut, lambda i, j: (j <= i) & (j >= calls(n, cut)[1][:, None]))


def newest(n, cut):
    """Later calls see the keys of the call before and their own."""
    which = calls(n, cut)[0]
    return mask_of(n, cut, lambda i, j: (j <= i) & (which >= which[:, None] - 1))


def oldest(n, cut):
    """Later calls see the keys of the first call and their own."""
    which = calls(n, cut)[0]
    return mask_of(n, cut, lambda i, j: (j <= i) & ((which == 0) | (which == which[:, None])))


def one_more(n, cut):
    """Each item sees the one after it, if its call has one."""
    i, j = np.arange(n)[:, None], np.arange(n)
    return (j <= i + 1) & no_mask(n, cut)


def one_less(n, cut):
    """In later calls items do not see themselves."""
    return mask_of(n, cut, lambda i, j: j < i)


def new_first(n, cut):
    """In later calls the new keys come before those of the cache."""
    which = calls(n, cut)[0]
    seen = np.zeros((n, n), dtype=bool)
    for i in range(n):
        order = [j for j in np.lexsort((np.arange(n), -which)) if which[j] <= which[i]]
        seen[i, order[: i + 1]] = True
    return seen


def restarted(n, cut):
    """The places of items where each call counts from 0 again."""
    return np.arange(n) - calls(n, cut)[1]


def behind_one(n, cut):
    """The places of items where later calls all begin behind one piece."""
    return restarted(n, cut) + np.minimum(calls(n, cut)[1], cut)


def again(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut):
    """In each call kept keys are turned once more."""
    arguments = (W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base)
    right, n = grouped(X, *arguments), X.shape[-2]
    which = calls(n, cut)[0]
    for call in range(1, which[-1] + 1):
        places = np.arange(n) * np.maximum(call - which + 1, 1)
        other = grouped(X, *arguments, key_places=places)
        right[..., which == call, :] = other[..., which == call, :]
    return right


def case(kind, X, n_heads, n_kv_heads, base, cut):
    d = X[-1]
    d_kv = d // n_heads * n_kv_heads
    A, *W = draw(X, (d, d), (d, d_kv), (d, d_kv), (d, d))
    return Case(kind, (A, *W, n_heads, n_kv_heads, base, cut))


CASES = (
    case("one group", (3, 4), 2, 1, 100.0, 0),
    case("groups", (2, 3, 16), 4, 2, 50.0, 0),
    case("a cache", (5, 8), 2, 1, 1000.0, 3),
    case("groups", (3, 2, 4, 12), 6, 3, 200.0, 0),
    case("a cache", (2, 4, 12), 3, 1, 20.0, 2),
    case("three pieces", (12, 8), 2, 1, 50.0, 5),
    case("three pieces", (2, 15, 8), 4, 2, 100.0, 6),
)
