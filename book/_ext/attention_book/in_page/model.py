"""The language model of chapter 22 in the page, once a reader has chosen its file.

It is read by `attnlib.networks.smollm.read_on`, a few steps at a time, and a cell that calls `load`
goes on from there. What may go wrong for a reader is said in what is returned; nothing is raised.
"""

import time

from attnlib.data.published import ModelError
from attnlib.networks import reading, smollm

from . import GIVEN

MEMORY = "There is not enough memory for the model: it needs 700 MB."


def said(function):
    """Let a function return its errors in words."""

    def answer(*given):
        try:
            return function(*given)
        except MemoryError:
            return {"error": MEMORY}
        except (ModelError, LookupError, ValueError) as error:
            return {"error": str(error).replace(GIVEN, "The chosen file")}

    return answer


@said
def read(milliseconds):
    """Read on for so long, one step at least.

    Returns
    -------
    dict
        Which `share` of the model is there; 1 when all of it is.
    """
    end = time.perf_counter() + milliseconds / 1000
    share = smollm.read_on()
    while share < 1 and time.perf_counter() < end:
        share = smollm.read_on()
    if share == 1 and smollm.load()[0] is None:
        return {"error": "No file was chosen."}
    return {"share": share}


@said
def look(text):
    """What the model makes of a text: `tokens`, `weights` in digits."""
    return reading.look(*reading.of_text(text))


@said
def following(text, cut):
    """What most likely follows a text with some heads cut, pairs of block and head.

    Returns
    -------
    dict
        `next`: token, its chance, its chance with no head cut.
    """
    return {"next": reading.following(text, [*map(tuple, cut)])}
