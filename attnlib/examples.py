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


_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen""".split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_FRENCH = """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
seize dix-sept dix-huit dix-neuf""".split()
_FRENCH_TENS = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()


def english_words(n):
    """Write a number in English words.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of str
        Hyphens and commas are left out.

    Examples
    --------
    >>> " ".join(english_words(70_421))
    'seventy thousand four hundred and twenty one'
    """
    n = _below_a_million(n)
    if n < 20:
        return [_ENGLISH[n]]
    if n < 100:
        return [_ENGLISH_TENS[n // 10 - 2], *_rest(n % 10, english_words)]
    if n < 1000:
        link = ["and"] if n % 100 else []
        return [_ENGLISH[n // 100], "hundred", *link, *_rest(n % 100, english_words)]
    link = ["and"] if 0 < n % 1000 < 100 else []
    return [*english_words(n // 1000), "thousand", *link, *_rest(n % 1000, english_words)]


def french_words(n):
    """Write a number in French words, as it is done in France.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of str
        What a hyphen joins are words of their own.

    Examples
    --------
    Seventy is sixty ten, eighty is four twenties, and ninety is four twenties ten.

    >>> " ".join(french_words(70_421))
    'soixante dix mille quatre cent vingt et un'
    >>> " ".join(french_words(80)), " ".join(french_words(91))
    ('quatre vingts', 'quatre vingt onze')
    """
    n = _below_a_million(n)
    if n < 1000:
        words = _french_hundreds(n)
        plural = n % 100 == 80 or (n >= 200 and n % 100 == 0)
        return [*words[:-1], words[-1] + "s"] if plural else words
    thousands = [] if n < 2000 else _french_hundreds(n // 1000)
    return [*thousands, "mille", *_rest(n % 1000, french_words)]


def french_places(n):
    """Say which English words each French word of a number belongs to.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of set of int
        For each of `french_words` the places in `english_words`, counted from 0.  “Et” has none.

    Examples
    --------
    “Soixante et onze” is “seventy one”, and “onze” belongs to both of its words.

    >>> french_places(71)
    [{0}, set(), {0, 1}]
    """
    thousands, rest = divmod(_below_a_million(n), 1000)
    if not thousands:
        return _places(rest, 0)
    at = len(english_words(thousands))
    before = _places(thousands, 0) if thousands > 1 else []
    return [*before, {at}, *(_places(rest, at + (2 if rest < 100 else 1)) if rest else [])]


def _places(n, at):
    """The same for a number below 1000 whose first English word is at `at`."""
    if n >= 100:
        rest = n % 100
        digit = [] if n < 200 else [{at}]
        return [*digit, {at + 1}, *(_places(rest, at + 3) if rest else [])]
    words, ten = _french_hundreds(n), n // 10
    if ten < 2:
        return [{at}] * len(words)
    link = [set()] if "et" in words else []
    tens = [{at}] * len(_FRENCH_TENS[ten - 2].split("-"))
    ends = words[len(tens) + len(link) :]
    both = ten in (7, 9) and len(ends) == 1  # one French word for two English ones, as "onze"
    last = [{at} if word == "dix" else {at, at + 1} if both else {at + 1} for word in ends]
    return [*tens, *link, *last]


def _french_hundreds(n):
    """A number below 1000 in French, without the s of a plural, which `mille` takes away."""
    if n >= 100:
        many = [] if n < 200 else [_FRENCH[n // 100]]
        return [*many, "cent", *_rest(n % 100, _french_hundreds)]
    if n < 20:
        return _FRENCH[n].split("-")
    ten, rest = divmod(n, 10)
    if ten in (7, 9):
        rest += 10
    link = ["et"] if rest in (1, 11) and ten < 8 else []
    return [*_FRENCH_TENS[ten - 2].split("-"), *link, *_rest(rest, _french_hundreds)]


def _rest(rest, words):
    """The words of what is left of a number, if anything is."""
    return words(rest) if rest else []


def _below_a_million(n):
    """Return `n` if it can be written."""
    if _checks.count(n, "n", least=0) >= 1_000_000:
        raise ValueError(f"n is {n}, but must be below a million.")
    return n


class Texts(NamedTuple):
    """A text in three parts that share no paragraph.

    Examples
    --------
    >>> training, validation, test = python_topics()
    >>> len(training) > 5 * len(test)
    True
    """

    training: str
    """What a model learns from."""
    validation: str
    """What its settings are chosen by."""
    test: str
    """What it is scored on in the end."""


def python_topics(repeats=False):
    """English about the language Python, which every Python carries: its help on topics.

    Parameters
    ----------
    repeats : bool, optional
        Whether to keep paragraphs that an earlier topic has, too.  By default each is kept once, in
        the first of its topics, or much of the test would be in the training.

    Returns
    -------
    Texts
        About four fifths, a tenth and a tenth of the topics' text.  The topics are put in a random
        order first, always the same.  A text depends on the version of Python.  Typographic quotes
        and dashes become those of a keyboard; other characters outside of ASCII are left out, and
        so is what the training part never has.

    Examples
    --------
    >>> texts = python_topics()
    >>> "the" in texts.training, set(texts.test) <= set(texts.training)
    (True, True)
    """
    try:
        from pydoc_data.topics import topics
    except ModuleNotFoundError as lacking:
        raise ModuleNotFoundError(
            "python_topics needs the module pydoc_data of the standard library, which this Python "
            "lacks. Install a complete Python, as from python.org, conda or your system's full "
            "package."
        ) from lacking

    plain = str.maketrans("‘’“”–—", "''\"\"--")
    names = sorted(topics)
    np.random.default_rng(17).shuffle(names)
    kept, seen = [], set()
    for name in names:
        text = topics[name].translate(plain).encode("ascii", "ignore").decode()
        paragraphs = [p.strip("\n") for p in text.split("\n\n")]
        if not repeats:
            words = [" ".join(p.split()) for p in paragraphs]
            new = [w not in seen and w not in words[:i] for i, w in enumerate(words)]
            paragraphs = [p for p, is_new in zip(paragraphs, new) if is_new]
            seen.update(words)
        kept.append("\n\n".join(paragraphs) + "\n\n")
    ends = np.cumsum([len(text) for text in kept])
    # The first topics are for test and validation, a tenth of the text each, or a little more.
    a, b = (int(np.searchsorted(ends, share * ends[-1])) + 1 for share in (0.1, 0.2))
    test, validation, training = ("".join(part) for part in (kept[:a], kept[a:b], kept[b:]))
    known = set(training)
    test, validation = ("".join(c for c in part if c in known) for part in (test, validation))
    return Texts(training, validation, test)


class Graph(NamedTuple):
    """People who know one another, and the group that each belongs to.

    Examples
    --------
    >>> edges, group = karate_club()
    >>> edges.shape, group.shape
    ((78, 2), (34,))
    """

    edges: np.ndarray
    """Pairs of nodes, shape (n_edges, 2), each pair once."""
    group: np.ndarray
    """The group of each node, a number from 0, shape (n,)."""

    @property
    def adjacency(self):
        """The symmetric matrix of truth values that is true where two nodes know each other."""
        n = len(self.group)
        A = np.zeros((n, n), dtype=bool)
        A[tuple(self.edges.T)] = True
        return A | A.T


_FRIENDS = """
0: 1 2 3 4 5 6 7 8 10 11 12 13 17 19 21 31; 1: 2 3 7 13 17 19 21 30; 2: 3 7 8 9 13 27 28 32; 3:
7 12 13; 4: 6 10; 5: 6 10 16; 6: 16; 8: 30 32 33; 9: 33; 13: 33; 14: 32 33; 15: 32 33; 18: 32
33; 19: 33; 20: 32 33; 22: 32 33; 23: 25 27 29 32 33; 24: 25 27 31; 25: 31; 26: 29 33; 27: 33;
28: 31 33; 29: 32 33; 30: 32 33; 31: 32 33; 32: 33
"""
_WITH_THE_TEACHER = (*range(9), 10, 11, 12, 13, 16, 17, 19, 21)


def karate_club():
    """Say who met whom outside of a karate club, and which side each took when it split in two.

    Returns
    -------
    Graph
        34 members and 78 pairs.  Group 0 went with the teacher, who is node 0, group 1 with the
        club's officers, whose president is node 33.

    Notes
    -----
    Observed and published by Zachary (1977); numbered from 0, as in networkx, whose groups these
    are.

    Examples
    --------
    >>> club = karate_club()
    >>> club.adjacency.sum(axis=1)[[0, 33]], np.bincount(club.group)
    (array([16, 17]), array([17, 17]))
    """
    lists = (part.split(":") for part in _FRIENDS.split(";"))
    edges = np.array([(int(i), int(j)) for i, known in lists for j in known.split()])
    group = np.ones(34, dtype=int)
    group[[*_WITH_THE_TEACHER]] = 0
    for array in (edges, group):
        array.setflags(write=False)
    return Graph(edges, group)
