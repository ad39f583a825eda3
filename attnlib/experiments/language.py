"""Chapter 17: a decoder-only language model, with the names of its NumPy twin."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attnlib.data.texts import cut
from attnlib.experiments.layers import Attention, Block, FeedForward, Norm, parameter
from attnlib.networks.language import SMALL
from attnlib.positions import sinusoidal


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
        self.E = parameter(n_characters, d_model, size=SMALL)
        self.U = parameter(d_model, n_characters)
        self.blocks = nn.ModuleList(
            Block(
                d_model,
                attention=Attention(d_model, n_heads, causal=True, fused=True),
                feed_forward=FeedForward(d_model, d_ff or 4 * d_model),
            )
            for _ in range(n_blocks)
        )
        self.norm = Norm(d_model)
        P = torch.tensor(SMALL * sinusoidal(context, d_model), dtype=torch.float32)
        self.register_buffer("P", P, persistent=False)

    @classmethod
    def of(cls, model):
        """The twin of a `CharacterModel`: same sizes, same numbers, same type.

        Examples
        --------
        >>> from attnlib.networks import CharacterModel
        >>> ours = CharacterModel("so far so good", context=5)
        >>> logits = LanguageModel.of(ours)(torch.tensor(ours.ids[:5]))
        >>> bool(np.allclose(ours.look("so fa")[0], logits[-1].detach(), atol=1e-5))
        True
        """
        network = model.network
        block = network.blocks[0]
        twin = cls(
            *network.E.shape, block.attention.n_heads, len(network.blocks),
            block.feed_forward.W_1.shape[1], network.context,
        )  # fmt: skip
        twin.to(torch.tensor(network.E).dtype)
        twin.P = torch.tensor(network.P)
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
