"""A test of equivariance that can fail."""

from itertools import permutations

import numpy as np

from attnlib import scaled_dot_product_attention, softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def _orders(X):
    return [list(order) for order in permutations(range(len(X)))]


def is_equivariant(f, X):
    """The rows in another order have the outputs in that order, for every order."""
    return all(np.allclose(f(X[order]), f(X)[order]) for order in _orders(X))


# The functions that are tested, all from (n, d) to (n, d).


def gives_back(X):
    return X


def attends(X):
    W_K, W_V = np.triu(np.ones((2, X.shape[1], X.shape[1])))
    return scaled_dot_product_attention(X, X @ W_K, X @ W_V.T)[0]


def attends_down_the_columns(X):
    return softmax(X @ X.T, axis=0) @ X


def mean_for_all(X):
    return np.repeat(X.mean(axis=0, keepdims=True), len(X), axis=0)


def sums_along_each_row(X):
    return np.cumsum(X, axis=1)


def adds_its_place(X):
    return X + np.arange(len(X))[:, None]


def subtracts_the_largest(X):
    return X - X.max(axis=0)


def sums_so_far(X):
    return np.cumsum(X, axis=0)


def sorts_each_column(X):
    return np.sort(X, axis=0)


def turns_round(X):
    return X[::-1]


def adds_the_row_before(X):
    return X + np.roll(X, 1, axis=0)


def adds_both_neighbours(X):
    return X + np.roll(X, 1, axis=0) + np.roll(X, -1, axis=0)


def subtracts_the_first(X):
    return X - X[:1]


def subtracts_the_last(X):
    return X - X[-1:]


def first_for_all(X):
    return np.repeat(X[:1], len(X), axis=0)


def moves_on(X):
    return np.roll(X, 1, axis=0)


def exchanges_the_first_two(X):
    return np.concatenate([X[:2][::-1], X[2:]])


def _cases(*given):
    """Functions, each with a kind and a number of rows, and rows of two numbers of their own."""
    drawn = (draw((n, 2), (place + 1,))[0] for place, (_, _, n) in enumerate(given))
    return tuple(Case(kind, (f, X)) for (f, kind, _), X in zip(given, drawn))


def _over(orders, compare=lambda f, X, order: np.allclose(f(X[order]), f(X)[order]), quantify=all):
    """is_equivariant with other orders, or with another comparison."""
    return lambda f, X: quantify(compare(f, X, list(order)) for order in orders(X))


def _turned(X):
    return [range(len(X))[::-1]]


def _rolled(X):
    return [np.roll(range(len(X)), k) for k in range(len(X))]


def _first_two(X):
    return [[1, 0, *range(2, len(X))]]


def _last_two(X):
    return [[*range(len(X) - 2), len(X) - 1, len(X) - 2]]


def _rows(Y):
    """The rows in an order that depends on nothing but their numbers."""
    return Y[np.lexsort(Y.round(9).T)]


def _columns(f, X):
    orders = (list(order) for order in permutations(range(X.shape[1])))
    return all(np.allclose(f(X[:, order]), f(X)[:, order]) for order in orders)


def _one_by_one(f, X):
    return all(np.allclose(f(X[i : i + 1]), f(X)[i : i + 1]) for i in range(len(X)))


def _share(f, X):
    """The share of the orders that agree."""
    return np.mean([np.allclose(f(X[order]), f(X)[order]) for order in _orders(X)])


def _too_few(values, cases):
    """Right of all that is equivariant, but more passes; no other mistake says the same."""
    given = [case.args for case in cases]
    said, wanted = [bool(v) for v in values], [is_equivariant(*args) for args in given]
    lenient = said != wanted and all(s for s, w in zip(said, wanted) if w)
    if not lenient or any(s for s, (f, _) in zip(said, given) if f is sorts_each_column):
        return False
    others = (m.answer for m in EXERCISE.mistakes if m.recognise is None)
    return not any([bool(other(*args)) for args in given] == said for other in others)


