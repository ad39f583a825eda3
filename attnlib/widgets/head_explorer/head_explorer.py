"""A few heads over a small library: where each looks, what it adds, what is lost without it."""

import itertools
import json
from pathlib import Path

import numpy as np
import traitlets

from attnlib import figures
from attnlib.heads import MultiHeadAttention
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, presets, text, whole

#: Each book has an author and a topic of its own, and a price, as its distance from the mean.
LIBRARY = json.loads(Path(__file__).with_name("library.json").read_text(encoding="utf-8"))
AUTHORS, TOPICS, PRICES = LIBRARY["AUTHORS"], *map(np.array, (LIBRARY["TOPICS"], LIBRARY["PRICES"]))
BOOKS = [f"{author}{topic}" for author, topic in zip(AUTHORS, TOPICS)]
N, MOST = len(AUTHORS), 3
#: How many times as much weight as another book gets one that a head is aimed at, less 1.
CONTRAST = LIBRARY["CONTRAST"]
#: A small penalty on W_O, so that heads that are alike share what is to be done.
PENALTY = LIBRARY["PENALTY"]


def features(authors, topics):
    """Authors and topics, both counted from 1, as rows of zeros and two ones, ``(n, 12)``.

    Examples
    --------
    >>> features([1], [6])
    array([[1., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 1.]])
    """
    one = np.eye(N)
    return np.hstack([one[np.array(authors) - 1], one[np.array(topics) - 1]])


def all_queries():
    """Every author with every topic, but for those of one and the same book, ``(30, 2)``.

    Examples
    --------
    >>> all_queries().shape
    (30, 2)
    """
    pairs = itertools.product(range(1, N + 1), repeat=2)
    return np.array([(a, t) for a, t in pairs if TOPICS[a - 1] != t])


