"""Chapter 16: a translator of numbers in words, and how its decoder finds words."""

import numpy as np
import torch
from torch import nn

from attnlib import _checks
from attnlib.data.numbers import ENGLISH, FRENCH, LONGEST, english_words, french_words
from attnlib.experiments.layers import Attention, arrays
from attnlib.experiments.training import one_thread, seeded, train
from attnlib.networks import Translator, _eight_bits
from attnlib.networks.translator import KINDS

SCORES = ("none", "uniform", "location", "multiplicative", "additive")
N_MAX = 11  # English words of a number below a million
IGNORED = -100  # as cross-entropy marks padding


class Numbers:
    """Numbers in both languages, as padded tables of indices.

    Parameters
    ----------
    numbers : sequence of int
        From 0 to 999,999.

    Attributes
    ----------
    source, lengths : torch.Tensor
        English words, shape (n, longest), and how many each number has.
    read, wanted : torch.Tensor
        French words that the decoder reads, and those it has to write; END begins the one and ends
        the other.
    """

    def __init__(self, numbers):
        self.numbers = np.array(numbers)
        english = [[ENGLISH.index(w) for w in english_words(int(n))] for n in numbers]
        french = [[FRENCH.index(w) for w in french_words(int(n))] for n in numbers]
        self.lengths = torch.tensor([len(words) for words in english])
        self.source = _padded(english, 0)
        self.read = _padded([[0, *words] for words in french], 0)
        self.wanted = _padded([[*words, 0] for words in french], IGNORED)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, rows):
        """Some of the numbers."""
        some = object.__new__(Numbers)
        for name, whole in vars(self).items():
            setattr(some, name, whole[rows])
        return some


def _padded(rows, fill):
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])


class ScoredAttention(Attention):
    """The decoder's states ask, by a score of a kind, the encoder's, which are keys and values."""

    matrices = ""

    def __init__(self, kind, d):
        super().__init__(d)
        self.kind = kind
        if kind == "location":
            self.W = nn.Linear(d, N_MAX)
        elif kind == "multiplicative":
            self.W = nn.Linear(d, d, bias=False)
        elif kind == "additive":
            self.W_q, self.W_k = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)
            self.v = nn.Linear(d, 1, bias=False)

    def scores(self, Q, K):
        n = K.shape[-2]
        if self.kind == "uniform":
            return Q.new_zeros(*Q.shape[:-1], n)
        if self.kind == "location":
            return self.W(Q)[..., :n]
        if self.kind == "multiplicative":
            return self.W(Q) @ K.mT
        pairs = self.W_q(Q)[..., :, None, :] + self.W_k(K)[..., None, :, :]
        return self.v(torch.tanh(pairs)).squeeze(-1)


