"""What the widget shows of a text: computed by the model, or recorded for who has no model.

`python -m attnlib.widgets.head_viewer.looks` records it anew.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from attnlib.networks import smollm
from attnlib.networks.reading import SHOWN, Reading, digits, look, shares

#: The texts whose looks are recorded; that of the first travels with the widget itself.
HERE = Path(__file__).parent
TEXTS = tuple(json.loads((HERE / "words.json").read_text(encoding="utf-8"))["texts"].values())
MOST = 64**2 - 1  # what two digits hold
FIRST, LATER = HERE / "first.json", HERE / "later.json"


@cache
def recorded():
    """The looks of `TEXTS`, by text."""
    both = [json.loads(path.read_text(encoding="utf-8")) for path in (FIRST, LATER)]
    return {one["text"]: one for one in [both[0], *both[1]]}


def decoded(known):
    """The tokens of a look, and all its weights, ``(30, 9, n, n)``."""
    tokens = known["tokens"]
    lower = np.tri(len(tokens), dtype=bool)
    weights = np.zeros((30, 9, *lower.shape))
    weights[..., lower] = shares(known["weights"]).reshape(30, 9, -1)
    return tokens, weights


def following(known, heads):
    """What follows a recorded text with one head cut, or none."""
    names, whole = known["names"], shares(known["whole"], 2).tolist()
    if not heads:
        return [*zip(names[:SHOWN], whole, whole)]
    ((block, head),) = heads
    some = shares(known["cuts"], 2).reshape(30, 9, SHOWN, 2)[block, head]
    places = np.rint(some[:, 0] * MOST).astype(int)
    return [(names[k], p, whole[k]) for k, p in zip(places, some[:, 1].tolist())]


def cuts(reading, tokens):
    """What follows with every head cut in turn, as digits: for each six places in `names`, and six
    chances; `whole` holds the chances of all names with nothing cut.
    """
    n_blocks, n_heads = reading.weights.shape[:2]
    every = [reading.following([(i, j)]) for i in range(n_blocks) for j in range(n_heads)]
    known = {i: p for each in [reading.following(), *every] for i, _, p in each}
    place = {i: k / MOST for k, i in enumerate(known)}
    return {
        "names": [tokens.decode([i]) for i in known],
        "whole": digits([*known.values()], 2),
        "cuts": digits([(place[i], p) for each in every for i, p, _ in each], 2),
    }


def record():
    """Ask the model for the looks of `TEXTS`, each with every head cut in turn."""
    looks = []
    for text in TEXTS:
        model, tokens = smollm.load()
        reading = Reading(model, tokens.encode(text))
        looks.append({"text": text} | look(reading, tokens) | cuts(reading, tokens))
        print(text, len(looks[-1]["names"]))
    for path, content in ((FIRST, looks[0]), (LATER, looks[1:])):
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
