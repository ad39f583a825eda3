"""Whether a layer looks ahead, found out by changing what comes later."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def looks_ahead(layer, X):
    """Whether some output moves when only items after it are changed."""
    before = layer(X)
    for t in range(1, len(X)):
        changed = np.concatenate([X[:t], _other(X[t:])])
        if not np.allclose(layer(changed)[:t], before[:t]):
            return True
    return False


def _other(rows):
    """Other items in the place of these."""
    return 1.5 - 2 * rows


# Layers: functions from items to outputs, a row each.


def attention(X):
    return softmax(X @ X.T) @ X


def causal_attention(X):
    return softmax(np.where(_lower(len(X)), X @ X.T, -np.inf)) @ X


def zeroed_after_softmax(X):
    return softmax(X @ X.T) * _lower(len(X)) @ X


def off_by_one(X):
    return softmax(np.where(_lower(len(X), 1), X @ X.T, -np.inf)) @ X


def running_mean(X):
    return np.cumsum(X, axis=0) / np.arange(1, len(X) + 1)[:, None]


def the_one_before(X):
    return np.concatenate([0 * X[:1], X[:-1]])


def each_alone(X):
    return np.tanh(X)[:, :1]


def backwards(X):
    return causal_attention(X[::-1])[::-1]


def first_sees_the_second(X):
    return _leaking(X, 0, 1)


def middle_sees_the_next(X):
    return _leaking(X, len(X) // 2, len(X) // 2 + 1)


def third_sees_the_fifth(X):
    return _leaking(X, 2, 4)


def second_sees_the_last(X):
    return _leaking(X, 1, len(X) - 1, 0)


def fifth_sees_the_sixth(X):
    """The last output but one of six; of fewer items it is causal."""
    return _leaking(X, 4, 5)


def given_and_taken(X):
    output, late = running_mean(X), 0.1 * X[-1, 0]
    output[:1, :2] += [late, -late]
    output[1:2, :2] -= [late, -late]
    return output


def normalised_before(X):
    """Attention to all items, each of them centred and scaled: no shift of an item is felt."""
    centred = X - X.mean(axis=1, keepdims=True)
    return attention(centred / (0.1 + X.std(axis=1, keepdims=True)))


def _leaking(X, i, j, component=-1):
    """Running means, and a little of item j in one component of output i."""
    output = running_mean(X)
    if 0 <= i < j < len(X):
        output[i, component] += 0.1 * X[j, component]
    return output


def _lower(n, k=0):
    return np.tri(n, k=k, dtype=bool)


# Tests that do not tell.


def _if_changed(change, compare):
    """A test that changes the items once, and compares some of the outputs."""

    def found(layer, X):
        before, after = layer(X), layer(change(X))
        return not np.allclose(compare(before), compare(after))

    return found


def _but(rows):
    """Items of which these rows are others."""

    def change(X):
        changed = X.copy()
        changed[rows] = _other(X[rows])
        return changed

    return change


def _own_output(layer, X):
    before = layer(X)
    cuts = range(1, len(X))
    return any(
        not np.allclose(layer(_but(slice(t, None))(X))[: t + 1], before[: t + 1]) for t in cuts
    )


def _at(places, one=False):
    """A test that changes the items from t on, or item t alone, for some t from 1 to n - 1."""

    def found(layer, X):
        before = layer(X)
        return any(
            not np.allclose(layer(_but([t] if one else slice(t, None))(X))[:t], before[:t])
            for t in range(1, len(X))[places]
        )

    return found


def _next_only(layer, X):
    before = layer(X)
    changes = (layer(_but(t)(X))[t - 1] for t in range(1, len(X)))
    return not all(np.allclose(after, before[t]) for t, after in enumerate(changes))


def _summed(layer, X):
    before = layer(X)
    places = range(1, len(X))
    sums = ((layer(_but(t)(X))[:t].sum(axis=0), before[:t].sum(axis=0)) for t in places)
    return not all(np.allclose(*pair) for pair in sums)


def _shifted(layer, X):
    before = layer(X)
    changes = (layer(np.concatenate([X[:t], X[t:] + 1.0])) for t in range(1, len(X)))
    return not all(np.allclose(after[:t], before[:t]) for t, after in enumerate(changes, 1))


def _earlier_changed(layer, X):
    before = layer(X)
    return any(
        not np.allclose(layer(_but(slice(0, t))(X))[t:], before[t:]) for t in range(1, len(X))
    )


def _shuffled(layer, X):
    return not np.allclose(layer(X[::-1]), layer(X)[::-1])


def _shuffled_and_sorted(layer, X):
    return not np.allclose(*(np.sort(layer(rows), axis=0) for rows in (X, X[::-1])))


ORDER = (
    "The items are shuffled, and the outputs compared. That tells whether the layer knows of "
    "order: a causal one does, attention without a mask does not. Keep the order, change what "
    "comes later, and look at the outputs before it."
)
LAST = (
    "The last item is never changed alone, so what the output before it sees of it is not found: "
    "range(1, n) ends with n - 1, and range(1, n - 1) one too early."
)


EXERCISE = Exercise(
    signature="looks_ahead(layer, X)",
    task="Write looks_ahead(layer, X): True if some output of the layer, a function that takes n "
    "items and returns n rows, depends on an item that comes later.",
    returns="a truth value",
    reference=looks_ahead,
    truth=True,
    cases=(
        Case("a layer that looks at everything", (attention, *draw((3, 2)))),
        Case("a causal layer", (causal_attention, *draw((4, 2)))),
        Case("each item alone", (each_alone, *draw((4, 3)))),
        Case("a look back", (the_one_before, *draw((5, 2)))),
        Case("running means", (running_mean, *draw((5, 3)))),
        Case("one item ahead", (off_by_one, *draw((6, 2)))),
        Case("a leak through the sum", (zeroed_after_softmax, *draw((6, 3)))),
        Case("later items only", (backwards, *draw((5, 4)))),
        Case("one output that sees the next item", (middle_sees_the_next, *draw((7, 2)))),
        Case("one output that sees two ahead", (third_sees_the_fifth, *draw((7, 3)))),
        Case("one output that sees the last item", (second_sees_the_last, *draw((8, 3)))),
        Case("the first output alone", (first_sees_the_second, *draw((4, 4)))),
        Case("the last output but one", (fifth_sees_the_sixth, *draw((6, 4)))),
        Case("a leak that adds up to nothing", (given_and_taken, *draw((8, 2)))),
        Case("a leak between normalised items", (normalised_before, *draw((5, 5))), rare=True),
    ),
    mistakes=(
        Mistake(
            "all_outputs",
            _if_changed(_other, lambda rows: rows),
            "This says True of every layer. Either outputs of the changed items themselves, or "
            "later ones, are compared, and these may move; or changes pile up, as X itself is "
            "changed and stays so. Change a copy each time, and compare only the outputs before "
            "the change.",
        ),
        Mistake(
            "own_output",
            _own_output,
            "One output too many is compared, that of the first changed item itself. An output may "
            "depend on its own item. If the items from t on are changed, compare outputs[:t].",
        ),
        Mistake(
            "never",
            lambda layer, X: False,
            "This says False of every layer. Are the items really changed, and the outputs "
            "computed again? A very small change, such as 1e-7, moves the outputs by less than "
            "np.allclose notices: change an item by about 1.",
        ),
        Mistake(
            "shifted",
            _shifted,
            "All components of an item are shifted by the same amount. A layer that first "
            "subtracts the mean of each item does not feel that, and its leak is not found. "
            "Change each component by a different amount.",
        ),
        Mistake(
            "last_item_only",
            _if_changed(_but(-1), lambda rows: rows[:-1]),
            "Only the last item is changed. An output in the middle that sees the next item, and "
            "no further, does not move then. Try each place.",
        ),
        Mistake(
            "first_output_only",
            _if_changed(_but(slice(1, None)), lambda rows: rows[0]),
            "Only the first output is compared. It may be causal, and another not: compare all "
            "outputs before the change.",
        ),
        Mistake(
            "one_cut_only",
            lambda layer, X: _if_changed(
                _but(slice(len(X) // 2, None)), lambda rows: rows[: len(X) // 2]
            )(layer, X),
            "There is a single cut, in the middle: outputs before it, changed items after it. An "
            "output after the middle may see ahead as well, or one before it no further than the "
            "middle. Cut at each place.",
        ),
        Mistake(
            "first_cut_missing",
            _at(slice(1, None)),
            "The second item is never changed, so what the first output sees of it is not found. "
            "It is X[1]: range(1, n), not range(2, n).",
        ),
        Mistake("last_cut_missing", _at(slice(-1)), LAST),
        Mistake("last_item_missing", _at(slice(-1), one=True), LAST),
        Mistake(
            "next_item_only",
            _next_only,
            "Only the very next item is changed. An output may see one that comes later still: "
            "change all that come later.",
        ),
        Mistake(
            "sums",
            _summed,
            "Sums or means of outputs are compared. What one output gains another may lose. "
            "Compare them row by row.",
        ),
        Mistake(
            "earlier_changed",
            _earlier_changed,
            "Earlier items are changed, and later outputs compared: that is looking back, which "
            "is allowed. Change the later items and compare the earlier outputs.",
        ),
        Mistake("shuffled", _shuffled, ORDER),
        Mistake(
            "sets_compared",
            _shuffled_and_sorted,
            "The items are shuffled, and the outputs compared as a set, in whatever order. "
            "That says nothing of who sees whom: keep the order, change what comes later, and look "
            "at the outputs before it.",
        ),
    ),
    definition="It should be True exactly where some output changes when only later items change.",
    general="Print, for each place t, which outputs move when the items from t on are others. An "
    "output before t that moves has looked ahead.",
    why="Nothing about the inside of the layer was needed: what an output depends on is what "
    "moves it. Leaving out what comes later does it as well: compare layer(X[:t]) with "
    "layer(X)[:t], for each t.",
)
