"""A language model: its twin in PyTorch, its surprisals, n-grams, and the text it learns."""

import sys

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import softmax
from attnlib.data import python_topics
from attnlib.experiments.language import (
    LanguageModel,
    next_character_loss,
    surprisal,
    windows,
)
from attnlib.experiments.training import seeded, train
from attnlib.networks import CharacterModel, NGrams
from attnlib.training import rate_share

TEXT = "the rain is on the roof, and the roof is on the house,\nand the house is dry. "
SMALL = {"d_model": 6, "n_heads": 3, "n_blocks": 2, "d_ff": 11, "context": 7}


def trained(**settings):
    model = CharacterModel(TEXT, **SMALL | settings, dtype="float64")
    model.learn(40, 0.02)
    return model


def test_learning_is_steps_at_a_rate_that_rises_and_falls():
    (one, two), told = (CharacterModel(TEXT, **SMALL) for _ in range(2)), []
    losses = one.learn(20, 0.01, 4, every=8, report=lambda *said: told.append(said))
    rates = [0.005, 0.01] + [0.01 * (1 + np.cos(np.pi * t / 18)) / 2 for t in range(18)]
    assert losses == pytest.approx([two.step(rate, 4) for rate in rates], rel=1e-5)
    assert [step for step, _ in told] == [8, 16, 20]
    means = [np.mean(losses[a:b]) for a, b in [(0, 8), (8, 16), (16, 20)]]
    assert [loss for _, loss in told] == pytest.approx(means)
    again = one.learn(3, 0.01)
    assert len(again) == 3 and one.losses == losses + again


def test_an_interrupt_keeps_what_was_learned():
    model, same = CharacterModel(TEXT, **SMALL), CharacterModel(TEXT, **SMALL)

    def interrupt(step, loss):
        raise KeyboardInterrupt

    losses = model.learn(50, every=6, report=interrupt)
    assert losses == model.losses == [same.step(5e-3 * rate_share(i, 50, 5)) for i in range(6)]
    assert_array_equal(model.network.E, same.network.E)
    assert {p.dtype for p in model.parameters().values()} == {np.dtype("float32")}


def test_a_copy_with_other_parameters_begins_anew():
    model = trained()
    new = {name: p.astype("float32") / 2 for name, p in model.parameters().items()}
    copied = model.with_parameters(new)
    assert copied.parameters().keys() == new.keys() and copied.losses == []
    assert all(p is new[name] for name, p in copied.parameters().items())
    assert_allclose(copied.network.E, model.network.E / 2, rtol=1e-6)
    assert copied.look("the")[0].dtype == copied.surprisal(TEXT).dtype == np.float32
    first = CharacterModel(TEXT, **SMALL, dtype="float64")
    again = trained().with_parameters(first.parameters())
    again._of_batches = np.random.default_rng(0).spawn(2)[0]
    assert [again.step() for _ in range(3)] == [first.step() for _ in range(3)]
    before = model.network.E.copy()
    copied.step()
    assert_array_equal(model.network.E, before)
    with pytest.raises(ValueError, match=r"^new lacks \['U'\]"):
        model.with_parameters({name: p for name, p in new.items() if name != "U"})


def test_it_looks_at_the_end_of_a_text():
    model = trained()
    logits, weights = model.look("the rain is on the roof")
    again, _ = model.look("he roof")  # the context
    assert_allclose(logits, again)
    assert weights.shape == (2, 3, 7)
    assert_allclose(weights.sum(axis=-1), 1)
    assert model.look("t")[1].shape == (2, 3, 1)
    best = model.characters[logits.argmax()]
    assert model.sample(1, 0, "the rain is on the roof")[-1] == best
    with pytest.raises(ValueError, match=r"^text is empty"):
        model.look("")


@pytest.mark.parametrize("least", [1, 3, 7])
@pytest.mark.parametrize("n", [8, 9, 13, 14, 15, 40])
def test_each_character_is_guessed_once_from_enough_before(least, n):
    model = trained()
    bits = model.surprisal(TEXT[:n], least)
    assert bits.shape == (n - least,)
    assert_allclose(surprisal(LanguageModel.of(model), model.ids[:n], least), bits)
    for i, found in enumerate(bits, least):
        start = (i - least) // (8 - least) * (8 - least)  # of the window that guesses it
        p = softmax(model.look(TEXT[start:i])[0])
        assert found == pytest.approx(-np.log2(p[model.characters.index(TEXT[i])]))
    if least == 7:  # a full context each time
        full = [softmax(model.look(TEXT[i - 7 : i])[0]) for i in range(7, n)]
        wanted = [-np.log2(p[model.characters.index(c)]) for p, c in zip(full, TEXT[7:n])]
        assert_allclose(bits, wanted)


