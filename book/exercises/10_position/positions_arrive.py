"""Whether a layer's answers know the places of the items, and only these, by two tests."""

from functools import cache
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


def remembered(compute):
    """The function of a layer and X, computed once for each: many mistakes ask for the same."""
    known = {}

    def value(layer, X, *others):
        key = layer, X.shape, X.tobytes(), *others
        if key not in known:
            known[key] = compute(layer, X, *others)
        return known[key]

    return value


@remembered
def two_answers(layer, X, i, j):
    """The answers at two places that hold the same item, a row for each text."""
    Y = layer(copied(X, i, j))
    return Y[:, i], Y[:, j]


@remembered
def of_equal_texts(layer, X):
    return layer(np.repeat(X[:1], len(X), axis=0))


def near(a, b):
    """np.isclose, in less time."""
    return abs(a - b) <= 1e-8 + 1e-5 * abs(b)


def places(layer, X, chosen, equal=lambda a, b: near(a, b).all(axis=-1).any()):
    """Whether an item at two places has two answers in each text, for some pairs of places.

    ``equal`` says of the answers at two places, a row for each text, whether some are equal.
    """
    return not any(equal(*two_answers(layer, X, i, j)) for i, j in chosen)


def items_differ(layer, X):
    return places(layer, X, pairs(X.shape[1]))


def texts_agree(layer, X):
    """Whether a batch of equal texts gets equal answers."""
    Y = of_equal_texts(layer, X)
    return near(Y, Y[:1]).all()


def exactly(layer, X):
    Y = of_equal_texts(layer, X)
    return (Y == Y[:1]).all() and items_differ(layer, X)


def items_exactly(layer, X):
    exact = places(layer, X, pairs(X.shape[1]), lambda a, b: (a == b).all(axis=-1).any())
    return texts_agree(layer, X) and exact


def some_number(layer, X):
    """Two answers count as equal if some number is equal."""
    return places(layer, X, pairs(X.shape[1]), lambda a, b: near(a, b).any())


def whole_batch(layer, X):
    """Two answers count as equal if they are in all texts."""
    return places(layer, X, pairs(X.shape[1]), all_near)


def all_near(a, b):
    return near(a, b).all()


def in_text(number):
    """Two answers count as equal if they are in one text."""
    return lambda layer, X: places(
        layer, X, pairs(X.shape[1]), lambda a, b: near(a[number], b[number]).all()
    )


def roughly(layer, X, gap):
    """Two answers count as equal if they differ by less than a gap."""

    def few(a, b):
        return (abs(a - b).max(axis=-1) < gap).any()

    return places(layer, X, pairs(X.shape[1]), few)


def first_two(layer, X):
    """Whether the first two of equal texts agree."""
    Y = of_equal_texts(layer, X)
    return near(Y[:2], Y[:1]).all()


@remembered
def turned_round(layer, X):
    """Whether a text gets the same answers when the batch is in reverse order."""
    return all_near(layer(X[::-1])[::-1], layer(X))


@remembered
def before_and_after(layer, X):
    """Whether an item's answer changes when it is copied elsewhere: it always does."""
    Y = layer(X)
    return not any(all_near(two_answers(layer, X, i, j)[0], Y[:, j]) for i, j in pairs(X.shape[1]))


@remembered
def all_equal_differ(layer, X):
    Y = layer(np.repeat(X[:, :1], X.shape[1], axis=1))
    return not all_near(Y[:, 0], Y[:, 1])


@remembered
def piled(layer, X):
    """Copies pile up in one array."""
    Z = X.copy()
    for i, j in pairs(X.shape[1]):
        Z[:, i] = Z[:, j]
        Y = layer(Z)
        if near(Y[:, i], Y[:, j]).all(axis=-1).any():
            return False
    return True


@remembered
def in_order(layer, X, *order):
    """Whether items in another order get other answers."""
    return not all_near(layer(X[:, order]), layer(X)[:, order])


