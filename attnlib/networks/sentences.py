"""all-MiniLM-L6-v2, which turns sentences into vectors, of the parts of this package."""

import functools
from unicodedata import category, normalize

import numpy as np

from attnlib import _checks, _safetensors
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.blocks import EncoderBlock, LayerNorm
from attnlib.data.published import MINILM
from attnlib.masks import padding
from attnlib.parameters import Parameters, Part, Parts

#: Names of a layer's parts in the file -> those of a block, which reads matrices transposed.
LAYERS = {
    "attention.self.query": ("attention.W_Q", "attention.b_Q"),
    "attention.self.key": ("attention.W_K", "attention.b_K"),
    "attention.self.value": ("attention.W_V", "attention.b_V"),
    "attention.output.dense": ("attention.W_O", "attention.b_O"),
    "attention.output.LayerNorm": ("norm_1.gain", "norm_1.bias"),
    "intermediate.dense": ("feed_forward.W_1", "feed_forward.b_1"),
    "output.dense": ("feed_forward.W_2", "feed_forward.b_2"),
    "output.LayerNorm": ("norm_2.gain", "norm_2.bias"),
}
#: Where the characters of Chinese are in Unicode.
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class SentenceEncoder(Parameters):
    r"""Turn a sentence into one vector, so that sentences of like meaning have near vectors.

    Parameters
    ----------
    E : array_like
        A row for each token.
    P : array_like
        A row for each position.
    norm : LayerNorm
        The norm of the items before the first block.
    blocks : sequence of EncoderBlock
        With the norm after, and no mask but that of the padding.

    Notes
    -----
    The encoder of Devlin et al. (2019), made small by Wang et al. (2020); its sentence is the mean
    of its items (Reimers and Gurevych 2019), at length 1:

    .. math:: X = \mathrm{norm}(E_x + P), \qquad
              s = \frac{m}{|m|}, \qquad m = \frac{1}{n} \sum_t \mathrm{blocks}(X)_t

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> block = EncoderBlock.random(rng, d_model=4, n_heads=2, d_ff=8)
    >>> E, P, norm = np.eye(5, 4), np.eye(9, 4), LayerNorm.initial(4)
    >>> encoder = SentenceEncoder(E, P, norm, [block])
    >>> items, weights = encoder([0, 3, 2])
    >>> items.shape, weights[0].shape
    ((3, 4), (2, 3, 3))
    >>> encoder.sentences([[0, 3, 2], [1, 2]]).shape
    (2, 4)
    """

    E: Shape("(n_tokens, d_model)")
    P: Shape("(n_positions, d_model)")
    norm: Part(LayerNorm, d="d_model")
    blocks: Parts(EncoderBlock, d_model="d_model")

    @classmethod
    def of(cls, arrays):
        """Build the encoder of the arrays of its file, ``model.safetensors``."""
        known = {name.replace("weight", "0").replace("bias", "1"): a for name, a in arrays.items()}
        found = {"E": known["embeddings.word_embeddings.0"]}
        kind = known["embeddings.token_type_embeddings.0"][0]  # that of a text that stands alone
        found["P"] = known["embeddings.position_embeddings.0"] + kind
        for i, ours in enumerate(("norm.gain", "norm.bias")):
            found[ours] = known[f"embeddings.LayerNorm.{i}"]
        layers = {name.split(".")[2] for name in known if name.startswith("encoder.")}
        for layer in layers:
            for theirs, names in LAYERS.items():
                for i, ours in enumerate(names):
                    array = known[f"encoder.layer.{layer}.{theirs}.{i}"]
                    found[f"blocks.{layer}.{ours}"] = array.T
        return cls.from_parameters(
            found, n_heads=12, norm_first=False, activation="gelu", epsilon=1e-12,
            norm_1="LayerNorm", norm_2="LayerNorm", feed_forward="FeedForward",
        )  # fmt: skip

    @checked(x=_checks.integers, lengths=_checks.integers)
    def __call__(self, x, lengths=None):
        """Let the tokens of a text, or of several, read one another.

        Parameters
        ----------
        x : array_like of int, shape (..., n)
            Tokens.
        lengths : array_like of int, shape (...), optional
            How many tokens of each text are its own; what follows them is padding.

        Returns
        -------
        items : ndarray, shape (..., n, d_model)
            One for each token.
        weights : tuple of ndarray, each of shape (..., n_heads, n, n)
            Those of each block.
        """
        if not x.size or x.ndim == 0 or not 0 <= x.min() <= x.max() < len(self.E):
            raise ValueError(f"x must hold tokens, numbers from 0 to {len(self.E) - 1}, not {x}.")
        n = x.shape[-1]
        if n > len(self.P):
            raise ValueError(f"x has {n} tokens, but there are {len(self.P)} positions.")
        mask = None if lengths is None else padding(lengths, n)[..., None, :, :]
        X, weights = self.norm(self.E[x] + self.P[:n]), []
        for block in self.blocks:
            X, of_block = block(X, mask=mask)
            weights.append(of_block)
        return X, tuple(weights)

    def sentences(self, texts):
        """Return a vector of length 1 for each text, given as lists of tokens of any lengths."""
        if not len(texts) or not all(map(len, texts)):
            raise ValueError("texts must be lists of tokens, at least one text, and none empty.")
        lengths = np.array([len(text) for text in texts])
        x = np.zeros((len(texts), lengths.max()), int)
        for row, text in zip(x, texts):
            row[: len(text)] = text
        items, _ = self(x, lengths)
        own = np.arange(x.shape[1]) < lengths[:, None]
        means = (items * own[..., None]).sum(-2) / lengths[:, None]
        return means / np.linalg.norm(means, axis=-1, keepdims=True)


