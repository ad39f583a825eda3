"""Reading in parts with a cache in PyTorch: the causal corner, and dropout that stays on."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(X, W_Q, W_K, W_V, lengths):
    import torch
    from torch.nn.functional import scaled_dot_product_attention as attend

    class Head(torch.nn.Module):
        dropout = 0.3

        def forward(self, x, K, V):
            p = self.dropout
            return attend(x @ W[0], K, V, dropout_p=p, is_causal=True)

    X, *W = map(torch.from_numpy, (X, W_Q, W_K, W_V))
    head, outputs = Head().eval(), []
    torch.manual_seed(0)
    end = 0
    for part in X.split(lengths.tolist()):
        end = end + len(part)
        K, V = X[:end] @ W[1], X[:end] @ W[2]
        outputs.append(head(part[None], K[None], V[None])[0])
    return torch.cat(outputs).numpy()


def seen_by(n, start, end, corner):
    """Which of ``end`` keys the items from ``start`` on see."""
    return {
        "lower": np.tri(n, end, start), "upper": np.tri(n, end), "none": np.ones((n, end)),
        "one late": np.tri(n, end, start - 1), "one early": np.tri(n, end, start + 1),
        "if longer": np.tri(n, end) if n > 1 else np.ones((n, end)),
        "first": np.tri(n, end) if start == 0 else np.ones((n, end)),
        "wrong way": np.tri(n, end, -start), "turned": 1 - np.tri(n, end, start),
        "mirrored": 1 - np.tri(n, end, start - 1),
    }[corner] > 0  # fmt: skip


def outputs(X, W_Q, W_K, W_V, lengths, corner="lower", p=0.0, own=False, scale=None,
            added=False, ahead=False):  # fmt: skip
    """The outputs with faults; dropout draws as the program does."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    Y, start = [], 0
    torch.manual_seed(0)
    for n in map(int, lengths):
        first, end = start * own, start + n
        last = len(X) if ahead else end
        arrays = X[start:end] @ W_Q, X[first:last] @ W_K, X[first:last] @ W_V
        before = last - n if ahead else start * (1 - own)
        seen = seen_by(n, before, last - first, "lower" if added else corner)
        seen = torch.from_numpy(seen.astype(float) if added else seen)
        Q, K, V = (torch.from_numpy(M)[None] for M in arrays)
        Y.append(scaled_dot_product_attention(Q, K, V, seen, p, scale=scale)[0])
        start = end
    return torch.cat(Y).numpy()


def read_in_parts(X, W_Q, W_K, W_V, lengths):
    S = X @ W_Q @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    powers = np.exp(S - S.max(axis=-1, keepdims=True)) * np.tri(len(X))
    return powers / powers.sum(axis=-1, keepdims=True) @ X @ W_V


def dropped(arrays, cases):
    """The weights of some items sum to one number above 1, where nothing was dropped, and no more.

    The first item sees only itself, so its weight is that number, or 0.
    """
    if not all(Y.ndim == 2 and Y.size for Y in arrays):
        return False
    sums = np.concatenate([Y[:, -1] for Y in arrays])
    most = sums.max()
    first = np.array([Y[0, -1] for Y in arrays])
    whole = np.isclose(sums, most).sum() > 1 and np.isclose(first * (first - most), 0).all()
    return bool(most > 1.001 and whole and (sums >= 0).all())


def with_ones(*shapes):
    """Arrays whose values end in 1, so that outputs end in what the weights sum to."""
    X, W_Q, W_K, W_V = draw(*shapes)
    X[:, -1], W_V[:, -1], W_V[-1, -1] = 1, 0, 1
    return X, W_Q, W_K, W_V


CASES = (
    Case("one part", (*with_ones((3, 3), (3, 2), (3, 2), (3, 2)), np.array([3]))),
    Case("one item at a time", (
        *with_ones((5, 4), (4, 3), (4, 3), (4, 5)), np.array([2, 1, 1, 1])
    )),
    Case("longer parts", (*with_ones((9, 5), (5, 4), (5, 4), (5, 3)), np.array([3, 2, 1, 3]))),
)  # fmt: skip
