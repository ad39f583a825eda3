"""The decoder-only language model of the book in PyTorch, with the names of its NumPy twin."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attnlib.models._training import cut
from attnlib.models.characters import SMALL
from attnlib.positions import sinusoidal


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


class LanguageModel(nn.Module):
    """A decoder-only language model; its parameters have the names of `CharacterModel`'s.

    Parameters
    ----------
    n_characters : int
        The number of different characters.
    d_model, n_heads, n_blocks, d_ff, context
        As for `CharacterModel`.

    Examples
    --------
    >>> model = LanguageModel(5, d_model=8, n_heads=2, n_blocks=1, context=4)
    >>> model(torch.tensor([[0, 1, 2]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(self, n_characters, d_model=32, n_heads=2, n_blocks=1, d_ff=None, context=32):
        super().__init__()
        self.context = context
        self.E = nn.Parameter(SMALL * torch.randn(n_characters, d_model))
        self.U = matrix(d_model, n_characters)
        sizes = d_model, n_heads, d_ff or 4 * d_model
        self.blocks = nn.ModuleList(Block(*sizes) for _ in range(n_blocks))
        self.norm = Norm(d_model)
        P = torch.tensor(SMALL * sinusoidal(context, d_model), dtype=torch.float32)
        self.register_buffer("P", P, persistent=False)

    @classmethod
    def of(cls, model):
        """The twin of a `CharacterModel`: same sizes, same numbers, same type.

        Examples
        --------
        >>> from attnlib.models import CharacterModel
        >>> ours = CharacterModel("so far so good", context=5)
        >>> logits = LanguageModel.of(ours)(torch.tensor(ours.ids[:5]))
        >>> bool(np.allclose(ours.look("so fa")[0], logits[-1].detach(), atol=1e-5))
        True
        """
        block = model.stack.blocks[0]
        twin = cls(
            len(model.characters), model.E.shape[1], block.attention.n_heads,
            len(model.stack.blocks), block.feed_forward.W_1.shape[1], model.context,
        )  # fmt: skip
        twin.to(torch.tensor(model.E).dtype)
        twin.P = torch.tensor(model._P)
        twin.load_state_dict({name: torch.tensor(p) for name, p in model.parameters().items()})
        return twin

    def forward(self, x):
        """The logits of the character after each, for indices of the shape (..., n)."""
        X = self.E[x] + self.P[: x.shape[-1]]
        for block in self.blocks:
            X = block(X)
        return self.norm(X) @ self.U


def next_character_loss(model, x, y):
    """The mean cross-entropy of the characters y, in nats, for a loop of training."""
    return F.cross_entropy(model(x).flatten(0, -2), y.flatten())


def windows(ids, context, batch):
    """A function that draws a batch of windows of a text: what is read, and what follows each."""
    ids = np.asarray(ids)

    def batches(rng):
        starts = rng.integers(len(ids) - context, size=batch)
        found = torch.tensor(ids[starts[:, None] + np.arange(context + 1)])
        return found[:, :-1], found[:, 1:]

    return batches


@torch.no_grad()
def surprisal(model, ids, least):
    """The bits of each character from number `least` on, as `CharacterModel.surprisal` has them."""
    model.eval()
    bits = []
    for windows in map(torch.tensor, cut(np.asarray(ids), least, model.context)):
        log_p = model(windows[:, :-1]).log_softmax(-1)
        log_p = log_p.gather(-1, windows[:, 1:, None])[:, least - 1 :, 0]
        bits.append(-log_p.flatten().double().numpy() / math.log(2))
    return np.concatenate(bits)
