"""Two endings of one text with a cache: places begin again, and a copy shares its lists."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(text, first, second, P):
    def read(items, cache):
        for place, x in enumerate(items):
            cache["K"].append(x + P[place])
            cache["V"].append(x)
            q = cache["K"][-1]
            K, V = np.array(cache["K"]), np.array(cache["V"])
            S = K @ q / np.sqrt(len(q))
            A = np.exp(S - S.max())
            y = A / A.sum() @ V
        return y

    cache = {"K": [], "V": []}
    read(text, cache)
    outputs = []
    for ending in (first, second):
        outputs.append(read(ending, cache.copy()))
    return np.array(outputs)


def last_output(items, places, P, values=None, scale=None, plain_query=False):
    """The output at the last of these items, which stand at these places."""
    K = items + P[places]
    q = items[-1] if plain_query else K[-1]
    S = K @ q / (np.sqrt(len(q)) if scale is None else scale)
    A = np.exp(S - S.max())
    return A / A.sum() @ (items if values is None else values(items, K))


def endings(text, first, second, P, place="on", cache="own", **how):
    """What the program gives with faults.

    Places go "on", begin "again" with each call, or are "one late"; of the cache each ending has
    its "own", both have one ("shared"), or it is "empty", or "twice" the text.
    """
    before, there = text, np.arange(len(text))
    if cache == "twice":
        before, there = np.concatenate([text, text]), np.concatenate([there, there + len(text)])
    if cache == "empty":
        before, there = text[:0], there[:0]
    there = {"offset": there + len(text), "double": 2 * there}.get(place, there)
    found, count = [], len(there)
    for ending in (first, second):
        start = {"again": 0, "one late": len(there) + 1, "counted": count, "offset": len(text)}
        start = start.get(place, len(there)) + np.arange(len(ending)) * (1 + (place == "double"))
        late = place == "one late"
        items = np.concatenate([before, ending])
        places = np.concatenate([there + late, start])
        found.append(last_output(items, places, P, **how))
        count += len(ending)
        if cache == "shared":
            before, there = items, places - late
    return np.array(found)


def two_endings(text, first, second, P):
    return endings(text, first, second, P)


def keys_too(items, K):
    return K


CASES = (
    Case("endings of one item", draw((2, 3), (1, 3), (1, 3), (9, 3))),
    Case("longer endings", draw((3, 2), (2, 2), (3, 2), (15, 2))),
    Case("longer endings", draw((4, 5), (3, 5), (1, 5), (17, 5))),
)
