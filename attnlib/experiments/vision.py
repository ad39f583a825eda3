"""Chapter 18: a vision transformer, a convolution and a linear map classify digits."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from attnlib import _checks
from attnlib.data.digits import joined, patches, split_digits
from attnlib.experiments.layers import (
    SETTINGS,
    Attention,
    Block,
    FeedForward,
    Norm,
    arrays,
    bias,
    parameter,
)
from attnlib.experiments.training import one_thread, seeded, train
from attnlib.networks import VisionTransformer, _eight_bits

CLASSES = 10
READOUTS = ("mean", "flat")


def encoder_block(d_model, n_heads, d_ff):
    """A block without a mask."""
    Attention(d_model, n_heads)  # was drawn first when the book's numbers were made
    feed_forward = FeedForward(d_model, d_ff)
    attention = Attention(d_model, n_heads, fused=True)
    return Block(d_model, attention=attention, feed_forward=feed_forward)


class VisionNetwork(nn.Module):
    """The network of `attnlib.networks.vision.VisionTransformer`, with the names of its parameters.

    Parameters
    ----------
    d_model, n_heads, n_blocks, d_ff : int, optional
        Sizes.
    positions : bool, optional
        Whether each place has a learned row.
    readout : {"mean", "flat"}, optional
        Whether classes are read from the mean of all items, or from all items side by side.
    """

    def __init__(self, d_model=32, n_heads=4, n_blocks=2, d_ff=64, positions=True, readout="mean"):
        super().__init__()
        self.flat = _checks.choice(readout, "readout", READOUTS) == "flat"
        self.n_heads = n_heads
        self.W_E = parameter(4, d_model)
        self.P = parameter(16, d_model, size=0.5).requires_grad_(positions)
        if not positions:
            self.P.data.zero_()
        self.blocks = nn.ModuleList(encoder_block(d_model, n_heads, d_ff) for _ in range(n_blocks))
        self.norm = Norm(d_model)
        self.U = parameter(16 * d_model if self.flat else d_model, CLASSES)
        self.b = bias(self.U)

    def forward(self, images):
        """The logits of pictures, shape (n, 8, 8)."""
        X = patches_of(images) @ self.W_E + self.P
        for block in self.blocks:
            X = block(X)
        X = self.norm(X)
        return (X.flatten(-2) if self.flat else X.mean(-2)) @ self.U + self.b

    def twin(self):
        """The same network as a `VisionTransformer`."""
        found = arrays(self.named_parameters())
        return VisionTransformer.from_parameters(found, n_heads=self.n_heads, **SETTINGS)


def patches_of(images, size=2):
    """What `attnlib.data.digits.patches` does, for tensors."""
    cut = images.unflatten(-2, (-1, size)).unflatten(-1, (-1, size))
    return cut.transpose(-2, -3).flatten(-2).flatten(-3, -2)


class ConvolutionNetwork(nn.Module):
    """Two convolutions of 3 × 3, each with relu and the maximum of 2 × 2, and a linear layer."""

    def __init__(self, first=16, second=32):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(1, first, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(first, second, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        self.linear = nn.Linear(4 * second, CLASSES)

    def forward(self, images):
        """The logits of pictures, shape (n, 8, 8)."""
        return self.linear(self.convolutions(images[:, None]).flatten(1))


class LogisticRegression(nn.Module):
    """A linear map of the 64 pixels to the logits."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, CLASSES)

    def forward(self, images):
        """The logits of pictures, shape (n, 8, 8)."""
        return self.linear(images.flatten(1))


def class_loss(model, images, labels):
    """The cross-entropy of the right classes."""
    return F.cross_entropy(model(images), labels)


#: Kinds of classifiers -> how each is made, and the learning rate of its training.
KINDS = {
    "transformer": (VisionNetwork, 0.003),
    "convolution": (ConvolutionNetwork, 0.005),
    "logistic": (LogisticRegression, 0.05),
}


@one_thread()
def train_classifier(kind, images, labels, steps=400, batch=32, seed=0, **of_network):
    """Train a classifier of one of `KINDS` on some digits, and return it.

    Logistic regression sees all digits in each step, and its weights are kept small by the
    penalty |W|² / 20, as with C = 10 in scikit-learn; the others see `batch` drawn digits.
    """
    make, rate = KINDS[_checks.choice(kind, "kind", KINDS)]
    with seeded(seed):
        model = make(**of_network)
    images, labels = (torch.tensor(np.array(x)) for x in (images, labels))
    images = images.float()

    def penalised(model, images, labels):
        size = (model.linear.weight**2).sum() / (20 * len(labels))
        return class_loss(model, images, labels) + size

    def batches(rng):
        if kind == "logistic":
            return images, labels
        some = torch.tensor(rng.integers(len(labels), size=batch))
        return images[some], labels[some]

    loss = penalised if kind == "logistic" else class_loss
    train(model, batches, loss, steps, rate, seed=seed, warm_up=20, decay=True)
    return model


@torch.no_grad()
def accuracy(model, images, labels):
    """The share of some digits that a model classifies correctly."""
    logits = model(torch.tensor(np.array(images)).float())
    return float((logits.argmax(-1).numpy() == labels).mean())


def shuffled(images, rng):
    """Pictures whose 2 × 2 patches are put into a random order, another one for each picture."""
    rows = patches(images)
    return joined(np.stack([row[rng.permutation(16)] for row in rows]))


def accuracy_by_size(kinds, sizes, seeds=3, **of_training):
    """How well classifiers do on 497 digits after learning from so many others.

    For each seed other digits are drawn to learn from and to test on; all kinds get the same.

    Returns
    -------
    dict of str to ndarray, shape (len(sizes), seeds)
    """
    found = {kind: np.zeros((len(sizes), seeds)) for kind in kinds}
    for seed in range(seeds):
        (images, labels), test = split_digits(seed)
        for i, size in enumerate(sizes):
            for kind in kinds:
                model = train_classifier(
                    kind, images[:size], labels[:size], seed=seed, **of_training
                )
                found[kind][i, seed] = accuracy(model, *test)
    return found


def record():
    """Train the transformer that comes with the book, and store it."""
    (images, labels), test = split_digits()
    model = train_classifier("transformer", images, labels, steps=1000, batch=64)
    print(f"{accuracy(model, *test):.3f} of the test digits are right")
    _eight_bits.write(model.twin(), "vision")
