"""The same small tasks for three kinds of models: how far they reach, how many examples they need.

All models of a kind are trained side by side, one for each seed and each reach or number of
examples; see `attnlib.experiments.sequences`.
"""

import numpy as np
import torch

from attnlib import _checks
from attnlib.experiments.sequences import (
    Attention,
    Convolution,
    FeedForward,
    Recurrent,
    TokenModel,
    accuracy,
    answer_loss,
)
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
            "attention": lambda: Attention(d, 2, causal=True, distances=n, runs=runs),
            "attention, learned places": lambda: Attention(d, 2, causal=True, runs=runs),
        }
        parts = [mixers[kind]()] + [FeedForward(d, runs)] * network
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
