"""Chapter 21: policies for CartPole that see places and no speeds imitate one who sees all.

As many of a kind as there are `runs` are trained side by side, each from its own start and on its
own losses; they share nothing.
"""

import math

import numpy as np
import torch
from torch import nn

from attnlib import _checks
from attnlib.data.cartpole import (
    LONGEST,
    UNITS,
    WINDOW,
    fallen,
    held,
    last_seen,
    play,
    step,
    teacher,
)  # fmt: skip
from attnlib.experiments.layers import (
    Attention,
    Block,
    FeedForward,
    arrays,
    bias,
    parameter,
    project,
)  # fmt: skip
from attnlib.experiments.training import one_thread, seeded, train
from attnlib.networks import Balancer, _eight_bits

#: What a policy knows of each view: place, angle, and whether it was seen.
PLACES = [0, 2, 4]
#: Kinds of policies without attention -> what a small network is given of a history.
GIVEN = {
    "one view": lambda H: H[..., -1:, PLACES],
    "two views": lambda H: H[..., -2:, PLACES],
    "all views": lambda H: H[..., PLACES],
    "held": lambda H: held(H)[..., -4:, PLACES],
    "last two seen": lambda H: last_seen(H)[..., [0, 2, 4, 5]],
    "all seen": lambda H: H[..., -1:, :],
}
KINDS = (*GIVEN, "attention")
FAST = 0.1  # what the numbers to imitate are divided by, so that they are about 1


class Network(nn.Module):
    """A network with one hidden layer on what `GIVEN` picks of a history."""

    def __init__(self, kind, d=64, runs=1):
        super().__init__()
        self.given = GIVEN[kind]
        width = self.given(np.zeros((WINDOW, 5))).size
        self.W = parameter(width, d, runs=runs)
        self.b = bias(self.W)
        self.W_2, self.u = parameter(d, d, runs=runs), parameter(d, 1, runs=runs)

    def prepare(self, H):
        return torch.tensor(self.given(H).reshape(*H.shape[:-2], -1), dtype=torch.float32)

    def forward(self, X):
        hidden = torch.relu(project(X, self.W, self.b))
        return project(torch.relu(project(hidden, self.W_2)), self.u)[..., 0]


class LastAsks(Attention):
    """Attention over items ``views @ W + P`` in which only the last asks, with its residual.

    One query is little, so it is taken through W_K, W and P, instead of all views: the items, keys
    and values of others are never made.
    """

    def forward(self, views, W, P):
        now = views[:, :, -1] @ W + P[:, -1:]
        Q, W_K, W_V = (
            A.unflatten(-1, (self.n_heads, -1))
            for A in (self.project("Q", now), self.W_K, self.W_V)
        )
        asked = torch.einsum("rbhe,rdhe->rbhd", Q, W_K)
        scores = project(asked, W.mT) @ views.mT
        scores = (scores + project(asked, P.mT)) / math.sqrt(Q.shape[-1])
        self.weights = torch.softmax(scores, -1)
        mixed = project(self.weights @ views, W) + project(self.weights, P)
        Y = torch.einsum("rbhd,rdhe->rbhe", mixed, W_V)
        return (now + self.project("O", Y.flatten(-2)))[:, :, None]


class Glances(nn.Module):
    """A layer of attention over all views, and a network; the last view asks.

    A row is learned for each lag, and added to the view, so that keys and values know it; without
    `lags` it is zero.
    """

    def __init__(self, d=24, n_heads=1, lags=True, runs=1):
        super().__init__()
        self.W = parameter(len(PLACES), d, runs=runs)
        self.P = parameter(WINDOW, d, size=1.0 if lags else 0.0, runs=runs)
        self.P.requires_grad_(lags)
        self.attention = LastAsks(d, n_heads, biases="Q", runs=runs)
        self.feed_forward = FeedForward(d, 2 * d, biases="1", runs=runs)
        self.u = parameter(d, 1, runs=runs)

    def prepare(self, H):
        return torch.tensor(H[..., PLACES], dtype=torch.float32)

    def forward(self, views):
        X = self.attention(views, self.W, self.P)
        return project(X + self.feed_forward(X), self.u)[..., 0, 0]


