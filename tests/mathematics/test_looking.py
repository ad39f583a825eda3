"""What heads look at, against plain loops, and models without some of their heads."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import DecoderOnly, RMSNorm, Rotary
from attnlib.networks import SmolLM, looks, without


def small(seed=0):
    """A model of three blocks with four heads on two heads of keys."""
    rng = np.random.default_rng(seed)
    options = {"n_kv_heads": 2, "positions": Rotary(), "norm": "rms", "gated": True}
    blocks = DecoderOnly.random(rng, 3, 8, 4, 12, **options).blocks
    return SmolLM(rng.normal(size=(11, 8)), blocks, RMSNorm.initial(8), 20)


def test_looks_are_those_of_a_plain_loop():
    x = [3, 5, 3, 3, 9, 5, 3]
    W = np.array(small()(x)[1])
    found = looks(W, x)
    for block in range(3):
        for head in range(4):
            w, n = W[block, head], len(x)
            first = np.mean([w[t, 0] for t in range(2, n)])
            previous = np.mean([w[t, t - 1] for t in range(2, n)])
            induction = [
                sum(w[t, s + 1] for s in range(t) if x[s] == x[t])
                for t in range(n)
                if x[t] in x[:t]
            ]
            counts = [np.exp(-sum(p * np.log(p) for p in w[t, : t + 1])) for t in range(n)]
            broad = np.mean([counts[t] / (t + 1) for t in range(2, n)])
            one = [first, previous, np.mean(induction), broad]
            assert_allclose([found[kind][block, head] for kind in found], one, rtol=1e-12)


def test_heads_that_do_one_thing_have_one_look():
    x = [0, 1, 2, 3, 1, 2, 3]  # one token, and three twice
    n = len(x)
    back = np.eye(n, k=-1)
    back[0, 0] = 1
    sink = np.zeros((n, n))
    sink[:, 0] = 1
    circuit = sink.copy()
    circuit[4:] = np.eye(n)[[2, 3, 4]]
    found = looks(np.stack([back, sink, circuit])[None], x)
    assert_array_equal(found["previous"], [[1, 0, 0]])
    assert_array_equal(found["first"], [[0, 1, 0.4]])
    assert_array_equal(found["induction"], [[0, 0, 1]])


def test_without_repeats_nothing_is_induction():
    W = np.broadcast_to(np.tri(4) / [[1], [2], [3], [4]], (1, 1, 4, 4))
    assert looks(W, [1, 2, 3, 4])["induction"].item() == 0


@pytest.mark.parametrize("x", [[1, 2], [1, 2, 3, 4], [[1, 2, 3]]])
def test_another_text_is_refused(x):
    with pytest.raises(ValueError, match="weights of one text"):
        looks(np.ones((1, 1, 3, 3)) / 3, x)


def test_a_head_that_is_cut_writes_nothing():
    model, x = small(), [1, 2, 3, 4]
    before = model.blocks[1].attention.W_O.copy()
    cut = without(model, [(1, 2), (1, 0), (2, 3)])
    assert_array_equal(model.blocks[1].attention.W_O, before)
    assert cut.E is model.E and cut.blocks[0] is model.blocks[0]
    by_hand = before.copy()
    by_hand[4:6] = by_hand[0:2] = 0  # two rows for each head
    assert_array_equal(cut.blocks[1].attention.W_O, by_hand)
    assert not cut.blocks[2].attention.W_O[6:].any()
    logits, weights = model(x)
    others, of_cut = cut(x)
    assert_array_equal(weights[1], of_cut[1])  # it still looks
    assert np.abs(logits - others).max() > 1e-3
    assert_array_equal(without(model, [])(x)[0], logits)


@pytest.mark.parametrize("heads", [[(3, 0)], [(0, 4)], [(-1, 0)], [1, 2], [(0.0, 1.0)]])
def test_heads_that_are_none_are_refused(heads):
    with pytest.raises(ValueError, match="heads"):
        without(small(), heads)
