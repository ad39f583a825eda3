"""A language model without learning: it counts what followed the last few characters."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


class NGrams:
    r"""Guess the next character of a text by counting what followed the same few before.

    Parameters
    ----------
    text : str
        What to count in.
    order : int, optional
        The length of what is counted, the next character included: 1 looks at none before it.

    Attributes
    ----------
    characters : str
        The characters of the text, each once, in order.
    order : int

    Notes
    -----
    A context h of k characters was followed by c exactly :math:`N(h, c)` times, by anything
    :math:`N(h)` times, and by :math:`T(h)` different characters.  Witten and Bell (1991) mix these
    shares with the chances that a context shorter by one gives, and these with shorter ones yet,
    down to the same chance for all:

    .. math:: p(c \mid h) = \frac{N(h, c) + T(h) \, p(c \mid h')}{N(h) + T(h)}

    So a context that was followed by ever new things counts little, and one that was never seen
    not at all.

    Examples
    --------
    In *abab* half the characters are a; after a came b, both times.

    >>> pairs = NGrams("abab", order=2)
    >>> (2.0 ** -pairs.surprisal("ab")).round(3)
    array([0.5  , 0.833])
    """

    @checked(text=_checks.string, order=_checks.count)
    def __init__(self, text, order=5):
        if not text:
            raise ValueError("text is empty. Give a text to count in.")
        self.characters, self.order = "".join(sorted(set(text))), order
        n = len(self.characters)
        if n**order >= 2**63:
            raise ValueError(
                f"order={order} is too much for {n} different characters. Give a lower order."
            )
        ids, self._counts = self._indices(text), []
        for k in range(min(order, len(ids))):
            grams, times = np.unique(self._codes(ids, k + 1), return_counts=True)
            contexts, which = np.unique(grams // n, return_inverse=True)
            followed, kinds = np.bincount(which, weights=times), np.bincount(which)
            self._counts.append((grams, times, contexts, followed, kinds))

    @checked(text=_checks.string)
    def surprisal(self, text):
        r"""Say how surprising each character of a text is, in bits, given those before it.

        Parameters
        ----------
        text : str
            What to read, in characters of the text that was counted in.

        Returns
        -------
        ndarray, shape (len(text),)
            The surprisal :math:`-\log_2 p` of each character.
        """
        ids, n = self._indices(text), len(self.characters)
        p = np.full(len(ids), 1 / n)
        for k, (grams, times, contexts, followed, kinds) in enumerate(self._counts):
            codes = self._codes(ids, k + 1)
            seen = _found(grams, codes, times)
            N, T = (_found(contexts, codes // n, found) for found in (followed, kinds))
            lower = p[k:]
            p[k:] = np.where(N > 0, (seen + T * lower) / np.maximum(N + T, 1), lower)
        return -np.log2(p)

    def _codes(self, ids, k):
        """A number for the k characters that end at each place, the last of them its last digit."""
        n = len(ids) - k + 1
        codes = np.zeros(max(n, 0), dtype=np.int64)
        for i in range(k if n > 0 else 0):
            codes = codes * len(self.characters) + ids[i : i + n]
        return codes

    def _indices(self, text):
        """Turn a text into indices of its characters."""
        known = {c: i for i, c in enumerate(self.characters)}
        if unknown := [c for c in text if c not in known]:
            raise ValueError(
                f"text holds {unknown[0]!r}, which is not in the text that was counted in. "
                f"Give characters of that text."
            )
        return np.array([known[c] for c in text], dtype=np.int64)


def _found(keys, wanted, values):
    """The value of each wanted key, 0 where it is none of the keys, which are in order."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, values[place], 0)
