"""Tokens in a row that attend to each other: arcs, the matrix, and what a changed row changes."""

import json
import textwrap
from pathlib import Path as File

import numpy as np
import traitlets
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attnlib import figures
from attnlib.attention import scaled_dot_product_attention
from attnlib.palette import LIGHT
from attnlib.projections import project
from attnlib.scores import scaled_dot
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, choice, presets, text, texts, whole, within
from attnlib.widgets.shared.words import fill

LIMITS = json.loads(File(__file__).with_name("limits.json").read_text(encoding="utf-8"))
LONGEST = 8


def riffled(n):
    """The order of a pack of n cards after one riffle: halves, dealt in turn, the second first.

    Examples
    --------
    >>> riffled(3), riffled(4)
    ([2, 0, 1], [2, 0, 3, 1])
    """
    half = (n + 1) // 2
    return sorted(range(n), key=lambda i: (i % half, i < half))


class TokenAttention(BookWidget):
    """A row of tokens in which each attends to all: one source, three projections.

    A token is a word at a place.  Each word has a vector of features, and all its copies share it.
    Scores are scaled dot products of queries ``x W_Q`` and keys ``x W_K``; values are ``x W_V``.
    `scores`, `weights` and `output`, a row for each token, are computed when they are asked for.
    Tokens that are none of the words are left out; if none is left, each word stands there once.

    Raises
    ------
    traitlets.TraitError
        When a value has the wrong shape, is not finite, lies outside its range, or when a token is
        none of the words.

    Examples
    --------
    Shuffled tokens have shuffled outputs.

    >>> row = TokenAttention()
    >>> row.output.round(3)
    array([[0.673, 0.164],
           [0.248, 0.503],
           [0.807, 0.097]])
    >>> row.shuffle()
    >>> row.tokens
    ['sat', 'the', 'cat']
    >>> row.output.round(3)
    array([[0.807, 0.097],
           [0.673, 0.164],
           [0.248, 0.503]])
    """

    look = "wide"
    shows = (
        "Tokens in a row. Arcs above them lead from one token to all, as broad as its weights, and "
        "arcs below from all to it. Under it the matrix of weights, with the row and the column of "
        "that token marked."
    )
    samples = (
        {
            "presets": [
                {"label": "All twice", "tokens": ["the", "cat", "sat"] * 2},
                {"label": "Two cats", "tokens": ["cat", "cat"], "row": 1, "column": 0},
            ]
        },
        {
            "task": "Which `row` is equal?",
            "vocabulary": ["x₁", "x₂", "x₃"],
            "features": ["first", "second"],
            "X": [[1, 0], [0, 1], [1, 1]],
            "W_Q": [[1, 0], [0, 1]],
            "W_K": [[1, 0], [0, 1]],
            "W_V": [[1, 0], [0, 1]],
            "column": 0,
        },
        {"tokens": ["sat", "cat", "the", "cat", "the", "cat"], "keys_by": "W_Q", "row": 4},
        {"tokens": ["cat"], "row": 2},
    )

    vocabulary = texts("The words, one to four, all different.", ["the", "cat", "sat"])
    features = texts(
        "What the numbers of a vector stand for, one to four.", ["article", "noun", "verb", "alive"]
    )
    X = Numbers(
        "The vector of each word, one in each row.",
        [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]],
        (None, None),
    )
    W_Q = Numbers("Makes queries of vectors.", [[2, 0], [0, 1], [3, 0], [0, 0]], (None, 2))
    W_K = Numbers("Makes keys of vectors.", [[0, 0], [1, 0], [0, 1], [0, 0]], (None, 2))
    W_V = Numbers("Makes values of vectors.", [[0, 0], [0, 0], [0, 1], [1, 0]], (None, 2))
    tokens = texts("One to six of the words, in any order.", ["the", "cat", "sat"])
    row = whole(
        "The token that asks, by its place from 0; past the end, the last.",
        2,
        0,
        LIMITS["tokens"] - 1,
    )
    column = whole("The token that it is paired with, likewise.", 1, 0, LIMITS["tokens"] - 1)
    keys_by = choice("Which matrix makes the keys.", ("W_K", "W_Q"))
    x_range = Numbers("Between which bounds `X` may lie.", [-3, 3], (2,))
    presets = presets('{"label": "Two cats", "tokens": ["cat", "cat"]}')
    title = text("The heading over the widget.", "Tokens that look at each other")

    @traitlets.validate("vocabulary", "features", "tokens")
    def _check_texts(self, proposal):
        name, texts = proposal["trait"].name, proposal["value"]
        most = LIMITS["words" if name == "vocabulary" else name]
        if not 1 <= len(texts) <= most:
            self._refuse(name, f"1 to {most} texts", texts)
        if name == "tokens":
            if unknown := [word for word in texts if word not in self.vocabulary]:
                self._refuse(name, f"words of {self.vocabulary}", unknown[0])
            return texts
        if len(set(texts)) < len(texts) or not all(0 < len(word) <= LONGEST for word in texts):
            self._refuse(name, f"different texts of 1 to {LONGEST} letters", texts)
        return texts

    @traitlets.validate("X", "W_Q", "W_K", "W_V")
    def _check_numbers(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        d = len(self.features)
        shape = (len(self.vocabulary), d) if name == "X" else (d, 2)
        if np.shape(value) != shape:
            rows = "words and features" if name == "X" else "features and 2"
            self._refuse(name, f"the shape {shape}, {rows}", value)
        return within(self, "X", value, "x_range") if name == "X" else value

    def _refuse(self, name, wanted, value):
        raise traitlets.TraitError(f"TokenAttention.{name} needs {wanted}, got {value!r}.")

    @traitlets.observe("vocabulary")
    def _follow_vocabulary(self, _):
        self.tokens = self.standing

    @property
    def standing(self):
        """The tokens that are words of the vocabulary; if there are none, each word once."""
        return [word for word in self.tokens if word in self.vocabulary] or self.vocabulary

    @property
    def places(self):
        """The places of the token that asks and of its partner, where there are such places."""
        last = len(self.standing) - 1
        return min(self.row, last), min(self.column, last)

    def _projected(self):
        X = np.array(self.X)[[self.vocabulary.index(word) for word in self.standing]]
        W_K = self.W_Q if self.keys_by == "W_Q" else self.W_K
        return [project(X, W) for W in (self.W_Q, W_K, self.W_V)]

    @property
    def scores(self):
        """Scaled dot products of each token's query with each token's key, ``(n, n)``."""
        Q, K, _ = self._projected()
        return scaled_dot(Q, K)

    @property
    def weights(self):
        """How much each token looks at each, ``(n, n)``; each row sums to 1."""
        return scaled_dot_product_attention(*self._projected())[1]

    @property
    def output(self):
        """What each token gets, ``(n, 2)``."""
        return scaled_dot_product_attention(*self._projected())[0]

    def _shuffled(self):
        tokens = self.standing
        order = riffled(len(tokens))
        row, column = map(order.index, self.places)
        return {"tokens": [tokens[i] for i in order], "row": row, "column": column}

    def _repeated(self):
        (row, column), tokens = self.places, self.standing
        tokens = [*tokens[: row + 1], *tokens[row:]]
        return {"tokens": tokens, "row": row, "column": column + (column > row)}

    def _removed(self):
        (row, column), tokens = self.places, self.standing
        last = max(len(tokens) - 2, 0)
        tokens = [*tokens[:row], *tokens[row + 1 :]]
        column -= column > row
        return {"tokens": tokens, "row": min(row, last), "column": min(column, last)}

    def _become(self, state):
        with self.hold_trait_notifications():
            for name, value in state.items():
                setattr(self, name, value)

    def shuffle(self):
        """Deal the tokens like cards, a riffle of two halves; what is marked goes along."""
        self._become(self._shuffled())

    def repeat(self):
        """Put the token that asks into the row once more, right behind it."""
        self._become(self._repeated())

    def remove(self):
        """Remove the token that asks."""
        self._become(self._removed())

    def moves(self):
        for i, word in enumerate(self.vocabulary):
            for k, feature in enumerate(self.features):
                typed, value = ("1/4", 0.25) if (i + k) % 2 else ("−1,25", -1.25)
                changed = [[*row] for row in self.X]
                changed[i][k] = value
                yield Move("textbox", f"{word}, {feature}", typed, {"X": changed})
        for place, word in enumerate(self.standing, 1):
            yield Move("radio", f"query {place}, {word}", "Space", {"row": place - 1})
            yield Move("radio", f"key {place}, {word}", "Space", {"column": place - 1})
        for matrix in ("W_K", "W_Q"):
            yield Move("radio", matrix, "Space", {"keys_by": matrix})
        yield Move("button", "Shuffle", "Enter", self._shuffled())
        yield Move("button", "Repeat", "Enter", self._repeated())
        yield Move("button", "Remove", "Enter", self._removed())

    def numbers(self):
        scores, weights, (i, j) = self.scores, self.weights, self.places
        return {
            "place": i + 1,
            "partner": j + 1,
            "count": len(weights),
            "score": scores[i, j],
            "score_back": scores[j, i],
            "weight": weights[i, j],
            "back": weights[j, i],
            "weights": weights[i],
            "column": weights[:, i],
            "sum": weights[:, i].sum(),
            "output": self.output[i],
        }

    def announcement(self):
        name, partner = (self.standing[place] for place in self.places)
        names = {"name": name, "partner_name": partner}
        return fill(self.words["announcement"], self.numbers() | names)

    @still
    def picture(self):
        weights, (i, _), tokens = self.weights, self.places, self.standing
        n = len(tokens)
        figure = figures.blank(5.0, 5.6)
        row, matrix = figure.subplots(2, 1, height_ratios=[1, 1.3])
        room = 0.7 if n > 1 else 1.5
        row.set(xlim=(-room, n - 1 + room), ylim=(-1.4, 1.4))
        row.set_title(fill(self.words["looks"], {"name": tokens[i]}))
        row.axis("off")
        for k, word in enumerate(tokens):
            row.text(k, 0, word, ha="center", va="center", weight="bold" if k == i else "normal")
            for side, weight in ((1, weights[i, k]), (-1, weights[k, i])):
                thick, ink = 0.5 + 11 * weight, LIGHT["ink"]
                row.add_patch(PathPatch(_arc(i, k, side), fill=False, lw=thick, ec=ink, alpha=0.6))
        figures.heatmap(weights, queries=tokens, keys=tokens, digits=3 if n < 5 else 2, ax=matrix)
        matrix.axhspan(i - 0.5, i + 0.5, fill=False, ec=LIGHT["query"], lw=2)
        matrix.axvspan(i - 0.5, i + 0.5, fill=False, ec=LIGHT["key"], lw=2)
        matrix.set_xlabel(textwrap.fill(self.announcement(), 58))
        return figure


def _arc(i, j, side):
    """An arc between two places of the row, above it or below."""
    if i == j:
        corners = [(i - 0.07, 0.22), (i - 0.3, 0.9), (i + 0.3, 0.9), (i + 0.07, 0.22)]
    else:
        top = 0.55 + 0.28 * abs(i - j)
        corners = [(i, 0.22), (i, top), (j, top), (j, 0.22)]
    points = [(x, side * y) for x, y in corners]
    return Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
