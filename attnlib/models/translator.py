"""A translator of numbers in words, step by step in NumPy; `translation` trains it in PyTorch."""

import json
from pathlib import Path

import numpy as np

from attnlib import _checks
from attnlib._shapes import Shape
from attnlib.examples import english_words, french_words
from attnlib.models import _packing
from attnlib.models.recurrent import GRU
from attnlib.normalizers import softmax
from attnlib.parameters import Parameters, Part
from attnlib.scores import Additive, Bilinear, Location

END = "·"  # begins and ends every translation
LONGEST = 15  # words of a translation; the longest right one has 14, with END
#: Trained networks, their numbers in eight bits: a file for each score.
TRAINED = Path(__file__).with_name("trained")
KINDS = ("additive", "multiplicative", "location", "none")
SCORES = {"additive": Additive, "multiplicative": Bilinear, "location": Location}


def _vocabulary(words):
    return tuple(dict.fromkeys(w for n in [*range(1000), 1000] for w in words(n)))


ENGLISH = _vocabulary(english_words)
FRENCH = (END, *_vocabulary(french_words))


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
    """

    E_source: Shape("(n_source, d_e)")
    encoder: Part(GRU)
    E_target: Shape("(n_target, d_e)")
    decoder: Part(GRU)
    W_c: Shape("(d_found, d_c)")
    U: Shape("(d_c, n_target)")
    b: Shape("(n_target,)")
    score: Part((Additive, Bilinear, Location)) = None

    @classmethod
    def trained(cls, score="additive"):
        """Return a translator that comes with the book, its numbers rounded to eight bits.

        Parameters
        ----------
        score : {"additive", "multiplicative", "location", "none"}, optional
            How its decoder finds its weights.
        """
        _checks.choice(score, "score", KINDS)
        stored = (TRAINED / f"{score}.json").read_text(encoding="utf-8")
        return unpacked(score, json.loads(stored))

    def encode(self, words):
        """Return the encoder's state after each of some English words, shape (n, d_s)."""
        if isinstance(words, str) or not words:
            raise ValueError(f"words={words!r} is no list of English words. Give at least one.")
        rows = [ENGLISH.index(_checks.choice(word, "a word", ENGLISH)) for word in words]
        return self.encoder(self.E_source[rows])

    def step(self, word, s, H):
        """Take one step of decoding.

        Parameters
        ----------
        word : str
            The French word before, or `END`.
        s : ndarray, shape (d_s,)
            The state before; at first the last row of `H`.
        H : ndarray, shape (n, d_s)
            The encoder's states.

        Returns
        -------
        logits : ndarray, shape (n_target,)
            One for each word in `FRENCH`.
        weights : ndarray, shape (n,)
            What the step gave to each row of `H`; nothing, without attention.
        s : ndarray, shape (d_s,)
            The new state.
        """
        s = self.decoder.step(self.E_target[FRENCH.index(word)], s)
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
            `END` is its last word, unless it grows too long.
        weights : ndarray, shape (len(translation), n)
            A row for each word of the translation.
        """
        H = self.encode(words)
        word, s, translation, rows = END, H[-1], [], []
        while len(translation) < LONGEST and (not translation or word != END):
            logits, weights, s = self.step(word, s, H)
            word = FRENCH[int(logits.argmax())]
            translation.append(word)
            rows.append(weights)
        return translation, np.array(rows)


def packed(translator):
    """Return parameters in eight bits: name -> [unit, shape, whole numbers of it in base64]."""
    return _packing.packed(translator.parameters())


def unpacked(score, stored):
    """Return the translator with a score of this name whose parameters were packed."""
    arrays = _packing.unpacked(stored)

    def part(cls, prefix):
        return cls(**{n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)})

    whole = {name: array for name, array in arrays.items() if "." not in name}
    recurrent = {name: part(GRU, f"{name}.") for name in ("encoder", "decoder")}
    found = part(SCORES[score], "score.") if score in SCORES else None
    return Translator(**whole, **recurrent, score=found)
