"""Chapter 23: what memories of a fixed size recall, and weights against exchanges.

All models of a kind are trained side by side, one for each seed.  `record` stores what they recall
in `limits.json`, beside this file.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from attnlib.experiments.comparisons import accuracy, answer_loss, feed_forward
from attnlib.experiments.layers import Attention, parameter, project
from attnlib.experiments.training import one_thread, seeded, train

RECORDED = Path(__file__).with_name("limits.json")
#: Keys that can be told, the values that go with them, and how many pairs `record` tries.
N_KEYS, N_VALUES, SIZES = 64, 16, (2, 4, 8, 16, 32)


def same_size(X):
    """Items divided by their root mean square, as `attnlib.rms_norm` without a gain."""
    return nn.functional.rms_norm(X, X.shape[-1:], eps=1e-5)


class FixedState(nn.Module):
    """A state of d numbers, each of which keeps its own learned share of itself at every item."""

    def __init__(self, d, runs=1):
        super().__init__()
        for name in "VGO":
            setattr(self, f"W_{name}", parameter(d, d, runs=runs))
        self.b_K = nn.Parameter(torch.linspace(-1, 5, d).repeat(runs, 1))

    def kept(self, X):
        """The share of itself that each number keeps at each item."""
        return torch.sigmoid(self.b_K)[:, None, None].expand_as(X)

    def forward(self, X):
        kept, new = self.kept(X), project(X, self.W_V)
        state, states = 0 * new[:, :, 0], []
        for t in range(X.shape[2]):
            state = kept[:, :, t] * state + (1 - kept[:, :, t]) * new[:, :, t]
            states.append(state)
        gate = nn.functional.silu(project(X, self.W_G))
        return project(torch.stack(states, 2) * gate, self.W_O)


class GatedState(FixedState):
    """The same, but each item decides what is kept."""

    def __init__(self, d, runs=1):
        super().__init__(d, runs)
        self.W_K = parameter(d, d, runs=runs)

    def kept(self, X):
        return torch.sigmoid(project(X, self.W_K, self.b_K))


class TableState(Attention):
    """Linear attention without a divisor: a table of d × d numbers that keeps a learned share.

    Item by item it is ``S = a * S + np.outer(k, v)`` and ``y = q @ S``; the outputs are then given
    the same size.
    """

    def __init__(self, d, runs=1):
        super().__init__(d, causal=True, runs=runs)
        self.share = nn.Parameter(torch.full((runs, 1, 1, 1, 1), 4.0))

    def look(self, X, source, mask):
        t = torch.arange(X.shape[-2])
        faded = torch.sigmoid(self.share) ** (t[:, None] - t).clamp(0)
        return (self.heads("Q", X) @ self.heads("K", source).mT * faded).tril()

    def project(self, name, X):
        return super().project(name, same_size(X) if name == "O" else X)


#: Kinds of memory, each with what makes a layer of it.
KINDS = {
    "fixed decay": FixedState,
    "gated": GatedState,
    "table": TableState,
    "attention": lambda d, runs: Attention(d, causal=True, runs=runs),
}


def numbers_held(kind, n, d=32):
    """How many numbers a layer of one kind keeps after n items.

    Examples
    --------
    >>> [numbers_held(kind, 16) for kind in KINDS]
    [32, 32, 1024, 1024]
    """
    return {"fixed decay": d, "gated": d, "table": d * d, "attention": 2 * d * n}[kind]


class Recaller(nn.Module):
    """Two layers that mix items, each with a network behind it, and a score for each value.

    An item is a key with its value, or a key alone, which asks for the value.
    """

    def __init__(self, kinds, d=32, runs=1):
        super().__init__()
        self.E = parameter(N_KEYS, d, size=1, runs=runs)
        self.F = parameter(N_VALUES + 1, d, size=1, runs=runs)
        self.U = parameter(d, N_VALUES, runs=runs)
        self.mixers = nn.ModuleList(KINDS[kind](d, runs=runs) for kind in kinds)
        self.networks = nn.ModuleList(feed_forward(d, runs) for _ in kinds)

    def forward(self, items):
        run = torch.arange(len(items))[:, None, None]
        X = self.E[run, items[..., 0]] + self.F[run, items[..., 1]]
        for mixer, network in zip(self.mixers, self.networks):
            X = network(X + mixer(same_size(X)))
        return project(same_size(X), self.U)


def told_and_asked(n, runs, size=16):
    """Batches of n pairs with different keys, and then the n keys in another order."""

    def batches(rng):
        shape = (runs, size, N_KEYS)
        keys = rng.permuted(np.broadcast_to(np.arange(N_KEYS), shape), axis=-1)[..., :n]
        values = rng.integers(N_VALUES, size=keys.shape)
        order = rng.permuted(np.broadcast_to(np.arange(n), keys.shape), axis=-1)
        asked, right = (np.take_along_axis(told, order, -1) for told in (keys, values))
        told = np.stack([keys, values], -1)
        asks = np.stack([asked, np.full_like(asked, N_VALUES)], -1)
        answers = np.concatenate([np.full_like(right, -1), right], -1)
        return torch.tensor(np.concatenate([told, asks], 2)), torch.tensor(answers)

    return batches


@one_thread()
def recalled(kinds, n, seeds=3, steps=600, d=32):
    """How often two layers answer with the value that was told with the key.

    Parameters
    ----------
    kinds : sequence of str
        The kind of memory of each layer, of `KINDS`.
    n : int
        Number of pairs that are told, and then asked for in another order.
    seeds, steps : int, optional
        Number of models, and of steps of 16 new lists at a rate of 0.01 that falls to 0.
    d : int, optional
        Width.

    Returns
    -------
    ndarray, shape (seeds,)
        Accuracy on 100 other lists; one in 16 is chance.
    """
    with seeded(0):
        model = Recaller(kinds, d, seeds)
    options = {"warm_up": 50, "decay": True, "clip": None}
    train(model, told_and_asked(n, seeds), answer_loss, steps, 0.01, **options)
    return accuracy(model, *told_and_asked(n, seeds, 100)(np.random.default_rng(1)))


def record():
    """Store what each kind, and mixtures of two, recall."""
    stacks = [(kind, kind) for kind in KINDS]
    stacks += [
        ("gated", "attention"),
        ("attention", "gated"),
        ("table", "attention"),
        ("attention",),
    ]
    known = {}
    for stack in stacks:
        known[", ".join(stack)] = [
            recalled(stack, n).astype(float).round(3).tolist() for n in SIZES
        ]
        print(stack, known[", ".join(stack)], flush=True)
    RECORDED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def recorded():
    """What `record` stored: the kinds of a stack -> accuracy, shape (len(SIZES), seeds)."""
    known = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {stack: np.array(accuracies) for stack, accuracies in known.items()}


#: Tokens of a review: the last two decide, the others say nothing.
N_TOKENS, N_WORDS = 12, 12


class Reviewer(nn.Module):
    """Self-attention, then one learned query that weighs the twelve items, then two scores."""

    def __init__(self, d=16, runs=1):
        super().__init__()
        self.E = parameter(N_WORDS, d, size=1, runs=runs)
        self.attention = Attention(d, runs=runs)
        self.q = parameter(d, 1, runs=runs)
        self.W_V, self.U = parameter(d, d, runs=runs), parameter(d, 2, runs=runs)
        self.uniform = False

    def forward(self, tokens):
        X = self.E[torch.arange(len(tokens))[:, None, None], tokens]
        X = X + self.attention(X)
        scores = 0 * X[..., :1] if self.uniform else project(X, self.q)
        self.weights = scores.softmax(2)[..., 0]
        mean = (self.weights[..., None] * project(X, self.W_V)).sum(2, keepdim=True)
        return project(torch.relu(mean), self.U)


def reviews(runs, size=32):
    """Batches of twelve words of which one, at any place, says which of two answers is right."""

    def batches(rng):
        tokens = rng.integers(N_WORDS - 2, size=(runs, size, N_TOKENS))
        answers = rng.integers(2, size=(runs, size, 1))
        place = rng.integers(N_TOKENS, size=answers.shape)
        np.put_along_axis(tokens, place, N_WORDS - 2 + answers, -1)
        return torch.tensor(tokens), torch.tensor(answers)

    return batches


@one_thread()
def weights_and_exchanges(seeds=8, steps=100):
    """Train models whose answer hangs on one word, and test four explanations of the answers.

    Returns
    -------
    dict of str to ndarray, shape (seeds,)
        ``"right"``, the accuracy on 200 other reviews; ``"weight"``, the mean weight on the word
        that decides; and how often the answer changes if all weights are equal (``"equal"``),
        if that word is left out (``"left out"``), if a word that decides nothing is
        exchanged for another such word (``"other exchanged"``), or if it is exchanged for the
        other word that decides (``"exchanged"``).
    """
    with seeded(0):
        model = Reviewer(runs=seeds)
    train(model, reviews(seeds), answer_loss, steps, 0.01, clip=None)
    tokens, answers = reviews(seeds, 200)(np.random.default_rng(1))
    decides = tokens >= N_WORDS - 2

    def answered(tokens):
        with torch.no_grad():
            return model(tokens).argmax(-1)

    first = answered(tokens)
    of_word = (model.weights * decides).sum(-1)
    others = tokens[~decides].view(*tokens.shape[:2], -1)
    exchanged = torch.where(decides, 2 * N_WORDS - 3 - tokens, tokens)
    another = torch.where(decides, tokens, (tokens + 1) % (N_WORDS - 2))
    one_other = tokens.clone()
    place = decides.int().argmax(-1, keepdim=True)
    beside = (place + 1) % N_TOKENS
    one_other.scatter_(-1, beside, another.gather(-1, beside))
    changed = {"left out": others, "other exchanged": one_other, "exchanged": exchanged}
    found = {"right": accuracy(model, tokens, answers), "weight": of_word.mean(-1).numpy()}
    share = lambda new: (new != first).float().mean((1, 2)).numpy()  # noqa: E731
    found |= {name: share(answered(new)) for name, new in changed.items()}
    model.uniform = True
    return found | {"equal": share(answered(tokens))}