@remembered
def exchanged(layer, X):
    """Whether two items that change places get other answers."""
    n, before = X.shape[1], layer(X)
    for i, j in pairs(n):
        order = np.arange(n)
        order[[i, j]] = j, i
        after = layer(X[:, order])
        if near(after[:, i], before[:, j]).all(axis=-1).any():
            return False
    return True


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


def at(X, rows):
    """Which row each place gets: one for all texts."""
    return attended(X + by_place(X)[rows])


def positive(X):
    """1 for the texts whose numbers have a sum above 0."""
    return (X.sum(axis=(1, 2)) > 0)[:, None, None]


def rounded(X, axis):
    """Answers that differ from text to text (0) or place to place (1) in their last digits."""
    return 1 + 1e-14 * np.expand_dims(np.arange(X.shape[axis]), (1, 2) if axis == 0 else (0, 2))


def last_number(X):
    return np.arange(X.shape[1])[:, None] * (np.arange(X.shape[2]) == X.shape[2] - 1)


#: What a layer does with positions, in the words of a reply, by the kind of layer.
LAYERS = {
    "a row for each place": {
        "adds P[:n], the same in all texts": lambda X: at(X, np.arange(X.shape[1])),
    },
    "a layer without positions": {"adds nothing": attended},
    "a row for each text": {"adds P[:b], a row for each text": lambda X: attended(X + by_text(X))},
    "rows counted on from text to text": {
        "adds P[:b * n], counting on from text to text": lambda X: attended(X + counted_on(X)),
    },
    "positions in the scores": {
        "turns queries and keys (rotary)": lambda X: attended(X, turned),
        "lowers scores by 0.5 a place, no mask": lambda X: attended(X, bias=-0.5 * abs(shifts(X))),
    },
    "a causal mask alone": {
        "has a causal mask only": lambda X: attended(X, bias=np.where(shifts(X) > 0, -np.inf, 0.0)),
    },
    "places that share a row": {
        "adds 1 at place 0": lambda X: attended(X + mark(X, 0, 1)),
        "adds 1 at the last place": lambda X: attended(X + mark(X, -1, 1)),
        "adds P[t % 2] at place t": lambda X: at(X, np.arange(X.shape[1]) % 2),
        "adds P[t % 3] at place t": lambda X: at(X, np.arange(X.shape[1]) % 3),
        "adds P[t % (n - 1)] at place t": lambda X: at(X, np.arange(X.shape[1]) % (X.shape[1] - 1)),
        "adds P[t] at place t, but P[2] at place 3": lambda X: at(
            X, np.where(np.arange(X.shape[1]) == 3, 2, np.arange(X.shape[1]))
        ),
        "adds P[min(t, n - 2)] at place t": lambda X: at(
            X, np.minimum(np.arange(X.shape[1]), X.shape[1] - 2)
        ),
    },
    "rows from the last place to the first": {
        "adds P[:n] from the last place to the first": lambda X: attended(X + by_place(X)[::-1]),
    },
    "one text that gets something else": {
        "adds P[:n], and 1 in the last text": lambda X: attended(X + by_place(X) + mark(X, -1, 0)),
        "adds P[:n], and 1 in the middle text": lambda X: attended(X + by_place(X) + mark(X, 1, 0)),
        "adds P[:n] in the first text only": lambda X: attended(X + by_place(X) * mark(X, 0, 0)),
    },
    "texts without positions": {
        f"adds P[:n] to each text of positive sum (not text {b})": lambda X: attended(
            X + by_place(X) * positive(X)
        )
        for b in (1, 0, 2)
    },
    "answers that differ in one number": {
        "adds t to the last number of the answer at place t": lambda X: (
            attended(X) + last_number(X)
        ),
    },
    "small differences": {"adds P[:n] / 100": lambda X: attended(X + by_place(X) / 100)},
    "answers that differ by rounding": {
        "adds P[:n], rounded another way in each text": lambda X: (
            attended(X + by_place(X)) * rounded(X, 0)
        ),
        "adds nothing, rounded another way at each place": lambda X: attended(X) * rounded(X, 1),
    },
}


