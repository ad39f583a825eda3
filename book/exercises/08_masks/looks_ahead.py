"""Whether a layer looks ahead: what moves when later items are changed."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def looks_ahead(layer, X):
    """Whether some output moves when only items after it are changed."""
    return any(moved(layer, X, np.s_[t:], np.s_[:t]) for t in range(1, len(X)))


def moved(layer, X, items, outputs):
    """Whether these outputs are others when these items are."""
    return not np.allclose(layer(changed(X, items))[outputs], layer(X)[outputs])


def changed(X, items):
    X = X.copy()
    X[items] = other(X[items])
    return X


def other(rows):
    return 1.5 - 2 * rows


def attention(X):
    return softmax(X @ X.T) @ X


def causal_attention(X):
    return softmax(np.where(lower(len(X)), X @ X.T, -np.inf)) @ X


def zeroed_after_softmax(X):
    return softmax(X @ X.T) * lower(len(X)) @ X


def off_by_one(X):
    return softmax(np.where(lower(len(X), 1), X @ X.T, -np.inf)) @ X


def running_mean(X):
    return np.cumsum(X, axis=0) / np.arange(1, len(X) + 1)[:, None]


def the_one_before(X):
    return np.concatenate([0 * X[:1], X[:-1]])


def each_alone(X):
    return np.tanh(X)[:, :1]


def backwards(X):
    return causal_attention(X[::-1])[::-1]


def first_sees_the_second(X):
    return leaking(X, 0, 1)


def middle_sees_the_next(X):
    return leaking(X, len(X) // 2, len(X) // 2 + 1)


def third_sees_the_fifth(X):
    return leaking(X, 2, 4)


def second_sees_the_last(X):
    return leaking(X, 1, len(X) - 1, 0)


def fifth_sees_the_sixth(X):
    """The last output but one of six; of fewer items it is causal."""
    return leaking(X, 4, 5)


def gained_and_lost(X):
    output, late = running_mean(X), 0.1 * X[-1, 0]
    output[:1, :2] += [late, -late]
    output[1:2, :2] -= [late, -late]
    return output


def normalised_before(X):
    """Attention to all items, each of them centred and scaled: no shift of an item is felt."""
    centred = X - X.mean(axis=1, keepdims=True)
    return attention(centred / (0.1 + X.std(axis=1, keepdims=True)))


def leaking(X, i, j, component=-1):
    """Running means, and a little of item j in one component of output i."""
    output = running_mean(X)
    if 0 <= i < j < len(X):
        output[i, component] += 0.1 * X[j, component]
    return output


def lower(n, k=0):
    return np.tri(n, k=k, dtype=bool)


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
    Case("a leak that adds up to nothing", (gained_and_lost, *draw((8, 2)))),
    Case("a leak between normalised items", (normalised_before, *draw((5, 5))), rare=True),
)
