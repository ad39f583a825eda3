"""Heads that share keys and values, with rotary positions and a cache."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import copied, made, result
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


def adapt(answer):
    def grouped_heads(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut):
        module = made(answer, len(W_O), n_heads, n_kv_heads, base)
        names = ("W_Q", "W_K", "W_V", "W_O")
        arrays = {f"{name}.weight": W for name, W in zip(names, (W_Q, W_K, W_V, W_O))}
        copied(module, arrays)

        def run(X):
            import torch

            if not cut:
                return module(X)
            cache = {}
            first = module(X[..., :cut, :], cache)
            if first is None:
                return None
            if not {"K", "V"} <= cache.keys():
                raise Misfit('After a call with an empty cache {}, it should hold "K" and "V".')
            return torch.cat([first, module(X[..., cut:, :], cache)], -2)

        return result(run, X)

    return grouped_heads


def cut_mask(n, cut, later):
    """What is seen where the second call masks as `later` says, (n − cut, n)."""
    seen = np.tri(n, dtype=bool)
    seen[cut:] = later
    return seen


def from_the_corner(n, cut):
    """In the second call item i sees the keys up to i, counted from the first of all."""
    return cut_mask(n, cut, np.tri(n - cut, n, dtype=bool)) if cut else np.tri(n, dtype=bool)


def forgotten(n, cut):
    """The second call sees only its own keys."""
    later = np.tri(n - cut, n, k=cut, dtype=bool) & (np.arange(n) >= cut)
    return cut_mask(n, cut, later) if cut else np.tri(n, dtype=bool)


def unmasked(n, cut):
    """In the second call all keys are seen."""
    return cut_mask(n, cut, True) if cut else np.tri(n, dtype=bool)


def one_more(n, cut):
    """Each item sees the one after it, if its call has one."""
    seen = np.tri(n, k=1, dtype=bool)
    seen[:cut, cut:] = False
    return seen


def one_less(n, cut):
    """In the second call items do not see themselves."""
    return cut_mask(n, cut, np.tri(n - cut, n, k=cut - 1, dtype=bool)) if cut else np.tri(n) > 0


def new_first(n, cut):
    """In the second call the new keys come before those of the cache."""
    order = np.argsort(np.roll(np.arange(n), -cut))
    return cut_mask(n, cut, np.tri(n - cut, n, k=cut, dtype=bool)[:, order])


def restarted(n, cut):
    """The places of items where the second call counts from 0 again."""
    return np.where(np.arange(n) < cut, np.arange(n), np.arange(n) - cut)


def turned_again(n, cut):
    """The places of keys as the last call has them, where what was kept is turned once more."""
    return np.where(np.arange(n) < cut, 2 * np.arange(n), np.arange(n))


def again(X, W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base, cut):
    """Kept keys are turned again in the second call."""
    arguments = (W_Q, W_K, W_V, W_O, n_heads, n_kv_heads, base)
    right = grouped(X, *arguments)
    if cut:
        n = X.shape[-2]
        right[..., cut:, :] = grouped(X, *arguments, key_places=turned_again(n, cut))[..., cut:, :]
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
)