def test_surprisal_is_the_loss_in_bits():
    model = trained()
    value, _ = model.gradients(model.ids[:7], model.ids[1:8])
    assert model.surprisal(TEXT[:8], least=1).mean() == pytest.approx(value / np.log(2))
    assert len(model.surprisal(TEXT)) == len(TEXT) - 3
    twin = LanguageModel.of(model)
    for score in model.surprisal, lambda text, least=3: surprisal(twin, list(text), least):
        with pytest.raises(ValueError, match=r"least=8 is more than context=7"):
            score(TEXT, least=8)
        with pytest.raises(ValueError, match=r"^text has 3 characters; give more than least=3"):
            score("the")
    with pytest.raises(ValueError, match=r"^text holds 'X'"):
        model.surprisal("the X")


def by_hand(c, before, text, order):
    """Witten and Bell's chance, context by context."""
    p = 1 / len(set(text))
    for k in range(min(order - 1, len(before)) + 1):
        h = before[len(before) - k :]
        after = [text[i + k] for i in range(len(text) - k) if text[i : i + k] == h]
        kinds = len(set(after))
        if after:
            p = (after.count(c) + kinds * p) / (len(after) + kinds)
    return p


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_n_grams_are_counted_as_by_hand(order):
    model = NGrams(TEXT, order)
    for read in ["the roof is dry", "iiii, and\n", "t", ""]:
        wanted = [-np.log2(by_hand(c, read[:i], TEXT, order)) for i, c in enumerate(read)]
        assert_allclose(model.surprisal(read), wanted)


def test_chances_of_n_grams_sum_to_1():
    model = NGrams(TEXT, 4)
    for before in ["the", "", "ooo", "\n"]:
        p = [2 ** -model.surprisal(before + c)[-1] for c in model.characters]
        assert sum(p) == pytest.approx(1)


def test_errors_of_n_grams():
    with pytest.raises(ValueError, match=r"^text is empty"):
        NGrams("")
    with pytest.raises(ValueError, match=r"^order=40 is too much for \d+ different"):
        NGrams(TEXT, 40)
    with pytest.raises(ValueError, match=r"^text holds 'X'"):
        NGrams(TEXT).surprisal("X")
    assert NGrams("ab", order=5).surprisal("ab").shape == (2,)


def test_the_twin_has_the_same_logits_loss_and_gradients():
    model = trained()
    twin = LanguageModel.of(model)
    assert twin.state_dict().keys() == model.parameters().keys()
    x, y = model.ids[:14].reshape(2, 7), model.ids[1:15].reshape(2, 7)
    value, gradients = model.gradients(x, y)
    theirs = next_character_loss(twin, torch.tensor(x), torch.tensor(y))
    theirs.backward()
    assert theirs.item() == pytest.approx(value, abs=1e-12)
    for name, p in twin.named_parameters():
        assert_allclose(gradients[name], p.grad.numpy(), atol=1e-12, err_msg=name)


def test_the_twin_takes_the_same_steps():
    model = CharacterModel(TEXT, **SMALL, dtype="float64")
    twin, rng = LanguageModel.of(model), np.random.default_rng(0).spawn(2)[0]
    drawn = windows(model.ids, 7, 16)
    theirs = train(twin, lambda _: drawn(rng), next_character_loss, 20, 0.01, clip=None)
    ours = [model.step(0.01) for _ in range(20)]
    assert_allclose(ours, theirs, rtol=1e-9)


def test_a_start_and_windows_are_drawn():
    with seeded(1):
        model = LanguageModel(9, d_model=64, n_heads=2, context=5)
    assert model.E.std().item() == pytest.approx(0.3, rel=0.2)
    assert model.blocks[0].attention.W_Q.std().item() == pytest.approx(1 / 8, rel=0.1)
    x, y = windows(np.arange(30), 5, 4)(np.random.default_rng(0))
    assert x.shape == y.shape == (4, 5) and (y == x + 1).all()


def test_a_python_without_topics_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(ModuleNotFoundError, match=r"^python_topics needs the module pydoc_data"):
        python_topics()


@pytest.mark.parametrize("repeats", [False, True])
def test_the_text_has_three_parts(repeats):
    parts = python_topics(repeats)
    total = sum(map(len, parts))
    assert parts == python_topics(repeats)
    for part in parts[1:]:
        assert 0.05 * total < len(part) < 0.3 * total and set(part) <= set(parts.training)
    assert all(part.isascii() for part in parts)
    known = {" ".join(p.split()) for p in parts.training.split("\n\n")} - {""}
    tested = {" ".join(p.split()) for p in parts.test.split("\n\n")}
    shared = sum(map(len, known & tested))
    assert (shared > 0.05 * len(parts.test)) == repeats
    if not repeats:
        assert shared < 0.005 * len(parts.test)
