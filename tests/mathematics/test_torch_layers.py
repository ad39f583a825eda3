"""The layers of PyTorch: equal to the book's, however they are called, for one or many runs."""

import re
from pathlib import Path

import pytest
import torch
from numpy.testing import assert_allclose

from attnlib import DecoderBlock, EncoderBlock, MultiHeadAttention, causal, split_heads
from attnlib.experiments.__main__ import CHAPTERS, RECORDS
from attnlib.experiments.layers import SETTINGS, Attention, Block, FeedForward, arrays
from attnlib.experiments.training import seeded

ROOT = Path(__file__).resolve().parents[2]
RUNS, BATCH, N, M, D = 3, 2, 5, 7, 6


@pytest.fixture(autouse=True)
def drawn():
    with seeded(0):
        yield


def moved(layer):
    """A layer in double precision, of whose parameters none is as it starts."""
    layer.double()
    for p in layer.parameters():
        p.data += 0.1 * torch.randn_like(p)
    return layer


def items(*shape):
    return torch.randn(*shape, D, dtype=torch.float64)


def numbers(tensor):
    return tensor.detach().numpy()


def twin_of(layer, run=None):
    found = arrays(layer.named_parameters(), run)
    return MultiHeadAttention.from_parameters(found, n_heads=layer.n_heads)


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("given", [None, "causal", "mask", "source"])
def test_attention_is_that_of_the_book(given, fused):
    layer = moved(Attention(D, 2, given == "causal", biases="QKVO", fused=fused))
    X, memory = items(BATCH, N), items(BATCH, M)
    mask = (torch.rand(BATCH, 1, N, N) < 0.5) | torch.eye(N, dtype=bool)
    source = (memory,) if given == "source" else ()
    visible = {"causal": causal(N), "mask": numbers(mask)}.get(given)
    output, weights = twin_of(layer)(numbers(X), *map(numbers, source), mask=visible)
    found = layer(X, *source, mask=mask if given == "mask" else None)
    assert_allclose(numbers(found), output, atol=1e-12)
    if not fused:
        assert_allclose(numbers(layer.weights), weights, atol=1e-12)


@pytest.mark.parametrize("fused", [True, False])
def test_values_may_be_those_of_other_items(fused):
    layer = moved(Attention(D, 2, fused=fused))
    X, memory, others = items(BATCH, N), items(BATCH, M), items(BATCH, M)
    twin = twin_of(layer)
    weights = twin(numbers(X), numbers(memory))[1]
    heads = weights @ split_heads(numbers(others) @ twin.W_V, 2)
    output = heads.swapaxes(-3, -2).reshape(BATCH, N, D) @ twin.W_O
    assert_allclose(numbers(layer(X, memory, others)), output, atol=1e-12)


@pytest.mark.parametrize("distances", [0, N])
@pytest.mark.parametrize("mask", [True, False])
def test_each_run_is_a_layer_by_itself(distances, mask):
    options = {"causal": mask, "biases": "QKVO", "distances": distances}
    together, alone = moved(Attention(D, 2, **options, runs=RUNS)), Attention(D, 2, **options)
    network = moved(FeedForward(D, 4, runs=RUNS))
    X, one = items(RUNS, BATCH, N), FeedForward(D, 4).double()
    Y, Z = together(X), network(X)
    for run in range(RUNS):
        for many, single in ((together, alone.double()), (network, one)):
            single.load_state_dict({name: p[run] for name, p in many.named_parameters()})
        assert_allclose(numbers(alone(X[run])), numbers(Y[run]), atol=1e-12)
        assert_allclose(numbers(alone(X[run, 0])), numbers(Y[run, 0]), atol=1e-12)
        assert_allclose(numbers(alone.weights), numbers(together.weights[run, 0]), atol=1e-12)
        assert_allclose(numbers(one(X[run])), numbers(Z[run]), atol=1e-12)


def test_blocks_are_those_of_the_book():
    sizes = {"feed_forward": FeedForward(D, 8)}
    encoder = moved(Block(D, attention=Attention(D, 2), **sizes))
    decoder = moved(
        Block(D, self_attention=Attention(D, 2, True), cross_attention=Attention(D), **sizes)
    )
    X, memory = items(BATCH, N), items(BATCH, M)
    ours = EncoderBlock.from_parameters(arrays(encoder.named_parameters()), n_heads=2, **SETTINGS)
    assert_allclose(numbers(encoder(X)), ours(numbers(X))[0], atol=1e-12)
    heads = {"self_attention.n_heads": 2, "cross_attention.n_heads": 1}
    ours = DecoderBlock.from_parameters(arrays(decoder.named_parameters()), **SETTINGS | heads)
    wanted = ours(numbers(X), numbers(memory), mask=causal(N))[0]
    assert_allclose(numbers(decoder(X, memory)), wanted, atol=1e-12)


def test_without_norms_a_block_adds_what_its_layers_make():
    attention, network, X = Attention(D, 2), FeedForward(D, 8), items(BATCH, N).float()
    A = X + attention(X)
    block = Block(attention=attention, feed_forward=network)
    assert torch.equal(block(X), A + network(A))


def test_chapters_are_found_and_say_which_they_are():
    assert {"control", "describing", "translation", "vision"} <= RECORDS.keys()
    chapters = {name: of for name, of in CHAPTERS.items() if name not in ("layers", "training")}
    for of in chapters.values():
        (number,) = re.findall(r"^Chapter (\d+): ", of.__doc__)
        assert [*(ROOT / "book").glob(f"{number}_*.ipynb")]
