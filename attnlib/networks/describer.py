"""A decoder that describes a canvas of handwritten digits in words, one word after the other."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.attention import scaled_dot_product_attention
from attnlib.blocks import DecoderBlock, EncoderBlock, LayerNorm
from attnlib.data.canvases import END, HEIGHT, LONGEST, PATCH, QUESTIONS, WIDTH
from attnlib.data.digits import patches
from attnlib.masks import causal
from attnlib.networks import _eight_bits
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters, Part


def on_canvas(pixels, name):
    """Return `pixels` as those of a canvas, or of several."""
    pixels = _checks.numbers(pixels, name)
    if pixels.shape[-2:] != (HEIGHT, WIDTH):
        raise ValueError(f"{name} has shape {pixels.shape}, expected (..., {HEIGHT}, {WIDTH}).")
    return pixels


def one_canvas(pixels, name):
    """Return `pixels` as those of one canvas."""
    pixels = on_canvas(pixels, name)
    if pixels.ndim > 2:
        raise ValueError(f"{name} has shape {pixels.shape}. Give one canvas.")
    return pixels


def refuse_other_lengths(self, keys, values, **_):
    """Refuse keys and values that the decoder's cross-attention cannot have made."""
    for name, rows, W in (("keys", keys, "W_K"), ("values", values, "W_V")):
        wanted = getattr(self.decoder.cross_attention, W).shape[1]
        if rows.shape[1] != wanted:
            raise ValueError(f"{name} has shape {rows.shape}, expected (n_memory, {wanted}).")


class Describer(Parameters):
    r"""See a canvas as eight patches, and write words about it one by one.

    Parameters
    ----------
    W_P : array_like
        Makes an item of a patch of 25 pixels.
    P : array_like
        A row for the place of each patch, added to it.
    encoder : EncoderBlock
        Lets the patches ask one another.
    norm : LayerNorm
        The norm of the encoder's output, which is the memory.
    E : array_like
        A row for each word.
    P_words : array_like
        A row for each place in a sentence.
    decoder : DecoderBlock
        Lets the words so far ask one another, and then the memory, with a single head.
    norm_out : LayerNorm
        The norm before the words are scored.
    U : array_like
        A column for each word.
    words : sequence of str
        The words that it knows, in the order of their rows; the first begins and ends every
        description.

    Notes
    -----
    An encoder and a decoder (Vaswani et al. 2017) with the norms before.  The encoder reads
    patches, not words.  Queries of cross-attention come from the words a, keys and values from the
    memory M:

    .. math:: \q{Q} = \mathrm{norm}(A) W_Q, \qquad \k{K} = M W_K, \qquad \v{V} = M W_V

    Examples
    --------
    >>> from attnlib.data import held_out
    >>> words, weights = Describer.trained()(held_out([7, 2], [1, 11]).pixels)
    >>> words, weights.shape
    (['seven', 'and', 'two', '·'], (4, 8))
    """

    W_P: Shape("(d_patch, d_model)")
    P: Shape("(n_patches, d_model)")
    encoder: Part(EncoderBlock, d_model="d_model")
    norm: Part(LayerNorm, d="d_model")
    E: Shape("(n_words, d_model)")
    P_words: Shape("(n_places, d_model)")
    decoder: Part(DecoderBlock, d_model="d_model")
    norm_out: Part(LayerNorm, d="d_model")
    U: Shape("(d_model, n_words)")
    words: _checks.words

    def __post_init__(self):
        super().__post_init__()
        cross = self.decoder.cross_attention
        plain = {"n_heads": 1} == cross.settings() and len(cross.parameters()) == 4
        if not (self.decoder.norm_first and plain):
            raise ValueError(
                "decoder must have its norms first, and a single head of cross-attention without "
                "biases: its steps are taken one by one here."
            )

    @classmethod
    def trained(cls):
        """Return the network that comes with the book, its numbers rounded to eight bits."""
        return _eight_bits.read(cls, "describer")

    @checked(pixels=on_canvas)
    def see(self, pixels):
        """The memory of a canvas: a row for each of its eight patches."""
        X = patches(pixels, PATCH) @ self.W_P + self.P
        return self.norm(self.encoder(X)[0])

    @checked(memory="(..., n_memory, d_model)")
    def keys(self, memory):
        """What each patch is found by."""
        return memory @ self.decoder.cross_attention.W_K

    @checked(memory="(..., n_memory, d_model)")
    def values(self, memory):
        """What each patch gives."""
        return memory @ self.decoder.cross_attention.W_V

    def read(self, words):
        """Let the words so far ask one another, and return the row of the last one."""
        rows, n = _checks.places(words, "words", self.words), len(words)
        if n > len(self.P_words):
            raise ValueError(f"words are {n}, at most {len(self.P_words)} fit. Give fewer.")
        X, block = self.E[rows] + self.P_words[:n], self.decoder
        return (X + block.self_attention(block.norm_1(X), mask=causal(n))[0])[-1]

    @checked(row="(d_model,)")
    def query(self, row):
        """What a row of the decoder asks the patches."""
        return self.decoder.norm_2(row[None])[0] @ self.decoder.cross_attention.W_Q

    @checked(row="(d_model,)", found="(d_found,)")
    def logits(self, row, found):
        """A score for each of `words`, from a row and from what it found."""
        block = self.decoder
        C = row[None] + found @ block.cross_attention.W_O
        return (self.norm_out(C + block.feed_forward(block.norm_3(C))) @ self.U)[0]

    @checked(also=refuse_other_lengths, keys="(n_memory, d_k)", values="(n_memory, d_v)")
    def step(self, words, keys, values):
        """Choose the next word.

        Parameters
        ----------
        words : list of str
            The words so far; the first is "·", "left?" or "right?".
        keys, values : ndarray, shape (n, d)
            Those of the patches, by `keys` and `values`, of one canvas or of two.

        Returns
        -------
        chances : ndarray, shape (n_words,)
            The probability of each word to be the next.
        weights : ndarray, shape (n,)
            What the step gave to each patch.
        """
        row = self.read(words)
        found, weights = scaled_dot_product_attention(self.query(row)[None], keys, values)
        return softmax(self.logits(row, found[0])), weights[0]

    @checked(
        keys_from=one_canvas,
        values_from=one_canvas,
        question=lambda x, name: _checks.choice(x, name, QUESTIONS),
    )
    def __call__(self, keys_from, values_from=None, question=END):
        """Describe a canvas, always with the likeliest next word.

        Parameters
        ----------
        keys_from : array_like, shape (10, 20)
            The canvas whose keys are compared with the queries.
        values_from : array_like, optional
            Another canvas that gives the values; the same by default.
        question : {"·", "left?", "right?"}, optional
            What the decoder reads first; by default it describes.

        Returns
        -------
        words : list of str
            The last one is "·", unless it grows too long.
        weights : ndarray, shape (len(words), 8)
        """
        values_from = keys_from if values_from is None else values_from
        keys, values = self.keys(self.see(keys_from)), self.values(self.see(values_from))
        words, rows = [question], []
        while len(words) <= LONGEST and (len(words) == 1 or words[-1] != END):
            chances, weights = self.step(words, keys, values)
            words.append(self.words[int(chances.argmax())])
            rows.append(weights)
        return words[1:], np.array(rows)
