"""Causal linear attention by running sums that fade."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def causal_linear(phi_q, phi_k, V, decay):
    """Let both sums fade, add the newest key, then answer."""
    above, below, answers = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        above, below = decay * above + np.outer(k, v), decay * below + k
        answers.append((q @ above) / (q @ below))
    return np.array(answers)


def _faded(n, decay):
    """How much key j weighs in answer i for its age, i - j; a later key as if it were new."""
    age = np.subtract.outer(np.arange(n), np.arange(n))
    return decay ** np.maximum(age, 0)


def _past(n, decay):
    return np.tril(_faded(n, decay))


def _weighted(over=_past, under=None):
    """causal_linear with other factors above, or above and below, the line."""

    def linear(phi_q, phi_k, V, decay):
        n, products = len(V), phi_q @ phi_k.T
        upper, lower = (products * factor(n, decay) for factor in (over, under or over))
        return upper @ V / lower.sum(axis=1, keepdims=True)

    return linear


def _not_faded(n, decay):
    return np.tri(n)


def _own_only(n, decay):
    return np.eye(n)


def _without_own(n, decay):
    return np.tril(_faded(n, decay), -1) / decay


def _undivided(phi_q, phi_k, V, decay):
    return phi_q @ phi_k.T * _past(len(V), decay) @ V


def _answered_first(phi_q, phi_k, V, decay):
    """Answer before the newest key is added, and 0 where there is none yet."""
    weights = phi_q @ phi_k.T * _without_own(len(V), decay)
    below = weights.sum(axis=1, keepdims=True)
    return np.divide(weights @ V, below, out=np.zeros_like(V), where=below > 0)


def _divided_by_count(phi_q, phi_k, V, decay):
    return _undivided(phi_q, phi_k, V, decay) / np.arange(1, len(V) + 1)[:, None]


def _divided_by_keys(phi_q, phi_k, V, decay):
    return _undivided(phi_q, phi_k, V, decay) / (_past(len(V), decay) @ phi_k.sum(axis=1))[:, None]


def _one_number_below(phi_q, phi_k, V, decay):
    """The sum that divides taken over all features, and the query's as well."""
    return _divided_by_keys(phi_q, phi_k, V, decay) / phi_q.sum(axis=1, keepdims=True)


def _quotient_first(phi_q, phi_k, V, decay):
    """One sum divided by the other, feature by feature, and the query after."""
    above, below, answers = 0, 0, []
    for q, k, v in zip(phi_q, phi_k, V):
        above, below = decay * above + np.outer(k, v), decay * below + k
        answers.append(q @ (above / below[:, None]))
    return np.array(answers)


def _from_the_first(phi_q, phi_k, V, decay):
    """Each key made larger by its position, in place of all before it smaller."""
    growth = np.float64(decay) ** -np.arange(len(V))
    return causal_linear(phi_q, phi_k * growth[:, None], V, 1)


def _backwards(phi_q, phi_k, V, decay):
    return causal_linear(phi_q[::-1], phi_k[::-1], V[::-1], decay)[::-1]


def _given(n, r, d_v, decay):
    phi_q, phi_k, V = draw((n, r), (n, r), (n, d_v))
    return np.abs(phi_q) + 0.25, np.abs(phi_k) + 0.5, V, decay


