"""Whether a layer's answers know the places of the items, and only these, by two tests."""

from itertools import combinations

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def positions_arrive(layer, X):
    """Whether equal items at any two places differ, and equal texts agree."""
    return texts_agree(layer, X) and items_differ(layer, X)


def pairs(n):
    return list(combinations(range(n), 2))


def copied(X, i, j):
    """X with item j at place i, too, in every text."""
    X = X.copy()
    X[:, i] = X[:, j]
    return X


def places(layer, X, chosen):
    """Whether an item at two places has two answers in each text, for some pairs of places."""
    answers = [(layer(copied(X, i, j)), i, j) for i, j in chosen]
    return not any(np.isclose(Y[:, i], Y[:, j]).all(axis=-1).any() for Y, i, j in answers)


def items_differ(layer, X):
    return places(layer, X, pairs(X.shape[1]))


def texts_agree(layer, X):
    """Whether a batch of equal texts gets equal answers."""
    Y = layer(np.repeat(X[:1], len(X), axis=0))
    return np.allclose(Y, Y[:1])


def exactly(layer, X):
    Y = layer(np.repeat(X[:1], len(X), axis=0))
    return (Y == Y[:1]).all() and items_differ(layer, X)


def first_two(layer, X):
    """Whether the first two of equal texts agree."""
    Y = layer(np.repeat(X[:1], len(X), axis=0))
    return np.allclose(Y[:2], Y[:1])


def all_equal_differ(layer, X):
    Y = layer(np.repeat(X[:, :1], X.shape[1], axis=1))
    return not np.allclose(Y[:, 0], Y[:, 1])


OMEGAS = np.array([1.0, 0.1])
W_Q, W_K = (W / 3 for W in draw((4, 4), (4, 4)))  # no weight comes near 1


def described(t):
    """Sinusoids of base 100, four numbers for each position."""
    angles = np.multiply.outer(t, OMEGAS)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*np.shape(t), 4)


def turned(X):
    hands = X[..., ::2] + 1j * X[..., 1::2]
    hands = hands * np.exp(1j * np.arange(X.shape[-2])[:, None] * OMEGAS)
    return np.stack([hands.real, hands.imag], axis=-1).reshape(X.shape)


def attended(X, turn=lambda X: X, bias=0.0):
    scores = turn(X @ W_Q) @ turn(X @ W_K).swapaxes(-1, -2) / 2 + bias
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ X


def by_place(X):
    return described(np.arange(X.shape[1]))


def by_text(X):
    return described(np.arange(X.shape[0]))[:, None]


def counted_on(X):
    return described(np.arange(X.shape[0] * X.shape[1])).reshape(X.shape)


def mark(X, number, axis):
    """1 for one text (axis 0) or one place (axis 1), 0 for the others."""
    chosen = np.arange(X.shape[axis]) == number % X.shape[axis]
    return np.expand_dims(chosen, (1, 2) if axis == 0 else (0, 2))


def shifts(X):
    t = np.arange(X.shape[1])
    return t - t[:, None]


def rounded_by_text(X):
    """Answers that differ from text to text in their last digits."""
    return attended(X + by_place(X)) * (1 + 1e-14 * np.arange(X.shape[0])[:, None, None])


#: What a layer does with positions, in the words of a reply.
LAYERS = {
    "adds P[:n], the same in all texts": lambda X: attended(X + by_place(X)),
    "adds nothing": attended,
    "adds P[:b], a row for each text": lambda X: attended(X + by_text(X)),
    "adds P[:b * n], counting on from text to text": lambda X: attended(X + counted_on(X)),
    "turns queries and keys (rotary)": lambda X: attended(X, turned),
    "lowers scores by 0.5 a place, no mask": lambda X: attended(X, bias=-0.5 * abs(shifts(X))),
    "has a causal mask only": lambda X: attended(X, bias=np.where(shifts(X) > 0, -np.inf, 0.0)),
    "adds 1 at place 0": lambda X: attended(X + mark(X, 0, 1)),
    "adds 1 at the last place": lambda X: attended(X + mark(X, -1, 1)),
    "adds P[t % 2] at place t": lambda X: attended(X + by_place(X)[np.arange(X.shape[1]) % 2]),
    "adds P[t % 3] at place t": lambda X: attended(X + by_place(X)[np.arange(X.shape[1]) % 3]),
    "adds P[:n] from the last place to the first": lambda X: attended(X + by_place(X)[::-1]),
    "adds P[:n], and 1 in the last text": lambda X: attended(X + by_place(X) + mark(X, -1, 0)),
    "adds P[:n] in the first text only": lambda X: attended(X + by_place(X) * mark(X, 0, 0)),
    "adds P[:n] / 100": lambda X: attended(X + by_place(X) / 100),
    "adds P[:n], rounded another way in each text": rounded_by_text,
}


def named(words):
    """The layer, with a name that says what it does."""

    def layer(X):
        return LAYERS[words](np.asarray(X, dtype=float))

    layer.__name__ = words
    return layer


BATCHES = draw(*[(3, 4 + i % 3, 4) for i in range(len(LAYERS))])
CASES = tuple(Case(f"a layer that {words}", (named(words), X)) for words, X in zip(LAYERS, BATCHES))


def wrong_only_of(right, values, cases):
    """Whether the wrong answers are all about layers that pass, or all about others."""
    truths = [positions_arrive(*case.args) for case in cases]
    wrong = [truth for value, truth in zip(values, truths) if bool(value) != truth]
    return bool(wrong) and all(truth == right for truth in wrong)


def too_much(values, cases):
    return wrong_only_of(True, values, cases)


def too_few(values, cases):
    return wrong_only_of(False, values, cases)
