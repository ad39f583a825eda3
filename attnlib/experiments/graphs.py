"""Chapter 19: attention over neighbours, with six forms of weights; a lookup, the karate club.

A model holds `runs` models of one kind, which are trained side by side and share nothing.
"""

import numpy as np
import torch
from torch import nn

from attnlib import _checks
from attnlib.data.graphs import karate_club
from attnlib.experiments.layers import Attention, bias, parameter, project
from attnlib.experiments.training import one_thread, seeded, train
from attnlib.masks import from_graph
from attnlib.networks.graphs import SLOPE

#: Where weights come from: nowhere, degrees alone, or scores of three kinds.
FORMS = ("alone", "convolution", "mean", "original", "dynamic", "dot")
#: Forms that learn no weights -> what makes them of the mask, as numbers, and of all degrees.
FIXED = {
    "alone": lambda A, degree: torch.eye(len(A)),
    "mean": lambda A, degree: A / degree,
    "convolution": lambda A, degree: A / (degree * degree.mT) ** 0.5,
}


class GraphAttention(Attention):
    """One step on a graph: each node mixes the values of those that the mask lets it see.

    Values are made of the features, or of `d_given` other numbers that each node has.

    "original" is the additive score of Veličković et al. (2018), "dynamic" that of Brody et al.
    (2022), "dot" the scaled dot product.  The others learn no weights: "mean" gives all neighbours
    the same, "convolution" is that of Kipf and Welling (2017), and "alone" sees no neighbour.
    """

    matrices = ""

    def __init__(self, d_in, d, form="dot", n_heads=1, runs=1, d_given=None):
        super().__init__(d, n_heads, runs=runs)
        self.form = _checks.choice(form, "form", FORMS)
        self.W_V = parameter(d_given or d_in, d, runs=runs)
        if form not in FIXED:
            self.W_Q, self.W_K = parameter(d_in, d, runs=runs), parameter(d_in, d, runs=runs)
        shape, size = (1, n_heads, 1, d // n_heads), (d // n_heads) ** -0.5
        if form in ("original", "dynamic"):
            self.a_q = parameter(*shape, runs=runs, size=size)
        if form == "original":
            self.a_k = parameter(*shape, runs=runs, size=size)

    def look(self, X, source, mask):
        if self.form not in FIXED:
            return super().look(X, source, mask)
        A = mask.to(X.dtype)
        weights = FIXED[self.form](A, A.sum(-1, keepdim=True))
        return weights.expand(*X.shape[:-2], self.n_heads, -1, -1)

    def scores(self, Q, K):
        if self.form == "dot":
            return super().scores(Q, K)
        relu = nn.functional.leaky_relu
        if self.form == "original":
            p, r = (Q * self.a_q).sum(-1), (K * self.a_k).sum(-1)
            return relu(p[..., :, None] + r[..., None, :], SLOPE)
        pairs = Q[..., :, None, :] + K[..., None, :, :]
        return (relu(pairs, SLOPE) * self.a_q[..., None, :]).sum(-1)


class GraphNetwork(nn.Module):
    """Steps on one graph, with relu between them, and a matrix for the answers at the end.

    `mask` is true where a node, the row, may look at another.  The values of the first step are
    made of `d_given` other numbers of each node, where there are such.
    """

    def __init__(self, mask, d_in, d, d_out, form="dot", layers=1, n_heads=1, runs=1, d_given=None):
        super().__init__()
        self.register_buffer("mask", torch.tensor(mask))
        self.layers = nn.ModuleList(
            GraphAttention(d if k else d_in, d, form, n_heads, runs, None if k else d_given)
            for k in range(layers)
        )
        self.U = parameter(d, d_out, runs=runs)
        self.b = bias(self.U)

    def forward(self, X, given=None):
        for k, layer in enumerate(self.layers):
            X = layer(torch.relu(X) if k else X, values=None if k else given, mask=self.mask)
        return project(X, self.U, self.b)


def two_sides(k):
    """The graph of k houses, which come first, and k utilities, each house joined to all of them.

    Examples
    --------
    >>> two_sides(1)
    array([[False,  True],
           [ True, False]])
    """
    side = np.arange(2 * k) < k
    return side[:, None] != side


def lookups(k, runs=1, size=64, seen=False):
    """Batches of the lookup: k houses, k utilities with a value each, and what each house wants.

    A node's features are a column for each of k names, its own is 1.  What is given beside them is
    its value, which is normal for a utility and 0 for a house.  Where it is `seen`, names and
    values are both features and given.  House i wants the value of utility i.
    """
    names = torch.eye(k).repeat(2, 1).expand(runs, 1, -1, -1)

    def batches(rng):
        values = torch.tensor(rng.normal(size=(runs, size, k)), dtype=torch.float32)
        given = torch.cat([torch.zeros_like(values), values], -1)[..., None]
        if not seen:
            return names, given, values
        both = torch.cat([names.expand(-1, size, -1, -1), given], -1)
        return both, both, values

    return batches


def lookup_loss(model, X, given, wanted):
    """The squared error of the houses, the mean of each run, summed over the runs."""
    return lookup_errors(model, X, given, wanted).sum()


def lookup_errors(model, X, given, wanted):
    """The squared error of the houses, the mean of each run."""
    said = model(X, given)[..., : wanted.shape[-1], 0]
    return ((said - wanted) ** 2).mean((1, 2))


@one_thread()
def train_lookup(form, k, n_heads=1, seeds=5, steps=300, rate=0.02, d=16, seen=False):
    """Train models to look up, side by side from several seeds.

    Queries and keys are made of names, values of the number that each utility has.

    Parameters
    ----------
    form : str
        One of `FORMS`.
    k : int
        Number of houses, and of utilities.
    n_heads, seeds, steps : int, optional
        Heads of the one layer; models; steps of 64 new draws.
    rate : float, optional
        Learning rate at the start; it falls to 0.
    d : int, optional
        Width of each head.
    seen : bool, optional
        Whether queries, keys and values are all made of both, names and numbers.

    Returns
    -------
    error : ndarray, shape (seeds,)
        Squared error on 2,000 other draws, over the variance of the values.
    weights : ndarray, shape (seeds, n_heads, k, k)
        How much each house looks at each utility, the mean over these draws.
    """
    d_in, d_given = (k + 1, k + 1) if seen else (k, 1)
    with seeded(0):
        model = GraphNetwork(
            two_sides(k), d_in, d * n_heads, 1, form, 1, n_heads, seeds, d_given=d_given
        )
    draw = lookups(k, seeds, seen=seen)
    train(model, draw, lookup_loss, steps, rate, decay=True, clip=None)
    test = lookups(k, seeds, 2000, seen)(np.random.default_rng(1))
    with torch.no_grad():
        error = lookup_errors(model, *test) / test[-1].var((1, 2))
    weights = model.layers[0].weights.mean(1)[..., :k, k:]
    return error.numpy(), weights.detach().numpy()


def draws_of_labels(group, known, draws, seed=0):
    """Choose so many nodes of each group, anew for each draw; shape (draws, n), true if chosen."""
    rng = np.random.default_rng(seed)
    chosen = np.zeros((draws, len(group)), dtype=bool)
    for row in chosen:
        for g in np.unique(group):
            row[rng.choice(np.flatnonzero(group == g), known, replace=False)] = True
    return chosen


@one_thread()
def train_club(form, known=2, draws=20, n_heads=1, steps=150, rate=0.01, decay=5e-4, d=16, seed=0):
    """Name each member's side in the karate club, from a few whose side is known.

    Two layers; a node's features are one column for each node, its own 1.

    Parameters
    ----------
    form : str
        One of `FORMS`.
    known : int, optional
        Number of members of each side whose side is told, others in each draw.
    draws : int, optional
        Number of draws, one model for each.
    n_heads, steps : int, optional
        Heads a layer; steps of training.
    rate, decay : float, optional
        Learning rate; factor on the sum of the squared parameters in the loss.
    d : int, optional
        Width of a layer.
    seed : int, optional
        Seed of draws and of parameters.

    Returns
    -------
    accuracy : ndarray, shape (draws,)
        Share of the others whose side is classified correctly.
    evenness : ndarray, shape (2, draws)
        Entropy of the weights of each layer over that of equal weights, the mean over nodes.
    """
    club = karate_club()
    n = len(club.group)
    chosen = torch.tensor(draws_of_labels(club.group, known, draws, seed))
    group = torch.tensor(club.group).expand(draws, n)
    X = torch.eye(n).expand(draws, 1, n, n)
    with seeded(seed):
        model = GraphNetwork(
            from_graph(club.adjacency), n, d, 2, form, layers=2, n_heads=n_heads, runs=draws
        )

    def loss(model, X):
        scores = model(X)[:, 0]
        each = nn.functional.cross_entropy(scores.flatten(0, 1), group.flatten(), reduction="none")
        squares = sum((p**2).sum() for p in model.parameters())
        return (each.view(draws, n) * chosen).sum() / (2 * known) + decay * squares

    train(model, lambda rng: (X,), loss, steps, rate, clip=None)
    with torch.no_grad():
        right = (model(X)[:, 0].argmax(-1) == group) & ~chosen
    accuracy = right.sum(1) / (~chosen).sum(1)
    even = [evenness(layer.weights[:, 0], model.mask) for layer in model.layers]
    return accuracy.numpy(), np.stack(even)


def evenness(weights, mask):
    """Entropy of the weights over that of equal ones, the mean over heads and nodes; (runs,).

    Rows that do not sum to one, as those of a graph convolution, are first divided by their sum.
    """
    w = weights.detach()
    w = w / w.sum(-1, keepdim=True)
    entropy = -(w * torch.log(w.clamp(min=1e-12))).sum(-1)
    return (entropy / torch.log(mask.sum(-1).clamp(min=2))).mean((1, 2)).numpy()
