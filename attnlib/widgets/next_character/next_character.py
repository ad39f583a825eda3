"""What a language model expects next, at a temperature, and where its heads look."""

import numpy as np
import traitlets

from attnlib import figures, softmax
from attnlib.palette import LIGHT
from attnlib.widgets.shared.base import BookWidget, still
from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.traits import Numbers, presets, real, text, texts, whole
from attnlib.widgets.shared.words import fill

SHOWN = 8  # characters with a bar of their own
MOST, LONGEST = 16, 20  # prompts, and characters in sight of one


def seen(text):
    """A text with its spaces and line ends made visible.

    >>> print(seen("a b\\n"))
    a␣b⏎
    """
    return text.replace(" ", "␣").replace("\n", "⏎")


class NextCharacter(BookWidget):
    """Prompts that a language model has read: the next character's chances, and its heads' weights.

    What the model made of each prompt is given: logits of all characters, and the weights of each
    head at the last character of the prompt.  `chances` follow from them and the temperature.

    Raises
    ------
    traitlets.TraitError
        When the shapes do not belong together, or another value is not what it has to be.

    Examples
    --------
    >>> model = NextCharacter(temperature=0.5)
    >>> model.chances.round(3)
    array([0.977, 0.018, 0.005, 0.   ])
    >>> model.prompt = 1
    >>> model.likeliest
    [' ', 'e', 'a', 'o']
    """

    look = "wide"
    shows = (
        "Two panels: bars for the likeliest next characters after a prompt, and a table of "
        "squares, a row for each head and a column for each character of the prompt, the darker "
        "the larger the weight."
    )
    samples = (
        {},
        {
            "characters": list("abcdefghij"),
            "prompts": ["ab\n", "b c d", "j"],
            "heads": ["1", "2", "3"],
            "logits": [[*range(10)], [0] * 10, [2, -3, 1.5, 0, 0, -1, 4, 4, 0.5, -2]],
            "looks": [
                [[0.2, 0.8, 0, 0, 0], [0.5, 0.25, 0.25, 0, 0], [0, 0, 1, 0, 0]],
                [[0.2] * 5, [0.1, 0.2, 0.3, 0.4, 0], [0, 0, 0, 0, 1]],
                [[1, 0, 0, 0, 0]] * 3,
            ],
            "task": "Which head looks at `d`?",
            "prompt": 1,
        },
        {"prompt": 1, "temperature": 0.1, "presets": [{"label": "Hot", "temperature": 2}]},
        {"prompt": 1, "temperature": 2},
    )

    characters = texts("The characters that may come next.", ["e", "a", "o", " "])
    prompts = texts(
        "Texts that the model has read, each with at least one character.", ["th", "the"]
    )
    heads = texts("Names of the heads.", ["1.1", "1.2"])
    logits = Numbers(
        "For each prompt the logits of all characters.",
        [[3, 1, 0.4, -2], [0.5, 0, -1, 2.5]],
        (None, None),
    )
    looks = Numbers(
        "For each prompt and head the weights of the prompt's last characters, 20 at most, then 0.",
        [[[0.9, 0.1, 0], [0.3, 0.7, 0]], [[0.05, 0.9, 0.05], [0.6, 0.1, 0.3]]],
        (None, None, None),
    )
    prompt = whole("Which prompt is shown, from 0; past the end, the last.", 0, 0, MOST - 1)
    temperature = real("What the logits are divided by.", 1.0, 0.1, 2.0)
    presets = presets('{"label": "Hot", "temperature": 2}')
    title = text("The heading over the widget.", "What comes next, and where the heads look")

    @traitlets.validate("characters", "prompts", "heads", "logits", "looks")
    def _check(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if name in ("characters", "prompts", "heads"):
            if not value or not all(value) or (name == "prompts" and len(value) > MOST):
                most = f", {MOST} at most" if name == "prompts" else ""
                self._refuse(name, f"texts, none of them empty{most}", value)
            return value
        wanted = (len(self.prompts), len(self.characters if name == "logits" else self.heads))
        if np.shape(value)[:2] != wanted:
            self._refuse(name, f"the shape {wanted} in front", np.shape(value))
        if name == "looks":
            longest = max(len(text[-LONGEST:]) for text in self.prompts)
            if np.shape(value)[2] < longest or np.min(value) < 0 or np.max(value) > 1 + 1e-6:
                self._refuse(name, f"weights from 0 to 1, at least {longest} in a row", value)
        return value

    def _refuse(self, name, wanted, value):
        raise traitlets.TraitError(f"NextCharacter.{name} needs {wanted}, got {value!r}.")

    @property
    def place(self):
        """Which prompt is shown, where there is such a one."""
        return min(self.prompt, len(self.prompts) - 1)

    @property
    def read(self):
        """The characters of the prompt that are shown."""
        return self.prompts[self.place][-LONGEST:]

    @property
    def order(self):
        """Indices of the characters, the likeliest first."""
        return np.argsort(-np.array(self.logits[self.place]), kind="stable")

    @property
    def likeliest(self):
        """The characters that have a bar."""
        return [self.characters[i] for i in self.order[:SHOWN]]

    @property
    def chances(self):
        """The chances of all characters, the likeliest first."""
        logits = np.array(self.logits[self.place])[self.order]
        return softmax(logits, temperature=self.temperature)

    @property
    def weights(self):
        """How much each head gives to each character of the prompt, ``(n_heads, n)``."""
        return np.array(self.looks[self.place])[:, : len(self.read)]

    def moves(self):
        for i, prompt in enumerate(self.prompts):
            yield Move("radio", seen(prompt), "Space", {"prompt": i})
        yield Move("slider", "Temperature", "End", {"temperature": 2})

    def numbers(self):
        p = self.chances
        entropy = -np.sum(p[p > 0] * np.log(p[p > 0]))
        return {
            "temperature": self.temperature,
            "chances": p[:SHOWN],
            "rest": p[SHOWN:].sum(),
            "perplexity": np.exp(entropy),
        }

    def announcement(self):
        names = {"names": " ".join(map(seen, self.likeliest)), "prompt": seen(self.read)}
        return fill(self.words["announcement"], self.numbers() | names)

    @still
    def picture(self):
        figure = figures.blank(5.0, 6.0)
        bars, table = figure.subplots(2, 1, height_ratios=[1.1, 1])
        p, names = self.chances, [*map(seen, self.likeliest)]
        shown, places = p[:SHOWN], np.arange(len(names))
        bars.barh(places, shown, height=0.7, color=LIGHT["ink"])
        for y, chance in zip(places, shown):
            bars.text(chance + 0.01, y, f"{chance:.2f}", va="center")
        bars.set(xlim=(0, 1.15), ylim=(len(names) - 0.4, -0.6), xticks=[])
        bars.set_yticks(places, names)
        bars.set_title(fill(self.words["next"], self.numbers() | {"prompt": seen(self.read)}))
        figures.heatmap(
            np.minimum(self.weights, 1), queries=self.heads, keys=[*seen(self.read)], ax=table
        )
        table.set(aspect="auto", xlabel=self.words["heads"])
        return figure
