"""A model of characters: its gradients, its steps, what it learns and what it writes."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import attention, sinusoidal, softmax
from attnlib.networks import CharacterModel
from tests.helpers import oracles

TEXT = "the rain is on the roof, and the roof is on the house,\nand the house is dry. "
SMALL = {"d_model": oracles.d_model, "n_heads": 2, "n_blocks": 2, "d_ff": 11, "context": 5}


class Watched(CharacterModel):
    """A model that keeps what each step was made of."""

    def gradients(self, x, y):
        loss, gradients = super().gradients(x, y)
        self.__dict__.setdefault("seen", []).append((x, y, gradients))
        return loss, gradients


def scores_by_torch(p, model, x):
    positions = 0.3 * torch.tensor(sinusoidal(x.shape[-1], oracles.d_model))
    return oracles.torch_stack(p, model.network.stack, p["E"][torch.tensor(x)] + positions) @ p["U"]


def test_steps_have_the_losses_gradients_and_parameters_of_torch():
    model = Watched(TEXT, **SMALL, dtype="float64")
    p = {n: torch.tensor(a, requires_grad=True) for n, a in model.parameters().items()}
    optimizer = torch.optim.Adam(p.values())
    for rate in (0.01, 0.01, 0.03, 0.003):  # after the first, no parameter is 0 or 1
        ours = model.step(rate, batch=3)
        x, y, gradients = model.seen[-1]
        scores = scores_by_torch(p, model, x)
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), torch.tensor(y).flatten())
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert ours == pytest.approx(loss.item(), abs=1e-12)
        for name, array in model.parameters().items():
            assert_allclose(gradients[name], p[name].grad.numpy(), atol=1e-12, err_msg=name)
            assert_allclose(array, p[name].detach().numpy(), atol=1e-9, err_msg=name)
    assert len(model.losses) == 4 and model.losses[-1] == ours
    assert model.parameter_count == sum(a.numel() for a in p.values())
    assert p.keys() == model.parameters().keys() == gradients.keys()


def test_a_step_attends_once_in_each_block(monkeypatch):
    calls, softmax_in_place = [], attention.softmax_in_place
    counted = lambda scores: calls.append(scores.shape) or softmax_in_place(scores)  # noqa: E731
    for name in ("softmax_in_place", "softmax"):
        monkeypatch.setattr(attention, name, counted)
    CharacterModel(TEXT, **SMALL).step(batch=3)
    assert calls == [(3, 2, 5, 5)] * SMALL["n_blocks"]


def test_the_start_is_drawn_around_0():
    model = CharacterModel(TEXT, d_model=128, d_ff=8)
    for drawn, size in ((model.network.E, 0.3), (model.network.U, 128**-0.5)):
        assert abs(drawn.mean()) < 5 * size / drawn.size**0.5
        assert drawn.std() == pytest.approx(size, rel=0.1)


def test_batches_are_windows_from_everywhere_in_the_text():
    model, starts = Watched(TEXT, **SMALL), set()
    assert "".join(model.characters[i] for i in model.ids) == TEXT
    for _ in range(20):
        model.step(batch=32)
        x, y, _ = model.seen[-1]
        assert x.shape == y.shape == (32, 5)
        assert_array_equal(x[:, 1:], y[:, :-1])
        for window in np.column_stack([x, y[:, -1]]):
            starts |= {TEXT.index("".join(model.characters[i] for i in window))}
    first = {TEXT.index(TEXT[i : i + 6]) for i in range(len(TEXT) - 5)}  # some windows are equal
    assert starts == first


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_learns_more_than_how_frequent_characters_are(seed):
    model = Watched(TEXT, seed=seed)
    losses = [model.step() for _ in range(150)]
    assert model.seen[0][0].shape == (16, 32)
    # A block has 12 d² + 9 d numbers with its biases and norms, and the norm at the end 2 d.
    assert model.parameter_count == 12 * 32**2 + (9 + 2 + 2 * len(set(TEXT))) * 32
    assert model.losses == losses
    assert losses[0] > model.baselines["by_frequency"] > 2 * np.mean(losses[-10:])
    assert {p.dtype for p in model.parameters().values()} == {np.dtype("float32")}


def test_baselines():
    known = CharacterModel("aabaab", context=2).baselines
    assert known["evenly"] == pytest.approx(np.log(2))
    assert known["by_frequency"] == pytest.approx(2 / 3 * np.log(3 / 2) + 1 / 3 * np.log(3))
    assert CharacterModel("aaa", context=2).baselines == {"evenly": 0, "by_frequency": 0}


def test_the_seed_decides_and_samples_change_no_step():
    one, two, other = (CharacterModel(TEXT, **SMALL, seed=seed) for seed in (1, 1, 2))
    for model in (one, two, other):
        model.step()
    assert one.sample(30) == two.sample(30) != other.sample(30)
    one.sample(40)
    assert one.step() == two.step() != other.step()
    assert one.sample(30) != two.sample(30)


def trained(**settings):
    model = CharacterModel(TEXT, **SMALL | settings, dtype="float64")
    for _ in range(60):
        model.step(0.01)
    return model


def test_samples_follow_the_chances_of_the_next_character():
    model = trained()
    start = "and the house"  # longer than the context
    x = [model.characters.index(c) for c in start[-5:]]
    p = {name: torch.tensor(a) for name, a in model.parameters().items()}
    scores = scores_by_torch(p, model, np.array(x)).numpy()[-1]
    best = model.characters[scores.argmax()]
    assert model.sample(1, 0, start) == start + best == model.sample(1, 1e-300, start)
    for temperature in (0.7, 3):
        drawn = [model.sample(1, temperature, start)[-1] for _ in range(1500)]
        share = [drawn.count(c) / 1500 for c in model.characters]
        # Five standard deviations of a share are at most 5 · 0.5 / √1500.
        assert_allclose(share, softmax(scores, temperature=temperature), atol=0.065)


def test_written_text_is_read_again():
    model = trained()
    written = model.sample(12, 0)
    assert len(written) == 13 and written[0] == TEXT[0] and written == model.sample(12, 0)
    for i in range(1, 13):
        assert model.sample(1, 0, written[:i]) == written[: i + 1]


def test_any_alphabet():
    text = "Ω→😀\n" * 9
    model = CharacterModel(text, context=6)
    for _ in range(40):
        model.step(0.01)
    assert model.characters == "\nΩ→😀"
    assert model.sample(6, 0, "😀") == "😀\nΩ→😀\nΩ"
    one = CharacterModel("a" * 7, context=6)
    assert one.step() == 0 and one.sample(3) == "aaaa"


def test_a_text_just_long_enough():
    assert CharacterModel("abcdef", context=5).step() > 0
    for text in ("", "abcde"):
        words = f"^text has {len(text)} characters, .* context=5 it needs at least 6\\. "
        with pytest.raises(ValueError, match=words):
            CharacterModel(text, context=5)


def test_errors():
    model = CharacterModel(TEXT, **SMALL)
    for rate in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^rate="):
            model.step(rate)
    with pytest.raises(ValueError, match=r"^start holds 'X', which the model does not know"):
        model.sample(3, start="the X")
    with pytest.raises(ValueError, match=r"^temperature=-0\.1 is below 0"):
        model.sample(3, -0.1)
    top = len(model.characters)
    model.gradients([0, top - 1], [top - 1, 0])
    for x, y in ([-1, 0], [0, 0]), ([0, 0], [0, top]):
        with pytest.raises(ValueError, match=f"^x and y must hold indices .* 0 to {top - 1}"):
            model.gradients(x, y)
    for x, y in ([0, 0], [0]), (0, 0), ([[]], [[]]), ([0] * 6, [0] * 6):
        with pytest.raises((ValueError, TypeError), match=r"^x (has shape|holds float)"):
            model.gradients(x, y)


@pytest.mark.parametrize("rates", [[1e39], [10, 1e9, 1e9, 1e9, 1e9]])
def test_a_rate_far_too_high_is_refused_and_changes_nothing(rates):
    model, refused = CharacterModel(TEXT), False
    for rate in rates:
        before, done = model.parameters(), len(model.losses)
        try:
            model.step(rate)
        except ValueError as error:
            assert f"at step {done + 1} the numbers leave the range of float32" in str(error)
            refused = True
            break
    assert refused and len(model.losses) == done
    for name, array in model.parameters().items():
        assert array is before[name]
