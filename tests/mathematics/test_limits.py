"""Chapter 23's memories: each is the recurrence that it stands for, and lists are asked fairly."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib.experiments.limits import (
    KINDS,
    N_VALUES,
    N_WORDS,
    SIZES,
    FixedState,
    GatedState,
    Recaller,
    TableState,
    numbers_held,
    recorded,
    reviews,
    told_and_asked,
    weights_and_exchanges,
)
from attnlib.experiments.training import seeded

RUNS, BATCH, N, D = 2, 3, 7, 6


@pytest.fixture(autouse=True)
def drawn():
    with seeded(0):
        yield


def numbers(tensor):
    return tensor.detach().numpy().astype(float)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def root_mean_square(Y):
    return np.sqrt((Y**2).mean(-1, keepdims=True) + 1e-5)


@pytest.mark.parametrize("kind", [FixedState, GatedState])
def test_a_state_keeps_shares_of_itself(kind):
    layer, X = kind(D, RUNS), torch.randn(RUNS, BATCH, N, D)
    Y = numbers(layer(X))
    for run in range(RUNS):
        W = {name: numbers(p[run]) for name, p in layer.named_parameters()}
        items = numbers(X[run])
        by_item = items @ W["W_K"] if kind is GatedState else 0 * items
        kept, state = sigmoid(by_item + W["b_K"]), np.zeros((BATCH, D))
        for t in range(N):
            state = kept[:, t] * state + (1 - kept[:, t]) * (items[:, t] @ W["W_V"])
            gate = items[:, t] @ W["W_G"]
            assert_allclose(Y[run, :, t], state * gate * sigmoid(gate) @ W["W_O"], atol=1e-5)


def test_a_table_is_read_item_by_item():
    layer, X = TableState(D, RUNS), torch.randn(RUNS, BATCH, N, D)
    layer.share.data.normal_()
    Y = numbers(layer(X))
    for run in range(RUNS):
        W = {name: numbers(p[run]) for name, p in layer.named_parameters()}
        for text, given in zip(numbers(X[run]), Y[run]):
            S = np.zeros((D, D))
            for x, y in zip(text, given):
                S = sigmoid(W["share"].item()) * S + np.outer(x @ W["W_K"], x @ W["W_V"])
                read = x @ W["W_Q"] @ S
                assert_allclose(y, read / root_mean_square(read) @ W["W_O"], atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_no_memory_hears_later_items(kind):
    layer, X = KINDS[kind](D, runs=RUNS), torch.randn(RUNS, BATCH, N, D)
    before = layer(X)[:, :, :-1]
    X[:, :, -1] += 1
    assert_allclose(numbers(layer(X)[:, :, :-1]), numbers(before), atol=1e-6)


def test_what_is_held():
    assert {kind: numbers_held(kind, 32) for kind in KINDS} == {
        "fixed decay": 32, "gated": 32, "table": 1024, "attention": 2048,
    }  # fmt: skip


def test_a_key_is_asked_for_the_value_told_with_it():
    items, answers = told_and_asked(5, RUNS, BATCH)(np.random.default_rng(0))
    assert items.shape == (RUNS, BATCH, 10, 2) and (answers[..., :5] == -1).all()
    assert (items[..., 5:, 1] == N_VALUES).all()
    for text, wanted in zip(items.flatten(0, 1).numpy(), answers.flatten(0, 1).numpy()):
        told = dict(text[:5])
        assert len(told) == 5
        assert_array_equal([told[key] for key in text[5:, 0]], wanted[5:])
    assert Recaller(["gated", "attention"], D, RUNS)(items).shape == (RUNS, BATCH, 10, N_VALUES)


def test_one_word_of_a_review_decides():
    tokens, answers = reviews(RUNS, 50)(np.random.default_rng(0))
    decides = tokens >= N_WORDS - 2
    assert (decides.sum(-1) == 1).all() and len(np.unique(decides.int().argmax(-1))) == 12
    assert (tokens[decides] - (N_WORDS - 2) == answers.flatten()).all()


def test_an_exchange_changes_answers_and_its_control_does_not():
    found = weights_and_exchanges(seeds=2)
    assert found["right"].min() > 0.99 and found["exchanged"].min() > 0.99
    assert found["other exchanged"].max() < 0.02
    assert abs(found["left out"] - 0.5).max() < 0.2


def test_what_was_recorded_is_complete():
    known = recorded()
    assert {f"{kind}, {kind}" for kind in KINDS} < {*known}
    for accuracies in known.values():
        assert accuracies.shape == (len(SIZES), 3)
        assert accuracies.min() >= 0 and accuracies.max() <= 1
