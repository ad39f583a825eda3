"""The layers of the book in PyTorch, with the names of their NumPy twins' parameters."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def matrix(n_in, n_out, size=1.0):
    """A matrix to learn, for rows from the left, drawn so that rows keep their size."""
    return nn.Parameter(torch.randn(n_in, n_out) * size * n_in**-0.5)


class Attention(nn.Module):
    """Attention with several heads, without biases, of items to themselves or to a source.

    Where it `keeps` them, `weights` are those of the last call.
    """

    def __init__(self, d_model, n_heads, causal=True, keeps=False):
        super().__init__()
        self.n_heads, self.causal, self.keeps, self.weights = n_heads, causal, keeps, None
        self.W_Q, self.W_K, self.W_V, self.W_O = (matrix(d_model, d_model) for _ in range(4))

    def split(self, X):
        """(..., n, d) -> (..., h, n, d / h): each head takes its columns."""
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-3, -2)

    def forward(self, X, source=None):
        source = X if source is None else source
        Q, K, V = (
            self.split(A @ W) for A, W in ((X, self.W_Q), (source, self.W_K), (source, self.W_V))
        )
        if self.keeps:
            scores = Q @ K.mT / math.sqrt(Q.shape[-1])
            if self.causal:
                later = torch.ones(scores.shape[-2:], dtype=bool).triu(1)
                scores = scores.masked_fill(later, -math.inf)
            self.weights = scores.softmax(-1)
            heads = self.weights @ V
        else:
            heads = F.scaled_dot_product_attention(Q, K, V, is_causal=self.causal)
        return heads.transpose(-3, -2).flatten(-2) @ self.W_O


class FeedForward(nn.Module):
    """The network of a block, with relu."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_1, self.b_1 = matrix(d_model, d_ff), nn.Parameter(torch.zeros(d_ff))
        self.W_2, self.b_2 = matrix(d_ff, d_model), nn.Parameter(torch.zeros(d_model))

    def forward(self, X):
        return torch.relu(X @ self.W_1 + self.b_1) @ self.W_2 + self.b_2


class Norm(nn.Module):
    """Layer norm."""

    def __init__(self, d_model):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, X):
        return F.layer_norm(X, self.gain.shape, self.gain, self.bias)


class Block(nn.Module):
    """Self-attention and a network, with the norms before."""

    def __init__(self, d_model, n_heads, d_ff, **of_attention):
        super().__init__()
        self.attention = Attention(d_model, n_heads, **of_attention)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = Norm(d_model), Norm(d_model)

    def forward(self, X):
        A = X + self.attention(self.norm_1(X))
        return A + self.feed_forward(self.norm_2(A))


class DecoderBlock(nn.Module):
    """Attention among the items so far, then to the memory, then a network; norms before."""

    def __init__(self, d, n_heads, d_ff):
        super().__init__()
        self.self_attention = Attention(d, n_heads, keeps=True)
        self.cross_attention = Attention(d, 1, causal=False, keeps=True)
        self.feed_forward = FeedForward(d, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = Norm(d), Norm(d), Norm(d)

    def forward(self, X, memory):
        A = X + self.self_attention(self.norm_1(X))
        C = A + self.cross_attention(self.norm_2(A), memory)
        return C + self.feed_forward(self.norm_3(C))


def arrays(network):
    """The parameters of a network by name, in double precision, for `from_parameters` of its twin.

    Examples
    --------
    >>> from attnlib import LayerNorm
    >>> LayerNorm.from_parameters(arrays(Norm(2)))
    LayerNorm(gain=(2,), bias=(2,), epsilon=1e-05)
    """
    return {name: p.detach().double().numpy() for name, p in network.named_parameters()}