def policy_of(kind, runs=1, seed=0, **options):
    """Policies of one of `KINDS`, drawn from a seed."""
    with seeded(seed):
        if _checks.choice(kind, "kind", KINDS) == "attention":
            return Glances(runs=runs, **options)
        return Network(kind, runs=runs, **options)


def lessons(episodes=100, steps=200, noise=0.3, seed=0):
    """States of a teacher who sees everything, disturbed by coins, and the numbers to push by."""

    def see_all(H):
        return teacher(H[..., -1, :4] / UNITS)

    lengths, states, _, _ = play(see_all, (episodes,), seed=seed, steps=steps, noise=noise)
    return states, teacher(states) / FAST, lengths


def windows(states, wanted, lengths, lost, runs, size=128):
    """A function that draws batches of histories, with other losses each time."""
    empty = np.zeros((len(states), WINDOW - 1, 5))
    seen = np.concatenate([states * UNITS, np.ones((*states.shape[:2], 1))], -1)
    views = np.concatenate([empty, seen], axis=1)

    def batches(rng):
        e = rng.integers(len(states), size=(runs, size))
        t = (rng.random((runs, size)) * lengths[e]).astype(int)
        at = t[..., None] + np.arange(WINDOW)
        there = rng.random(at.shape) >= lost
        H = views[e[..., None], at] * there[..., None]
        return H, torch.tensor(wanted[e, t], dtype=torch.float32)

    return batches


def squared_error(model, H, wanted):
    """The mean squared error of each run, summed over the runs."""
    return ((model(model.prepare(H)) - wanted) ** 2).mean(-1).sum()


def wrong_side(model, H, wanted):
    """Cross-entropy of the push itself: a classifier's loss."""
    right = (wanted > 0).float()
    score = model(model.prepare(H))
    return (
        nn.functional.binary_cross_entropy_with_logits(score, right, reduction="none")
        .mean(-1)
        .sum()
    )


@one_thread()
def imitate(
    kind, lost=0.3, runs=3, steps=1500, rate=0.004, seed=0, loss=squared_error, noise=0.3, **options
):
    """Train policies of a kind to push as the teacher does, from views of which some are lost.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    lost : float, optional
        The chance of a view to be lost in training.
    runs, steps : int, optional
        How many policies, and steps of 128 histories for each.
    rate : float, optional
        Learning rate at the start; it falls to 0.
    """
    model = policy_of(kind, runs, seed, **options)
    batches = windows(*lessons(noise=noise), lost, runs)
    train(model, batches, loss, steps, rate, seed=seed, decay=True, clip=None)
    return model


@one_thread()
def returns(model, lost=0.3, episodes=50, seed=1, steps=LONGEST):
    """The returns of each run's own episodes, shape (runs, episodes)."""
    runs = len(model.u)

    @torch.no_grad()
    def policy(H):
        return model(model.prepare(H)).numpy()

    return play(policy, (runs, episodes), lost, seed, steps)[0]


def twin(model, run=0):
    """One of the runs of `Glances` with one head, as a `Balancer`, whose u is the teacher's."""
    found = dict(model.named_parameters()) | {"u": FAST * model.u}
    b_2 = np.zeros(model.W.shape[-1])
    found = arrays(found, run) | {"feed_forward.b_2": b_2}
    return Balancer.from_parameters(found, n_heads=1, activation="relu")


class Asked(nn.Module):
    """A causal transformer that is asked for a return (Chen et al. 2021).

    An item holds what is still to be earned, a view, and the push before it.  At each item it gives
    the log-odds of a push to the right.
    """

    def __init__(self, columns, window=8, d=32, layers=2, runs=1):
        super().__init__()
        self.columns, self.window = columns, window
        self.W = parameter(len(columns) + 2, d, runs=runs)
        self.u = parameter(d, 1, runs=runs)
        asks = {"causal": True, "distances": window, "biases": "Q", "runs": runs}
        blocks = (
            Block(
                attention=Attention(d, 2, **asks),
                feed_forward=FeedForward(d, 2 * d, biases="1", runs=runs),
            )
            for _ in range(layers)
        )
        self.blocks = nn.Sequential(*blocks)

    def forward(self, X):
        return project(self.blocks(project(X, self.W)), self.u)[..., 0]