class HeadExplorer(BookWidget):
    """One to three heads in a library of six books; each can be aimed, and one switched off.

    A query is an author and a topic; wanted are the prices of that author's book and of the book
    on that topic.  The aim of a head is how it divides its weight between the two: 0 is all for
    the author, 1 all for the topic.  W_O is the best for these heads, and stays as it is when one
    is switched off, its output replaced by the mean, 0.  The error is exact: the mean over all
    pairs of two different books and over all independent prices of mean 0 and variance 1.

    Every parameter is also an attribute that can be set.  `attention`, `weights`, `outputs` and
    `error` are computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    One head leaves half of the variance, wherever it is aimed; two leave nothing.

    >>> explorer = HeadExplorer(heads=1, aims=[0.3, 0, 0])
    >>> round(float(explorer.error.mean()), 2)
    0.5
    >>> explorer.heads, explorer.aims = 2, [0, 1, 0]
    >>> round(float(explorer.error.mean()), 2)
    0.0
    """

    look = "wide"
    shows = (
        "A table of the weights that up to three heads give to six books. Below, two bars: the "
        "error of the price by author and of the price by topic."
    )
    samples = (
        {
            "heads": 3,
            "presets": [{"label": "One head", "heads": 1, "aims": [0.5, 1, 0.5]}],
        },
        {"heads": 1, "aims": [0.25, 1, 0], "task": "Move the `aim`."},
        {"heads": 2, "off": 2, "author": 1, "topic": 1},
        {"heads": 3, "aims": [0.2, 0.9, 0.5], "off": 1, "topic": 2},
        {"heads": 2, "aims": [0.5, 0.5, 0.5]},
    )

    author = whole("The author asked for: 1 is A, 6 is F.", 3, 1, N)
    topic = whole("The topic asked for.", 5, 1, N)
    heads = whole("How many heads there are.", 2, 1, MOST)
    aims = Numbers("The aim of each head, from 0, the author, to 1, the topic.", [0, 1, 0.5], (3,))
    off = whole("The head that is switched off; 0, or one that is not there: none.", 0, 0, MOST)
    presets = presets('{"label": "One head", "heads": 1}')
    title = text("The heading over the widget.", "Aim the heads, and switch one off")

    @traitlets.validate("aims")
    def _check(self, proposal):
        aims = proposal["value"]
        if min(aims) < 0 or max(aims) > 1:
            raise traitlets.TraitError(f"HeadExplorer.aims must lie between 0 and 1, got {aims!r}.")
        return aims

    @property
    def on(self):
        """For each head whether it is on, shape ``(heads,)``."""
        return np.arange(1, self.heads + 1) != self.off

    def _attention(self, W_O):
        """Heads that score authors and topics apart; ``d_k`` is 12, ``d_v`` is 1."""
        d_k, h = 2 * N, self.heads
        W_Q, W_K = (np.zeros((d_k + 1, h, d_k)) for _ in range(2))
        for head, aim in enumerate(self.aims[:h]):
            share = np.repeat([1 - aim, aim], N)
            W_Q[:d_k, head] = np.sqrt(d_k) * np.diag(np.log1p(CONTRAST * share))
            W_K[:d_k, head] = np.eye(d_k)
        W_V = np.zeros((d_k + 1, h))
        W_V[d_k] = 1
        flat = (d_k + 1, h * d_k)
        return MultiHeadAttention(W_Q.reshape(flat), W_K.reshape(flat), W_V, W_O, n_heads=h)

    def _weights_of(self, queries):
        """Weights of the books, shape ``(heads, n_q, 6)``, for rows of author and topic."""
        return self._attention(np.zeros((self.heads, 2)))(_items(*queries.T), self.library)[1]

    @property
    def library(self):
        """The books as items, shape ``(6, 13)``: author, topic and price."""
        return _items(np.arange(1, N + 1), TOPICS, PRICES)

    @property
    def W_O(self):
        """The matrix that makes both prices of the heads' outputs best, shape ``(heads, 2)``."""
        A = self._weights_of(all_queries())
        wanted = _matches(all_queries())
        squares = np.einsum("hqb,gqb->hg", A, A) / A.shape[1]
        products = np.einsum("hqb,tqb->ht", A, wanted) / A.shape[1]
        return np.linalg.solve(squares + PENALTY * np.eye(self.heads), products)

    @property
    def attention(self):
        """The layer, a `MultiHeadAttention`; what is switched off has rows of 0 in its `W_O`."""
        return self._attention(self.W_O * self.on[:, None])

    @property
    def weights(self):
        """Weights of the books for the query, shape ``(heads, 6)``."""
        return self._weights_of(np.array([[self.author, self.topic]]))[:, 0]

    @property
    def outputs(self):
        """What each head returns for the query, shape ``(heads,)``; 0 if it is switched off."""
        return self.weights @ PRICES * self.on

    @property
    def wanted(self):
        """The two prices that are asked for."""
        return _matches(np.array([[self.author, self.topic]]))[:, 0] @ PRICES

    @property
    def error(self):
        """Mean squared error over variance, of the price by author and of that by topic."""
        A, queries = self._weights_of(all_queries()), all_queries()
        guessed = np.einsum("hqb,ht->tqb", A, self.W_O * self.on[:, None])
        return ((_matches(queries) - guessed) ** 2).sum(axis=-1).mean(axis=-1)

    @property
    def shapes(self):
        """Lines of names and shapes, from the items to the output."""
        h, n_q, d_k = self.heads, len(all_queries()), 2 * N
        d = d_k + 1
        return [
            [("X_Q", (n_q, d)), ("Q", (n_q, h * d_k)), ("split", (h, n_q, d_k))],
            [("X_KV", (N, d)), ("K", (N, h * d_k)), ("split", (h, N, d_k))],
            [("X_KV", (N, d)), ("V", (N, h)), ("split", (h, N, 1))],
            [("weights", (h, n_q, N)), ("times V", (h, n_q, 1))],
            [("merged", (n_q, h)), ("times W_O", (n_q, 2))],
        ]

    def moves(self):
        yield Move("slider", "Author asked for", "End", {"author": N})
        yield Move("slider", "Topic asked for", "Home", {"topic": 1})
        for heads in (1, 2):
            yield Move("radio", str(heads), "Space", {"heads": heads})
        yield Move("radio", "3", "Space", {"heads": 3}, says="Head 3")
        for off in range(1, MOST + 1):
            yield Move("radio", f"head {off}", "Space", {"off": off})
        yield Move("radio", "none", "Space", {"off": 0}, says="none")
        for head in range(MOST):
            aims = list(self.aims)
            key, aims[head] = ("Home", 0.0) if aims[head] == 1 else ("End", 1.0)
            yield Move("slider", f"Aim of head {head + 1}", key, {"aims": aims})

    def numbers(self):
        return {
            "heads": self.outputs,
            "output": self.outputs @ self.W_O,
            "wanted": self.wanted,
            "error": self.error,
            "loss": self.error.mean(),
        }

    @still
    def picture(self):
        figure = figures.blank(5.0, 1.9 + 0.42 * self.heads)
        top, bottom = figure.subplots(2, 1, height_ratios=[0.3 + 0.42 * self.heads, 1.0])
        names = [
            f"head {head}" + ("" if on else ", off") for head, on in enumerate(self.on, start=1)
        ]
        figures.heatmap(
            self.weights, queries=names, keys=BOOKS, title=self.words["weights"], ax=top
        )
        asked = (f"author {AUTHORS[self.author - 1]}", f"topic {self.topic}")
        top.set_xlabel(f"books; asked for: {asked[0]} and {asked[1]}")
        error = self.error
        bottom.barh([1, 0], error, height=0.6, color=LIGHT["ink"])
        bottom.set(xlim=(0, max(1.0, 1.05 * error.max())), title=self.words["errors"])
        bottom.set_yticks([1, 0], [f"{by} {x:.2f}" for by, x in zip(self.words["asked"], error)])
        return figure


def _items(authors, topics, prices=None):
    """Rows of author, topic and price, ``(n, 13)``; queries have no price."""
    rows = features(authors, topics)
    return np.column_stack([rows, np.zeros(len(rows)) if prices is None else prices])


def _matches(queries):
    """Which book has the author, and which the topic, of each query, ``(2, n_q, 6)``."""
    authors, topics = queries.T
    by_author = authors[:, None] == np.arange(1, N + 1)
    return np.array([by_author, topics[:, None] == TOPICS], dtype=float)
