"""The parts of networks in JavaScript equal their twins in attnlib, in a real browser."""

import numpy as np
import pytest

from attnlib import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    MultiHeadAttention,
    RMSNorm,
)
from attnlib.data.digits import patches
from attnlib.masks import causal
from attnlib.networks import _eight_bits
from attnlib.networks.recurrent import GRU
from attnlib.positions import LinearBias, RelativeBias, Rotary
from attnlib.scores import Additive, Location

pytestmark = pytest.mark.browser

RNG = np.random.default_rng(0)
D, HEADS = 12, 6
X, MEMORY = RNG.normal(size=(5, D)), RNG.normal(size=(7, D))
TABLE = RNG.normal(size=(HEADS, 5))  # of shifts from -2 to 2: farther ones share a number


@pytest.fixture(scope="module")
def run(javascript):
    """Run a function on a part as it is stored; return the part with these numbers, too."""
    script = javascript("shared/seldom/transformer.js")

    def run(function, part, *given):
        moved = {n: RNG.normal(1, 1, a.shape) for n, a in part.parameters().items()}
        stored = _eight_bits.packed(part.with_parameters(moved))
        (network,) = script(("networkOf", stored))
        (result,) = script((function, network, *given))
        return _eight_bits.unpacked(type(part), stored), result

    return run


def equal(result, expected):
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["layerNorm", "rmsNorm"])
def test_norms(run, name):
    kind = {"layerNorm": LayerNorm, "rmsNorm": RMSNorm}[name]
    part, result = run(name, kind.initial(D), X)
    equal(result, part(X))


@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
@pytest.mark.parametrize("kind", [FeedForward, GatedFeedForward])
def test_networks(run, kind, activation):
    part, result = run("feedForward", kind.random(RNG, D, 8, activation=activation), 3 * X)
    equal(result, part(3 * X))


def attention(**options):
    return MultiHeadAttention.random(RNG, D, HEADS, d_k=4, d_v=3, bias=True, **options)


@pytest.mark.parametrize(
    "positions",
    [None, Rotary(100), Rotary(100, "halves"), LinearBias(), RelativeBias(TABLE)],
    ids=repr,
)
@pytest.mark.parametrize("groups", [None, 1, 2])
def test_attention(run, groups, positions):
    whole = attention(n_kv_heads=groups, positions=positions)
    for mask in (None, causal(5).tolist()):
        part, result = run("multiHeadAttention", whole, X, {"mask": mask})
        for name, expected in zip(("output", "weights"), part(X, mask=mask)):
            equal(result[name], expected)
    part, result = run("multiHeadAttention", whole, X, {"keysFrom": MEMORY.tolist()})
    for name, expected in zip(("output", "weights"), part(X, MEMORY)):
        equal(result[name], expected)


def blocks():
    for first in (False, True):
        yield EncoderBlock.random(RNG, D, HEADS, norm_first=first, activation="gelu", bias=True)
    llama = MultiHeadAttention.random(RNG, D, 3, n_kv_heads=1, positions=Rotary(500, "halves"))
    norms = [RMSNorm(np.ones(D), epsilon) for epsilon in (1e-5, 1e-2)]
    yield EncoderBlock(llama, norms[0], GatedFeedForward.random(RNG, D), norms[1], True)


@pytest.mark.parametrize("part", [*blocks()], ids=["after", "before", "llama"])
def test_encoder_blocks(run, part):
    part, result = run("encoderBlock", part, X, {"mask": causal(5).tolist()})
    for name, expected in zip(("Y", "weights"), part(X, mask=causal(5))):
        equal(result[name], expected)


@pytest.mark.parametrize("first", [False, True])
def test_decoder_blocks(run, first):
    part, result = run("decoderBlock", DecoderBlock.random(RNG, D, 3, norm_first=first), X, MEMORY)
    for name, expected in zip(("Y", "weights", "crossWeights"), part(X, MEMORY)):
        equal(result[name], expected)


def test_recurrent_networks(run):
    zeros = np.zeros
    part = GRU(zeros((D, 9)), zeros((3, 9)), zeros(9), zeros(9))
    for state in (None, RNG.normal(size=3)):
        part, result = run("gru", part, X, *([] if state is None else [state]))
        equal(result, part(X, state))


def test_scores(run):
    additive = Additive(np.zeros((D, 3)), np.zeros((D, 3)), np.zeros(3))
    location = Location(np.zeros((D, 9)), np.zeros(9))
    for name, part in (("additive", additive), ("location", location)):
        part, result = run(name, part, X, MEMORY)
        equal(result, part(X, MEMORY))


def test_patches(javascript):
    canvas = RNG.normal(size=(6, 9))
    (result,) = javascript("shared/seldom/transformer.js")(("patches", canvas, 3))
    equal(result, patches(canvas, 3))
