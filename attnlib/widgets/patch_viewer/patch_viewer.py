"""A digit in patches: what a vision transformer answers, where it looks, what covering does."""

import textwrap
from functools import cache

import numpy as np
import traitlets
from matplotlib.colors import LinearSegmentedColormap

from attnlib import figures, softmax
from attnlib.data.digits import LARGEST, SIDE, joined, patches
from attnlib.figures.style import INK
from attnlib.networks.vision import VisionTransformer, effects, looked_at
from attnlib.palette import LIGHT
from attnlib.widgets.shared import digits
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import choice, presets, text, whole
from attnlib.widgets.shared.words import fill

#: Effects: those that lower the answer in ink, those that raise it in the key's colour.
LOWERED = LinearSegmentedColormap.from_list("lowered", [LIGHT["key"], LIGHT["page"], LIGHT["ink"]])

#: How far from the middle of a stroke its ink ends, in pixels.
REACH = 1.25

trained = cache(VisionTransformer.trained)


PICTURES, MEAN = digits.images(others=[7, 8]), np.array(digits.STORED["mean"])


def stroke(pixels, start, end, erases=False):
    """The 64 pixels after a stroke between two points, as the page paints it.

    It is soft as in the stored digits: its ink ends over the length of a pixel.  An eraser clears
    what has half of it.

    >>> stroke([0] * 64, (0.5, 0.5), (2.5, 0.5))[:5]
    [16, 16, 16, 4, 0]
    """
    start, end = np.array(start), np.array(end)
    places = np.indices((SIDE, SIDE))[::-1].reshape(2, -1).T + 0.5 - start
    along = np.clip(places @ (end - start) / (((end - start) ** 2).sum() or 1), 0, 1)
    away = np.hypot(*(places - along[:, None] * (end - start)).T)
    ink = np.clip(REACH - away, 0, 1)
    painted = np.where(ink < 0.5, pixels, 0) if erases else np.fmax(pixels, np.rint(LARGEST * ink))
    return painted.astype(int).tolist()


