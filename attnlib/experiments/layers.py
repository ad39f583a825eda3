"""The layers of the chapters in PyTorch, with the names of their NumPy twins' parameters.

With `runs`, a layer is so many layers side by side that share nothing, for like comparisons: every
parameter has an axis in front for them, and so have the items.  Train them with ``clip=None``,
which keeps them apart.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F


def parameter(*shape, runs=None, size=None):
    """Draw random numbers to learn, of a size that lets rows keep theirs if none is given."""
    size = shape[0] ** -0.5 if size is None else size
    return nn.Parameter(size * torch.randn(shape if runs is None else (runs, *shape)))


def bias(W):
    """Return zeros to learn, one for each column of a matrix."""
    return nn.Parameter(torch.zeros_like(W[..., 0, :]))


def project(X, W, b=None):
    """Return X W + b, or that of each run: items (runs, ..., n, d_in), matrices (runs, d_in, d)."""
    if W.dim() == 2:
        return X @ W if b is None else X @ W + b
    Y = (X.flatten(1, -2) @ W).unflatten(1, X.shape[1:-1])
    return Y if b is None else Y + b.view(len(b), *[1] * (Y.dim() - 2), -1)


class Attention(nn.Module):
    """Multi-head attention of items to themselves or to others, as `attnlib.MultiHeadAttention`.

    Another kind is a class derived from this one, with its own `scores` or with its own matrices;
    a matrix that is not there changes nothing.

    Parameters
    ----------
    d_model, n_heads : int
        Width of queries, keys, values and output, and number of heads that share it.
    causal : bool, optional
        Whether an item sees only itself and those before.
    biases : str, optional
        Which matrices have a bias, such as "Q".
    distances : int, optional
        Number of distances with a learned vector that is added to the key: the score of a query at
        i and a key at j is ``q · (k + a[i − j]) / √d`` (Shaw et al. 2018).
    fused : bool, optional
        Whether PyTorch's own function does it, which is faster and keeps no weights.
    runs : int, optional
        Number of layers side by side.

    Attributes
    ----------
    weights : torch.Tensor, shape (..., n_heads, n_q, n_k)
        Of the last call.
    forced : torch.Tensor, shape (n_q, n_k), or None
        What takes the place of the weights.
    """

    matrices = "QKVO"

    def __init__(
        self, d_model, n_heads=1, causal=False, biases="", distances=0, fused=False, runs=None
    ):
        super().__init__()
        self.n_heads, self.causal, self.fused, self.runs = n_heads, causal, fused, runs
        self.weights, self.forced, self.distances = None, None, distances
        for name in self.matrices:
            setattr(self, f"W_{name}", parameter(d_model, d_model, runs=runs))
        for name in biases:
            setattr(self, f"b_{name}", bias(getattr(self, f"W_{name}")))
        self.least = 0 if causal else 1 - distances
        if distances:  # a vector for each distance, from the least to distances - 1
            sizes = n_heads, d_model // n_heads, distances - self.least
            self.A = parameter(*sizes, runs=runs, size=0.1)

    def project(self, name, X):
        """Multiply items by one of the matrices, and add its bias."""
        W, b = (getattr(self, f"{kind}_{name}", None) for kind in "Wb")
        return X if W is None else project(X, W, b)

    def heads(self, name, X):
        """(..., n, d_in) -> (..., n_heads, n, d): project items, and give each head its columns."""
        return self.project(name, X).unflatten(-1, (self.n_heads, -1)).transpose(-3, -2)

    def scores(self, Q, K):
        """How well each key fits each query, shape (..., n_heads, n_q, n_k)."""
        scores = Q @ K.mT
        if self.distances:
            i, j = torch.arange(Q.shape[-2])[:, None], torch.arange(K.shape[-2])
            place = (i - j).clamp(self.least) - self.least
            A = self.A if self.runs is None else self.A[:, None]
            scores = scores + (Q @ A).gather(-1, place.expand_as(scores))
        return scores / math.sqrt(Q.shape[-1])

    def look(self, X, source, mask):
        """How much each item looks at each of the source, shape (..., n_heads, n_q, n_k)."""
        if self.forced is not None:
            return self.forced.expand(*X.shape[:-2], self.n_heads, -1, -1)
        scores = self.scores(self.heads("Q", X), self.heads("K", source))
        if self.causal:
            later = torch.ones(scores.shape[-2:], dtype=bool).triu(1)
            scores = scores.masked_fill(later, -math.inf)
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        return scores.softmax(-1)

    def forward(self, X, source=None, values=None, mask=None):
        """Queries of X, keys of a source (X if none is given), values of it or of other items."""
        source = X if source is None else source
        values = source if values is None else values
        if self.fused:
            Q, K, V = self.heads("Q", X), self.heads("K", source), self.heads("V", values)
            Y = F.scaled_dot_product_attention(Q, K, V, mask, is_causal=self.causal)
        else:
            self.weights = self.look(X, source, mask)
            Y = self.weights @ self.heads("V", values)
        return self.project("O", Y.transpose(-3, -2).flatten(-2))


class FeedForward(nn.Module):
    """The network of a block, with relu, and with both biases or one of them."""

    def __init__(self, d_model, d_ff, biases="12", runs=None):
        super().__init__()
        self.W_1 = parameter(d_model, d_ff, runs=runs)
        self.b_1 = bias(self.W_1) if "1" in biases else None
        self.W_2 = parameter(d_ff, d_model, runs=runs)
        self.b_2 = bias(self.W_2) if "2" in biases else None

    def forward(self, X):
        return project(torch.relu(project(X, self.W_1, self.b_1)), self.W_2, self.b_2)


class Norm(nn.Module):
    """Layer norm."""

    def __init__(self, d_model):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, X):
        return F.layer_norm(X, self.gain.shape, self.gain, self.bias)


class Block(nn.Module):
    """Layers in turn; what each makes of the items, or of their norm, is added to them.

    A layer by the name of `cross_attention` is given the memory, too.

    Parameters
    ----------
    d_model : int, optional
        Length of the rows whose norm is taken; without it there are no norms.
    **layers : torch.nn.Module
        By the names of the NumPy twin: `attention`, `feed_forward`.

    Examples
    --------
    >>> encoder = Block(6, attention=Attention(6, 2), feed_forward=FeedForward(6, 12))
    >>> encoder(torch.zeros(4, 6)).shape
    torch.Size([4, 6])
    """

    def __init__(self, d_model=None, **layers):
        super().__init__()
        self.names = [*layers]
        for name, layer in layers.items():
            self.add_module(name, layer)
        for k in range(len(layers)):
            self.add_module(f"norm_{k + 1}", Norm(d_model) if d_model else nn.Identity())

    def forward(self, X, memory=None):
        for k, name in enumerate(self.names):
            layer, norm = getattr(self, name), getattr(self, f"norm_{k + 1}")
            others = (memory,) if name == "cross_attention" else ()
            X = X + layer(norm(X), *others)
        return X


#: What the settings of a block of these layers are in NumPy.
SETTINGS = {"norm_first": True, "activation": "relu", "epsilon": 1e-5}


def arrays(named, run=None):
    """Parameters by name, or those of one run, in double precision, for their NumPy twin.

    Examples
    --------
    >>> from attnlib import LayerNorm
    >>> LayerNorm.from_parameters(arrays(Norm(2).named_parameters()), epsilon=1e-5)
    LayerNorm(gain=(2,), bias=(2,), epsilon=1e-05)
    """
    whole = {name: p.detach().double().numpy() for name, p in dict(named).items()}
    return whole if run is None else {name: p[run] for name, p in whole.items()}
