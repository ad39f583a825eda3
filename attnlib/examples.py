"""The worked examples of the book, as small arrays that cannot be changed by accident.

Every example is a function.  `toy`, `two_queries` and `three_rows` unpack into ``Q, K, V``.
"""

from typing import NamedTuple

import numpy as np

from attnlib import _checks


class Example(NamedTuple):
    """Queries, keys and values of one worked example.

    Examples
    --------
    >>> Q, K, V = two_queries()
    >>> Q.shape, K.shape, V.shape
    ((2, 2), (3, 2), (3, 2))
    """

    Q: np.ndarray
    """Queries, shape (n_q, d_k)."""
    K: np.ndarray
    """Keys, shape (n_k, d_k)."""
    V: np.ndarray
    """Values, shape (n_k, d_v)."""


class Signal(NamedTuple):
    """A signal over time, without and with noise.

    Examples
    --------
    >>> time, clean, noisy = noisy_edge(n=7)
    >>> time.shape, clean.shape, noisy.shape
    ((7,), (7,), (7,))
    """

    time: np.ndarray
    """Moments from 0 to 1, shape (n,)."""
    clean: np.ndarray
    """The signal without noise, shape (n,)."""
    noisy: np.ndarray
    """The signal with noise, shape (n,)."""


def _frozen(values):
    """Return a new float64 array that refuses to be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def toy():
    """Two opposite queries on three keys: the first toy example, with plain dot scores.

    Returns
    -------
    Example
        `Q` has the rows q = [1, 1] and q′ = [−1, −1].  The third value is the mean of the other
        two, and keys 1 and 2 always tie: so both outputs are exactly [5, 5].

    Examples
    --------
    >>> Q, K, V = toy()
    >>> Q @ K.T
    array([[ 1.,  1., -2.],
           [-1., -1.,  2.]])
    >>> V[2] == (V[0] + V[1]) / 2
    array([ True,  True])
    """
    return Example(
        Q=_frozen([[1, 1], [-1, -1]]),
        K=_frozen([[1, 0], [0.5, 0.5], [-1, -1]]),
        V=_frozen([[10, 0], [0, 10], [5, 5]]),
    )


def four_scores():
    """Four scores to normalise; the third is the largest.

    Returns
    -------
    ndarray, shape (4,)

    Examples
    --------
    >>> four_scores()
    array([ 2.1, -0.5,  3.8,  0.2])
    """
    return _frozen([2.1, -0.5, 3.8, 0.2])


def two_queries():
    """Two queries on three keys, with plain dot scores that are all 0 or 1.

    Returns
    -------
    Example
        `Q` has shape (2, 2), `K` and `V` have shape (3, 2).

    Examples
    --------
    >>> Q, K, V = two_queries()
    >>> Q @ K.T
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """
    return Example(
        Q=_frozen([[1, 0], [0, 1]]),
        K=_frozen([[1, 0], [0, 1], [1, 1]]),
        V=_frozen([[1, 2], [3, 4], [5, 6]]),
    )


def three_rows():
    """Self-attention on three rows: queries, keys and values are all the input X itself.

    Returns
    -------
    Example
        `Q`, `K` and `V` are one and the same X, shape (3, 2): every projection is the identity.

    Examples
    --------
    The scores are symmetric.  The weights, which divide each row by its own sum, are not.

    >>> X, _, _ = three_rows()
    >>> X @ X.T
    array([[1., 0., 1.],
           [0., 1., 1.],
           [1., 1., 2.]])
    """
    X = _frozen([[1, 0], [0, 1], [1, 1]])
    return Example(Q=X, K=X, V=X)


def causal_scores():
    """Scores of three positions with one another, to be masked so that none sees a later one.

    Returns
    -------
    ndarray, shape (3, 3)
        Ready for softmax: they are not to be scaled again.

    Examples
    --------
    >>> causal_scores()[1]
    array([0.3, 0.9, 1.1])
    """
    return _frozen([[0.5, 1.2, 0.8], [0.3, 0.9, 1.1], [0.2, 0.7, 0.4]])


def noisy_edge(n=60, seed=127):
    r"""A signal with one sharp edge under noise, which a moving average would blur.

    Parameters
    ----------
    n : int, optional
        Number of samples, at least 2.
    seed : int, optional
        Seed of the noise: the same seed gives the same noise.  The default is an ordinary draw:
        its errors, filtered or not, are near their averages over many seeds.

    Returns
    -------
    Signal
        `time` runs from 0 to 1.  `clean` is 0, jumps to 1 at time 0.4, and climbs to 1.3 between
        time 0.7 and 1.  `noisy` adds normal noise with standard deviation 0.1, read
        off to three decimals.

    Raises
    ------
    ValueError
        If `n` is below 2 or `seed` below 0.
    TypeError
        If `n` or `seed` is not an integer.

    Notes
    -----
    The reading at time :math:`t`, where the bracket is 1 if its condition holds and else 0, and
    :math:`\varepsilon` is standard normal:

    .. math:: x_t = [t \ge 0.4] + \max(t - 0.7, 0) + 0.1 \, \varepsilon

    Examples
    --------
    >>> noisy_edge(n=6).time
    array([0. , 0.2, 0.4, 0.6, 0.8, 1. ])
    >>> noisy_edge(n=6).clean.round(6)
    array([0. , 0. , 1. , 1. , 1.1, 1.3])
    """
    time = np.linspace(0, 1, _checks.count(n, "n", least=2))
    rng = np.random.default_rng(_checks.count(seed, "seed", least=0))
    clean = (time >= 0.4) + np.maximum(time - 0.7, 0)
    noisy = (clean + 0.1 * rng.standard_normal(n)).round(3)
    return Signal(_frozen(time), _frozen(clean), _frozen(noisy))


def four_verses():
    """A short text to train a model of characters on: lower case, and lines that resemble others.

    Returns
    -------
    str
        Four verses of four lines.

    Examples
    --------
    >>> print(four_verses().split("\\n")[0])
    the rain came down on the old stone town,
    >>> len(four_verses()), len(set(four_verses()))
    (731, 26)
    """
    return """\
the rain came down on the old stone town,
it ran from the roofs and it ran on down.
it ran to the lane and the lane ran to the lake,
and the lake lay still and the lake lay awake.

the wind came down on the old stone town,
it blew on the trees and the leaves blew down.
they blew to the lane and they blew to the lake,
and the lake had a boat and the boat had a wake.

the snow came down on the old stone town,
it lay on the hills and it lay on the down.
it lay on the lane and it lay by the lake,
and the boat lay still with the snow in its wake.

the night came down on the old stone town,
it put out the lamps and it sat right down.
it sat by the lake till the lake was asleep,
and the boat and the snow and the rain went deep.
"""
