"""The newest items, answered from a cache."""

import numpy as np

from attnlib import causal, scaled_dot_product_attention
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def cached_step(Q, K, V, K_old, V_old):
    """Attend to the old keys and the new ones, each new item to no later one."""
    return _attend(Q, _joined(K_old, K), _joined(V_old, V))


def _joined(old, new, axis=-2):
    return np.concatenate([old, new], axis=axis)


def _attend(Q, K, V, mask=causal):
    allowed = mask(Q.shape[-2], K.shape[-2]) if mask else None
    return scaled_dot_product_attention(Q, K, V, mask=allowed)[0]


def _masked(mask):
    """cached_step with another mask."""
    return lambda Q, K, V, K_old, V_old: _attend(Q, _joined(K_old, K), _joined(V_old, V), mask)


def _first_at_first(n_q, n_k):
    return np.tri(n_q, n_k, dtype=bool)


def _old_and_itself(n_q, n_k):
    own = np.arange(n_q)[:, None] + n_k - n_q
    return (np.arange(n_k) < n_k - n_q) | (np.arange(n_k) == own)


def _separately(share):
    """Old and new items attended to apart, and then added."""
    return lambda Q, K, V, K_old, V_old: share * (_attend(Q, K, V) + _attend(Q, K_old, V_old, None))


def _strictly(Q, K, V, K_old, V_old):
    mask = np.arange(K_old.shape[-2] + K.shape[-2]) < (
        np.arange(Q.shape[-2])[:, None] + K_old.shape[-2]
    )
    return scaled_dot_product_attention(Q, _joined(K_old, K), _joined(V_old, V), mask=mask)[0]


def _given(n_heads, n_new, n_old, d_k, d_v):
    new, old = (n_heads, n_new), (n_heads, n_old)
    return draw((*new, d_k), (*new, d_k), (*new, d_v), (*old, d_k), (*old, d_v))


SEPARATELY = (
    "Old and new items are attended to apart, and the two results put together. Each part then has "
    "a sum Z of its own. All keys of a query share one softmax: join them first."
)
NEW_ONLY = (
    "The new items attend to themselves alone: the cache plays no part. Put the new keys behind "
    "the old ones, and the new values behind the old values."
)


EXERCISE = Exercise(
    signature="cached_step(Q, K, V, K_old, V_old)",
    task="Write cached_step(Q, K, V, K_old, V_old): the outputs of the newest items, from their "
    "own queries, keys and values and from the keys and values of all items before, which were "
    "kept, if there are any. Several may be new at once: each sees itself and the ones before "
    "it, but none that comes later. Scores are divided by the square root of d_k.",
    returns="an array of shape (n_heads, n_new, d_v)",
    reference=cached_step,
    cases=(
        Case("one old item and one new", _given(1, 1, 1, 2, 2)),
        Case("two new items, one head", _given(1, 2, 1, 2, 2)),
        Case("one new item", _given(2, 1, 3, 4, 3)),
        Case("several new items", _given(2, 3, 2, 4, 5)),
        Case("an empty cache", _given(1, 2, 0, 3, 2)),
    ),
    mistakes=(
        Mistake(
            "appended_to_the_heads",
            lambda Q, K, V, K_old, V_old: _attend(Q, _joined(K_old, K, 0), _joined(V_old, V, 0)),
            "The new keys and values are appended along the first axis, as if they were more "
            "heads. Items are the last axis but one, axis=-2.",
        ),
        Mistake(
            "new_in_front",
            lambda Q, K, V, K_old, V_old: _attend(Q, _joined(K, K_old), _joined(V, V_old)),
            "The new keys and values stand in front of the old ones. For a single new item the "
            "order makes no difference; for several it does, as the mask counts places: the last "
            "query is the last key.",
        ),
        Mistake(
            "values_in_another_order",
            lambda Q, K, V, K_old, V_old: _attend(Q, _joined(K_old, K), _joined(V, V_old)),
            "The new keys stand behind the old ones, and the new values in front of theirs. A "
            "weight belongs to a place: key and value of an item need the same one.",
        ),
        Mistake(
            "keys_in_another_order",
            lambda Q, K, V, K_old, V_old: _attend(Q, _joined(K, K_old), _joined(V_old, V)),
            "The new values stand behind the old ones, and the new keys in front of theirs. A "
            "weight belongs to a place: key and value of an item need the same one.",
        ),
        Mistake(
            "old_only",
            lambda Q, K, V, K_old, V_old: _attend(Q, K_old, V_old, None),
            "The new items attend to the old ones only. Each sees itself too, and the new ones "
            "before it.",
        ),
        Mistake(
            "old_and_itself",
            _masked(_old_and_itself),
            "Each new item sees the old ones and itself, but not the new ones before it. Those "
            "come earlier, too: the mask forbids only what comes later.",
        ),
        Mistake(
            "own_forbidden",
            _strictly,
            "The new items do not see themselves. The mask forbids what comes later; an item's own "
            "key is allowed.",
        ),
        Mistake("new_only", lambda Q, K, V, *old: _attend(Q, K, V), NEW_ONLY),
        Mistake("new_only_and_no_mask", lambda Q, K, V, *old: _attend(Q, K, V, None), NEW_ONLY),
        Mistake(
            "no_mask",
            _masked(None),
            "There is no mask. For a single new item none is needed, as nothing comes later; of "
            "several the first must not see the others.",
        ),
        Mistake(
            "first_query_at_the_first_key",
            _masked(_first_at_first),
            "The mask takes the first query for the first item of all. It stands behind the old "
            "ones: query i is item n_old + i, and sees that many keys and one more.",
        ),
        Mistake(
            "inverted",
            _masked(lambda n_q, n_k: ~_first_at_first(n_q, n_k)),
            "The mask lets queries see what it should hide. True means that a query may attend, "
            "and query i stands at key n_old + i.",
        ),
        Mistake("two_sums_added", _separately(1), SEPARATELY),
        Mistake("two_sums_averaged", _separately(0.5), SEPARATELY),
        Mistake(
            "last_only",
            lambda *given: cached_step(*given)[..., -1:, :],
            "Only the last item is answered. Several may be new at once, and each has an output.",
        ),
        Mistake(
            "weights",
            lambda Q, K, V, K_old, V_old: scaled_dot_product_attention(
                Q,
                _joined(K_old, K),
                _joined(V_old, V),
                mask=causal(Q.shape[-2], K.shape[-2] + K_old.shape[-2]),
            )[1],
            "These are the weights. scaled_dot_product_attention returns a pair, output and "
            "weights: take the first.",
        ),
    ),
    properties=(
        inside(
            lambda Q, K, V, K_old, V_old: _joined(V_old, V).min(axis=-2, keepdims=True),
            lambda Q, K, V, K_old, V_old: _joined(V_old, V).max(axis=-2, keepdims=True),
            "the range of all values, old and new",
        ),
    ),
    definition="It should be what the last rows of one causal pass over all items give.",
    general="Do it in one pass first: all keys and values in their order, a causal mask for all "
    "items, and of the outputs the last n_new rows. Compare stage by stage.",
    why="Old outputs are not computed again, and old queries are not needed: all that later "
    "steps need from an old item is its key and its value.",
)
