"""A causal mask for sequences of different lengths."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def batch_mask(lengths, n):
    """Causal, and no key that is padding; one matrix for each sequence."""
    words = np.arange(n) < np.asarray(lengths)[:, None, None]
    return words & np.tri(n, dtype=bool)


def _words(lengths, n):
    """True where a place holds a word, shape (b, n)."""
    return np.arange(n) < np.asarray(lengths)[:, None]


def _made(keys=None, queries=None, order=None):
    """A mask made of three parts; those that are left out allow everything."""

    def mask(lengths, n):
        found = np.ones((len(lengths), n, n), dtype=bool)
        for part, axes in ((keys, (slice(None), None)), (queries, (slice(None), ..., None))):
            if part:
                found &= part(lengths, n)[axes]
        return found & order(n) if order else found

    return mask


def _in_front(lengths, n):
    return _words(lengths, n)[:, ::-1]


def _up_to(lengths, n):
    return _words(np.add(lengths, 1), n)


def _short(lengths, n):
    return _words(np.subtract(lengths, 1), n)


def _lower(n):
    return np.tri(n, dtype=bool)


def _strictly(n):
    return np.tri(n, k=-1, dtype=bool)


def _ahead(n):
    return np.tri(n, dtype=bool).T


EXERCISE = Exercise(
    signature="batch_mask(lengths, n)",
    task="Write batch_mask(lengths, n): a causal mask for each sequence of a batch, in which no "
    "query attends to padding. Sequence b has lengths[b] words, at the front, and is padded to n.",
    returns="an array of truth values of shape (b, n, n)",
    reference=batch_mask,
    own=True,
    truth=True,
    cases=(
        Case("one sequence", (np.array([2]), 3)),
        Case("a full and a short one", (np.array([3, 1]), 3)),
        Case("as many sequences as places", (np.array([2, 4, 1, 3]), 4)),
        Case("more sequences than places", (np.array([1, 2, 2, 1]), 2)),
    ),
    mistakes=(
        Mistake(
            "padding_of_queries",
            _made(queries=_words, order=_lower),
            "Padding is masked on the axis of the queries: rows are taken out, and such a query "
            "has lost all its keys. What nobody may look at is a column. Leave the rows of padding "
            "the words before them, True as in any row; nobody reads what they answer.",
        ),
        Mistake(
            "either",
            lambda lengths, n: _lower(n) | _words(lengths, n)[:, None, :],
            "A key is allowed if it is early enough or a word. Both have to hold: &, not |.",
        ),
        Mistake(
            "causal_only",
            _made(order=_lower),
            "The mask is causal, but the lengths play no part. A query that stands on padding "
            "sees padding before it.",
        ),
        Mistake(
            "padding_only",
            _made(keys=_words),
            "Padding is masked, but the future is not: each query sees all words. Combine it with "
            "a causal mask.",
        ),
        Mistake(
            "one_row_for_all",
            lambda lengths, n: _words(lengths, n)[:, None, :],
            "This is the padding alone, one row for all queries of a sequence. Combined with a "
            "causal mask of shape (n, n), by &, it becomes (b, n, n).",
        ),
        Mistake(
            "one_too_many",
            _made(keys=_up_to, order=_lower),
            "Off by one: the first place of padding is taken for a word. Counted from 0, the "
            "words stand at the places 0 to lengths[b] - 1: use <, not <=.",
        ),
        Mistake(
            "one_too_few",
            _made(keys=_short, order=_lower),
            "Off by one: the last word is taken for padding, and a sequence of one word has lost "
            "all its keys.",
        ),
        Mistake(
            "padding_allowed",
            _made(keys=lambda lengths, n: ~_words(lengths, n), order=_lower),
            "The padding is allowed and the words are not: that part is inverted. The causal part "
            "is right.",
        ),
        Mistake(
            "padding_in_front",
            _made(keys=_in_front, order=_lower),
            "The words are taken to stand at the end and the padding in front. Here the words come "
            "first; and with padding in front, causal rows of padding lose all their keys.",
        ),
        Mistake(
            "ahead",
            _made(keys=_words, order=_ahead),
            "The causal part is transposed: each query sees itself and later words. The keys "
            "before it stand to its left: np.tril.",
        ),
        Mistake(
            "own_forbidden",
            _made(keys=_words, order=_strictly),
            "No query sees its own position, and the first has no key at all. The diagonal is "
            "allowed.",
        ),
        Mistake(
            "without_the_batch",
            lambda lengths, n: _lower(n) & _words(lengths, n),
            "The axis of the batch is lost: the lengths of shape (b, n) are lined up with the "
            "rows of a matrix, so row i gets the length of sequence i. Put the new axis in "
            "between: [:, None, :].",
        ),
        Mistake(
            "longest_for_all",
            lambda lengths, n: batch_mask(np.full(len(lengths), max(lengths)), n),
            "All sequences get the length of the longest.",
        ),
        Mistake(
            "square_of_words",
            _made(keys=_words, queries=_words),
            "Each sequence is a square of words: the future is not masked, and the rows of padding "
            "have lost all their keys. A causal mask, and no padding among the columns.",
        ),
    ),
    definition="Entry (b, i, j), counted from 0, should be True exactly where j ≤ i and "
    "j < lengths[b].",
    general="Take lengths [3, 1] and n = 3, and draw both tables by hand. The second has True in "
    "its first column only.",
    why="Padding is a matter of keys: no row loses its last one, as the first place is always a "
    "word.",
)
