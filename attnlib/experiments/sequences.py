"""Small models of sequences for like comparisons: a recurrent network, a convolution, attention.

Each holds `runs` models of one kind, which are trained side by side and share nothing: every
parameter has an axis in front for them.  Train them with ``clip=None``, which keeps them apart.
"""

import math

import torch
from torch import nn


def parameter(runs, *shape, size=None):
    """A parameter of random numbers, as large as the first of its axes asks."""
    size = shape[0] ** -0.5 if size is None else size
    return nn.Parameter(size * torch.randn(runs, *shape))


def times(X, W):
    """Each run's items, (runs, ..., n, d), times each run's own matrix, (runs, d, d_out)."""
    return (X.flatten(1, -2) @ W).unflatten(1, X.shape[1:-1])


class Recurrent(nn.Module):
    """A gated recurrent unit (GRU): a state of d numbers that every item changes a little.

    Equal to `torch.nn.GRU` with the same numbers.
    """

    def __init__(self, d, runs=1):
        super().__init__()
        self.W, self.U = parameter(runs, d, 3 * d), parameter(runs, d, 3 * d)
        self.b = nn.Parameter(torch.zeros(runs, 1, 3 * d))
        self.c = nn.Parameter(torch.zeros(runs, 1, 3 * d))

    def forward(self, X):
        read = times(X, self.W) + self.b[:, None]
        state, states = torch.zeros_like(X[:, :, 0]), []
        for t in range(X.shape[2]):
            reset, keep, new = read[:, :, t].chunk(3, -1)
            old_reset, old_keep, old_new = (state @ self.U + self.c).chunk(3, -1)
            reset, keep = torch.sigmoid(reset + old_reset), torch.sigmoid(keep + old_keep)
            new = torch.tanh(new + reset * old_new)
            state = new + keep * (state - new)
            states.append(state)
        return torch.stack(states, 2)


class Convolution(nn.Module):
    """Layers of width 3, each with relu: an item and its neighbours, or the two before it.

    With dilation 1, 2, 4, … a layer skips so many items.  One layer equals `torch.nn.Conv1d`.
    """

    def __init__(self, d, dilations=(1,), causal=False, runs=1):
        super().__init__()
        self.dilations, self.causal = dilations, causal
        self.W = nn.ParameterList(
            parameter(runs, 3 * d, d, size=(2 / (3 * d)) ** 0.5) for _ in dilations
        )
        self.b = nn.ParameterList(nn.Parameter(torch.zeros(runs, 1, d)) for _ in dilations)

    def forward(self, X):
        n = X.shape[2]
        for skip, W, b in zip(self.dilations, self.W, self.b):
            before = 2 * skip if self.causal else skip
            padded = nn.functional.pad(X, (0, 0, before, 2 * skip - before))
            side_by_side = [padded[:, :, k * skip : k * skip + n] for k in range(3)]
            X = torch.relu(times(torch.cat(side_by_side, -1), W) + b[:, None])
        return X


class Attention(nn.Module):
    """Multi-head self-attention, with the residual; a key may have a vector for its distance.

    Without distances equal to `attnlib.MultiHeadAttention`.  With them, the score of a query at i
    and a key at j is ``q · (k + a[i − j]) / √d`` (Shaw et al. 2018), with a learned row a for each
    distance.  `weights` keeps those of the last call.
    """

    def __init__(self, d, n_heads=1, causal=False, distances=0, runs=1):
        super().__init__()
        self.n_heads, self.causal, self.distances = n_heads, causal, distances
        self.W_Q, self.W_K, self.W_V, self.W_O = (parameter(runs, d, d) for _ in range(4))
        self.b_Q = nn.Parameter(torch.zeros(runs, 1, d))
        least = 0 if causal else 1 - distances
        if distances:  # a row for each distance, from the least to distances - 1
            self.A = parameter(runs, 1, n_heads, d // n_heads, distances - least, size=0.1)
        self.least = least
        self.weights, self.forced, self.off = None, None, False

    def forward(self, X):
        n = X.shape[2]
        Q, K, V = (
            product.unflatten(-1, (self.n_heads, -1)).transpose(2, 3)
            for product in (
                times(X, self.W_Q) + self.b_Q[:, None],
                times(X, self.W_K),
                times(X, self.W_V),
            )
        )
        scores = Q @ K.transpose(-1, -2)
        i, j = torch.arange(n)[:, None], torch.arange(n)
        if self.distances:
            place = (i - j).clamp(self.least) - self.least
            scores = scores + (Q @ self.A).gather(-1, place.expand_as(scores))
        scores = scores / math.sqrt(Q.shape[-1])
        if self.causal:
            scores = scores.masked_fill(j > i, -math.inf)
        self.weights = torch.softmax(scores, -1)
        if self.forced is not None:
            self.weights = self.forced.expand_as(self.weights)
        Y = (self.weights @ V).transpose(2, 3).flatten(-2)
        return X if self.off else X + times(Y, self.W_O)


class FeedForward(nn.Module):
    """A network for each item by itself, with relu and the residual, as in chapter 11."""

    def __init__(self, d, runs=1):
        super().__init__()
        self.W_1, self.W_2 = parameter(runs, d, 2 * d), parameter(runs, 2 * d, d)
        self.b = nn.Parameter(torch.zeros(runs, 1, 2 * d))

    def forward(self, X):
        return X + times(torch.relu(times(X, self.W_1) + self.b[:, None]), self.W_2)


class TokenModel(nn.Module):
    """Rows for tokens, the layers in turn, and a score for each possible answer at each place.

    `positions` is the number of places with a learned row of their own, which is added; with 0
    the layers alone know of places.
    """

    def __init__(self, vocabulary, answers, d, *layers, positions=0, runs=1):
        super().__init__()
        self.E, self.U = parameter(runs, vocabulary, d, size=1), parameter(runs, d, answers)
        self.P = parameter(runs, positions, d, size=1) if positions else None
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens):
        """Scores of shape (runs, batch, n, answers) for tokens of shape (runs, batch, n)."""
        X = self.E[torch.arange(len(tokens))[:, None, None], tokens]
        if self.P is not None:
            X = X + self.P[:, None, : tokens.shape[-1]]
        for layer in self.layers:
            X = layer(X)
        return times(X, self.U)


def answer_loss(model, tokens, answers):
    """Cross-entropy in nats, the mean over answers of each run, summed over the runs.

    An answer of −1 is not asked for.
    """
    scores = model(tokens)
    flat = nn.functional.cross_entropy(
        scores.flatten(0, -2), answers.flatten(), ignore_index=-1, reduction="none"
    ).view(answers.shape)
    asked = (answers >= 0).flatten(1)
    return (flat.flatten(1).sum(1) / asked.sum(1)).sum()


def accuracy(model, tokens, answers):
    """The share of right answers among those asked for, one number for each run."""
    with torch.no_grad():
        right = model(tokens).argmax(-1) == answers
    asked = (answers >= 0).flatten(1)
    return (right.flatten(1).sum(1) / asked.sum(1)).numpy()
