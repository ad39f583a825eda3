"""Models of sequences in PyTorch: equal to the book's layers and PyTorch's; runs stay apart."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import MultiHeadAttention, causal
from attnlib.experiments.comparisons import (
    KINDS,
    Convolution,
    Recurrent,
    TokenModel,
    accuracy,
    accuracy_by_examples,
    accuracy_by_reach,
    answer_loss,
    copies,
    feed_forward,
    medians,
    model_of,
    self_attention,
)
from attnlib.experiments.layers import Attention
from attnlib.experiments.training import seeded, train
from attnlib.networks import InductionCircuit

RUNS, BATCH, N, D = 3, 2, 7, 6


@pytest.fixture(autouse=True)
def drawn():
    with seeded(0):
        yield


def items():
    return torch.randn(RUNS, BATCH, N, D)


def numbers(tensor):
    return tensor.detach().numpy().astype(float)


@pytest.mark.parametrize("mask", [True, False])
def test_attention_is_that_of_the_book(mask):
    block, X = self_attention(D, 2, RUNS, causal=mask), items()
    layer = block.attention
    layer.b_Q.data.normal_()
    Y = numbers(block(X))
    for run in range(RUNS):
        W = [numbers(getattr(layer, name)[run]) for name in ("W_Q", "W_K", "W_V", "W_O")]
        b = {"b_Q": numbers(layer.b_Q[run])} | {f"b_{x}": np.zeros(D) for x in "KVO"}
        book = MultiHeadAttention(*W, n_heads=2, **b)
        given = numbers(X[run])
        output, weights = book(given, mask=causal(N) if mask else None)
        assert_allclose(Y[run], given + output, atol=1e-5)
        assert_allclose(numbers(layer.weights[run]), weights, atol=1e-6)


@pytest.mark.parametrize("mask", [True, False])
def test_a_key_has_a_row_for_its_distance(mask):
    layer, X = Attention(D, 1, causal=mask, distances=N, runs=RUNS), items()
    layer(X)
    Q, K = X @ layer.W_Q[:, None], X @ layer.W_K[:, None]
    least = 0 if mask else 1 - N
    assert layer.A.shape == (RUNS, 1, D, N - least)
    for i in range(N):
        places = range(i + 1 if mask else N)
        rows = [K[:, :, j] + layer.A[:, :, :, i - j - least] for j in places]
        scores = torch.stack([(Q[:, :, i] * row).sum(-1) for row in rows], -1) / D**0.5
        expected = torch.softmax(scores, -1)
        assert_allclose(
            numbers(layer.weights[:, :, 0, i, : len(rows)]), numbers(expected), atol=1e-6
        )


def test_weights_can_be_forced():
    block, X = self_attention(D, runs=RUNS, causal=True), items()
    layer = block.attention
    layer.forced = torch.zeros(N, N)
    assert_array_equal(numbers(block(X)), numbers(X))
    layer.forced = torch.eye(N)
    expected = X + X @ layer.W_V[:, None] @ layer.W_O[:, None]
    assert_allclose(numbers(block(X)), numbers(expected), atol=1e-5)
    assert_array_equal(numbers(layer.weights), np.broadcast_to(np.eye(N), (RUNS, BATCH, 1, N, N)))


def test_the_recurrent_network_is_that_of_torch():
    layer, X = Recurrent(D, RUNS), items()
    layer.b.data.normal_()
    layer.c.data.normal_()
    Y = layer(X)
    for run in range(RUNS):
        theirs = torch.nn.GRU(D, D, batch_first=True)
        theirs.load_state_dict(
            {
                "weight_ih_l0": layer.W[run].T,
                "weight_hh_l0": layer.U[run].T,
                "bias_ih_l0": layer.b[run],
                "bias_hh_l0": layer.c[run],
            }
        )
        assert_allclose(numbers(Y[run]), numbers(theirs(X[run])[0]), atol=1e-5)


@pytest.mark.parametrize("looks_back", [True, False])
@pytest.mark.parametrize("skip", [1, 2])
def test_the_convolution_is_that_of_torch(looks_back, skip):
    layer, X = Convolution(D, (skip,), causal=looks_back, runs=RUNS), items()
    layer.b[0].data.normal_()
    Y = layer(X)
    for run in range(RUNS):
        theirs = torch.nn.Conv1d(D, D, 3, dilation=skip, padding=2 * skip if looks_back else skip)
        theirs.weight.data = layer.W[0][run].reshape(3, D, D).permute(2, 1, 0)
        theirs.bias.data = layer.b[0][run]
        expected = torch.relu(theirs(X[run].transpose(1, 2)))[..., :N].transpose(1, 2)
        assert_allclose(numbers(Y[run]), numbers(expected), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_place_sees_itself_and_those_before(kind):
    model = model_of(kind, N, runs=2, network=True)
    tokens = torch.randint(8, (2, 4, N))
    changed = tokens.clone()
    changed[:, :, 4] = (changed[:, :, 4] + 1) % 8
    differ = (numbers(model(tokens)) != numbers(model(changed))).any(axis=(0, 1, 3))
    assert_array_equal(differ, np.arange(N) >= 4)


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_have_about_as_many_parameters(kind):
    count = sum(p.numel() for p in model_of(kind, 40, runs=2).parameters()) / 2
    assert 8000 < count < 9500


def test_runs_share_nothing():
    both = model_of("attention", 8, runs=2)
    before = []

    def batches(rng):
        if not before:
            before.extend(p.detach().clone() for p in both.parameters())
        tokens = torch.tensor(rng.integers(8, size=(2, 4, 8)))
        answers = tokens.clone()
        answers[1] = -1
        answers[1, 0, 0] = 0
        return tokens, answers

    def first_alone(model, tokens, answers):
        scores = model(tokens)[0].flatten(0, 1)
        return torch.nn.functional.cross_entropy(scores, answers[0].flatten())

    train(both, batches, first_alone, 3, 0.01, clip=None)
    for old, new in zip(before, both.parameters()):
        assert_array_equal(numbers(old[1]), numbers(new[1]))
    assert any((old[0] != new[0]).any() for old, new in zip(before, both.parameters()))


def test_loss_and_accuracy_count_what_is_asked():
    model = TokenModel(4, 4, 5, feed_forward(5, 2), positions=3, runs=2)
    tokens, answers = torch.randint(4, (2, 6, 3)), torch.randint(4, (2, 6, 3))
    answers[0, :3] = -1
    scores, loss, right = model(tokens), 0, []
    for run in range(2):
        kept = answers[run] >= 0
        loss += torch.nn.functional.cross_entropy(scores[run][kept], answers[run][kept])
        right.append((scores[run][kept].argmax(-1) == answers[run][kept]).float().mean().item())
    assert answer_loss(model, tokens, answers).item() == pytest.approx(loss.item(), rel=1e-5)
    assert_allclose(accuracy(model, tokens, answers), right, rtol=1e-6)


def test_copies_ask_for_what_stood_before():
    tokens, answers = copies([1, 3], n=6, size=2)(np.random.default_rng(0))
    assert_array_equal(answers[0, :, 1:], tokens[0, :, :-1])
    assert_array_equal(answers[1, :, 3:], tokens[1, :, :-3])
    assert (answers[0, :, :1] == -1).all() and (answers[1, :, :3] == -1).all()


def test_medians_are_of_the_last_three():
    tokens, answers = medians(np.random.default_rng(0), 5)
    for text, wanted in zip(tokens, answers):
        assert wanted[:2].tolist() == [-1, -1]
        assert wanted[2:].tolist() == [sorted(text[i - 2 : i + 1])[1] for i in range(2, 12)]
    order = np.arange(12)[::-1]
    turned = medians(np.random.default_rng(0), 5, order=order)
    assert_array_equal(turned, [tokens[:, ::-1], answers[:, ::-1]])


def test_a_kind_or_a_model_learns_the_same():
    model = model_of("convolution", 12, vocabulary=4, layers=1, network=True, runs=2)
    by_model = accuracy_by_examples(model, [4, 8], seeds=1, steps=3)
    assert_array_equal(by_model, accuracy_by_examples("convolution", [4, 8], seeds=1, steps=3))


def test_comparisons_say_what_they_cannot_compare():
    with pytest.raises(ValueError, match="'lstm'"):
        model_of("lstm", 8)
    for lag in (0, 8):
        with pytest.raises(ValueError, match="between 1 and n - 1 = 7"):
            accuracy_by_reach("attention", [4, lag], n=8)


def test_the_circuit_copies_what_followed():
    circuit = InductionCircuit("abc", 7)
    copied, weights = circuit("abacbca")
    shares = {3: [0, 0, 1, 0], 5: [0, 1, 0, 0], 6: [0, 0, 1, 0], 7: [0, 0, 0.5, 0.5]}
    for place, share in shares.items():
        assert_array_equal(copied[place], share)
    for place in (0, 1, 2, 4):
        assert_array_equal(copied[place], [1, 0, 0, 0])
    assert_array_equal(weights[0], np.vstack([np.eye(8)[:1], np.eye(8)[:-1]]))
    assert_array_equal(circuit("abacbca", off="induction")[0], np.zeros((8, 4)))
    assert_array_equal(circuit("abacbca", off="previous")[0], [[1, 0, 0, 0]] * 8)


@pytest.mark.parametrize("text, words", [("abd", "none of 'abc'"), ("abcabcab", "at most 7 fit")])
def test_the_circuit_says_what_it_cannot_read(text, words):
    with pytest.raises(ValueError, match=words):
        InductionCircuit("abc", 7)(text)


@pytest.mark.parametrize("characters", ["aab", ""])
def test_the_circuit_needs_each_character_once(characters):
    with pytest.raises(ValueError, match="each once"):
        InductionCircuit(characters, 4)