class WordPieces:
    """Cut texts into words and words into the longest pieces that are known.

    Parameters
    ----------
    tokens : sequence of str
        The tokens by number; one that goes on a word begins with ``##``.

    Notes
    -----
    WordPiece (Wu et al. 2016), as Devlin et al. (2019) use it: letters become small and lose their
    accents, signs stand alone, and a word of which no piece is known is ``[UNK]``.

    Examples
    --------
    >>> known = ["[UNK]", "[CLS]", "[SEP]", "un", "##like", "##ly", "!"]
    >>> pieces = WordPieces(known)
    >>> pieces.encode("Unlikely! Not.")
    [1, 3, 4, 5, 6, 0, 0, 2]
    """

    @checked(tokens=_checks.words)
    def __init__(self, tokens):
        self.tokens = tokens
        self._ids = {token: i for i, token in enumerate(self.tokens)}

    @checked(text=_checks.string)
    def encode(self, text):
        """Return the numbers of a text's tokens, between those of ``[CLS]`` and ``[SEP]``."""
        found = ["[CLS]"]
        for word in words(text):
            found += self._pieces(word)
        return [self._ids[token] for token in [*found, "[SEP]"]]

    def _pieces(self, word):
        pieces, at = [], 0
        while at < len(word):
            start = "##" if at else ""
            ends = (e for e in range(len(word), at, -1) if start + word[at:e] in self._ids)
            end = next(ends, None)
            if end is None or len(word) > 100:
                return ["[UNK]"]
            pieces.append(start + word[at:end])
            at = end
        return pieces


def words(text):
    """Cut a text into words in small letters without accents, and signs.

    Examples
    --------
    >>> words("Élan, it's 24!")
    ['elan', ',', 'it', "'", 's', '24', '!']
    """
    shown = (c for c in text if c in "\t\n\r" or (category(c)[0] != "C" and c != "\ufffd"))
    spaced = "".join(f" {c} " if chinese(c) else c for c in shown)
    plain = (c.lower() for c in normalize("NFD", spaced) if category(c) != "Mn")
    return "".join(f" {c} " if sign(c) else c for c in "".join(plain)).split()


def sign(c):
    """Whether a character stands alone: punctuation, or a symbol of ASCII."""
    return category(c)[0] == "P" or (c.isascii() and category(c)[0] == "S")


def chinese(c):
    """Whether a character is a Chinese one, which stands alone, too."""
    return any(first <= ord(c) <= last for first, last in CHINESE)


@functools.cache
def load():
    """Return the encoder and what cuts texts into its tokens; None twice where they are not here.

    Raises
    ------
    ModelError
        If there is a file that is another one.
    """
    path = MINILM.find()
    if path is None:
        return None, None
    tokens = path.with_name("vocab.txt").read_text(encoding="utf-8").splitlines()
    return SentenceEncoder.of(_safetensors.read(path)[0]), WordPieces(tokens)
