"""All heads of a language model at one text: whom each token asks, and what follows without one."""

from functools import cache

import numpy as np
import traitlets

from attnlib import figures
from attnlib.data.published import SMOLLM, ModelError
from attnlib.figures.style import INK
from attnlib.networks import reading
from attnlib.palette import LIGHT
from attnlib.widgets.head_viewer import looks
from attnlib.widgets.shared import traits
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.words import fill

BLOCKS, HEADS, LAST = 30, 9, reading.LONGEST - 1
FIRST, *_ = looks.TEXTS


@cache
def found():
    """The path of the model's file; a ModelError, which is not kept, says why there is none."""
    if path := SMOLLM.find():
        return path
    raise ModelError("The model's file is not here. Fetch it by `make model`.")


def lack():
    """Why the model cannot be asked, in a sentence; an empty one where its file is here."""
    try:
        found()
    except ModelError as error:
        return str(error)
    return ""


def seen(token):
    """A token with its spaces and line ends made visible.

    >>> print(seen(" a\\n"))
    ␣a⏎
    """
    return token.replace(" ", "␣").replace("\n", "⏎")


class HeadViewer(BookWidget):
    """The 270 heads of SmolLM2-135M-Instruct at one text, and what it expects next.

    Each head is a square of weights; one of them is shown large.  A head can be cut: then its block
    goes on without what it says.  Six texts are recorded, each with one head cut at a time; where
    the model's file is, any text can be read, and any heads cut together.  Blocks, heads and tokens
    are counted from 0, as in ``weights[17][2]``.

    Every parameter is also an attribute that can be set.  `tokens`, `weights` and `following` are
    computed, or read from the record, when they are asked for; with heads cut the weights are still
    those of the whole model.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range, a text has no token or more than 48, or the model is
        needed and its file is not here.

    Examples
    --------
    >>> viewer = HeadViewer(block=17, head=2)
    >>> viewer.tokens[:4], viewer.weights.shape
    (['The', ' red', ' fox', ' saw'], (30, 9, 14, 14))
    >>> token, chance, whole = viewer.following[0]
    >>> token, round(chance, 2)
    (' owl', 0.98)
    """

    look = "wide"
    shows = (
        "A map of 270 small squares of weights, nine heads for each of 30 blocks; one head large, "
        "a row for each token that asks; and bars for the likeliest next tokens."
    )
    samples = (
        {
            "place": 12,
            "presets": [{"label": "The token before", "block": 11, "head": 1, "cut": ["11.1"]}],
        },
        {"block": 29, "head": 8, "place": 0, "task": "Which head looks at the token before?"},
        {"block": 0, "head": 0, "place": 5, "cut": ["0.3"]},
    )

    text = traits.text("What the model reads.", FIRST)
    block = traits.whole("The block of the head that is shown large, from 0.", 17, 0, BLOCKS - 1)
    head = traits.whole("Which of its heads, from 0.", 5, 0, HEADS - 1)
    place = traits.whole("The token that asks, from 0; past the end, the last.", LAST, 0, LAST)
    cut = traits.texts('Heads that are cut, such as ``["17.2"]``.', [])
    presets = traits.presets('{"label": "An induction head", "block": 17, "head": 2}')
    title = traits.text("The heading over the widget.", "270 heads at one text")

    _live = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._live = not lack()
        self.on_msg(self._hear)

    @traitlets.validate("text")
    def _can_be_read(self, proposal):
        text = proposal["value"]
        if text in looks.TEXTS:
            return text
        if why := lack():
            raise traitlets.TraitError(
                f"HeadViewer.text is not one of the recorded ones: {text!r}. {why}"
            )
        try:
            reading.tokens_of(text)
        except (ModelError, ValueError) as error:
            raise traitlets.TraitError(f"HeadViewer.text cannot be shown: {error}") from None
        return text

    @traitlets.validate("cut")
    def _can_be_cut(self, proposal):
        cut = proposal["value"]
        names = {f"{i}.{j}" for i in range(BLOCKS) for j in range(HEADS)}
        why = lack() if len(cut) > 1 else ""
        if not set(cut) <= names or why:
            raise traitlets.TraitError(
                f"HeadViewer.cut needs heads from 0.0 to {BLOCKS - 1}.{HEADS - 1}, one at most "
                f"where the model's file is not here, got {cut!r}. {why}".rstrip()
            )
        return cut

    def _hear(self, _widget, asked, _buffers):
        """Answer what a view asks for."""
        if asked.get("kind") in ("look", "following"):
            self.send(self._reply(**asked))

    @classmethod
    def _reply(cls, id, kind, given):
        try:
            answer = cls._answered(kind, *given)
        except (ModelError, LookupError, ValueError) as error:
            answer = {"error": str(error)}
        return {"id": id} | answer

    @staticmethod
    def _answered(kind, text, cut=()):
        if kind == "following":
            return {"next": reading.following(text, [*map(tuple, cut)])}
        known = looks.recorded().get(text)
        return known or reading.look(*reading.of_text(text))

    @property
    def _look(self):
        return self._answered("look", self.text)

    @property
    def tokens(self):
        """The tokens of the text."""
        return looks.decoded(self._look)[0]

    @property
    def weights(self):
        """How much each token asks each other in every head, ``(30, 9, n, n)``."""
        return looks.decoded(self._look)[1]

    @property
    def following(self):
        """The likeliest next tokens: each with its chance, and its chance with no head cut."""
        heads = [tuple(map(int, name.split("."))) for name in self.cut]
        known = looks.recorded().get(self.text)
        if known and len(heads) < 2:
            return looks.following(known, heads)
        return reading.following(self.text, heads)

    @property
    def name(self):
        """The head that is shown large, as it is named here."""
        return f"{self.block}.{self.head}"

    def _row(self):
        place = min(self.place, len(self.tokens) - 1)
        return place, self.weights[self.block, self.head, place]

    def moves(self):
        for k, token in enumerate(self.tokens):
            yield Move("radio", f"token {k}, {seen(token)}", "Space", {"place": k})
        yield Move("button", self.words["cut"], "Enter", {"cut": [self.name]})
        yield Move("slider", "Block", "End", {"block": BLOCKS - 1})
        yield Move("slider", "Head", "ArrowRight", {"head": self.head + 1})
        for name, content in self.words["texts"].items():
            end = {"place": LAST} if content != self.text else {}
            yield Move("radio", name, "Space", {"text": content} | end)

    def numbers(self):
        _, row = self._row()
        _, chances, whole = zip(*self.following)
        return {"weight": row.max(), "chances": chances, "whole": whole}

    def announcement(self):
        place, row = self._row()
        tokens = [*map(seen, self.tokens)]
        said = {"name": self.name, "names": " ".join(seen(token) for token, *_ in self.following)}
        said |= {"asking": tokens[place], "asked": tokens[row.argmax()], "cut": ", ".join(self.cut)}
        sentence = "announcementCut" if self.cut else "announcement"
        return fill(self.words[sentence], self.numbers() | said)

    @still
    def picture(self):
        weights, tokens = self.weights, [*map(seen, self.tokens)]
        n = len(tokens)
        figure = figures.blank(5.0, 9.0)
        figure.set_layout_engine("none")  # whose last digits differ from run to run
        places = [0.03, 0.73, 0.94, 0.24], [0.16, 0.28, 0.66, 0.36], [0.2, 0.02, 0.77, 0.17]
        ax, large, bars = map(figure.add_axes, places)
        sheet = np.full((HEADS * (n + 1), BLOCKS * (n + 1)), np.nan)
        for i, j in np.ndindex(BLOCKS, HEADS):
            sheet[j * (n + 1) : -1, i * (n + 1) :][:n, :n] = weights[i, j]
        ax.imshow(sheet, cmap=INK, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
        ax.set(xticks=(np.arange(0, BLOCKS, 5) + 0.5) * (n + 1), yticks=[], xlabel="block")
        ax.set_xticklabels(range(0, BLOCKS, 5))
        ax.set_title(self.words["map"])
        figures.heatmap(weights[self.block, self.head], queries=tokens, keys=tokens, ax=large)
        large.tick_params(axis="x", rotation=90)
        large.set_title(fill(self.words["large"], {"name": self.name}))
        names, chances, _ = zip(*self.following)
        places = np.arange(len(names))
        bars.barh(places, chances, height=0.7, color=LIGHT["ink"])
        bars.set(xlim=(0, 1.2), ylim=(len(names) - 0.4, -0.6), xticks=[])
        bars.set_yticks(places, [seen(name) for name in names])
        for y, chance in zip(places, chances):
            bars.text(chance + 0.02, y, f"{chance:.2f}", va="center")
        title = "without" if self.cut else "next"
        bars.set_title(fill(self.words[title], {"names": ", ".join(self.cut)}))
        return figure
