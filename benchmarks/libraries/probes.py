"""Small questions to any attention, with inputs on which the possible answers differ.

A subject has ``attend(q, k, v, mask=None, bias=None, causal=False, scale=None)`` on NumPy arrays
``(b, h, n, d)``, whatever the order of its own axes, and hands its arguments on as they are.  The
queries and keys are 0 and the values the identity wherever the output is to show the weights.
"""

import numpy as np

D = 4
REFUSED = "refused"
#: What `shown` has shown: the first of a question is recorded beside its answer.
SHOWN = []
#: What the library said where it refused: recorded, so that a slip of ours cannot pass for it.
REASONS = []


def outcome(ask, *args, **kwargs):
    """Return what a question gives, or None where the library refuses it."""
    try:
        return ask(*args, **kwargs)
    except Exception as error:
        words = f"{error}".strip().partition("\n")[0]
        REASONS.append(f"{type(error).__name__}: {words[:120]}")
        return None


def shown(subject, n_q=2, **kwargs):
    """Return the weights of ``n_q`` queries over four keys that fit all alike, or None."""
    q, k, v = np.zeros((1, 1, n_q, D)), np.zeros((1, 1, D, D)), np.eye(D)[None, None]
    y = outcome(subject.attend, q, k, v, **kwargs)
    if y is None:
        return None
    W = np.asarray(y, dtype=float)[0, 0]
    SHOWN.append(W)
    return W


def so(text, *conditions):
    """Return a sentence if what it says was found, else one that says that it was not.

    >>> so("one", 1 < 2), so("two", 1 < 2, 2 < 1)
    ('one', 'no longer so: two')
    """
    return text if all(map(bool, conditions)) else f"no longer so: {text}"


def verdict(found, **known):
    """Return the name (with spaces) of the known result that was found."""
    if found is None:
        return REFUSED
    for name, value in known.items():
        if np.allclose(found, value, atol=1e-3, equal_nan=True):
            return name.replace("_", " ")
    raise ValueError(f"None of {list(known)}: {found}")


def polarity(subject, name="mask"):
    """Say what True does in a mask that is true for the first two of four keys."""
    mask = np.tile([True, True, False, False], (1, 1, 2, 1))
    e = np.exp([1, 1, 0, 0])
    return verdict(
        shown(subject, **{name: mask}),
        True_takes_part=[0.5, 0.5, 0, 0],
        True_is_hidden=[0, 0, 0.5, 0.5],
        True_is_added_as_the_number_1=e / e.sum(),
        nothing=[0.25] * 4,
    )


def additive(subject, name="mask"):
    """Say what log 3 does in a mask of numbers, at the first of four keys."""
    mask = np.tile(np.log([3.0, 1, 1, 1]), (1, 1, 2, 1))
    return verdict(
        shown(subject, **{name: mask}),
        added_to_the_scores=np.array([3, 1, 1, 1]) / 6,
        taken_as_truth=[[1, 0, 0, 0]] * 2,
        nothing=[0.25] * 4,
    )


def corner(subject):
    """Say which keys two queries see under the causal mask when there are four keys."""
    W = shown(subject, causal=True)
    found = None if W is None else (W > 0).sum(axis=1)
    return verdict(found, upper_left=[1, 2], lower_right=[3, 4], nothing=[4, 4])


def empty(subject, name="mask", mask=None):
    """Say what a query gets that may see no key."""
    if mask is None:
        mask = np.array([[False] * 4, [True] * 4])[None, None]
    W = shown(subject, **{name: mask})
    return verdict(
        None if W is None else W[0],
        zeros=[0.0] * 4,
        NaN=[np.nan] * 4,
        the_mean_of_all_values=[0.25] * 4,
    )


def empty_gradient(subject, name="mask", mask=None):
    """Say what comes back to queries, keys and values from a query that may see no key.

    ``subject.gradient`` returns the gradients of the sum of the first row of the output.
    """
    if mask is None:
        mask = np.array([[False] * 4, [True] * 4])[None, None]
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 1, 2, D)), *rng.normal(size=(2, 1, 1, D, D))
    back = outcome(subject.gradient, q, k, v, **{name: mask})
    if back is None:
        return REFUSED
    flat = np.concatenate([np.ravel(d) for d in back])
    if np.isnan(flat).any():
        return "NaN"
    return "zeros" if not flat.any() else "as for a mean: values learn from it"


