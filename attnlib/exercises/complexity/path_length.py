"""How many layers it takes until the last answer depends on the first item."""

from itertools import pairwise

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def path_length(hears):
    """Go back from the last answer, layer by layer, until the first item is reached."""
    reached = np.arange(len(hears)) == len(hears) - 1
    for layer in range(1, len(hears)):
        reached = hears[reached].any(axis=0)
        if reached[0]:
            return layer
    return -1


def _layers(hears, *, start=-1, goal=lambda reached: reached[0], never=-1, most=None):
    """Layers until the items reached from `start` satisfy `goal`."""
    reached = np.zeros(len(hears), bool)
    reached[start] = True
    for layer in range(1, (most or len(hears)) + 1):
        reached = reached @ hears
        if goal(reached):
            return layer
    return never


def _never(value):
    """path_length with another answer where there is no path."""

    def wrong(hears):
        found = _layers(hears)
        return value(hears) if found < 0 else found

    return wrong


def _plus(more):
    def wrong(hears):
        found = _layers(hears)
        return found if found < 0 else found + more

    return wrong


def _whole(hears, goal):
    """Layers until the matrix of all dependences satisfies `goal`."""
    power = np.eye(len(hears), dtype=bool)
    for layer in range(1, len(hears) + 1):
        power = power @ hears
        if goal(power):
            return layer
    return -1


def _squared(hears):
    """The dependences are doubled in each round, as a layer on itself."""
    power = hears.copy()
    for layer in range(1, len(hears) + 1):
        if power[-1, 0]:
            return layer
        power = power | power @ power
    return -1


def _greedy(hears):
    """Always to the earliest item that is heard."""
    at, layers = len(hears) - 1, 0
    while at:
        heard = np.flatnonzero(hears[at])
        if not heard.size or heard[0] >= at:
            return -1
        at, layers = heard[0], layers + 1
    return layers


def _first_way(hears, earliest=True):
    """The first way that is found, going as deep as possible, and back from a dead end."""
    seen = set()

    def down(at):
        if at == 0:
            return 0
        seen.add(at)
        for after in np.flatnonzero(hears[at])[:: 1 if earliest else -1]:
            if after not in seen:
                found = down(after)
                if found >= 0:
                    return found + 1
        return -1

    return down(len(hears) - 1)


def _in_place(hears):
    """What is found for one item counts for the next ones within the same layer."""
    depends = np.arange(len(hears)) == 0
    for layer in range(1, len(hears)):
        for i in range(len(hears)):
            depends[i] |= (hears[i] & depends).any()
        if depends[-1]:
            return layer
    return -1


def _common(hears):
    """Only what all items that were reached hear."""
    reached = np.arange(len(hears)) == len(hears) - 1
    for layer in range(1, len(hears)):
        reached = hears[reached].all(axis=0)
        if reached[0]:
            return layer
    return -1


def _doubled(hears):
    """Squares of the matrix, each counted as twice as many layers."""
    rounds = _squared(hears)
    return rounds if rounds < 0 else 2 ** (rounds - 1)


def _gives_up(found, cases):
    """Whether all answers are right up to some number of layers, and -1 beyond."""
    right = [_layers(*case.args) for case in cases]
    missing = [r for r, f in zip(right, found) if r > 0 and f == -1]
    return bool(missing) and all(
        f == (-1 if r >= min(missing) else r) for r, f in zip(right, found)
    )


def _widest(hears):
    """By the widest reach of a single item, as if all of them reached as far."""
    rows, columns = np.nonzero(hears)
    reach = (rows - columns).max()
    return -1 if reach < 1 else int(np.ceil((len(hears) - 1) / reach))


def _of_the_last(hears):
    """By how far the last item reaches."""
    reach = len(hears) - 1 - np.flatnonzero(hears[-1])[0] if hears[-1].any() else 0
    return -1 if reach < 1 else int(np.ceil((len(hears) - 1) / reach))


def _window(n, *back):
    """Item i hears the items so many places back."""
    hears = np.zeros((n, n), bool)
    for b in back:
        hears |= np.eye(n, k=-b, dtype=bool)
    return hears


