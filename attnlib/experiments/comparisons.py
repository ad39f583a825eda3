"""Chapter 15: the same small tasks for a recurrent network, a convolution, and attention.

How far do they reach, and how many examples do they need?  All models of a kind are trained side by
side, one for each seed and each reach or number of examples.
"""

import numpy as np
import torch
from torch import nn

from attnlib import _checks
from attnlib.experiments.layers import Attention, Block, FeedForward, bias, parameter, project
from attnlib.experiments.training import one_thread, seeded, train

#: Kinds of models -> their width, which gives each about 9,000 parameters.
KINDS = {"recurrent": 36, "convolution": 30, "attention": 40, "attention, learned places": 40}
#: Kinds of models -> the colour of the palette and the line with which figures draw them.
LOOK = {
    "recurrent": ("key", "--"),
    "convolution": ("value", "-."),
    "attention": ("query", "-"),
    "attention, learned places": ("muted", ":"),
}


class Recurrent(nn.Module):
    """A gated recurrent unit (GRU): a state of d numbers that every item changes a little.

    Equal to `torch.nn.GRU` with the same numbers.
    """

    def __init__(self, d, runs=1):
        super().__init__()
        self.W, self.U = parameter(d, 3 * d, runs=runs), parameter(d, 3 * d, runs=runs)
        self.b, self.c = bias(self.W), bias(self.U)

    def forward(self, X):
        read = project(X, self.W, self.b)
        state, states = torch.zeros_like(X[:, :, 0]), []
        for t in range(X.shape[2]):
            reset, keep, new = read[:, :, t].chunk(3, -1)
            old_reset, old_keep, old_new = project(state, self.U, self.c).chunk(3, -1)
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
            parameter(3 * d, d, runs=runs, size=(2 / (3 * d)) ** 0.5) for _ in dilations
        )
        self.b = nn.ParameterList(map(bias, self.W))

    def forward(self, X):
        n = X.shape[2]
        for skip, W, b in zip(self.dilations, self.W, self.b):
            before = 2 * skip if self.causal else skip
            padded = nn.functional.pad(X, (0, 0, before, 2 * skip - before))
            side_by_side = [padded[:, :, k * skip : k * skip + n] for k in range(3)]
            X = torch.relu(project(torch.cat(side_by_side, -1), W, b))
        return X


def self_attention(d, n_heads=1, runs=1, **options):
    """Attention with its residual; queries have a bias, and there is no norm."""
    return Block(attention=Attention(d, n_heads, biases="Q", runs=runs, **options))


def feed_forward(d, runs=1):
    """A network for each item by itself, with its residual."""
    return Block(feed_forward=FeedForward(d, 2 * d, biases="1", runs=runs))


class TokenModel(nn.Module):
    """Rows for tokens, the layers in turn, and a score for each possible answer at each place.

    `positions` is the number of places with a learned row of their own, which is added; with 0
    the layers alone know of places.
    """

    def __init__(self, vocabulary, answers, d, *layers, positions=0, runs=1):
        super().__init__()
        self.E = parameter(vocabulary, d, size=1, runs=runs)
        self.U = parameter(d, answers, runs=runs)
        self.P = parameter(positions, d, size=1, runs=runs) if positions else None
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens):
        """Scores of shape (runs, batch, n, answers) for tokens of shape (runs, batch, n)."""
        X = self.E[torch.arange(len(tokens))[:, None, None], tokens]
        if self.P is not None:
            X = X + self.P[:, None, : tokens.shape[-1]]
        for layer in self.layers:
            X = layer(X)
        return project(X, self.U)


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


def model_of(kind, n, *, vocabulary=8, layers=3, network=False, runs=1, seed=0):
    """Models of one of `KINDS` for sequences of n tokens, drawn from a seed; `runs` of them.

    A place sees itself and those before it.  `layers` is the number of convolutions, each of width
    3; the others have one layer.  Attention knows a key by its token and its distance, or, with
    learned places, by its token and a row for its place.

    Examples
    --------
    >>> model = model_of("attention", 40, runs=5)
    >>> sum(p.numel() for p in model.parameters()) // 5
    8680
    """
    d = KINDS[_checks.choice(kind, "kind", KINDS)]
    with seeded(seed):
        mixers = {
            "recurrent": lambda: Recurrent(d, runs),
            "convolution": lambda: Convolution(d, (1,) * layers, causal=True, runs=runs),
            "attention": lambda: self_attention(d, 2, runs, causal=True, distances=n),
            "attention, learned places": lambda: self_attention(d, 2, runs, causal=True),
        }
        parts = [mixers[kind]()] + [feed_forward(d, runs)] * network
        places = n if "places" in kind else 0
        return TokenModel(vocabulary, vocabulary, d, *parts, positions=places, runs=runs)


