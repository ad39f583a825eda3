"""A block put together of given parts, with its norms before them or after the sums."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def run_block(X, attention, network, norm_1, norm_2, norm_first):
    """Two parts, each added to what it got."""
    if norm_first:
        A = X + attention(norm_1(X))
        return A + network(norm_2(A))
    A = norm_1(X + attention(X))
    return norm_2(A + network(A))


# Parts and norms, with names that say what they do. No norm leaves what it has normed as it is, as
# a layer norm with gain and bias does not: so one norm too many is seen.


def mean_of_all(X):
    return np.repeat(X.mean(axis=0, keepdims=True), len(X), axis=0)


def the_one_before(X):
    return np.concatenate([X[:1], X[:-1]])


def weighted_mean(X):
    return softmax(X @ X.T) @ X


def only_positive(X):
    return np.maximum(X, 0)


def squared(X):
    return X**2


def twice_minus_the_mean(X):
    return 2 * (X - X.mean(axis=-1, keepdims=True))


def to_length_three_minus_one(X):
    return 3 * X / np.sqrt((X**2).sum(axis=-1, keepdims=True)) - 1


def to_size_two_plus_one(X):
    # A row of zeros, which a wrong block may make, stays one.
    return 2 * X / np.maximum(abs(X).max(axis=-1, keepdims=True), 1e-9) + 1


def _before(first, second):
    """A block with the norm before that goes another way; after it is right."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if not norm_first:
            return run_block(X, attention, network, norm_1, norm_2, norm_first)
        A = first(X, attention, norm_1)
        return second(X, A, network, norm_2)

    return wrong


def _after(first, second):
    """A block with the norm after that goes another way; before it is right."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            return run_block(X, attention, network, norm_1, norm_2, norm_first)
        return second(first(X, attention, norm_1), network, norm_2)

    return wrong


def _both(sum_1, sum_2, once_more=0):
    """Both kinds of block with other sums: each takes what came and what the part brings."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        if norm_first:
            A = sum_1(X, attention(norm_1(X)))
            return sum_2(A, network(norm_2(A))) + once_more * X
        A = norm_1(sum_1(X, attention(X)))
        return norm_2(sum_2(A, network(A)) + once_more * X)

    return wrong


def _add(came, brought):
    return came + brought


def _brought(came, brought):
    return brought