def named(words, compute):
    """The layer, with a name that says what it does."""

    def layer(X):
        X = np.asarray(X, dtype=float)
        if X.ndim != 3:
            raise ValueError(f"the layer takes an array of shape (b, n, d), not {X.shape}")
        return compute(X)

    layer.__name__ = words
    return layer


FLAT = [(kind, *layer) for kind, layers in LAYERS.items() for layer in layers.items()]
BATCHES = draw(*[(3, 5 + i % 2, 4) for i in range(len(FLAT))])


def signed(X, words):
    """The batch; where the layer looks at sums, one text is all negative, the others positive."""
    if "(not text" not in words:
        return X
    X = abs(X) + 0.1
    X[int(words[-2])] *= -1
    return X


CASES = tuple(
    Case(kind, (named(words, compute), signed(X, words)))
    for (kind, words, compute), X in zip(FLAT, BATCHES)
)


@cache
def truths():
    return {case.args[0].__name__: positions_arrive(*case.args) for case in CASES}


def wrong(values, cases):
    """Of which kinds of layers a wrong answer is given, and which truth these should have got."""
    told = [(bool(v), truths()[c.args[0].__name__], c.kind) for v, c in zip(values, cases)]
    faults = [(kind, truth) for value, truth, kind in told if value != truth]
    return {kind for kind, _ in faults}, {truth for _, truth in faults}


MASK, TEXTS, SCORES = "a causal mask alone", "texts without positions", "positions in the scores"
SMALL, ROUNDING = "small differences", "answers that differ by rounding"
CONFUSED = {MASK, "places that share a row"}


def any_pair_will_do(values, cases):
    """True of all layers that confuse places."""
    said = all(bool(v) for v, case in zip(values, cases) if case.kind in CONFUSED)
    return said and wrong(values, cases)[0] <= CONFUSED | {TEXTS}


def only_the_mask(values, cases):
    return wrong(values, cases)[0] == {MASK}


def not_all_pairs(values, cases):
    kinds = wrong(values, cases)[0]
    return kinds - {MASK} == CONFUSED - {MASK} and not any_pair_will_do(values, cases)


def pairs_and_texts(values, cases):
    kinds = wrong(values, cases)[0]
    both = kinds & CONFUSED and kinds - CONFUSED == {TEXTS}
    return bool(both) and not any_pair_will_do(values, cases)


def one_text_only(values, cases):
    return wrong(values, cases)[0] == {TEXTS}


def not_all_texts(values, cases):
    return wrong(values, cases)[0] == {"one text that gets something else"}


def too_few(values, cases):
    """True too often, in more ways than one."""
    kinds, truths = wrong(values, cases)
    return truths == {False} and len(kinds - CONFUSED - {TEXTS, ROUNDING}) > 0 < len(kinds) - 1


def hidden_in_scores(values, cases):
    """False of all layers with positions in the scores, and of hardly any other."""
    said = any(bool(v) for v, case in zip(values, cases) if case.kind == SCORES)
    return not said and wrong(values, cases)[0] <= {SCORES, SMALL}


def too_coarse(values, cases):
    return wrong(values, cases)[0] == {SMALL}


def one_number(values, cases):
    return wrong(values, cases)[0] == {"answers that differ in one number"}


def compared_exactly(values, cases):
    return wrong(values, cases)[0] == {ROUNDING}


def too_much(values, cases):
    """False too often, and not in one of the ways above."""
    truths = wrong(values, cases)[1]
    other = (hidden_in_scores, too_coarse, one_number, compared_exactly)
    return truths == {True} and not any(recognise(values, cases) for recognise in other)