def items(to_go, states, before, columns):
    """What is still to be earned, the seen part of the state, and the push before, as items."""
    return np.concatenate(
        [to_go[..., None] / 100, (states * UNITS)[..., columns], before[..., None]], -1
    )


def recordings(episodes=400, least=0.0, cut=False, seed=0):
    """Episodes of a teacher who is more or less disturbed: lengths, states and pushes.

    The share of coins is drawn for each episode, from `least` to 1.  Without `cut`, episodes that
    were cut at 500 steps are left out.
    """
    noise = np.random.default_rng(seed).uniform(least, 1, episodes)
    lengths, states, _, right = play(
        lambda H: teacher(H[..., -1, :4] / UNITS), (episodes,), seed=seed, noise=noise
    )
    kept = slice(None) if cut else lengths < LONGEST
    return lengths[kept], states[kept], right[kept]


@one_thread()
def learn_to_be_asked(data, columns=(0, 1, 2, 3), window=8, steps=300, rate=0.005, runs=1, seed=0,
                      shuffled=False):  # fmt: skip
    """Train `Asked` to repeat the pushes of recorded episodes, given what they still earned.

    `shuffled` is a control: each episode is told the return of another.
    """
    lengths, states, right = data
    columns = list(columns)
    told = np.random.default_rng(seed).permutation(lengths) if shuffled else lengths
    to_go = told[:, None] - np.arange(states.shape[1])
    push = 2.0 * right - 1
    before = np.concatenate([np.zeros((len(push), 1)), push[:, :-1]], axis=1)
    whole = items(to_go, states, before, columns)
    wide = np.concatenate([np.zeros((len(whole), window - 1, whole.shape[-1])), whole], axis=1)
    with seeded(seed):
        model = Asked(columns, window, runs=runs)

    def batches(rng):
        e = rng.integers(len(lengths), size=(runs, 64))
        t = (rng.random(e.shape) * lengths[e]).astype(int)[..., None] + np.arange(window)
        steps_of = t - window + 1
        wanted = right[e[..., None], np.maximum(steps_of, 0)]
        there = torch.tensor(steps_of >= 0)
        return torch.tensor(wide[e[..., None], t], dtype=torch.float32), torch.tensor(wanted), there

    def loss(model, X, wanted, there):
        each = nn.functional.binary_cross_entropy_with_logits(
            model(X), wanted.float(), reduction="none"
        )
        return (each * there).flatten(1).sum(1).div(there.flatten(1).sum(1)).sum()

    train(model, batches, loss, steps, rate, seed=seed, decay=True, clip=None)
    return model


@one_thread()
def achieved(model, asked, episodes=60, seed=1, sample=True, steps=LONGEST):
    """The returns of episodes in which a model was asked for one, shape (runs, episodes)."""
    rng, shape = np.random.default_rng(seed), (len(model.u), episodes)
    S = rng.uniform(-0.05, 0.05, (*shape, 4))
    seen = np.zeros((*shape, model.window, len(model.columns) + 2))
    alive, lengths, push = np.ones(shape, dtype=bool), np.zeros(shape, dtype=int), np.zeros(shape)
    for t in range(steps):
        item = items(np.full(shape, float(asked - t)), S, push, model.columns)
        seen = np.concatenate([seen[..., 1:, :], item[..., None, :]], axis=-2)
        with torch.no_grad():
            odds = model(torch.tensor(seen, dtype=torch.float32))[..., -1].numpy()
        chance = 1 / (1 + np.exp(-odds))
        right = rng.random(shape) < chance if sample else chance > 0.5
        push = 2.0 * right - 1
        S = np.where(alive[..., None], step(S, right), S)
        lengths += alive
        alive &= ~fallen(S)
        if not alive.any():
            break
    return lengths


def record():
    """Train the policy that comes with the book, the best of four, and store it."""
    model = imitate("attention", runs=4, steps=2500)
    means = returns(model, seed=2).mean(axis=1)
    print(*means.round())
    _eight_bits.write(twin(model, int(means.argmax())), "control")
