"""Digits on a canvas, and a decoder that describes them in words; `describing` trains it."""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attnlib import _checks
from attnlib._shapes import Shape
from attnlib.attention import scaled_dot_product_attention
from attnlib.blocks import DecoderBlock, EncoderBlock, FeedForward, LayerNorm
from attnlib.heads import MultiHeadAttention
from attnlib.models import _packing
from attnlib.models.digits import SIDE, patches, split_digits
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters, Part

HEIGHT, WIDTH, PATCH = 10, 20, 5
N_PATCHES = (HEIGHT // PATCH) * (WIDTH // PATCH)
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
END = "·"  # begins and ends every description
LEFT, RIGHT = "left?", "right?"  # begin the answer to a question
WORDS = (END, "and", LEFT, RIGHT, *DIGITS)
QUESTIONS = (END, LEFT, RIGHT)
LONGEST = 4  # words of a description, END included
#: A trained network, its numbers in eight bits.
TRAINED = Path(__file__).with_name("trained") / "describer.json"


class Canvas(NamedTuple):
    """One digit or two on a canvas, from left to right."""

    #: Ink from 0 to 1, shape (10, 20).
    pixels: np.ndarray
    #: The digits from left to right.
    digits: tuple
    #: Where the upper left corner of each digit is: row and column.
    corners: tuple


def canvas(images, digits, corners):
    """Put images of digits on a canvas.

    Parameters
    ----------
    images : sequence of array_like, shape (8, 8)
        From left to right, two at most.
    digits : sequence of int
        Which digits they are.
    corners : sequence of (int, int)
        Row, from 0 to 2, and column, from 0 to 12, of the upper left corner of each; digits do not
        overlap.

    Examples
    --------
    >>> made = canvas([np.ones((8, 8))], [7], [(1, 3)])
    >>> made.pixels.shape, float(made.pixels.sum()), made.digits
    ((10, 20), 64.0, (7,))
    """
    if not len(images) == len(digits) == len(corners):
        raise ValueError(
            f"images, digits and corners are {len(images)}, {len(digits)} and {len(corners)}. Give "
            f"as many of each."
        )
    pixels, free = np.zeros((HEIGHT, WIDTH)), 0
    for image, digit, (row, column) in zip(images, digits, corners):
        _in_range(digit, "digit", 0, 9)
        _in_range(row, "row", 0, HEIGHT - SIDE)
        _in_range(column, "column", 0, WIDTH - SIDE)
        if column < free:
            raise ValueError(
                f"column={column} is taken. Give digits from left to right, without overlap."
            )
        if np.shape(image) != (SIDE, SIDE):
            raise ValueError(f"images holds shape {np.shape(image)}, expected ({SIDE}, {SIDE}).")
        pixels[row : row + SIDE, column : column + SIDE] = image
        free = column + SIDE
    return Canvas(pixels, tuple(map(int, digits)), tuple(tuple(map(int, c)) for c in corners))


def _in_range(n, name, least, most):
    if not least <= _checks.integer(n, name) <= most:
        raise ValueError(f"{name}={n} is out of range. Give one from {least} to {most}.")


def draw_canvas(rng, images, labels, count=None):
    """Draw a canvas with one digit or two, which do not touch.

    Parameters
    ----------
    rng : numpy.random.Generator
    images, labels : ndarray
        Digits to choose from, as `split_digits` gives them.
    count : {1, 2}, optional
        How many; by default one in three canvases has a single digit.
    """
    if count is None:
        count = 1 + int(rng.random() < 2 / 3)
    elif count not in (1, 2):
        raise ValueError(f"count={count!r} must be 1 or 2: a canvas has room for two digits.")
    chosen = rng.integers(len(images), size=count)
    rows = rng.integers(3, size=2)
    first = rng.integers(13) if count == 1 else rng.integers(5)
    columns = first, rng.integers(first + SIDE, 13) if count == 2 else 0
    corners = [*zip(rows, columns)][:count]
    return canvas(images[chosen], labels[chosen], corners)


def wanted_words(canvas, question=END):
    """The words that describe a canvas, or answer a question about it.

    "left? two" asks what is left of the two, of a canvas with two different digits.  A digit that
    is not there leaves the side's digit as the answer.

    Examples
    --------
    >>> made = canvas(np.ones((2, 8, 8)), [7, 2], [(0, 0), (2, 9)])
    >>> wanted_words(made), wanted_words(made, RIGHT)
    (['seven', 'and', 'two', '·'], ['two', '·'])
    >>> wanted_words(made, "left? two"), wanted_words(made, "left? seven")
    (['seven', '·'], ['·'])
    """
    names = [DIGITS[digit] for digit in canvas.digits]
    asked = [f"{side} {name}".strip() for name in ("", *DIGITS) for side in (LEFT, RIGHT)]
    _checks.choice(question, "question", [END, *asked * bool(names)])
    if question == END:
        return [*names[0:1], *(w for name in names[1:] for w in ("and", name)), END]
    side, *named = question.split()
    answer = [names[0 if side == LEFT else -1]]
    return [END] if answer == named else [*answer, END]


def ink_of(canvas):
    """Which share of each patch's ink belongs to each digit, shape (n_digits, 8).

    A patch without ink of a digit has 0.  Row 0 is the left one.
    """
    rows = []
    for row, column in canvas.corners:
        own = np.zeros((HEIGHT, WIDTH))
        area = slice(row, row + SIDE), slice(column, column + SIDE)
        own[area] = canvas.pixels[area]
        rows.append(patches(own, PATCH).sum(-1))
    rows = np.array(rows)
    return rows / np.maximum(rows.sum(0), 1e-9)


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

    Notes
    -----
    An encoder and a decoder (Vaswani et al. 2017) with the norms before.  The encoder reads
    patches, not words.  Queries of cross-attention come from the words a, keys and values from the
    memory M:

    .. math:: \q{Q} = \mathrm{norm}(A) W_Q, \qquad \k{K} = M W_K, \qquad \v{V} = M W_V
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

    @classmethod
    def trained(cls):
        """Return the network that comes with the book, its numbers rounded to eight bits."""
        return _trained()

    def see(self, pixels):
        """The memory of a canvas: a row for each of its eight patches."""
        X = patches(pixels, PATCH) @ self.W_P + self.P
        return self.norm(self.encoder(X)[0])

    def keys(self, memory):
        """What each patch is found by."""
        return memory @ self.decoder.cross_attention.W_K

    def values(self, memory):
        """What each patch gives."""
        return memory @ self.decoder.cross_attention.W_V

    def read(self, words):
        """Let the words so far ask one another, and return the row of the last one."""
        X = self.E[[WORDS.index(_checks.choice(word, "a word", WORDS)) for word in words]]
        X = X + self.P_words[: len(words)]
        block = self.decoder
        n = len(words)
        causal = np.tril(np.ones((n, n), dtype=bool))
        return (X + block.self_attention(block.norm_1(X), mask=causal)[0])[-1]

    def query(self, row):
        """What a row of the decoder asks the patches."""
        return self.decoder.norm_2(row[None])[0] @ self.decoder.cross_attention.W_Q

    def logits(self, row, found):
        """A score for each of `WORDS`, from a row and from what it found."""
        block = self.decoder
        C = row[None] + found @ block.cross_attention.W_O
        return (self.norm_out(C + block.feed_forward(block.norm_3(C))) @ self.U)[0]

    def step(self, words, keys, values):
        """Choose the next word.

        Parameters
        ----------
        words : list of str
            The words so far; the first is `END`, `LEFT` or `RIGHT`.
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
        return softmax(self.logits(row, found)), weights[0]

    def __call__(self, keys_from, values_from=None, question=END):
        """Describe a canvas, always with the likeliest next word.

        Parameters
        ----------
        keys_from : array_like, shape (10, 20)
            The canvas whose keys are compared with the queries.
        values_from : array_like, optional
            Another canvas that gives the values; the same by default.
        question : {END, LEFT, RIGHT}, optional
            What the decoder reads first.

        Returns
        -------
        words : list of str
            `END` is the last, unless it grows too long.
        weights : ndarray, shape (len(words), 8)
        """
        _checks.choice(question, "question", QUESTIONS)
        values_from = keys_from if values_from is None else values_from
        keys, values = self.keys(self.see(keys_from)), self.values(self.see(values_from))
        words, rows = [question], []
        while len(words) <= LONGEST and (len(words) == 1 or words[-1] != END):
            chances, weights = self.step(words, keys, values)
            words.append(WORDS[int(chances.argmax())])
            rows.append(weights)
        return words[1:], np.array(rows)


def built(arrays):
    """A `Describer` from its parameters by name, as `Describer.parameters` lists them."""
    arrays = {name: np.asarray(array, dtype=float) for name, array in arrays.items()}

    def part(prefix):
        inside = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        return {name: array for name, array in inside.items() if "." not in name}

    def attention(prefix, n_heads):
        return MultiHeadAttention(**part(prefix), n_heads=n_heads)

    encoder = EncoderBlock(
        attention("encoder.attention.", 4),
        LayerNorm(**part("encoder.norm_1.")),
        FeedForward(**part("encoder.feed_forward.")),
        LayerNorm(**part("encoder.norm_2.")),
        norm_first=True,
    )
    decoder = DecoderBlock(
        attention("decoder.self_attention.", 4),
        LayerNorm(**part("decoder.norm_1.")),
        attention("decoder.cross_attention.", 1),
        LayerNorm(**part("decoder.norm_2.")),
        FeedForward(**part("decoder.feed_forward.")),
        LayerNorm(**part("decoder.norm_3.")),
        norm_first=True,
    )
    norms = {name: LayerNorm(**part(f"{name}.")) for name in ("norm", "norm_out")}
    made = Describer(**part(""), encoder=encoder, decoder=decoder, **norms)
    if unknown := sorted(arrays.keys() - made.parameters().keys()):
        raise ValueError(f"arrays holds {unknown}, for which a Describer has no place.")
    return made


def packed(describer):
    """Parameters in eight bits: name -> [unit, shape, whole numbers of it in base64]."""
    return _packing.packed(describer.parameters())


@cache
def _trained():
    return built(_packing.unpacked(json.loads(TRAINED.read_text(encoding="utf-8"))))


def held_out(digits, columns, rows=(1, 1), which=0):
    """A canvas of digits that the trained network never saw.

    Parameters
    ----------
    digits, columns, rows : sequence of int
        Which digits, from left to right, and where their upper left corners are.
    which : int, optional
        Number of the image among those of its digit.

    Examples
    --------
    >>> held_out([7, 2], [1, 11]).corners
    ((1, 1), (1, 11))
    """
    images, labels = split_digits()[1]
    chosen = []
    for digit in digits:
        _in_range(digit, "digit", 0, 9)
        own = images[labels == digit]
        _in_range(which, "which", 0, len(own) - 1)
        chosen.append(own[which])
    return canvas(chosen, digits, [*zip(rows, columns)])


def held_out_canvases(n=200, seed=1, count=None):
    """Draw canvases of digits that the trained network never saw."""
    rng, (images, labels) = np.random.default_rng(seed), split_digits()[1]
    return [draw_canvas(rng, images, labels, count) for _ in range(n)]