def copies(lags, n=40, vocabulary=8, size=16):
    """Batches of random tokens; run r is asked at each place for the token `lags[r]` before."""

    def batches(rng):
        tokens = rng.integers(vocabulary, size=(len(lags), size, n))
        answers = np.full_like(tokens, -1)
        for run, lag in enumerate(lags):
            answers[run, :, lag:] = tokens[run, :, :-lag]
        return torch.tensor(tokens), torch.tensor(answers)

    return batches


@one_thread()
def accuracy_by_reach(kind, lags, seeds=3, steps=150, rate=0.01, n=40, **of_model):
    """How often models of one kind name the token that stood so many places before.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    lags : sequence of int
        Distances from 1 to n - 1, one model for each and each seed.
    seeds, steps : int, optional
        Number of models a distance, and of steps of 16 new sequences.
    rate : float, optional
        Learning rate.
    n : int, optional
        Length of a sequence.

    Returns
    -------
    ndarray, shape (len(lags), seeds)
        Accuracy on 100 other sequences; one in eight is chance.
    """
    if not all(0 < lag < n for lag in lags):
        raise ValueError(f"lags must lie between 1 and n - 1 = {n - 1}, got {list(lags)}.")
    of_run = np.repeat(lags, seeds)
    model = model_of(kind, n, runs=len(of_run), **of_model)
    train(model, copies(of_run, n), answer_loss, steps, rate, clip=None)
    test = copies(of_run, n, size=100)(np.random.default_rng(1))
    return accuracy(model, *test).reshape(len(lags), seeds)


def medians(rng, *shape, n=12, vocabulary=4, order=None):
    """Random tokens, and at each place the middle one of the last three, −1 for the first two.

    `order` puts the places of all sequences, and their answers, into another order.
    """
    tokens = rng.integers(vocabulary, size=(*shape, n))
    last = np.stack([tokens[..., k : n - 2 + k] for k in range(3)])
    answers = np.full_like(tokens, -1)
    answers[..., 2:] = np.median(last, axis=0)
    return (tokens, answers) if order is None else (tokens[..., order], answers[..., order])


@one_thread()
def accuracy_by_examples(kind, sizes, seeds=4, steps=200, rate=0.005, order=None, **of_model):
    """How well models of one kind learn a median filter from so many sequences of twelve.

    Parameters
    ----------
    kind : str or torch.nn.Module
        One of `KINDS`, or models with ``len(sizes) * seeds`` runs, which are trained in place.
    sizes : sequence of int
        Numbers of sequences to learn from, one model for each and each seed.
    seeds, steps : int, optional
        Number of models a size, and of steps of 16 of these sequences.
    rate : float, optional
        Learning rate at the start; it falls to 0.
    order : sequence of int, optional
        Puts the twelve places of every sequence into this order.

    Returns
    -------
    ndarray, shape (len(sizes), seeds)
        Accuracy on 200 other sequences.
    """
    rng, runs = np.random.default_rng(0), len(sizes) * seeds
    if isinstance(kind, str):
        options = {"vocabulary": 4, "layers": 1, "network": True} | of_model
        kind = model_of(kind, 12, runs=runs, **options)
    known = [medians(rng, size, order=order) for size in sizes for _ in range(seeds)]

    def batches(rng):
        chosen = [rng.integers(len(tokens), size=16) for tokens, _ in known]
        pairs = [(tokens[i], answers[i]) for (tokens, answers), i in zip(known, chosen)]
        return tuple(torch.tensor(np.stack(part)) for part in zip(*pairs))

    train(kind, batches, answer_loss, steps, rate, decay=True, clip=None)
    others = medians(np.random.default_rng(1), 200, order=order)
    test = (torch.tensor(part).expand(runs, -1, -1) for part in others)
    return accuracy(kind, *test).reshape(len(sizes), seeds)
