"""The induction circuit: two attention layers, written down by hand, that continue a repetition."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.heads import MultiHeadAttention
from attnlib.masks import causal

#: A score so far above the next that the other weights are exactly 0.
SHARP = 10_000.0
HEADS = ("previous", "induction")


class InductionCircuit:
    r"""Two causal attention layers of one head that copy what followed the same character before.

    Parameters
    ----------
    characters : str
        The characters that texts may have, each once.
    context : int
        Longest text, without the start token that every text gets in front.

    Attributes
    ----------
    layers : tuple of MultiHeadAttention
        The previous-token head and the induction head.

    Notes
    -----
    An item has four groups of columns: which token it is, its place, the character before it, and
    the copy; the last two are 0 until a layer writes them.  With T, P and B for the first three,

    .. math:: S^{(1)}_{ts} = c \, [s = t - 1], \qquad B_t = \sum_s A^{(1)}_{ts} T_s

    .. math:: S^{(2)}_{ts} = c \, (T_t \cdot B_s + \tfrac12 [s \text{ is the start}]), \qquad
              C_t = \sum_s A^{(2)}_{ts} T_s

    and a large c.  The start is looked at where no character before fits.  Such heads were found in
    trained models (Elhage et al. 2021, Olsson et al. 2022).

    Examples
    --------
    After ``cab``, ``ca`` goes on with b:

    >>> circuit = InductionCircuit("abc", 8)
    >>> copied, weights = circuit("cabca")
    >>> copied[-1]
    array([0., 0., 1., 0.])

    Without its first head it finds nothing, so it looks at the start:

    >>> circuit("cabca", off="previous")[0][-1]
    array([1., 0., 0., 0.])
    """

    @checked(characters=_checks.string, context=_checks.count)
    def __init__(self, characters, context):
        if not characters or len(set(characters)) < len(characters):
            raise ValueError(f"characters must be one or more, each once, got {characters!r}.")
        self.characters, self.context = characters, context
        v, n = len(characters) + 1, context + 1
        token, place, before, copy = np.split(np.eye(3 * v + n), np.cumsum([v, n, v]))
        self._columns = token, place, copy
        previous = MultiHeadAttention(
            W_Q=SHARP * place.T @ np.eye(n, k=-1),
            W_K=place.T,
            W_V=token.T,
            W_O=before,
            n_heads=1,
        )
        start = token[:1].T
        induction = MultiHeadAttention(
            W_Q=SHARP * np.hstack([token.T, token.T.sum(axis=1, keepdims=True) / 2]),
            W_K=np.hstack([before.T, start]),
            W_V=token.T,
            W_O=copy,
            n_heads=1,
        )
        self.layers = previous, induction

    @checked(
        text=_checks.string, off=lambda x, name: x if x is None else _checks.choice(x, name, HEADS)
    )
    def __call__(self, text, off=None):
        """Continue a text after each of its characters.

        Parameters
        ----------
        text : str
            At most `context` of the characters.
        off : {None, "previous", "induction"}, optional
            A head that is switched off: it writes nothing.

        Returns
        -------
        copied : ndarray, shape (n + 1, len(characters) + 1)
            At each place, from the start token on, the share of each token in the copy: first the
            start, which means that nothing fits, then the characters.
        weights : ndarray, shape (2, n + 1, n + 1)
            Those of the two heads.
        """
        if unknown := [c for c in text if c not in self.characters]:
            raise ValueError(f"text holds {unknown[0]!r}, which is none of {self.characters!r}.")
        if len(text) > self.context:
            raise ValueError(f"text has {len(text)} characters, at most {self.context} fit.")
        token, place, copy = self._columns
        ids = [0, *(1 + self.characters.index(c) for c in text)]
        X, weights = token[ids] + place[: len(ids)], []
        for name, layer in zip(HEADS, self.layers):
            written, of_head = layer(X, mask=causal(len(X)))
            weights.append(of_head[0])
            if name != off:
                X = X + written
        return X @ copy.T, np.array(weights)
