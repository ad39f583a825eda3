"""The loop that trains the book's PyTorch models."""

import numpy as np
import pytest
import torch
from torch import nn

from attnlib.experiments.training import seeded, train


def line():
    with seeded(0):
        return nn.Linear(1, 1)


def batches(rng):
    x = torch.tensor(rng.normal(size=(8, 1)), dtype=torch.float32)
    return x, 3 * x


def loss(model, x, y):
    return ((model(x) - y) ** 2).mean()


def error(model):
    return -abs(model.weight.item() - 3)


def test_seeds_repeat_a_training_and_leave_the_generator_outside_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, second, third = (train(line(), batches, loss, 20, 0.1, seed=s) for s in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    assert first == second != third


def test_dropout_follows_the_seed_too():
    def noisy(model, x, y):
        return ((nn.functional.dropout(model(x), 0.5) - y) ** 2).mean()

    assert train(line(), batches, noisy, 5, 0.1) == train(line(), batches, noisy, 5, 0.1)


@pytest.mark.parametrize("decay", [False, True])
def test_the_rate_rises_and_falls(decay):
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.zero_()
    weights = []

    def slope(model, x, y):
        weights.append(model.weight.item())
        return model.weight.sum()  # Adam then moves by the rate itself

    train(model, batches, slope, 9, 0.1, warm_up=4, decay=decay)
    moved = -np.diff([*weights, model.weight.item()])
    expected = [0.025, 0.05, 0.075, 0.1, *[0.1] * 5]
    if decay:
        expected[4:] = [0.05 * (1 + np.cos(np.pi * t / 5)) for t in range(5)]
    assert moved == pytest.approx(expected, rel=1e-4)


def test_reports_are_means_since_the_last():
    seen = []
    losses = train(line(), batches, loss, 25, 0.1, every=10, report=lambda *r: seen.append(r))
    assert [step for step, *_ in seen] == [10, 20, 25]
    assert [r[1] for r in seen] == pytest.approx(
        [np.mean(losses[:10]), np.mean(losses[10:20]), np.mean(losses[20:])]
    )
    assert {score for *_, score in seen} == {None}


def test_the_best_parameters_are_kept_and_patience_ends():
    scores = iter([1.0, 3.0, 2.0, 3.0, 9.0])
    weights = []

    def validate(model):
        assert not model.training
        weights.append(model.weight.item())
        return next(scores)

    model = line()
    losses = train(model, batches, loss, 50, 0.1, validate=validate, every=10, patience=2)
    assert len(losses) == 40 and model.weight.item() == weights[1] != weights[3]


def test_an_interrupt_is_passed_on_and_leaves_what_was_learned():
    calls = []

    def interrupted(model, x, y):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return loss(model, x, y)

    model = line()
    with pytest.raises(KeyboardInterrupt):
        train(model, batches, interrupted, 50, 0.1)
    assert error(model) > error(line())


def test_a_long_gradient_is_shortened():
    seen = []

    def steep(model, x, y):
        model.weight.register_hook(lambda g: seen.append(g.norm().item()))
        return 1000 * model.weight.sum()

    model = nn.Linear(1, 1, bias=False)
    train(model, batches, steep, 1, 0.1, clip=1.0)
    assert seen[0] == 1000 and model.weight.grad.norm().item() == pytest.approx(1, rel=1e-4)
