"""A translator of numbers in words, an encoder and a decoder, step by step."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.data.numbers import LONGEST
from attnlib.networks import _eight_bits
from attnlib.networks.recurrent import GRU
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters, Part
from attnlib.scores import Additive, Bilinear, Location

KINDS = ("additive", "multiplicative", "location", "none")


class Translator(Parameters):
    r"""Translate English words into French ones by an encoder and a decoder, maybe with attention.

    Parameters
    ----------
    E_source : array_like
        A row for each English word.
    encoder : GRU
        Reads the English words.
    E_target : array_like
        A row for each French word.
    decoder : GRU
        Reads the French words written so far, beginning at the encoder's last state.
    W_c : array_like
        Takes a state, and what attention found beside it, to what the next word is chosen by.
    U : array_like
        A column for each French word.
    b : array_like
        The score of each French word before anything is seen.
    source_words, target_words : sequence of str
        The English and the French words, in the order of their rows; the first French one begins
        and ends every translation.
    score : Additive, Bilinear or Location, optional
        Scores the encoder's states for a state of the decoder.  Without it there is no attention.

    Notes
    -----
    An encoder and a decoder (Cho et al. 2014), with attention as in Luong et al. 2015.  The
    decoder reads the word before, asks with its new state, and chooses the next word:

    .. math:: s_t = \mathrm{GRU}(E_{y_{t-1}}, s_{t-1}), \qquad
              \alpha_t = \mathrm{softmax}(\mathrm{score}(\q{s_t}, \k{H})), \qquad
              c_t = \alpha_t \v{H}

    .. math:: p_t = \mathrm{softmax}(\tanh([s_t, c_t] \, W_c) \, U + b)

    Examples
    --------
    >>> words, weights = Translator.trained()(["twenty", "one"])
    >>> words, weights.shape
    (['vingt', 'et', 'un', '·'], (4, 2))
    """

    E_source: Shape("(n_source_words, d_e)")
    encoder: Part(GRU, d_x="d_e", d_s="d_s")
    E_target: Shape("(n_target_words, d_e)")
    decoder: Part(GRU, d_x="d_e", d_s="d_s")
    W_c: Shape("(d_found, d_c)")
    U: Shape("(d_c, n_target_words)")
    b: Shape("(n_target_words,)")
    source_words: _checks.words
    target_words: _checks.words
    score: Part(Additive, Bilinear, Location) = None

    def __post_init__(self):
        super().__post_init__()
        d_s = len(self.encoder.W_s)
        wanted = d_s if self.score is None else 2 * d_s
        if len(self.W_c) != wanted:
            raise ValueError(
                f"W_c has shape {self.W_c.shape}, expected {wanted} rows: for the state, and with "
                f"a score for what attention found."
            )

    @classmethod
    def trained(cls, score="additive"):
        """Return a translator that comes with the book, its numbers rounded to eight bits.

        Parameters
        ----------
        score : {"additive", "multiplicative", "location", "none"}, optional
            How its decoder finds its weights.
        """
        _checks.choice(score, "score", KINDS)
        return _eight_bits.read(cls, score)

    def encode(self, words):
        """Return the encoder's state after each of some English words, shape (n, d_s)."""
        return self.encoder(self.E_source[_checks.places(words, "words", self.source_words)])

    @checked(s="(d_s,)", H="(n_states, d_s)")
    def step(self, word, s, H):
        """Take one step of decoding.

        Parameters
        ----------
        word : str
            The French word before, or the first of `target_words`.
        s : ndarray, shape (d_s,)
            The state before; at first the last row of `H`.
        H : ndarray, shape (n, d_s)
            The encoder's states.

        Returns
        -------
        logits : ndarray, shape (n_target_words,)
            One for each of `target_words`.
        weights : ndarray, shape (n,)
            What the step gave to each row of `H`; nothing, without attention.
        s : ndarray, shape (d_s,)
            The new state.
        """
        (row,) = _checks.places([word], "word", self.target_words)
        s = self.decoder.step(self.E_target[row], s)
        found, weights = s, np.zeros(0)
        if self.score is not None:
            weights = softmax(self.score(s[None], H))[0]
            found = np.concatenate([s, weights @ H])
        return np.tanh(found @ self.W_c) @ self.U + self.b, weights, s

    def __call__(self, words):
        """Translate some English words, always with the likeliest next word.

        Returns
        -------
        translation : list of str
            Its last word is the first of `target_words`, unless it grows too long.
        weights : ndarray, shape (len(translation), n)
            A row for each word of the translation.
        """
        H = self.encode(words)
        end, s, translation, rows = self.target_words[0], H[-1], [], []
        word = end
        while len(translation) < LONGEST and (not translation or word != end):
            logits, weights, s = self.step(word, s, H)
            word = self.target_words[int(logits.argmax())]
            translation.append(word)
            rows.append(weights)
        return translation, np.array(rows)
