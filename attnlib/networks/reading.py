"""What a language model makes of one text: where its heads look, what follows, and without which.

Widget and page write down what they show of it in digits, six bits each.
"""

import functools

import numpy as np

from attnlib import _checks, softmax
from attnlib._boundary import checked
from attnlib.masks import causal
from attnlib.networks import smollm
from attnlib.networks.looking import pairs, refuse_unknown_heads, without_heads
from attnlib.projections import project

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-"
LEVELS = len(DIGITS) - 1
SHOWN = 6  # tokens that may follow
LONGEST = 48  # tokens of a text that is looked at


def refuse_unknown(self, cut=(), **_):
    """Refuse blocks and heads that the model of a reading has not."""
    if len(cut):
        refuse_unknown_heads(self.model, cut, "cut")


class Reading:
    r"""What a model makes of the tokens of one text.

    Parameters
    ----------
    model : SmolLM
        The model.
    ids : array_like of int, shape (n,)
        The tokens.

    Attributes
    ----------
    streams : list of ndarray, each of shape (n, d_model)
        What goes into each block, and what comes out of the last.
    weights : ndarray, shape (n_blocks, n_heads, n, n)
        How much each token asks each other, in every head.

    Notes
    -----
    A head is cut by making its rows of :math:`W_O` zero: the block adds what its others say.
    """

    @checked(model=smollm.SmolLM, ids=_checks.integers)
    def __init__(self, model, ids):
        self.model, self.ids, self.streams, weights = model, ids, [model.E[ids]], []
        self.mask = causal(len(ids))
        for block in model.blocks:
            X, of_block = block(self.streams[-1], mask=self.mask)
            self.streams.append(X)
            weights.append(of_block)
        self.weights = np.array(weights)

    @checked(cut=pairs, also=refuse_unknown)
    def chances(self, cut=()):
        """Return the chance of each token to be the next, with some heads cut.

        Parameters
        ----------
        cut : array_like of int, shape (n, 2), optional
            Block and head, both from 0.

        Returns
        -------
        ndarray, shape (n_tokens,)
        """
        blocks, of_block = self.model.blocks, {}
        for i, head in np.array(cut, dtype=int).reshape(-1, 2).tolist():
            of_block.setdefault(i, []).append(head)
        start = min(of_block, default=len(blocks))  # what is below stays as it was
        X = self.streams[start]
        for i in range(start, len(blocks)):
            block = without_heads(blocks[i], of_block[i]) if i in of_block else blocks[i]
            X, _ = block(X, mask=self.mask)
        return softmax(project(self.model.norm(X[-1:]), self.model.E.T)[0])

    def following(self, cut=(), count=SHOWN):
        """Return what most likely comes next: token, its chance, its chance with nothing cut."""
        now = self.chances(cut) if len(cut) else self.whole
        order = np.argsort(-now, kind="stable")[:count]
        return [(int(i), float(now[i]), float(self.whole[i])) for i in order]

    @functools.cached_property
    def whole(self):
        """The chance of each token to be the next, with no head cut."""
        return self.chances()


def digits(shares, length=1):
    """Write shares between 0 and 1 as digits, `length` for each.

    >>> digits([0, 0.5, 1]), digits([0.5], 2)
    ('0W-', 'W0')
    """
    most = (LEVELS + 1) ** length - 1
    levels = np.rint(np.ravel(shares) * most).astype(int)
    places = [levels >> 6 * k & LEVELS for k in reversed(range(length))]
    return "".join(DIGITS[i] for i in np.transpose(places).ravel())


def shares(text, length=1):
    """Read what `digits` wrote.

    >>> shares("0W-").round(2), shares("W0", 2).round(2)
    (array([0.  , 0.51, 1.  ]), array([0.5]))
    """
    levels = np.array([DIGITS.index(c) for c in text], dtype=int).reshape(-1, length)
    return levels @ 64 ** np.arange(length)[::-1] / ((LEVELS + 1) ** length - 1)


def look(reading, tokens):
    """What a page shows of a text: its tokens, and all weights in digits.

    They go block by block, head by head; a token's row ends at the token itself.
    """
    lower = reading.weights[..., reading.mask]
    return {"tokens": [tokens.decode([i]) for i in reading.ids], "weights": digits(lower)}


def tokens_of(text):
    """The model whose file is here, a text's tokens for it, and what cuts texts into tokens.

    Raises
    ------
    LookupError
        If the model's file is not here.
    ValueError
        If the text has no token, or more than `LONGEST`.
    """
    model, tokens = smollm.load()
    if model is None:
        raise LookupError("The model's file is not here; `make model` fetches it.")
    ids = tokens.encode(text)
    if not 1 <= len(ids) <= LONGEST:
        raise ValueError(f"The text has {len(ids)} tokens; 1 to {LONGEST} can be shown here.")
    return model, ids, tokens


@functools.lru_cache(maxsize=2)
def of_text(text):
    """The reading of a text, by the model of `tokens_of`, and what cuts texts into tokens."""
    model, ids, tokens = tokens_of(text)
    return Reading(model, ids), tokens


def following(text, cut=()):
    """What most likely follows a text: token, its chance, its chance with no head cut."""
    reading, tokens = of_text(text)
    return [(tokens.decode([i]), p, whole) for i, p, whole in reading.following(cut)]