class TranslatorNetwork(nn.Module):
    """The network of `Translator`, for many numbers and all steps at once.

    Parameters
    ----------
    score : {"none", "uniform", "location", "multiplicative", "additive"}
        How the decoder finds its weights over the encoder's states; "uniform" takes their mean.
    d_e, d_s : int, optional
        Length of a word's row, and of a state.
    seed : int, optional
        Seed of the start.
    late : bool, optional
        Whether the decoder asks with the state before the word it has just read, one step too late.
    """

    def __init__(self, score, d_e=16, d_s=32, seed=0, late=False):
        super().__init__()
        self.kind, self.late = _checks.choice(score, "score", SCORES), late
        with seeded(seed):
            self.E_source = nn.Embedding(len(ENGLISH), d_e)
            self.encoder = nn.GRU(d_e, d_s, batch_first=True)
            self.E_target = nn.Embedding(len(FRENCH), d_e)
            self.decoder = nn.GRU(d_e, d_s, batch_first=True)
            self.W_c = nn.Linear(d_s if score == "none" else 2 * d_s, d_s, bias=False)
            self.U = nn.Linear(d_s, len(FRENCH))
            self.attention = None if score == "none" else ScoredAttention(score, d_s)

    def encode(self, source, lengths):
        """Return the encoder's states, and the last one of each number."""
        H, _ = self.encoder(self.E_source(source))
        return H, H[torch.arange(len(H)), lengths - 1]

    def decode(self, read, s, H, lengths):
        """Return logits and weights for the words read, and the state after the last."""
        S, last = self.decoder(self.E_target(read), s[None])
        found, weights = S, None
        if self.attention:
            asking = torch.cat([s[:, None], S[:, :-1]], 1) if self.late else S
            there = torch.arange(H.shape[1]) < lengths[:, None]
            found = torch.cat([S, self.attention(asking, H, mask=there[:, None, None])], -1)
            weights = self.attention.weights[:, 0]
        return self.U(torch.tanh(self.W_c(found))), weights, last[0]

    def forward(self, some):
        """Return logits for some `Numbers`, the right words before each being given."""
        H, last = self.encode(some.source, some.lengths)
        return self.decode(some.read, last, H, some.lengths)[0]

    @torch.no_grad()
    def translate(self, some):
        """Write translations of some `Numbers`, always with the likeliest next word.

        Returns
        -------
        words : ndarray of int, shape (len(some), LONGEST)
            Indices into FRENCH; what follows the first END means nothing.
        weights : ndarray, shape (len(some), LONGEST, n), or None
        """
        H, s = self.encode(some.source, some.lengths)
        word, words, rows = torch.zeros(len(some), 1, dtype=int), [], []
        for _ in range(LONGEST):
            logits, weights, s = self.decode(word, s, H, some.lengths)
            word = logits.argmax(-1)
            words.append(word)
            rows.append(weights)
        weights = None if rows[0] is None else torch.cat(rows, 1).numpy()
        return torch.cat(words, 1).numpy(), weights

    def right(self, some):
        """Whether each translation is right in every word, as an array of bool."""
        wanted = some.wanted.numpy()
        words = self.translate(some)[0][:, : wanted.shape[1]]
        return ((words == wanted) | (wanted == IGNORED)).all(-1)

    @torch.no_grad()
    def words_right(self, some):
        """The share of right next words in each number, the right words before being given."""
        asked = some.wanted != IGNORED
        right = (self(some).argmax(-1) == some.wanted) & asked
        return (right.sum(-1) / asked.sum(-1)).numpy()

    def twin(self):
        """The same network as a `Translator`."""
        found = {
            "E_source": self.E_source.weight,
            "E_target": self.E_target.weight,
            "W_c": self.W_c.weight.T,
            "U": self.U.weight.T,
            "b": self.U.bias,
        }
        for name in ("encoder", "decoder"):
            gru = getattr(self, name)
            found |= {f"{name}.W_x": gru.weight_ih_l0.T, f"{name}.W_s": gru.weight_hh_l0.T}
            found |= {f"{name}.b_x": gru.bias_ih_l0, f"{name}.b_s": gru.bias_hh_l0}
        score = self.attention
        if score:
            found |= {f"score.{name}": made.weight.T for name, made in score.named_children()}
        if self.kind == "location":
            found["score.b"] = score.W.bias
        elif self.kind == "additive":
            found["score.v"] = score.v.weight[0]
        return Translator.from_parameters(arrays(found), source_words=ENGLISH, target_words=FRENCH)


def next_word_loss(network, some):
    """Cross-entropy of the next word, each step being given the right words before it."""
    logits = network(some)
    return nn.functional.cross_entropy(logits.flatten(0, 1), some.wanted.flatten())


def draw_numbers(seed=0, longest=N_MAX, trained=350, tested=100):
    """Draw numbers below a million to train on, and others to test.

    There are few short numbers, so a draw of any would hold hardly any: of each length, counted in
    English words, the same number is drawn, or three quarters and a quarter of all there are.

    Parameters
    ----------
    seed : int, optional
    longest : int, optional
        Most English words of a number to train on; those to test have up to 11.
    trained, tested : int, optional
        How many of each length, at most.

    Returns
    -------
    to_train, to_test : Numbers
    """
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([rng.permutation(10**k)[:12_000] for k in range(1, 7)])
    drawn = np.array([*dict.fromkeys(drawn.tolist())])
    lengths = np.array([len(english_words(n)) for n in drawn.tolist()])
    to_train, to_test = [], []
    for length in range(1, N_MAX + 1):
        some = drawn[lengths == length]
        held_out = min(tested, len(some) // 4)
        to_test += [*some[:held_out]]
        to_train += [*some[held_out : held_out + trained]] * (length <= longest)
    return Numbers(to_train), Numbers(to_test)


@one_thread()
def train_translator(score, numbers, steps=300, rate=0.015, batch=128, seed=0, **options):
    """Train a network on some `Numbers` by teacher forcing, and return it with its losses."""
    settings = {name: options.pop(name) for name in ("d_e", "d_s", "late") if name in options}
    network = TranslatorNetwork(score, seed=seed, **settings)

    def batches(rng):
        return (numbers[rng.integers(len(numbers), size=batch)],)

    return network, train(network, batches, next_word_loss, steps, rate, seed=seed, **options)


def record():
    """Train the translators that come with the book, and store them."""
    to_train, to_test = draw_numbers()
    for score in KINDS:
        network, _ = train_translator(score, to_train, steps=600, rate=0.01, batch=64)
        print(f"{score}: {network.right(to_test).mean():.3f} of the test numbers right")
        _eight_bits.write(network.twin(), score)
