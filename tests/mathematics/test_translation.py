"""Numbers in words, and the translators: in NumPy as in PyTorch, step by step as all at once."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from attnlib.data import english_words, french_places, french_words
from attnlib.data.numbers import END, ENGLISH, FRENCH
from attnlib.experiments.training import seeded
from attnlib.experiments.translation import (
    IGNORED,
    SCORES,
    Numbers,
    TranslatorNetwork,
    draw_numbers,
    next_word_loss,
    train_translator,
)
from attnlib.networks import GRU, Translator, _eight_bits
from attnlib.networks.translator import KINDS

WRITTEN = json.loads(Path(__file__).with_name("number_words.json").read_text(encoding="utf-8"))
ONE = (["one", "hundred"], ["one", "thousand"])
SOME = [0, 7, 21, 80, 91, 171, 421, 1000, 70_421, 200_200, 999_999]


def test_words_are_those_of_another_program():
    """num2words 0.5.14 wrote the file; hyphens and commas became spaces."""
    for n, (english, french) in WRITTEN.items():
        assert " ".join(english_words(int(n))) == english
        assert " ".join(french_words(int(n))) == french
    assert len(WRITTEN) > 300


def test_places_of_french_words():
    """By hand, and: every English word but “and” and the one of “one hundred” is translated."""
    assert french_places(0) == [{0}] and french_places(17) == [{0}, {0}]
    assert french_places(80) == [{0}, {0}] and french_places(97) == [{0}, {0}, {0}, {1}]
    assert french_places(171) == [{1}, {3}, set(), {3, 4}]
    assert french_places(1001) == [{1}, {3}]
    assert french_places(200_200) == [{0}, {1}, {2}, {3}, {4}]
    for n in [*range(1000), *range(1000, 10**6, 997)]:
        english, french, places = english_words(n), french_words(n), french_places(n)
        assert len(places) == len(french)
        assert [not place for place in places] == [word == "et" for word in french]
        left = {*range(len(english))}.difference(*places)
        silent = [english[i] for i in left if english[i : i + 2] not in ONE]
        assert set(silent) <= {"and"}
        assert [min(place) for place in places if place] == sorted(
            min(place) for place in places if place
        )


@pytest.mark.parametrize("words", [english_words, french_places, french_words])
def test_numbers_that_cannot_be_written_are_refused(words):
    for n, error in ((-1, ValueError), (1_000_000, ValueError), (1.5, TypeError)):
        with pytest.raises(error):
            words(n)


def test_a_gru_equals_pytorch():
    rng = np.random.default_rng(0)
    with seeded(0):
        theirs = torch.nn.GRU(3, 5, dtype=torch.float64)
    ours = GRU(*(p.detach().numpy().T for p in theirs.parameters()))
    X, s = rng.normal(size=(4, 3)), rng.normal(size=5)
    expected, _ = theirs(torch.tensor(X), torch.tensor(s[None]))
    np.testing.assert_allclose(ours(X, s), expected.detach(), atol=1e-12)
    np.testing.assert_allclose(ours(X), theirs(torch.tensor(X))[0].detach(), atol=1e-12)


@pytest.mark.parametrize("score", [s for s in SCORES if s != "uniform"])
def test_a_network_equals_the_translator(score):
    network, some = TranslatorNetwork(score, d_e=6, d_s=9, seed=2).double(), Numbers(SOME)
    with torch.no_grad():
        words, weights = network.translate(some)
    ours = network.twin()
    for row, n in enumerate(SOME):
        said, alignment = ours(english_words(n))
        assert said == [FRENCH[i] for i in words[row, : len(said)]]
        if weights is not None:
            shown = weights[row, : len(said), : alignment.shape[1]]
            np.testing.assert_allclose(alignment, shown, atol=1e-10)
            assert not weights[row, : len(said), alignment.shape[1] :].any()


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("score", SCORES)
def test_all_steps_at_once_are_the_steps_one_by_one(score, late):
    network = TranslatorNetwork(score, d_e=6, d_s=9, seed=3, late=late).double()
    some = Numbers(SOME)
    with torch.no_grad():
        logits = network(some)
        H, s = network.encode(some.source, some.lengths)
        for t in range(some.read.shape[1]):
            step, _, s = network.decode(some.read[:, t : t + 1], s, H, some.lengths)
            torch.testing.assert_close(step[:, 0], logits[:, t])


def test_the_share_of_right_next_words():
    network, some = TranslatorNetwork("none", d_e=6, d_s=9, seed=3), Numbers([97, 5])
    with torch.no_grad():
        said = network(some).argmax(-1)
    by_hand = [np.mean([a == b for a, b in zip(s, w) if b != IGNORED])
               for s, w in zip(said.tolist(), some.wanted.tolist())]  # fmt: skip
    np.testing.assert_allclose(network.words_right(some), by_hand, atol=1e-6)
    assert network.words_right(Numbers([97]))[0] == pytest.approx(by_hand[0])


def test_what_cannot_be_made_or_read_is_refused():
    for refused in (lambda: TranslatorNetwork("dot"), lambda: Translator.trained("dot")):
        with pytest.raises(ValueError, match="score='dot' is unknown"):
            refused()
    model = Translator.trained()
    with pytest.raises(ValueError, match="words holds 'twenty-one', which is none of: zero, one"):
        model(["twenty-one"])
    for words in ([], "twenty one"):
        with pytest.raises(ValueError, match="words must be a list of words, at least one"):
            model(words)
    with pytest.raises(ValueError, match="both need 6 columns"):
        GRU(np.zeros((1, 3)), np.zeros((2, 3)), np.zeros(3), np.zeros(3))


def test_padding_changes_nothing():
    network = TranslatorNetwork("additive", d_e=6, d_s=9, seed=4).double()
    with torch.no_grad():
        alone, together = network(Numbers([21])), network(Numbers([21, 777_777]))[:1]
    torch.testing.assert_close(together[:, : alone.shape[1]], alone)


def test_what_is_read_and_wanted():
    some = Numbers([97, 5])
    assert [FRENCH[i] for i in some.read[0]] == [END, "quatre", "vingt", "dix", "sept"]
    assert [FRENCH[i] for i in some.wanted[0]] == ["quatre", "vingt", "dix", "sept", END]
    assert some.wanted[1].tolist() == [FRENCH.index("cinq"), 0, *[IGNORED] * 3]
    assert [ENGLISH[i] for i in some.source[0]] == english_words(97)
    assert len(some[np.array([1])]) == 1


def test_the_draw_keeps_train_and_test_apart():
    to_train, to_test = draw_numbers(longest=8, trained=30, tested=10)
    assert not set(to_train.numbers.tolist()) & set(to_test.numbers.tolist())
    assert to_train.lengths.max() == 8 and to_test.lengths.max() == 11
    assert np.bincount(to_train.lengths.numpy())[4:].tolist() == [30] * 5
    again, _ = draw_numbers(longest=8, trained=30, tested=10)
    assert again.numbers.tolist() == to_train.numbers.tolist()


def test_training_learns_and_repeats_itself():
    to_train = Numbers([3, 8, 20, 21, 97, 171])
    (first, losses), (_, again) = (
        train_translator("additive", to_train, steps=120, batch=8) for _ in range(2)
    )
    assert losses == again and losses[-1] < 0.1 < losses[0]
    assert first.right(to_train).all()
    with torch.no_grad():
        assert float(next_word_loss(first, to_train)) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_the_stored_translators_can_be_packed_again(kind):
    stored = Translator.trained(kind)
    again = _eight_bits.unpacked(Translator, _eight_bits.packed(stored))
    for name, array in stored.parameters().items():
        np.testing.assert_allclose(again.parameters()[name], array, rtol=1e-5)
    right = [stored(english_words(n))[0] == [*french_words(n), END] for n in range(20, 1000, 7)]
    assert np.mean(right) > (0.3 if kind == "none" else 0.95)


def test_a_translation_that_never_ends_is_cut():
    model = Translator.trained("none")
    endless = model.with_parameters(
        model.parameters() | {"b": np.where(np.arange(len(FRENCH)) == 3, 99.0, 0.0)}
    )
    assert endless(["one"])[0] == [FRENCH[3]] * 15