EXERCISE = Exercise(
    signature="causal_linear(phi_q, phi_k, V, decay)",
    task="Write causal_linear(phi_q, phi_k, V, decay): causal linear attention that fades. phi_q "
    "and phi_k are features of shape (n, r), V values of shape (n, d_v). Before a key is added, "
    "all that was summed before is multiplied by decay; the query asks its own key, too.",
    returns="an array of shape (n, d_v)",
    reference=causal_linear,
    own=True,
    cases=(
        Case(
            "two items, one feature",
            (np.array([[1.0], [1]]), np.array([[2.0], [3]]), np.array([[0.0], [8]]), 0.5),
        ),
        Case("three items, two features", _given(3, 2, 1, 0.5)),
        Case("more features than items", _given(3, 5, 2, 0.8)),
        Case("more items than features", _given(7, 3, 4, 0.9)),
        Case("nothing fades", _given(5, 2, 3, 1.0)),
        Case(
            "a single item", (np.array([[2.0, 1]]), np.array([[1.0, 4]]), np.array([[7.0, 3]]), 0.5)
        ),
        Case("nothing stays", _given(4, 2, 2, 0.0), rare=True),
        Case("a long text", _given(1100, 2, 1, 0.5), rare=True),
    ),
    mistakes=(
        Mistake(
            "no_decay",
            _weighted(_not_faded),
            "Nothing fades: all keys so far count alike, however long ago they came. Multiply what "
            "was summed before, not the newest key.",
        ),
        Mistake(
            "above_alone_fades",
            _weighted(_past, _not_faded),
            "Only the sum of features times values fades. What divides has to fade with it, or the "
            "weights do not sum to 1.",
        ),
        Mistake(
            "below_alone_fades",
            _weighted(_not_faded, _past),
            "Only the sum that divides fades. The sum of features times values has to fade with "
            "it, or the weights do not sum to 1.",
        ),
        Mistake(
            "the_newest_fades",
            _weighted(lambda n, decay: np.tri(n) * decay ** np.arange(n)),
            "Key j is multiplied by decay to the power j: the newest fades, and the oldest stays. "
            "It is the age of a key that counts, i - j.",
        ),
        Mistake(
            "moving_average",
            lambda phi_q, phi_k, V, decay: (
                causal_linear(phi_q, phi_k, V, decay) * (np.nan if decay == 1 else 1)
            ),
            "The newest key is multiplied by 1 - decay. Above and below the line that cancels, but "
            "with decay = 1 no key is ever added, and 0/0 is left. Add it as it is.",
        ),
        Mistake(
            "the_newest_fades_too",
            lambda phi_q, phi_k, V, decay: (
                causal_linear(phi_q, phi_k, V, decay) * (1 if decay else np.nan)
            ),
            "The newest key fades with the others. Above and below the line that cancels, but with "
            "decay = 0 no key is left, and 0/0 comes out. Let fade first, then add.",
        ),
        Mistake(
            "from_the_first_key",
            _from_the_first,
            "Fading is measured from the first key: key j is multiplied by decay ** -j, which in a "
            "long text overflows. Measure from the newest: multiply what was summed before.",
        ),
        Mistake(
            "what_is_lost",
            lambda phi_q, phi_k, V, decay: causal_linear(phi_q, phi_k, V, 1 - decay),
            "What was summed before is multiplied by 1 - decay. That is the part that is lost; "
            "decay is the part that stays.",
        ),
        Mistake(
            "features_of_features",
            lambda phi_q, phi_k, V, decay: causal_linear(phi_q + 1, phi_k + 1, V, decay),
            "Elu + 1 is taken again, or 1 is added. What comes in are features already.",
        ),
        Mistake(
            "future_included",
            _weighted(_faded),
            "Every query asks all keys, later ones too. Let the sums run: add one key, answer one "
            "query, then add the next.",
        ),
        Mistake(
            "own_excluded",
            _weighted(_without_own),
            "A query does not ask its own key: it answers before the newest key is added. Then "
            "the first has nothing to divide by. Add first, then answer.",
        ),
        Mistake(
            "answered_first",
            _answered_first,
            "A query does not ask its own key: it answers before the newest key is added, and the "
            "first answer is 0. Add first, then answer.",
        ),
        Mistake(
            "future_below",
            _weighted(_past, _faded),
            "What divides is the sum over all keys, later ones too. It has to run as well: both "
            "sums stop at the query's own key.",
        ),
        Mistake(
            "future_above",
            _weighted(_faded, _past),
            "The sum of features times values is over all keys, later ones too; only the sum that "
            "divides runs. Both stop at the query's own key.",
        ),
        Mistake(
            "newest_key_only",
            _weighted(_own_only),
            "Each answer is the newest value. Are the sums made anew for each item, or do they run "
            "along the features? The items are axis 0.",
        ),
        Mistake(
            "sum_above_only",
            _weighted(_past, _own_only),
            "The sum of features times values runs, but what divides is the newest key alone. Both "
            "have to be summed.",
        ),
        Mistake(
            "queries_summed",
            lambda phi_q, phi_k, V, decay: causal_linear(phi_q, phi_q, V, decay),
            "The sums are of the queries' features. What runs along are the features of the keys, "
            "phi_k; the query only asks.",
        ),
        Mistake(
            "keys_ask",
            lambda phi_q, phi_k, V, decay: causal_linear(phi_k, phi_k, V, decay),
            "Keys are asked by keys: phi_q plays no part. The answers come from the features of "
            "the queries.",
        ),
        Mistake(
            "last_query_for_all",
            lambda phi_q, phi_k, V, decay: causal_linear(0 * phi_q + phi_q[-1], phi_k, V, decay),
            "All answers are those of the last query. Answer i is asked by phi_q[i].",
        ),
        Mistake(
            "quotient_first",
            _quotient_first,
            "One sum is divided by the other feature by feature, and the query comes after. The "
            "query meets each of the two sums first; then one number divides.",
        ),
        Mistake(
            "one_number_below",
            _one_number_below,
            "The sum that divides is a single number, over all features. It has one entry for each "
            "feature, and its product with the query's features divides.",
        ),
        Mistake(
            "not_divided",
            _undivided,
            "The answers are not divided. Beside the sum of features times values goes the sum of "
            "the features: the query with the first, over the query with the second.",
        ),
        Mistake(
            "divided_by_the_count",
            _divided_by_count,
            "The answers are divided by how many keys there are. What divides is the query's "
            "features times the sum of the keys' features, so that the weights sum to 1.",
        ),
        Mistake(
            "divided_without_the_query",
            _divided_by_keys,
            "What divides is the sum of the keys' features alone. The query belongs in it: its "
            "features times that sum.",
        ),
        Mistake(
            "backwards",
            _backwards,
            "The sums run from the last item to the first, so each query asks the keys from its "
            "own to the end.",
        ),
        Mistake(
            "mean_so_far",
            lambda phi_q, phi_k, V, decay: causal_linear(0 * phi_q + 1, 0 * phi_k + 1, V, decay),
            "This is a mean of the values so far: queries and keys play no part. Each value weighs "
            "as much as the product of its key's features with the query's, faded by its age.",
        ),
    ),
    properties=(
        inside(
            lambda phi_q, phi_k, V, decay: np.minimum.accumulate(V, axis=0),
            lambda phi_q, phi_k, V, decay: np.maximum.accumulate(V, axis=0),
            "the range of the values so far",
        ),
    ),
    definition="Key j should weigh decay ** (i - j) times the product of its features with those "
    "of query i, over the sum of these for all keys up to i.",
    general="The first answer is the first value, whatever the features are. Check it, then the "
    "second by hand: two products, the older one times decay, divided by their sum.",
    why="The two sums are as large for a thousand items as for one. A state that cannot grow makes "
    "room by forgetting: what came m items ago counts decay ** m.",
)
