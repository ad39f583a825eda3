"""A batch padded on the left: the mask's polarity, and places that count the padding."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(X, real, P):
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    X, real, P = map(torch.from_numpy, (X, real, P))
    n = X.shape[1]
    places = torch.arange(n)
    X = X + P[places]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)
    hidden = later | ~real[:, None, :]
    Y = scaled_dot_product_attention(X, X, X, attn_mask=hidden)
    return Y[:, -1].numpy()


def counted(real):
    """The place of each item in its own text; padding gets the place 0."""
    return np.maximum(real.cumsum(axis=1) - 1, 0)


def outputs(X, real, P, places=counted, mask="keys", at=-1, plain="", scale=None):
    """The output at the last item of each text, with faults; a query without keys gets zeros."""
    n, rows = X.shape[1], np.arange(len(X))
    Z = X + P[places(real)]
    Q, K, V = (X if name in plain else Z for name in "QKV")
    S = Q @ K.swapaxes(-1, -2) / (np.sqrt(X.shape[-1]) if scale is None else scale)
    causal, keys = np.tri(n) > 0, real[:, None, :]
    seen = {
        "keys": causal & keys, "turned": ~(causal & keys), "causal": causal & (keys | True),
        "turned causal": ~causal & keys, "strict": (np.tri(n, k=-1) > 0) & keys,
        "later": (np.tri(n, k=0).T > 0) & keys, "numbers": causal | True,
        "hidden numbers": causal | True,
    }[mask]  # fmt: skip
    if mask.endswith("numbers"):
        S = S + ((causal & keys) ^ (mask == "hidden numbers"))
    powers = np.exp(S - S.max(axis=-1, keepdims=True)) * seen
    sums = powers.sum(axis=-1, keepdims=True)
    A = powers / np.where(sums, sums, 1)
    Y = A @ V
    return Y[rows, at(real)] if callable(at) else Y[:, at]


def everywhere(real):
    return np.arange(real.shape[1])


def from_one(real):
    return real.cumsum(axis=1)


def back(real):
    """Places counted from the end."""
    return np.arange(real.shape[1])[::-1] + 0 * real


def by_length(real):
    """The last place of each text by its length, as if padding came last."""
    return real.sum(axis=1) - 1


def last_outputs(X, real, P):
    return outputs(X, real, P)


def padded(*lengths):
    """True for the items of texts of these lengths, which end together."""
    return (np.arange(max(lengths)) < np.array(lengths)[:, None])[:, ::-1].copy()


CASES = (
    Case("no padding", (*draw((2, 3, 2)), padded(3, 3), *draw((5, 2)))),
    Case("padding", (*draw((2, 4, 3)), padded(4, 2), *draw((6, 3)))),
    Case("padding", (*draw((3, 5, 4)), padded(2, 5, 3), *draw((8, 4)))),
)