EXERCISE = Exercise(
    signature="is_equivariant(f, X)",
    task="Write is_equivariant(f, X): f is a function of n rows, at most 5, from (n, d) to "
    "(n, d). Return whether f, given the rows of X in another order, returns the same outputs in "
    "that order, for every order, up to rounding.",
    returns="True or False",
    reference=is_equivariant,
    truth=True,
    cases=(
        *_cases(
            (gives_back, "the rows as they are", 3),
            (attends, "self-attention", 3),
            (sorts_each_column, "a function that sorts", 3),
            (turns_round, "a function that turns the rows round", 3),
            (adds_its_place, "a function that counts places", 3),
            (sums_along_each_row, "each row for itself", 4),
            (adds_the_row_before, "a ring of neighbours", 4),
            (adds_both_neighbours, "a ring with both neighbours", 4),
            (subtracts_the_first, "rows minus the first", 4),
            (subtracts_the_last, "rows minus the last", 4),
            (subtracts_the_largest, "rows minus the largest of each column", 3),
            (sums_so_far, "sums of the rows so far", 3),
            (attends_down_the_columns, "softmax along the wrong axis", 4),
            (first_for_all, "the first row everywhere", 4),
            (moves_on, "rows that move on by one", 3),
            (exchanges_the_first_two, "the first two rows exchanged", 4),
        ),
        Case("the mean everywhere", (mean_for_all, np.array([[0.1], [0.2], [0.3]]))),
    ),
    mistakes=(
        Mistake(
            "invariance",
            _over(_orders, lambda f, X, order: np.allclose(f(X[order]), f(X))),
            "The outputs of the shuffled rows are compared with those of X, place by place. That "
            "asks whether f is invariant: whether order leaves no trace. Equivariant means that "
            "each row takes its output along: shuffle the outputs of X too, then compare.",
        ),
        Mistake(
            "as_sets",
            _over(_orders, lambda f, X, order: np.allclose(_rows(f(X[order])), _rows(f(X)))),
            "Only the outputs are looked at: whether the same rows come out, in whatever order. A "
            "function that sorts its rows, or turns them round, passes that. Each row has to get "
            "its own output: f(X[p]) against f(X)[p].",
        ),
        Mistake(
            "sums",
            _over(
                _orders,
                lambda f, X, order: np.allclose(f(X[order]).sum(axis=0), f(X).sum(axis=0)),
            ),
            "Sums or means of the outputs are compared, so that it does not count which row got "
            "what. Compare row by row: f(X[p]) against f(X)[p].",
        ),
        Mistake(
            "only_turned_round",
            _over(_turned),
            "Only one order is tried, that from the last row to the first. A function that turns "
            "its rows round passes, and so does one that looks at both neighbours. Try every "
            "order: itertools.permutations(range(len(X))).",
        ),
        Mistake(
            "only_moved_on",
            _over(_rolled),
            "The rows are only moved on, each by as many places, and the last ones to the front. "
            "A function of neighbours on a ring passes that. Try every order: "
            "itertools.permutations(range(len(X))).",
        ),
        Mistake(
            "only_the_first_two",
            _over(_first_two),
            "Only the first two rows swap places. What happens at the other places goes "
            "unnoticed. Try every order: itertools.permutations(range(len(X))).",
        ),
        Mistake(
            "only_the_last_two",
            _over(_last_two),
            "Only the last two rows swap places. What happens at the other places goes "
            "unnoticed. Try every order: itertools.permutations(range(len(X))).",
        ),
        Mistake(
            "one_drawn_order",
            _over(lambda X: [np.random.default_rng(0).permutation(len(X))]),
            "One order is not enough: some functions that are not equivariant pass here, and with "
            "another order, or another seed, others would. Try every order: "
            "itertools.permutations(range(len(X))).",
            recognise=_too_few,
        ),
        Mistake(
            "some_order",
            _over(lambda X: _orders(X)[1:], quantify=any),
            "One order that agrees is enough here: any stands where all belongs, or a loop returns "
            "True at the first order that agrees. One order that does not agree settles it.",
        ),
        Mistake(
            "shuffled_twice",
            _over(_orders, lambda f, X, order: np.allclose(f(X[order])[order], f(X))),
            "The outputs are to be put back, but X[p] is undone by another order: row i of "
            "X[p] is row p[i] of X. Shuffle the other side instead, f(X)[p], or put "
            "back with np.argsort(p).",
        ),
        Mistake(
            "outputs_shuffled",
            _over(_orders, lambda f, X, order: np.allclose(f(X)[order], f(X))),
            "The rows of X were never shuffled before f is called: outputs are compared with "
            "themselves in another order. Call f again, on X[p].",
        ),
        Mistake(
            "compared_with_X",
            _over(_orders, lambda f, X, order: np.allclose(f(X[order]), X[order])),
            "The outputs are compared with the rows that went in. Compare them with the outputs of "
            "X, in the same order: f(X)[p].",
        ),
        Mistake(
            "columns",
            _columns,
            "The columns of X are shuffled. The items are rows, axis 0: X[p].",
        ),
        Mistake(
            "one_by_one",
            _one_by_one,
            "Each row is given to f alone. That asks whether a row's output depends on the other "
            "rows, as it does in self-attention. Shuffle the rows, and give them to f together.",
        ),
        Mistake(
            "exactly",
            _over(_orders, lambda f, X, order: (f(X[order]) == f(X)[order]).all()),
            "The outputs are compared digit by digit. A sum in a different order is "
            "rounded differently: compare with np.allclose.",
        ),
        Mistake(
            "a_number",
            _share,
            "A number comes back, such as how many orders agree or how far the outputs differ. "
            "Wanted is True if every order agrees up to rounding, and else False.",
            recognise=lambda values, cases: any(value not in (0, 1) for value in values),
        ),
        Mistake(
            "always",
            lambda f, X: True,
            "Every function passes. Does the order that does nothing count among those tried, or "
            "are shapes compared, or X shuffled in both calls? A test has to be able to fail: try "
            "it on a function that adds its place.",
        ),
        Mistake(
            "never",
            lambda f, X: False,
            "No function passes, not even one that gives back the rows as they are. Write down "
            "which output belongs to which row, for three rows and the order [2, 0, 1].",
        ),
    ),
    definition="It should be True for a function that works on each row for itself, and False for "
    "one that sorts the rows.",
    general="Print f(X), and f of the rows in the order [2, 0, 1]. Which row of the second belongs "
    "to which row of the first?",
    why="Nothing in it is about attention: it tests whether any function of rows depends on their "
    "order. For an invariant function, compare with f(X) as it stands.",
)