def grouping(subject):
    """Say which of four query heads share one of two heads of keys and values."""
    q, k = np.zeros((1, 4, 2, D)), np.zeros((1, 2, 3, D))
    v = np.broadcast_to(np.array([1.0, 2.0])[None, :, None, None], (1, 2, 3, D))
    y = outcome(subject.attend, q, k, v)
    return verdict(
        None if y is None else np.asarray(y, dtype=float)[0, :, 0, 0],
        consecutive=[1, 1, 2, 2],
        interleaved=[1, 2, 1, 2],
    )


def scale(subject):
    """Say by what a score is divided, from two keys that score 2 and 0, with four numbers each."""
    q, k = np.full((1, 1, 1, D), 1.0), np.zeros((1, 1, D, D))
    k[0, 0, 0] = 0.5
    y = np.asarray(subject.attend(q, k, np.eye(D)[None, None]), dtype=float)[0, 0, 0]
    ratio = np.log(y[0] / y[1])
    known = {"divided by √d": 1.0, "not divided": 2.0, "divided by d": 0.5}
    return verdict(ratio, **known)


def scale_argument(subject):
    """Whether ``scale=1`` leaves the scores as they are."""
    q, k = np.full((1, 1, 1, D), 1.0), np.zeros((1, 1, D, D))
    k[0, 0, 0] = 0.5
    y = outcome(subject.attend, q, k, np.eye(D)[None, None], scale=1.0)
    return y is not None and np.isclose(np.log(y[0, 0, 0, 0] / y[0, 0, 0, 1]), 2.0, atol=1e-3)


def order(raw, orders, n_q=3, n_k=5):
    """Return the order of axes in which ``raw(q, k, v)`` is attention; all sizes differ.

    ``orders`` maps a name to the axes of ``(b, h, n, d)`` in that order.
    """
    rng = np.random.default_rng(1)
    q = rng.normal(size=(2, 6, n_q, D))
    k, v = rng.normal(size=(2, 2, 6, n_k, D))
    s = q @ k.swapaxes(-1, -2) / np.sqrt(D)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    expected = w / w.sum(axis=-1, keepdims=True) @ v
    right = []
    for name, axes in orders.items():
        y = outcome(raw, *(x.transpose(axes) for x in (q, k, v)))
        wanted = expected.transpose(axes)
        if y is not None and y.shape == wanted.shape and np.allclose(y, wanted, atol=1e-3):
            right.append(name)
    return " or ".join(right) or REFUSED


HEADS_FIRST = {"(b, h, n, d)": (0, 1, 2, 3), "(b, n, h, d)": (0, 2, 1, 3)}


def misread(subject):
    """Whether a mask of texts and keys is read as one of queries and keys, if they are as many."""
    is_word = np.array([[True, True, False, False], [True] * 4])
    v = np.tile(np.eye(D), (2, 1, 1, 1))
    y = outcome(subject.attend, np.zeros((2, 1, 2, D)), np.zeros((2, 1, D, D)), v, mask=is_word)
    return y is not None and np.allclose(np.asarray(y)[:, 0, 0], [0.5, 0.5, 0, 0])


def integers(attend, made):
    """Say how integers fare; ``made`` makes integers of NumPy's arrays."""
    arrays = np.zeros((1, 1, 1, D)), np.zeros((1, 1, D, D)), np.eye(D)[None, None]
    y = outcome(attend, *map(made, arrays))
    if y is None:
        return f"integers {REFUSED}"
    cut = not np.allclose(np.asarray(y, float), 1 / D)
    return "integers taken" + ", and the answer is cut to integers" * cut


def half(attend, made):
    """Say how float16 fares on a CPU; ``made`` makes float16 arrays of NumPy's.

    A product of 80,000 is too large for float16, whose largest number is 65,504; divided by √64 it
    is not.  A sum of ones in float16 stays at 2048.
    """
    q, k = np.full((1, 1, 1, 64), 100.0), np.full((1, 1, 2, 64), 12.5)
    k[0, 0, 1] = 6.25
    large = attend(*map(made, (q, k, np.tile([[1.0], [2.0]], (1, 1, 1, 64)))))
    q, k, v = np.zeros((1, 1, 1, 64)), np.zeros((1, 1, 8192, 64)), np.zeros((1, 1, 8192, 64))
    v[0, 0, 4096:] = 1.0
    long = attend(*map(made, (q, k, v)))
    fits = np.allclose(np.asarray(large, float), 1)
    summed = np.allclose(np.asarray(long, float), 0.5)
    return (
        f"in float16 a product q·k above 65,504 {'fits' if fits else 'overflows'} "
        f"and 8,192 keys are summed {'right' if summed else 'wrong'}"
    )