def _with(hears, *pairs):
    hears = hears.copy()
    for i, j in pairs:
        hears[i, j] = True
    return hears


def _chain(*places):
    """Each item hears only the next one in this order."""
    return _with(np.zeros((len(places),) * 2, bool), *pairwise(places))


def _step_by_step(n):
    """Every item hears itself and the one after it."""
    return _window(n, 0) | _window(n, 1).T


FIRST_WAY = (
    "This is the first way that is found, followed to its end. Another may be shorter: go forward "
    "from all items reached so far at once, layer by layer."
)

EXERCISE = Exercise(
    signature="path_length(hears)",
    task="Write path_length(hears): hears[i, j] is true where answer i of a layer depends on item "
    "j. Return how many such layers, one on the other, it takes until the last answer depends on "
    "the first item, and -1 if it never does. There are at least two items.",
    returns="a single number",
    reference=path_length,
    own=True,
    cases=(
        Case("everybody hears everybody", (np.ones((3, 3), bool),)),
        Case("each hears itself and the one before", (_window(4, 0, 1),)),
        Case("a causal convolution of width 3", (_window(8, 0, 1, 2),)),
        Case("nobody hears itself", (_window(9, 1, 3),)),
        Case("each hears itself and the one after", (_step_by_step(4),)),
        Case("a link back to the second item", (_with(_window(7, 0, 1), (6, 1)),)),
        Case("a link that skips the middle", (_with(_window(9, 0, 1), (6, 2), (8, 7)),)),
        Case("the first hears the last", (_with(_window(6, 0, 1), (0, 5)),)),
        Case("two groups that do not meet", (np.kron(np.eye(2), np.ones((3, 3))) > 0,)),
        Case("through a later item", (_with(_window(6, 0), (5, 2), (2, 4), (4, 0)),)),
        Case("a dead end", (_with(_window(6, 0), (5, 1), (5, 3), (3, 0)),)),
        Case(
            "the earliest is not on the shortest way",
            (_with(_window(5), (4, 1), (4, 3), (1, 2), (2, 0), (3, 0)),),
        ),
        Case("a chain out of order", (_chain(11, 4, 9, 3, 8, 2, 10, 1, 7, 5, 6, 0),)),
        Case("nobody hears the first", (_window(5, 0, 1) & (np.arange(5) > 0),)),
    ),
    mistakes=(
        Mistake(
            "other_way",
            lambda hears: _layers(hears.T),
            "The arrows are followed the other way: this is how long the first answer waits for "
            "the last item. Row i of hears says what answer i depends on: start there.",
        ),
        Mistake(
            "both_ways",
            lambda hears: _layers(hears | hears.T),
            "The arrows are followed both ways. That i hears j does not mean that j hears i.",
        ),
        Mistake(
            "items_on_the_way",
            _plus(1),
            "One too many: these are the items on the way, both ends counted. Between two items "
            "there is one layer.",
        ),
        Mistake(
            "one_too_few",
            _plus(-1),
            "One too few. Where the last answer hears the first item directly, that takes one "
            "layer, not none.",
        ),
        Mistake(
            "everything_everywhere",
            lambda hears: _whole(hears, np.all),
            "This waits until every answer depends on every item. Only the last answer and the "
            "first item are asked for.",
        ),
        Mistake(
            "all_answers",
            lambda hears: _whole(hears, lambda power: power[:, 0].all()),
            "This waits until all answers depend on the first item. Only the last one is asked "
            "for.",
        ),
        Mistake(
            "all_items",
            lambda hears: _layers(hears, goal=np.all),
            "This waits until the last answer depends on all items. Only the first is asked for.",
        ),
        Mistake(
            "any_answer",
            lambda hears: _whole(hears, lambda power: power[1:, 0].any()),
            "This is over as soon as any other answer depends on the first item. It is the last "
            "one that is asked for.",
        ),
        Mistake(
            "any_item",
            lambda hears: _layers(hears, goal=lambda reached: reached[:-1].any()),
            "This is over as soon as the last answer depends on any other item. It is the first "
            "one that is asked for.",
        ),
        Mistake(
            "squared",
            _squared,
            "The matrix is multiplied by itself, so that each round doubles the layers. One layer "
            "more is one factor of hears more.",
        ),
        Mistake(
            "greedy",
            _greedy,
            "In each layer only the earliest item that is heard is followed. That can be a dead "
            "end, or lead past a shorter way: keep all of them.",
        ),
        Mistake("first_way", _first_way, FIRST_WAY),
        Mistake("latest_first", lambda hears: _first_way(hears, earliest=False), FIRST_WAY),
        Mistake(
            "in_place",
            _in_place,
            "What is found for one item already counts for the next one within the same layer, so "
            "that several layers pass as one. Work from a copy of what held before the layer.",
        ),
        Mistake(
            "all_for_any",
            _common,
            "Only what all items reached so far hear in common is kept. One of them is enough: "
            "any, not all.",
        ),
        Mistake(
            "squared_and_counted_in_doublings",
            _doubled,
            "The matrix is multiplied by itself, and the layers are counted in doublings: 1, 2, 4, "
            "8. A number between two of them is missed. One layer more is one factor of hears "
            "more.",
        ),
        Mistake(
            "widest",
            _widest,
            "The distance is divided by the farthest that any item reaches back. Not all of them "
            "reach as far: follow who hears whom.",
        ),
        Mistake(
            "reach_of_the_last",
            _of_the_last,
            "The distance is divided by how far the last answer reaches back. The others may reach "
            "less far, or farther: follow who hears whom.",
        ),
        Mistake(
            "places",
            lambda hears: -1 if _layers(hears) < 0 else len(hears) - 1,
            "These are the places between the first and the last item, n - 1. A layer may reach "
            "farther than one place.",
        ),
        Mistake(
            "always_one",
            lambda hears: 1 if hears[-1, 0] else -1,
            "Only direct links are looked at. Over several layers, an answer depends on whatever "
            "those depend on that it hears.",
        ),
        Mistake(
            "two_layers_at_most",
            lambda hears: _layers(hears, most=2),
            "This gives up after a fixed number of layers. It can take n - 1 of them.",
            recognise=_gives_up,
        ),
        Mistake(
            "backwards_only",
            lambda hears: _layers(np.tril(hears)),
            "Only links to earlier places are followed. The way may lead over a later item.",
        ),
        Mistake(
            "gives_up_too_early",
            lambda hears: _layers(hears, most=len(hears) - 2),
            "This gives up one layer too early. The longest way goes over all items, which takes "
            "n - 1 layers.",
        ),
        Mistake(
            "never_is_zero",
            _never(lambda hears: 0),
            "Where there is no way, 0 comes back. -1 is asked for.",
        ),
        Mistake(
            "never_is_n",
            _never(len),
            "Where there is no way, the number of items comes back. -1 is asked for.",
        ),
        Mistake(
            "never_is_the_longest",
            _never(lambda hears: len(hears) - 1),
            "Where there is no way, n - 1 comes back. -1 is asked for: after n - 1 layers without "
            "success none will come.",
        ),
        Mistake(
            "never_is_one_more",
            _never(lambda hears: len(hears) + 1),
            "Where there is no way, n + 1 comes back, as a loop that counted to its end. -1 is "
            "asked for.",
        ),
        Mistake(
            "first_place",
            lambda hears: _layers(hears, start=-1, goal=lambda reached: reached[1]),
            "This is the way to the second item. The first one has the index 0.",
        ),
        Mistake(
            "second_to_last",
            lambda hears: _layers(hears, start=-2),
            "The way starts at the last answer but one. The last has the index n - 1, or -1.",
        ),
    ),
    definition="Change the first item: it should be the number of layers after which the last "
    "answer changes.",
    general="Keep a list of the items that the last answer depends on. After no layer it is the "
    "last item alone. Each layer puts in its place all that those hear.",
    why="A convolution of width k takes about (n - 1) / (k - 1) layers, attention one. A recurrent "
    "network hears all items in one layer, but passes its state on n - 1 times within it.",
)
