"""Digits on a canvas, and the describer: in NumPy as in PyTorch, word by word as all at once."""

import numpy as np
import pytest
import torch

from attnlib.data.canvases import (
    DIGITS,
    END,
    LEFT,
    LONGEST,
    RIGHT,
    WORDS,
    canvas,
    draw_canvas,
    held_out,
    held_out_canvases,
    ink_of,
    wanted_words,
)
from attnlib.data.digits import split_digits
from attnlib.experiments.describing import (
    IGNORED,
    READINGS,
    DescriberNetwork,
    draw_canvases,
    draw_two_hops,
    train_describer,
)
from attnlib.networks import Describer, _eight_bits


def test_digits_on_a_canvas_do_not_touch_and_stay_on_it():
    rng, (images, labels) = np.random.default_rng(0), split_digits()[0]
    for _ in range(300):
        made = draw_canvas(rng, images, labels)
        columns = [column for _, column in made.corners]
        assert len(made.digits) == len(columns) in (1, 2)
        assert columns == sorted(columns) and 0 <= columns[0] and columns[-1] <= 12
        assert len(columns) == 1 or columns[1] - columns[0] >= 8
        assert made.pixels.max() <= 1


def test_ink_of_each_patch_is_shared_out():
    made = held_out([7, 2], [1, 9])
    shares = ink_of(made)
    assert shares.shape == (2, 8)
    assert set(np.round(shares.sum(axis=0), 6)) <= {0, 1}
    assert shares[0, 0] == 1 and shares[1, 0] == 0 and shares[1, 6] == 1


def test_words_and_answers():
    two = canvas(np.ones((2, 8, 8)), [7, 2], [(0, 0), (2, 9)])
    one = canvas(np.ones((1, 8, 8)), [5], [(0, 3)])
    assert wanted_words(two) == ["seven", "and", "two", END]
    assert wanted_words(two, LEFT) == ["seven", END] and wanted_words(two, RIGHT) == ["two", END]
    assert wanted_words(one) == wanted_words(one, RIGHT) == ["five", END]


INK = np.ones((2, 8, 8))


@pytest.mark.parametrize(
    ("images", "digits", "corners", "said"),
    [(INK, [7, 2], [(0, 0)], "2, 2 and 1. Give as many of each"),
     (INK, [2, 7], [(0, 12), (0, 2)], "column=2 is taken. Give digits from left to right"),
     (INK, [2, 7], [(0, 0), (2, 7)], "column=7 is taken"),
     (INK, [2, 10], [(0, 0), (2, 9)], "digit=10 is out of range. Give one from 0 to 9"),
     (INK[:1], [2], [(3, 0)], "row=3 .* from 0 to 2"),
     (INK[:1], [2], [(0, 13)], "column=13 .* from 0 to 12"),
     (INK[:1], [2], [(0, -1)], "column=-1"),
     (INK[:1], [2.0], [(0, 0)], "digit must be an integer"),
     (INK[:1, :7], [2], [(0, 0)], r"images holds shape \(7, 8\)")],
)  # fmt: skip
def test_digits_that_do_not_fit_a_canvas_are_refused(images, digits, corners, said):
    with pytest.raises((ValueError, TypeError), match=said):
        canvas(images, digits, corners)


@pytest.mark.parametrize("question", ["left", "left? ten", "· two", "left? two two", "", 3])
def test_what_is_no_question_is_refused(question):
    two, none = canvas(INK, [7, 2], [(0, 0), (2, 9)]), canvas([], [], [])
    with pytest.raises(ValueError, match=r'Choose "·" or "left." or "right." or "left. zero" or'):
        wanted_words(two, question)
    with pytest.raises(ValueError, match=r'Choose "·" or "left." or "right."'):
        Describer.trained()(two.pixels, question=question)
    with pytest.raises(ValueError, match='Choose "·"'):
        wanted_words(none, LEFT)
    assert wanted_words(none) == [END] and wanted_words(two, "left? nine") == ["seven", END]


def test_drawing_and_holding_out_refuse_what_is_not_there():
    for count in (0, 3):
        with pytest.raises(ValueError, match=f"count={count} must be 1 or 2"):
            held_out_canvases(1, count=count)
    with pytest.raises(ValueError, match="column=1 is taken"):
        held_out([7, 2], [11, 1])
    with pytest.raises(ValueError, match="digit=10"):
        held_out([10], [0])
    with pytest.raises(ValueError, match=r"which=60 is out of range. Give one from 0 to"):
        held_out([7], [0], which=60)


