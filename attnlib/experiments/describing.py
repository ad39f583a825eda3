"""Chapter 20: a decoder learns to describe digits on a canvas."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attnlib import _checks
from attnlib.data import canvases as on_canvas
from attnlib.data.canvases import DIGITS, END, LEFT, LONGEST, N_PATCHES, PATCH, RIGHT, WORDS
from attnlib.data.digits import split_digits
from attnlib.experiments.layers import (
    SETTINGS,
    Attention,
    Block,
    FeedForward,
    Norm,
    arrays,
    parameter,
)
from attnlib.experiments.training import one_thread, seeded, train
from attnlib.experiments.vision import patches_of
from attnlib.networks import Describer, _eight_bits
from attnlib.networks.language import SMALL

#: How the decoder gets to the picture.
READINGS = ("attention", "mean", "flat")
IGNORED = -100  # as cross-entropy marks what is not asked for


class DescriberNetwork(nn.Module):
    """The network of `Describer`, for many canvases and all words at once.

    Parameters
    ----------
    reading : {"attention", "mean", "flat"}, optional
        What the decoder's cross-attention finds in the memory: its rows, one row that is their
        mean, or one row that a matrix makes of all of them side by side.
    d : int, optional
        Length of a row.
    seed : int, optional
        Seed of the start.
    encoders, decoders : int, optional
        Number of blocks.
    stem : bool, optional
        Whether two convolutions with a receptive field of 5 × 5 see the canvas before it is cut
        into patches.
    """

    def __init__(self, reading="attention", d=32, seed=0, encoders=1, decoders=1, stem=False):
        super().__init__()
        self.reading = _checks.choice(reading, "reading", READINGS)
        with seeded(seed):
            channels = 4 if stem else 1
            self.stem = (
                nn.Sequential(
                    nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(),
                    nn.Conv2d(8, channels, 3, padding=1), nn.ReLU(),
                )
                if stem
                else None
            )  # fmt: skip
            self.W_P = parameter(channels * PATCH**2, d)
            self.P = parameter(N_PATCHES, d, size=SMALL)
            self.encoders = nn.ModuleList(
                Block(d, attention=Attention(d, 4), feed_forward=FeedForward(d, 2 * d))
                for _ in range(encoders)
            )
            self.norm = Norm(d)
            self.E = parameter(len(WORDS), d, size=SMALL)
            self.P_words = parameter(LONGEST, d, size=SMALL)
            self.decoders = nn.ModuleList(
                Block(
                    d,
                    self_attention=Attention(d, 4, causal=True),
                    cross_attention=Attention(d),
                    feed_forward=FeedForward(d, 2 * d),
                )
                for _ in range(decoders)
            )
            self.norm_out, self.U = Norm(d), parameter(d, len(WORDS))
            self.W_flat = parameter(N_PATCHES * d, d) if reading == "flat" else None

    def see(self, pixels):
        """The memory of canvases of shape (batch, 10, 20): (batch, 8, d), or one row each."""
        layers = [pixels] if self.stem is None else self.stem(pixels[:, None]).unbind(1)
        X = torch.cat([patches_of(layer, PATCH) for layer in layers], -1) @ self.W_P + self.P
        for block in self.encoders:
            X = block(X)
        memory = self.norm(X)
        if self.reading == "mean":
            return memory.mean(1, keepdim=True)
        return memory if self.W_flat is None else (memory.flatten(1) @ self.W_flat)[:, None]

    def write(self, memory, words):
        """Logits of the next word after each, shape (batch, n, n_words)."""
        X = self.E[words] + self.P_words[: words.shape[-1]]
        for block in self.decoders:
            X = block(X, memory)
        return self.norm_out(X) @ self.U

    def forward(self, pixels, words):
        """Logits of the next word after each."""
        return self.write(self.see(pixels), words)

    @torch.no_grad()
    def describe(self, pixels, questions):
        """The likeliest words, one after the other, and the weights of each over the patches.

        Returns
        -------
        words : ndarray of int, shape (batch, LONGEST)
            Indices into WORDS; what follows the first END means nothing.
        weights : ndarray, shape (batch, LONGEST, n)
            Of the last block's cross-attention.
        """
        memory, words = self.see(pixels), questions[:, None]
        for _ in range(LONGEST):
            logits = self.write(memory, words[:, :LONGEST])
            words = torch.cat([words, logits[:, -1:].argmax(-1)], 1)
        weights = self.decoders[-1].cross_attention.weights[:, 0]
        return words[:, 1:].numpy(), weights.numpy()

    def twin(self):
        """The same network as a `Describer`; it has one block of each kind and reads patches."""
        n, m = len(self.encoders), len(self.decoders)
        if (self.reading, n, m) != ("attention", 1, 1):
            raise ValueError(
                f'A Describer has reading="attention", encoders=1, decoders=1, but this network '
                f'has reading="{self.reading}", encoders={n}, decoders={m}.'
            )
        return Describer.from_parameters(
            arrays((k.replace("coders.0", "coder"), p) for k, p in self.named_parameters()),
            words=WORDS,
            n_heads=4,
            **SETTINGS | {"decoder.cross_attention.n_heads": 1},
        )


class Canvases:
    """Many canvases, each with a question and the words that answer it, as tensors."""

    def __init__(self, made, questions):
        self.made, self.questions = made, questions
        self.pixels = torch.tensor(np.array([c.pixels for c in made]), dtype=torch.float32)
        self.asked = np.array([len(q.split()) for q in questions])  # words of each question
        read, wanted = [], []
        for c, q, n in zip(made, questions, self.asked):
            ids = [WORDS.index(w) for w in (*q.split(), *on_canvas.wanted_words(c, q))]
            read.append((ids[:-1] + [0] * LONGEST)[:LONGEST])
            wanted.append(([IGNORED] * (n - 1) + ids[n:] + [IGNORED] * LONGEST)[:LONGEST])
        self.read, self.wanted = torch.tensor(read), torch.tensor(wanted)

    def __len__(self):
        return len(self.made)

    def right(self, network):
        """Whether every word about each canvas is right."""
        words = network.describe(self.pixels, self.read[:, 0])[0]
        wanted = self.wanted.numpy()
        return ((words == wanted) | (wanted == IGNORED)).all(-1)

    @torch.no_grad()
    def answers(self, network):
        """Whether the first word after each question is right, and the weights of its step."""
        rows, last = np.arange(len(self)), self.asked - 1
        words = network(self.pixels, self.read)[rows, last].argmax(-1)
        weights = network.decoders[-1].cross_attention.weights[rows, 0, last]
        return (words == self.wanted[rows, last]).numpy(), weights.numpy()

    @torch.no_grad()
    def mass(self, network):
        """The weight on patches with ink of the digit that each step has to name, one for each.

        The right words before are given, so wrong words count, too.
        """
        network(self.pixels, self.read)
        weights = network.decoders[-1].cross_attention.weights[:, 0].numpy()
        found = []
        for canvas, question, rows, wanted in zip(
            self.made, self.questions, weights, self.wanted.numpy()
        ):
            ink, named = on_canvas.ink_of(canvas) > 0.5, -1 if question == RIGHT else 0
            for row, right in zip(rows, wanted):
                if right != IGNORED and WORDS[right] in DIGITS:
                    found.append(row[ink[named]].sum())
                    named = -1
        return np.array(found)


def draw_canvases(n, seed=0, tested=False, questions=on_canvas.QUESTIONS, count=None):
    """Draw canvases of digits to learn from, or of others to test on; half are described.

    Parameters
    ----------
    n : int
    seed : int, optional
    tested : bool, optional
        Whether the digits are those that are never trained on.
    questions : sequence of str, optional
        What is asked; `END` asks for a description, as often as all others together.  One alone
        is asked always.
    count : {1, 2}, optional
        How many digits a canvas has.
    """
    rng, (images, labels) = np.random.default_rng(seed), split_digits()[int(tested)]
    shares = np.array(
        [max(len(questions) - 1, 1) if q == END else 1 for q in questions], dtype=float
    )
    asked = rng.choice(questions, n, p=shares / shares.sum())
    made = [on_canvas.draw_canvas(rng, images, labels, count) for _ in range(n)]
    return Canvases(made, [str(q) for q in asked])


def draw_two_hops(n, seed=0, tested=False):
    """Draw canvases with two different digits and questions such as "left? two"."""
    rng, (images, labels) = np.random.default_rng(seed), split_digits()[int(tested)]
    made = []
    while len(made) < n:
        drawn = on_canvas.draw_canvas(rng, images, labels, 2)
        if drawn.digits[0] != drawn.digits[1]:
            made.append(drawn)
    sides, named = rng.choice([LEFT, RIGHT], n), rng.integers(2, size=n)
    return Canvases(
        made, [f"{side} {DIGITS[c.digits[k]]}" for c, side, k in zip(made, sides, named)]
    )


def description_loss(network, pixels, read, wanted):
    """Cross-entropy of the next word, each step being given the right words before it."""
    return F.cross_entropy(network(pixels, read).flatten(0, 1), wanted.flatten())


@one_thread()
def train_describer(canvases, steps=800, rate=5e-3, batch=64, seed=0, start=None, **options):
    """Train a network on some `Canvases` by teacher forcing; return it with its losses.

    It begins with the parameters of `start`, a network with the same options, if one is given.
    """
    names = ("reading", "d", "encoders", "decoders", "stem")
    new = {name: options.pop(name) for name in names if name in options}
    network = DescriberNetwork(seed=seed, **new)
    if start:
        network.load_state_dict(start.state_dict())

    def batches(rng):
        rows = torch.tensor(rng.integers(len(canvases), size=batch))
        return canvases.pixels[rows], canvases.read[rows], canvases.wanted[rows]

    options = {"decay": True, "warm_up": 50} | options
    return network, train(network, batches, description_loss, steps, rate, seed=seed, **options)


def record(steps=4000):
    """Train the network that comes with the book, and store it."""
    network, _ = train_describer(draw_canvases(30_000), steps=steps, report=print, every=500)
    print(draw_canvases(1000, seed=1, tested=True).right(network).mean(), "right")
    _eight_bits.write(network.twin(), "describer")
