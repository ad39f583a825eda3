"""Rows for characters and rows for places, as a module."""

import numpy as np

from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, copied, made, result


def embedding(x, E, P):
    """A row of E for each id, plus a row of P for each place."""
    return E[x] + P[: x.shape[-1]]


def adapt(answer, right=embedding):
    later = Later(CASES)

    def embedding(x, E, P):
        module = copied(made(answer, *E.shape, len(P)), {"E.weight": E, "P.weight": P})
        for name in "EP":
            part = getattr(module, name, None)
            if getattr(part, "padding_idx", None) is not None:
                raise Misfit(
                    f"padding_idx keeps row {part.padding_idx} of {name} from learning. Here every "
                    "id is a character: leave it out."
                )
            if getattr(part, "max_norm", None) is not None:
                raise Misfit(
                    f"max_norm shortens the rows of {name} whenever they are read. Leave it out: "
                    "a row is taken as it is."
                )
        return result(module, x, like=(right, x, E, P), later=later)

    return embedding


def by_text(x, E, P):
    """The place of a text in the batch in place of the place in the text."""
    if x.ndim == 1:
        return E[x] + P[: len(x)]
    return E[x] + P[: x.shape[-2], None]


CASES = (
    Case("one text", (np.array([2, 0, 2]), *draw((4, 2), (5, 2)))),
    Case("a batch", (np.array([[4, 1, 1, 0], [3, 3, 2, 4]]), *draw((5, 3), (6, 3)))),
    Case(
        "two axes of texts",
        (np.array([[[1, 0, 5]], [[2, 2, 4]]]), *draw((6, 4), (7, 4))),
    ),
)