class PatchViewer(BookWidget):
    """A handwritten digit in 16 patches, one of which can be covered; it can be drawn, too.

    Beside the picture stand how much the last block looks at each patch, and how much of its lead
    the answer loses when a patch shows the mean of all digits there.  The model is that
    of `attnlib.networks.vision.VisionTransformer.trained`; it has not seen these digits.  The
    reader can change their pixels, or draw on empty paper.

    Every parameter is also an attribute that can be set.  `chances`, `seen` and `effects` are
    computed when they are asked for.

    Raises
    ------
    traitlets.TraitError
        When a value lies outside its range.

    Examples
    --------
    >>> viewer = PatchViewer(digit=7)
    >>> viewer.chances.shape, viewer.effects.shape
    ((10,), (16,))
    >>> bool(abs(viewer.seen.sum() - 1) < 1e-9)
    True
    """

    look = "wide"
    shows = (
        "A digit of 8 × 8 pixels in 16 patches, beside it a square of ink for how much each patch "
        "is looked at, and one for how much of its lead the answer loses when it is covered."
    )
    samples = (
        {"digit": 7, "presets": [{"label": "A covered 3", "digit": 3, "covered": 7}]},
        {"digit": 3, "covered": 6, "task": "Which patch matters most?"},
        {"digit": 0, "covered": 16},
        {"drawn": stroke([0] * 64, (2, 1), (5, 7)), "press": "draw"},
        {"drawn": stroke([0] * 64, (4, 1), (4, 7)), "covered": 10, "press": "erase"},
        {"drawn": [0] * 64},
        {"drawn": [0] * 64, "covered": 1},
    )

    digit = whole("Which stored digit is shown while nothing is drawn.", 7, 0, 9)
    covered = whole("The patch that is covered, counted from 1 line by line; 0 for none.", 0, 0, 16)
    drawn = traitlets.List(
        traitlets.Int(),
        help="Ink of 64 pixels, line by line, from 0 to 16; none for the stored digit.",
    ).tag(sync=True, type="list of int")
    press = choice("What a press on the picture does.", ("cover", "draw", "erase"))
    presets = presets('{"label": "A seven", "digit": 7}')
    title = text("The heading over the widget.", "What is looked at, and what matters")

    @traitlets.validate("drawn")
    def _is_a_picture(self, proposal):
        ink = proposal["value"]
        if len(ink) in (0, SIDE**2) and all(0 <= x <= LARGEST for x in ink):
            return ink
        raise traitlets.TraitError(
            f"PatchViewer.drawn must be 64 whole numbers from 0 to 16, or none, got {ink}."
        )

    @property
    def pixels(self):
        """The pixels without a cover, from 0 to 1, shape (8, 8)."""
        stored = PICTURES[self.digit]
        return np.reshape(self.drawn, stored.shape) / LARGEST if self.drawn else stored

    @property
    def picture_shown(self):
        """The pixels with the covered patch, shape (8, 8)."""
        rows = patches(self.pixels)
        if self.covered:
            rows[self.covered - 1] = MEAN[self.covered - 1]
        return joined(rows)

    @property
    def chances(self):
        """The probability of each digit, shape (10,)."""
        return softmax(trained()(self.picture_shown)[0])

    @property
    def seen(self):
        """How much the last block looks at each patch, shape (16,)."""
        return looked_at(trained()(self.picture_shown)[1])

    @property
    def effects(self):
        """How much of its lead the answer loses when each patch is covered, shape (16,)."""
        return effects(trained(), self.pixels, MEAN)

    def moves(self):
        for digit in range(10):
            yield Move("radio", str(digit), "Space", {"digit": digit, "drawn": []})
        for patch in range(1, 17):
            yield Move("radio", f"cover patch {patch}", "Space", {"covered": patch})
        yield Move("button", "Uncover", "Enter", {"covered": 0})
        for press, label in self.words["presses"].items():
            yield Move("radio", label, "Space", {"press": press})
        begun = {"covered": 0, "drawn": [0] * SIDE**2, "press": "draw"}
        yield Move("button", self.words["begin"], "Enter", begun)
        pixels = (LARGEST * self.pixels).astype(int).ravel().tolist()
        for erases, (row, column) in ((False, (1, 8)), (False, (6, 2)), (True, (1, 4))):
            at = (column - 0.5, row - 0.5)
            place = {"row": row, "column": column, "ink": pixels[SIDE * (row - 1) + column - 1]}
            name = fill(self.words["pixel"], {what: str(x) for what, x in place.items()})
            before = {"drawn": pixels, "press": "erase" if erases else "draw"}
            yield Move("button", name, "Space", {"drawn": stroke(pixels, at, at, erases)}, before)

    def numbers(self):
        chances, k = self.chances, self.covered
        best = np.sort(trained()(self.pixels)[0])
        return {
            "lead": best[-1] - best[-2],
            "answer": int(chances.argmax()),
            "p": chances.max(),
            "patch": k,
            "seen": self.seen[k - 1] if k else np.nan,
            "effect": self.effects[k - 1] if k else np.nan,
        }

    def announcement(self):
        kind = "stored" if not self.drawn else "drawn" if any(self.drawn) else "empty"
        return fill(self.words[kind]["covered" if self.covered else "whole"], self.numbers())

    @still
    def picture(self):
        figure = figures.blank(5.0, 2.6)
        panels = figure.subplots(1, 3)
        shown = {
            "picture": (self.picture_shown, INK, 0, 1),
            self.words["seen"]: (self.seen.reshape(4, 4), INK, 0, 0.45),
            "effect": (self.effects.reshape(4, 4), LOWERED, -12, 12),
        }
        for ax, (title, (values, colours, low, high)) in zip(panels, shown.items()):
            ax.imshow(values, cmap=colours, vmin=low, vmax=high)
            ax.set_title(title)
            ax.set(xticks=[], yticks=[])
        panels[1].set_xlabel(textwrap.fill(self.announcement(), 44))
        return figure
