"""Train a model of characters in the page, a few steps at a time.

What may go wrong for a reader is said in what is returned, and nothing is raised.
"""

import inspect
import time

from attnlib.networks import CharacterModel

#: Characters that a text needs: as many as the model sees at once, and one to follow.
LEAST = inspect.signature(CharacterModel).parameters["context"].default + 1
GONE = "Python was started anew, and the model is gone."

model = None


def start(text):
    """Make a new model of a text, in place of the last.

    Returns
    -------
    dict
        How many characters a text needs (`least`), and the losses, in nats per character, of
        guessing (`evenly`, `by_frequency`); of a text that is too short an `error` instead.
    """
    global model
    if len(text) < LEAST:
        return {"least": LEAST, "error": "the text is too short."}
    model = CharacterModel(text)
    return {"least": LEAST} | model.baselines


def steps(milliseconds, rate):
    """Take as many steps as there is time for, one at least.

    Returns
    -------
    dict
        The `losses` of these steps, and why training `stopped`, or None.
    """
    if model is None:
        return {"losses": [], "stopped": GONE}
    end, done, stopped = time.perf_counter() + milliseconds / 1000, len(model.losses), None
    try:
        model.step(rate)
        while time.perf_counter() < end:
            model.step(rate)
    except ValueError as error:
        stopped = str(error)
    return {"losses": model.losses[done:], "stopped": stopped}


def sample(n, temperature):
    """Write `n` characters after the text's first.

    Returns
    -------
    dict
        What was `written`, or an `error`.
    """
    return {"error": GONE} if model is None else {"written": model.sample(n, temperature)}