def test_two_hops_ask_for_the_neighbour_of_a_digit():
    some = draw_two_hops(40)
    for made, question, read, wanted in zip(some.made, some.questions, some.read, some.wanted):
        side, named = question.split()
        place = [DIGITS[digit] for digit in made.digits].index(named)
        beside = DIGITS[made.digits[1 - place]]
        answer = END if place == (0 if side == LEFT else 1) else beside
        assert [WORDS[i] for i in read[:2]] == [side, named]
        assert wanted[0] == IGNORED and WORDS[wanted[1]] == answer
    got, weights = some.answers(DescriberNetwork())
    assert got.shape == (40,) and np.allclose(weights.sum(-1), 1)


def test_teacher_forcing_shifts_the_words_by_one():
    some = draw_canvases(50)
    for question, read, wanted in zip(some.questions, some.read, some.wanted):
        assert WORDS[read[0]] == question
        there = wanted != IGNORED
        assert torch.equal(read[1:][there[1:]], wanted[:-1][there[1:]])
        assert WORDS[wanted[there][-1]] == END


@pytest.fixture(scope="module")
def network():
    return train_describer(draw_canvases(200), steps=30)[0]


def test_numpy_and_pytorch_agree(network):
    ours, some = network.twin(), draw_canvases(20, seed=3)
    words, weights = network.describe(some.pixels, some.read[:, 0])
    with torch.no_grad():
        logits = network(some.pixels, some.read)
    for i, (made, question) in enumerate(zip(some.made, some.questions)):
        said, W = ours(made.pixels, question=question)
        assert said == [WORDS[k] for k in words[i][: len(said)]]
        np.testing.assert_allclose(W, weights[i][: len(W)], atol=1e-5)
        memory = ours.see(made.pixels)
        chances, _ = ours.step([question], ours.keys(memory), ours.values(memory))
        np.testing.assert_allclose(chances, logits[i, 0].softmax(-1), atol=1e-5)


def test_the_loop_is_the_decoder_block_of_the_book(network):
    ours, made = network.twin(), held_out([7, 2], [1, 11])
    memory, words = ours.see(made.pixels), [END, "seven", "and"]
    X = ours.E[[WORDS.index(word) for word in words]] + ours.P_words[:3]
    C, _, cross = ours.decoder(X, memory)
    chances, weights = ours.step(words, ours.keys(memory), ours.values(memory))
    np.testing.assert_allclose(weights, cross[0, -1])
    logits = ours.norm_out(C[-1:])[0] @ ours.U
    np.testing.assert_allclose(np.log(chances), logits - np.log(np.exp(logits).sum()))


def test_order_of_the_memory_says_nothing(network):
    ours, rng = network.twin(), np.random.default_rng(0)
    for made in held_out_canvases(5):
        memory = ours.see(made.pixels)
        mixed = memory[rng.permutation(8)]
        a, b = (ours.step([END], ours.keys(M), ours.values(M))[0] for M in (memory, mixed))
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("reading", READINGS)
def test_every_reading_gives_logits_and_answers(reading):
    some = draw_canvases(6)
    network = DescriberNetwork(reading)
    assert network(some.pixels, some.read).shape == (6, LONGEST, len(WORDS))
    memory = network.see(some.pixels)
    assert memory.shape == (6, 8 if reading == "attention" else 1, 32)
    torch.testing.assert_close(memory[2:3], network.see(some.pixels[2:3]))
    assert some.right(network).shape == (6,)


@pytest.mark.parametrize(
    ("option", "said"),
    [({"reading": "mean"}, 'reading="mean"'), ({"reading": "flat"}, 'reading="flat"'),
     ({"encoders": 0}, "encoders=0"), ({"encoders": 2}, "encoders=2"),
     ({"decoders": 2}, "decoders=2"), ({"stem": True}, "stem.0.weight")],
)  # fmt: skip
def test_what_no_describer_can_be_is_refused(option, said):
    with pytest.raises(ValueError, match=said):
        DescriberNetwork(**option).twin()


def test_the_stem_sees_over_the_edges_of_patches():
    some, changed = draw_canvases(1), draw_canvases(1)
    changed.pixels[:, 0, 5] += 1  # the second patch, beside the first
    for stem, alike in ((False, True), (True, False)):
        network = DescriberNetwork(encoders=0, stem=stem)
        a, b = (network.see(c.pixels)[0, 0] for c in (some, changed))
        assert torch.equal(a, b) == alike


def test_eight_bits_keep_every_parameter_to_half_a_unit(network):
    ours = network.twin()
    again = _eight_bits.unpacked(Describer, _eight_bits.packed(ours)).parameters()
    assert again.keys() == ours.parameters().keys()
    for name, known in ours.parameters().items():
        np.testing.assert_allclose(again[name], known, atol=abs(known).max() / 253, rtol=0)


def test_the_stored_network_describes_most_canvases():
    model = Describer.trained()
    right = [model(made.pixels)[0] == wanted_words(made) for made in held_out_canvases(100)]
    assert np.mean(right) > 0.75
