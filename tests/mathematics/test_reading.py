"""What a model makes of one text: weights, what follows, heads that are cut, digits."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import EncoderBlock, RMSNorm, Rotary, softmax
from attnlib.networks import SmolLM, reading, smollm
from attnlib.networks.looking import without_heads
from attnlib.networks.reading import Reading, digits, shares

IDS = [3, 1, 4, 1, 5]


@pytest.fixture
def model(rng):
    options = {"n_kv_heads": 2, "positions": Rotary(), "norm": "rms", "gated": True}
    blocks = [EncoderBlock.random(rng, 8, 4, norm_first=True, **options) for _ in range(3)]
    return SmolLM(rng.normal(size=(7, 8)), blocks, RMSNorm.initial(8), 16)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_reading_is_what_the_model_computes(model):
    logits, weights = model(IDS)
    read = Reading(model, IDS)
    assert_allclose(read.weights, weights, atol=1e-12)
    assert_allclose(read.chances(), softmax(logits[-1]), atol=1e-12)
    (i, now, whole), *others = read.following(count=3)
    assert i == logits[-1].argmax() and now == whole == read.chances().max()
    assert len(others) == 2 and now > others[0][1] > others[1][1]


@pytest.mark.parametrize("cut", [[(0, 1)], [(2, 3)], [(1, 0), (1, 2), (2, 1)]])
def test_a_head_that_is_cut_says_nothing(model, cut):
    # By hand: the rows of W_O that a head's values go through are zero.
    arrays = {name: array.copy() for name, array in model.parameters().items()}
    for block, head in cut:
        arrays[f"blocks.{block}.attention.W_O"][2 * head : 2 * head + 2] = 0
    wanted = softmax(model.with_parameters(arrays)(IDS)[0][-1])
    read = Reading(model, IDS)
    assert_allclose(read.chances(cut), wanted, atol=1e-12)
    assert np.abs(wanted - read.chances()).max() > 1e-4
    for i, now, whole in read.following(cut, count=7):
        assert now == pytest.approx(wanted[i]) and whole == read.chances()[i]


@pytest.mark.parametrize("cut", [[(-1, 0)], [(3, 0)], [(0, 4)], [(0, -1)]])
def test_heads_that_are_not_there_are_refused(model, cut):
    read = Reading(model, IDS)
    for ask in (read.chances, read.following):
        with pytest.raises(ValueError, match=r"cut holds .* 3 blocks of 4 heads"):
            ask(cut)
    with pytest.raises(ValueError, match="cut must be pairs"):
        read.chances([0, 1])
    assert_array_equal(read.chances([]), read.chances())


def test_a_reading_is_of_a_model(model):
    with pytest.raises(TypeError, match="model must be a SmolLM"):
        Reading(model.blocks[0], IDS)


def test_a_block_without_heads_shares_its_other_arrays(model):
    block = model.blocks[0]
    less = without_heads(block, [1])
    assert less.attention.W_Q is block.attention.W_Q and less.feed_forward is block.feed_forward
    assert block.attention.W_O[2:4].all() and not less.attention.W_O[2:4].any()
    assert dataclasses.is_dataclass(less)


def test_digits_keep_a_share_to_half_a_level(rng):
    x = np.array([0, 1, *rng.random(200)])
    for length in (1, 2):
        text = digits(x, length)
        assert len(text) == length * len(x)
        assert_allclose(shares(text, length), x, atol=0.5001 / (64**length - 1))
    assert_array_equal(shares(digits(shares("0aZ-+"))), shares("0aZ-+"))


def test_without_the_file_it_is_said_what_to_do(monkeypatch):
    monkeypatch.setattr(smollm, "load", lambda: (None, None))
    reading.of_text.cache_clear()
    with pytest.raises(LookupError, match="make model"):
        reading.following("a text")


def test_the_real_model_reads_a_text_of_some_tokens():
    read = reading.of_text("The capital of France is")
    look = reading.look(*read)
    assert look["tokens"] == ["The", " capital", " of", " France", " is"]
    assert len(look["weights"]) == 270 * 15
    assert_allclose(
        shares(look["weights"][:15]), read[0].weights[0, 0][np.tri(5, dtype=bool)], atol=0.01
    )
    assert reading.following("The capital of France is")[0][0] == " Paris"
    for text, count in (("", 0), ("a " * 60, 61)):
        with pytest.raises(ValueError, match=f"has {count} tokens; 1 to 48"):
            reading.following(text)