def _network_reads_X(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return X + attention(norm_1(X)) + network(norm_2(X))
    return norm_2(norm_1(X + attention(X)) + network(X))


def _second_sum_with_X(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return X + network(norm_2(X + attention(norm_1(X))))
    A = norm_1(X + attention(X))
    return norm_2(X + network(A))


def _norm_of_what_is_brought(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, norm_first)
    A = X + norm_1(attention(X))
    return A + norm_2(network(A))


def _no_norms(X, attention, network, norm_1, norm_2, norm_first):
    A = X + attention(X)
    return A + network(A)


def _normed_twice(X, attention, network, norm_1, norm_2, norm_first):
    A = norm_1(X + attention(norm_1(X)))
    return norm_2(A + network(norm_2(A)))


def _norm_1_again(X, attention, network, norm_1, norm_2, norm_first):
    """What the network reads goes through norm_1 once more."""

    def normed(Z):
        return network(norm_1(Z))

    if norm_first:
        A = X + attention(norm_1(X))
        return A + network(norm_2(norm_1(A)))
    return run_block(X, attention, normed, norm_1, norm_2, False)


def _each_twice(X, attention, network, norm_1, norm_2, norm_first):
    def both(norm):
        return lambda Z: norm(norm(Z))

    return run_block(X, attention, network, both(norm_1), both(norm_2), norm_first)


def _in_parallel(of_network, after):
    """Both parts read X: with this norm before the network, with these after the sum."""

    def wrong(X, attention, network, norm_1, norm_2, norm_first):
        norms = {"1": norm_1, "2": norm_2}
        if norm_first:
            return X + attention(norm_1(X)) + network(norms[of_network](X))
        found = X + attention(X) + network(X)
        for name in after:
            found = norms[name](found)
        return found

    return wrong


def _network_reads_the_sum(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, True)
    total = X + attention(X)
    return norm_2(norm_1(total) + network(total))


def _last_norm_forgotten(X, attention, network, norm_1, norm_2, norm_first):
    if norm_first:
        return run_block(X, attention, network, norm_1, norm_2, norm_first)
    A = norm_1(X + attention(X))
    return A + network(A)


NETWORK_READS_X = (
    "The network reads X, as attention does. It comes second: it reads A, where attention's answer "
    "is in."
)

EXERCISE = Exercise(
    signature="run_block(X, attention, network, norm_1, norm_2, norm_first)",
    task="Write run_block(X, attention, network, norm_1, norm_2, norm_first): the output of a "
    "block whose parts and norms are given as functions of an array of items, with the norms "
    "before the parts if norm_first is true, after the sums if not.",
    returns="an array of the shape of X",
    reference=run_block,
    own=True,
    cases=(
        Case(
            "before, two items",
            (
                np.array([[1.0, 3.0], [2.0, -4.0]]),
                mean_of_all,
                only_positive,
                twice_minus_the_mean,
                to_size_two_plus_one,
                True,
            ),
        ),
        Case(
            "after, two items",
            (
                np.array([[3.0, 1.0], [-2.0, 5.0]]),
                the_one_before,
                squared,
                to_size_two_plus_one,
                twice_minus_the_mean,
                False,
            ),
        ),
        Case(
            "before",
            (
                *draw((3, 4)),
                weighted_mean,
                squared,
                to_length_three_minus_one,
                twice_minus_the_mean,
                True,
            ),
        ),
        Case(
            "after",
            (
                *draw((4, 3)),
                weighted_mean,
                only_positive,
                twice_minus_the_mean,
                to_length_three_minus_one,
                False,
            ),
        ),
    ),
    mistakes=(
        Mistake(
            "turned_round",
            lambda X, f, g, a, b, first: run_block(X, f, g, a, b, not first),
            "Before and after are confused. Before: each part reads normed items, and its answer "
            "is added to the items as they came. After: the sum is normed.",
        ),
        Mistake(
            "always_before",
            lambda X, f, g, a, b, first: run_block(X, f, g, a, b, True),
            "The norms always stand before. If norm_first is false, the parts read the items as "
            "they are, and each sum is normed.",
        ),
        Mistake(
            "always_after",
            lambda X, f, g, a, b, first: run_block(X, f, g, a, b, False),
            "The norms always stand after. If norm_first is true, the parts read normed items, and "
            "the sums stay as they are.",
        ),
        Mistake(
            "first_residual_left_out",
            _both(_brought, _add),
            "What attention brings takes the place of the items. It is added to them.",
        ),
        Mistake(
            "second_residual_left_out",
            _both(_add, _brought),
            "What the network brings takes the place of the items. It is added to them: A plus "
            "that.",
        ),
        Mistake(
            "no_residuals",
            _both(_brought, _brought),
            "Both residuals are left out. What a part brings is added to what came.",
        ),
        Mistake(
            "residual_from_the_normed",
            _before(
                lambda X, f, a: a(X) + f(a(X)),
                lambda X, A, g, b: b(A) + g(b(A)),
            ),
            "With the norm before, the normed items are in the sums. They are for the part alone; "
            "what it brings is added to the items as they came. Is X overwritten?",
        ),
        Mistake(
            "first_residual_from_the_normed",
            _before(lambda X, f, a: a(X) + f(a(X)), lambda X, A, g, b: A + g(b(A))),
            "In the first sum the normed items stand for X. They are for attention alone; what it "
            "brings is added to X itself.",
        ),
        Mistake(
            "second_residual_from_the_normed",
            _before(lambda X, f, a: X + f(a(X)), lambda X, A, g, b: b(A) + g(b(A))),
            "In the second sum the normed items stand for A. They are for the network alone; what "
            "it brings is added to A itself.",
        ),
        Mistake(
            "norm_2_forgotten_before",
            _before(lambda X, f, a: X + f(a(X)), lambda X, A, g, b: A + g(A)),
            "With the norm before, the network reads A as it is. It reads norm_2(A).",
        ),
        Mistake(
            "norm_1_forgotten_before",
            _before(lambda X, f, a: X + f(X), lambda X, A, g, b: A + g(b(A))),
            "With the norm before, attention reads X as it is. It reads norm_1(X).",
        ),
        Mistake(
            "norm_at_the_end",
            _before(lambda X, f, a: X + f(a(X)), lambda X, A, g, b: b(A + g(b(A)))),
            "With the norm before there is one more at the end. A stack of such blocks has one at "
            "its end; a block has none.",
        ),
        Mistake(
            "network_reads_X",
            _network_reads_X,
            NETWORK_READS_X,
        ),
        Mistake(
            "second_sum_with_X",
            _second_sum_with_X,
            "The second sum goes back to X, and what attention brought is lost from it. What the "
            "network brings is added to A.",
        ),
        Mistake(
            "network_first",
            lambda X, f, g, a, b, first: run_block(X, g, f, a, b, first),
            "The network comes first. Attention is first: the network then works on what each item "
            "has heard.",
        ),
        Mistake(
            "norms_exchanged",
            lambda X, f, g, a, b, first: run_block(X, f, g, b, a, first),
            "The norms are exchanged. norm_1 belongs to attention, norm_2 to the network.",
        ),
        Mistake(
            "norm_1_twice",
            lambda X, f, g, a, b, first: run_block(X, f, g, a, a, first),
            "The same norm_1 is used twice. Each part has a norm of its own, with its own numbers.",
        ),
        Mistake(
            "norm_2_twice",
            lambda X, f, g, a, b, first: run_block(X, f, g, b, b, first),
            "The same norm_2 is used twice. Each part has a norm of its own, with its own numbers.",
        ),
        Mistake(
            "norm_1_again",
            _norm_1_again,
            "In the network's branch `norm_1` stands once more. It is used once, before attention "
            "or after the first sum.",
        ),
        Mistake(
            "each_twice",
            _each_twice,
            "Each norm is applied twice. A norm with gain and bias changes what it has normed "
            "already: once is enough.",
        ),
        Mistake(
            "in_parallel",
            _in_parallel("2", after="12"),
            NETWORK_READS_X,
        ),
        Mistake(
            "in_parallel_with_the_last_norm",
            _in_parallel("2", after="2"),
            NETWORK_READS_X,
        ),
        Mistake(
            "in_parallel_with_one_norm",
            _in_parallel("1", after="1"),
            "Both parts read X, side by side, with one norm. The network comes second, with a norm "
            "of its own: it reads A, where attention's answer is in.",
        ),
        Mistake(
            "network_reads_the_sum",
            _network_reads_the_sum,
            "With the norm after, the network reads the first sum before it is normed. It reads A, "
            "which is norm_1 of that sum.",
        ),
        Mistake(
            "norm_of_what_is_brought",
            _norm_of_what_is_brought,
            "With the norm after, only what a part brings is normed. The norm comes after the sum, "
            "and takes all of it.",
        ),
        Mistake(
            "norm_behind_the_part",
            _before(lambda X, f, a: X + a(f(X)), lambda X, A, g, b: A + b(g(A))),
            "With the norm before, what a part brings is normed. The norm is for what it reads: "
            "norm first, then the part, then the sum.",
        ),
        Mistake(
            "norm_of_what_came",
            _after(lambda X, f, a: a(X) + f(X), lambda A, g, b: b(A) + g(A)),
            "With the norm after, only what came is normed. The norm takes the whole sum: what "
            "came, and what the part brings.",
        ),
        Mistake(
            "norm_1_forgotten_after",
            _after(lambda X, f, a: X + f(X), lambda A, g, b: b(A + g(A))),
            "With the norm after, the first sum is not normed: A is norm_1 of it.",
        ),
        Mistake(
            "X_once_more",
            _both(_add, _add, once_more=1),
            "In the second sum X is added besides A. It is in A already.",
        ),
        Mistake(
            "minus_X",
            lambda X, f, g, a, b, first: run_block(X, f, g, a, b, first) - X,
            "That is what the block adds to X: X itself is subtracted from the output, or left out "
            "of it.",
        ),
        Mistake(
            "multiplied",
            _both(lambda came, brought: came * brought, lambda came, brought: came * brought),
            "What a part brings is multiplied with what came. It is added.",
        ),
        Mistake(
            "last_norm_forgotten",
            _last_norm_forgotten,
            "With the norm after, the second sum is not normed: norm_2 is never used.",
        ),
        Mistake(
            "no_norms",
            _no_norms,
            "The norms are never used. Before: each part reads normed items. After: each sum is "
            "normed.",
        ),
        Mistake(
            "both_places",
            _normed_twice,
            "The norms stand before the parts and after the sums at once. norm_first says which of "
            "the two it is.",
        ),
        Mistake(
            "only_attention",
            lambda X, f, g, a, b, first: X + f(a(X)) if first else a(X + f(X)),
            "This is A, half of the block. The network is still to come.",
        ),
        Mistake(
            "twice_X",
            _both(
                lambda came, brought: 2 * came + brought, lambda came, brought: 2 * came + brought
            ),
            "What came is added twice. Do the functions you wrote add it, and you once more?",
        ),
    ),
    definition="If both parts bring 0, a block with the norms before returns X itself, and one "
    "with the norms after norm_2(norm_1(X)).",
    general="Write A first, for both kinds of block, with one line each. Then Y from A.",
    why="Four lines are all there is to a block: two parts, two sums, and two places for a norm.",
)
