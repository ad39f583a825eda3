"""Whether a layer looks ahead, found out by changing what comes later."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
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


CASES = (
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
)
