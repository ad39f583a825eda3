"""A language model of characters: it reads a text, and writes on."""

import functools

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.attention import masked
from attnlib.blocks import DecoderOnly, EncoderBlock, StackCache
from attnlib.blocks.norm import NORMS
from attnlib.data.texts import cut
from attnlib.networks.sampling import share, top_k, top_p
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters, Part, Parts
from attnlib.positions import sinusoidal

SMALL = 0.3  # items that begin small are moved far by the first steps


def distinct(characters, name):
    """Return `characters` if they are a text of one or more, each once."""
    if not _checks.string(characters, name) or len(set(characters)) < len(characters):
        raise ValueError(f"{name} must be one or more, each once, got {characters!r}.")
    return characters


class LanguageModel(Parameters):
    r"""Tell the next character of a text from those before it, and write on.

    Parameters
    ----------
    E : array_like
        A row for each character.
    U : array_like
        A column for each character.
    blocks : sequence of EncoderBlock
        The blocks of a decoder-only stack, in order.
    characters : str
        The characters that it knows, each once.
    context : int
        Number of characters that it sees at once.
    norm : LayerNorm or RMSNorm, optional
        The norm at the end of the stack.

    Notes
    -----
    An item is the learned row of its character and the sinusoids of its position, counted from
    the first character in sight, 0.3 times as large as usual.  A decoder-only stack (Radford et
    al. 2019) and a matrix make scores of them, one for each character that may follow:

    .. math:: X_t = E_{c_t} + 0.3 \, P_t, \qquad
              p_t = \mathrm{softmax}(\mathrm{stack}(X)_t \, U)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> block = EncoderBlock.random(rng, d_model=4, n_heads=2)
    >>> E, U = np.eye(3, 4), np.eye(4, 3)
    >>> model = LanguageModel(E, U, [block], "abc", context=8)
    >>> logits, weights = model([[0, 1, 2, 0]])
    >>> logits.shape, len(weights), weights[0].shape
    ((1, 4, 3), 1, (1, 2, 4, 4))
    """

    E: Shape("(n_characters, d_model)")
    U: Shape("(d_model, n_characters)")
    blocks: Parts(EncoderBlock, d_model="d_model")
    characters: distinct
    context: _checks.count
    norm: Part(*NORMS.values(), d="d_model") = None

    def __post_init__(self):
        super().__post_init__()
        if len(self.characters) != len(self.E):
            raise ValueError(
                f"characters are {len(self.characters)}, but E has {len(self.E)} rows. Give one "
                f"row for each."
            )

    @functools.cached_property
    def stack(self):
        """The decoder-only stack of the blocks."""
        return DecoderOnly(self.blocks, self.norm)

    @property
    def P(self):
        """What is added to an item at each place, shape (context, d_model)."""
        return _places(self.context, len(self.U), self.E.dtype)

    @checked(x=_checks.integers, cache=StackCache)
    def __call__(self, x, *, cache=None):
        """Score what may follow each character.

        Parameters
        ----------
        x : array_like of int, shape (..., n)
            Characters, as indices into `characters`; with those in the cache at most the context.
        cache : StackCache, optional
            Of this model's `stack`; x are the next characters, and are kept in it.

        Returns
        -------
        logits : ndarray, shape (..., n, n_characters)
            Softmax makes chances of them.
        weights : tuple of ndarray, each of shape (..., n_heads, n, n_before + n)
            The weights of each block.
        """
        before = 0 if cache is None else len(cache)
        if not x.size or x.ndim == 0 or x.shape[-1] > self.context - before:
            raise ValueError(
                f"x has shape {x.shape}. Give a last axis from 1 to {self.context - before}."
            )
        if not 0 <= x.min() <= x.max() < len(self.E):
            raise ValueError(f"x must hold indices into characters, from 0 to {len(self.E) - 1}.")
        H, weights = self.stack(self.items(x, before), cache=cache)
        return H @ self.U, weights

    def items(self, x, before=0):
        """Make the items of characters, shape (..., n, d_model), with so many before them."""
        return self.E[x] + self.P[before : before + x.shape[-1]]

    @checked(text=_checks.string)
    def indices(self, text):
        """Turn a text into indices of its characters, shape (len(text),)."""
        return self._indices(text, "text")

    @checked(text=_checks.string)
    def look(self, text):
        """Read the end of a text: what may come next, and which characters each head looks at.

        Parameters
        ----------
        text : str
            At least one character, all of them known; the last `context` are read.

        Returns
        -------
        logits : ndarray, shape (n_characters,)
            A score for each of `characters`; softmax makes chances of them.
        weights : ndarray, shape (n_blocks, n_heads, n)
            How much each head of each block gives, at the last character, to each that was read.
        """
        if not text:
            raise ValueError("text is empty. Give at least one character.")
        logits, weights = self(self._indices(text[-self.context :], "text"))
        return logits[-1], np.stack([block[:, -1] for block in weights])

    @checked(text=_checks.string, least=lambda x, name: x if x is None else _checks.count(x, name))
    def surprisal(self, text, least=None):
        r"""Say how surprising each character of a text is, in bits, given those before it.

        Parameters
        ----------
        text : str
            What to read, in known characters.
        least : int, optional
            Each character is guessed from at least so many before it, and from at most `context`;
            half the context by default.

        Returns
        -------
        ndarray, shape (len(text) - least,)
            For each character from number `least` on, its surprisal :math:`-\log_2 p`.

        Notes
        -----
        Windows of the text that overlap: in each, only characters with `least` others before them
        count, and each character counts once.
        """
        least = self.context // 2 if least is None else least
        found = []
        for windows in cut(self._indices(text, "text"), least, self.context):
            scores = self(windows[:, :-1])[0].astype(np.float64)
            scores -= scores.max(axis=-1, keepdims=True)
            log_sum = np.log(np.exp(scores).sum(axis=-1, keepdims=True))
            nats = log_sum - np.take_along_axis(scores, windows[:, 1:, None], axis=-1)
            found.append(nats[:, least - 1 :].ravel() / np.log(2))
        return np.concatenate(found).astype(self.E.dtype)

    @checked(
        n=_checks.count,
        temperature=_checks.not_negative,
        start=_checks.string,
        k=_checks.count,
        p=share,
        rng=_checks.generator,
    )
    def sample(self, n, temperature=0.5, start="", *, k=None, p=None, rng=None):
        """Write on, one character after the other.

        Parameters
        ----------
        n : int
            Number of characters to write.
        temperature : float, optional
            What scores are divided by before softmax; 0 takes the likeliest character.
        start : str, optional
            What to go on from, in known characters; the first of `characters` if it is empty.
        k : int, optional
            Draw only from the `k` likeliest characters, as in `top_k`.
        p : float, optional
            Draw only from the likeliest that have the chance `p` together, as in `top_p`; of the
            `k` likeliest if both are given.
        rng : numpy.random.Generator, optional
            Where samples come from; with the seed 0 by default.

        Returns
        -------
        str
            The start and what was written.

        Notes
        -----
        Keys and values are kept in a `StackCache` until the context is full.  From then on the
        first character leaves with each that comes, every position in sight is one less, and the
        whole window is read again.
        """
        rng = np.random.default_rng(0) if rng is None else rng
        written = list(self._indices(start, "start")) or [0]
        new, cache = written[-self.context :], StackCache(self.stack)
        for _ in range(n):
            if len(cache) + len(new) > self.context:  # all move by a place: nothing can be kept
                new, cache = written[-self.context :], StackCache(self.stack)
            scores = self(np.array(new), cache=cache)[0][-1].astype(np.float64)
            if temperature == 0:
                written.append(scores.argmax())
            else:
                if k is not None:
                    scores = masked(scores, top_k(scores, k))
                if p is not None:
                    scores = masked(scores, top_p(scores, p, temperature))
                chances = softmax(scores, temperature=temperature)
                written.append(rng.choice(len(chances), p=chances))
            new = written[-1:]
        return "".join(self.characters[i] for i in written)

    def _indices(self, text, name):
        """Turn a text into indices of its characters in `characters`."""
        known = {c: i for i, c in enumerate(self.characters)}
        if unknown := [c for c in text if c not in known]:
            raise ValueError(
                f"{name} holds {unknown[0]!r}, which the model does not know. "
                f"Give characters of {self.characters!r}."
            )
        return np.array([known[c] for c in text], dtype=int)


@functools.cache
def _places(context, d_model, dtype):
    places = (SMALL * sinusoidal(context, d_model)).astype(dtype)
    places.setflags(write=False)
    return places
