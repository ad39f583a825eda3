"""Causal linear attention by running sums."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def causal_linear(phi_q, phi_k, V):
    """Add the newest key to two sums, then answer from them."""
    above = np.zeros((phi_k.shape[1], V.shape[1]))
    below = np.zeros(phi_k.shape[1])
    answers = np.zeros((len(phi_q), V.shape[1]))
    for i, (q, k, v) in enumerate(zip(phi_q, phi_k, V)):
        above, below = above + np.outer(k, v), below + k
        answers[i] = (q @ above) / (q @ below)
    return answers


def _table(phi_q, phi_k, over=None, under=None):
    """The products that are summed above and below the line, each with a mask of its own."""
    n = len(phi_q)
    past = np.tri(n, dtype=bool)
    products = phi_q @ phi_k.T
    return (np.where(past if mask is None else mask(past), products, 0) for mask in (over, under))


def _masked(over=None, under=None):
    """causal_linear with other masks above or below the line."""

    def linear(phi_q, phi_k, V):
        upper, lower = _table(phi_q, phi_k, over, under)
        return upper @ V / lower.sum(axis=1, keepdims=True)

    return linear


def _all(past):
    return np.ones_like(past)


def _without_own(past):
    return past & ~np.eye(len(past), dtype=bool)


def _too_far(past):
    return np.tri(len(past), k=1, dtype=bool)


def _own_only(past):
    return np.eye(len(past), dtype=bool)


def _undivided(phi_q, phi_k, V):
    upper, _ = _table(phi_q, phi_k)
    return upper @ V


def _softmax_of_products(phi_q, phi_k, V):
    products = phi_q @ phi_k.T
    powers = np.where(np.tri(len(products), dtype=bool), np.exp(products), 0)
    return powers @ V / powers.sum(axis=1, keepdims=True)


def _mean_so_far(phi_q, phi_k, V):
    return np.cumsum(V, axis=0) / np.arange(1, len(V) + 1)[:, None]


def _divided_by_count(phi_q, phi_k, V):
    return _undivided(phi_q, phi_k, V) / np.arange(1, len(V) + 1)[:, None]


def _divided_by_keys(phi_q, phi_k, V):
    below = np.cumsum(phi_k.sum(axis=1))[:, None]
    return _undivided(phi_q, phi_k, V) / below


def _divided_at_each_step(phi_q, phi_k, V):
    """The state is divided by its own sum before the next key comes."""
    above = np.zeros((phi_k.shape[1], V.shape[1]))
    below = np.zeros(phi_k.shape[1])
    answers = np.zeros((len(phi_q), V.shape[1]))
    for i, (q, k, v) in enumerate(zip(phi_q, phi_k, V)):
        above, below = above + np.outer(k, v), below + k
        answers[i] = q @ above / (q @ below)
        above, below = above / below.sum(), below / below.sum()
        below = np.zeros_like(below)
    return answers


def _backwards(phi_q, phi_k, V):
    return causal_linear(phi_q[::-1], phi_k[::-1], V[::-1])[::-1]


def _given(n, r, d_v):
    phi_q, phi_k, V = draw((n, r), (n, r), (n, d_v))
    return np.abs(phi_q) + 0.25, np.abs(phi_k) + 0.5, V


def _answer_first(phi_q, phi_k, V):
    """Answer before the newest key is added, and 0 where there is none yet."""
    upper, lower = _table(phi_q, phi_k, _without_own, _without_own)
    below = lower.sum(axis=1, keepdims=True)
    found = upper @ V
    return np.divide(found, below, out=np.zeros_like(found), where=below > 0)


def _of_queries(phi_q, phi_k, V):
    return causal_linear(phi_q, phi_q, V)


def _of_keys(phi_q, phi_k, V):
    return causal_linear(phi_k, phi_k, V)


def _last_query(phi_q, phi_k, V):
    return causal_linear(np.broadcast_to(phi_q[-1], phi_q.shape), phi_k, V)


def _one_number_below(phi_q, phi_k, V):
    below = np.cumsum(phi_k.sum(axis=1)) * phi_q.sum(axis=1)
    return _undivided(phi_q, phi_k, V) / below[:, None]


def _newest_above(phi_q, phi_k, V):
    return _masked(_own_only)(phi_q, phi_k, V)


NOT_DIVIDED = (
    "The answers are not divided. Beside the sum of features times values goes the sum of the "
    "features: the query with the first, over the query with the second."
)

EXERCISE = Exercise(
    signature="causal_linear(phi_q, phi_k, V)",
    task="Write causal_linear(phi_q, phi_k, V): causal linear attention for features of queries "
    "and keys, shape (n, r), and values, shape (n, d_v). The weights of a query are in proportion "
    "to the products of its features with those of the keys up to its own, that one included.",
    returns="an array of shape (n, d_v)",
    reference=causal_linear,
    own=True,
    cases=(
        Case(
            "two items, one feature",
            (np.array([[1.0], [1]]), np.array([[1.0], [3]]), np.array([[0.0], [8]])),
        ),
        Case("three items, two features", _given(3, 2, 1)),
        Case("more features than items", _given(3, 5, 2)),
        Case("more items than features", _given(7, 3, 4)),
        Case("a single item", (np.array([[2.0, 1]]), np.array([[1.0, 4]]), np.array([[7.0, 3]]))),
    ),
    mistakes=(
        Mistake(
            "future_included",
            _masked(_all, _all),
            "Every query asks all keys, later ones too. Let the sums run: add one key, answer one "
            "query, then add the next.",
        ),
        Mistake(
            "own_excluded",
            _masked(_without_own, _without_own),
            "A query does not ask its own key: it answers before the newest key is added. Then "
            "the first has nothing to divide by. Add first, then answer.",
        ),
        Mistake(
            "own_excluded_above",
            _masked(_without_own),
            "A query's own key is missing in the sum of features times values, but not in the sum "
            "that divides. Add to both before you answer.",
        ),
        Mistake(
            "own_excluded_below",
            _masked(None, _without_own),
            "A query's own key is missing in the sum that divides. Add to both before you answer.",
        ),
        Mistake(
            "one_too_far",
            _masked(_too_far, _too_far),
            "A query asks the key after its own as well. Answer i comes from the keys up to i.",
        ),
        Mistake(
            "future_below",
            _masked(None, _all),
            "What divides is the sum over all keys, later ones too. It has to run as well: both "
            "sums stop at the query's own key.",
        ),
        Mistake(
            "future_above",
            _masked(_all),
            "The sum of features times values is over all keys, later ones too; only the sum that "
            "divides runs. Both stop at the query's own key.",
        ),
        Mistake(
            "newest_key_only",
            _masked(_own_only, _own_only),
            "Each answer is the newest value: the sums are made anew for each item. Keep them, and "
            "add to them.",
        ),
        Mistake(
            "sum_above_only",
            _masked(None, _own_only),
            "The sum of features times values runs, but what divides is the newest key alone. Both "
            "have to be summed.",
        ),
        Mistake(
            "newest_above_only",
            _newest_above,
            "What divides is summed, but above the line stands the newest key alone. Both have to "
            "be summed.",
        ),
        Mistake(
            "answered_first",
            _answer_first,
            "A query does not ask its own key: it answers before the newest key is added, and the "
            "first answer is 0. Add first, then answer.",
        ),
        Mistake(
            "queries_summed",
            _of_queries,
            "The sums are of the queries' features. What runs along are the features of the keys, "
            "phi_k; the query only asks.",
        ),
        Mistake(
            "keys_ask",
            _of_keys,
            "Keys are asked by keys: phi_q plays no part. The answers come from the features of "
            "the queries.",
        ),
        Mistake(
            "last_query_for_all",
            _last_query,
            "All answers are those of the last query. Answer i is asked by phi_q[i].",
        ),
        Mistake(
            "one_number_below",
            _one_number_below,
            "The sum that divides is a single number, over all features. It has one entry for each "
            "feature, and its product with the query's features divides.",
        ),
        Mistake("not_divided", _undivided, NOT_DIVIDED),
        Mistake(
            "divided_by_the_count",
            _divided_by_count,
            "The answers are divided by how many keys there are. What divides is the query's "
            "features times the sum of the keys' features, so that the weights sum to 1.",
        ),
        Mistake(
            "divided_without_the_query",
            _divided_by_keys,
            "What divides is the sum of the keys' features alone. The query belongs into it: its "
            "features times that sum.",
        ),
        Mistake(
            "sum_forgotten",
            _divided_at_each_step,
            "What was summed is divided, and the next key is added to that. Keep both sums as they "
            "are; only the answer is a quotient.",
        ),
        Mistake(
            "backwards",
            _backwards,
            "The sums run from the last item to the first, so each query asks the keys from its "
            "own to the end.",
        ),
        Mistake(
            "exponentials",
            _softmax_of_products,
            "This takes the exponential of the products, as softmax does. Features are products "
            "already: the weights are in proportion to them as they are.",
        ),
        Mistake(
            "mean_so_far",
            _mean_so_far,
            "This is the mean of the values so far: queries and keys play no part. Each value "
            "weighs as much as the product of its key's features with the query's.",
        ),
    ),
    properties=(
        inside(
            lambda phi_q, phi_k, V: np.minimum.accumulate(V, axis=0),
            lambda phi_q, phi_k, V: np.maximum.accumulate(V, axis=0),
            "the range of the values so far",
        ),
    ),
    definition="Each answer should be a weighted mean of the values so far, with weights in "
    "proportion to the products of features.",
    general="The first answer is the first value, whatever the features are. Check it, then the "
    "second by hand: two products, divided by their sum.",
    why="The two sums are all that is kept of the past. They are the state of a recurrent network, "
    "and as large for a thousand items as for one.",
)
