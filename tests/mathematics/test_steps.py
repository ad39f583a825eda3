"""The loss and the steps of training against loops, worked numbers, PyTorch, and what must hold."""

import math

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib.gradients import finite_difference
from attnlib.training import adam, clip_by_norm, cross_entropy, rate_share
from tests.helpers.oracles import draw

both_types = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_the_loss_and_its_gradient_equal_torch_and_differences(batch):
    scores, wanted = 3 * draw(*batch, 5), np.random.default_rng(0).integers(5, size=batch)
    loss, d_scores = cross_entropy(scores, wanted)
    in_torch = torch.tensor(scores, requires_grad=True)
    rows, answers = in_torch.reshape(-1, 5), torch.tensor(wanted).reshape(-1)
    expected = torch.nn.functional.cross_entropy(rows, answers)
    expected.backward()
    assert type(loss) is float and loss == pytest.approx(expected.item(), abs=1e-13)
    assert_allclose(d_scores, in_torch.grad, atol=1e-14)
    slopes = finite_difference(lambda s: cross_entropy(s, wanted)[0], scores)
    assert_allclose(d_scores, slopes, atol=1e-9)


def test_worked_loss():
    """Chances 1/4 and 3/4, then 1/2 and 1/2: the mean of ln 4/3 and ln 2."""
    loss, d_scores = cross_entropy([[0, math.log(3)], [7, 7]], [1, 0])
    assert loss == pytest.approx((math.log(4 / 3) + math.log(2)) / 2, abs=1e-15)
    assert_allclose(d_scores, [[1 / 8, -1 / 8], [-1 / 4, 1 / 4]], rtol=1e-14)
    assert cross_entropy([[1e308, 0]], [0])[0] == 0
    far_apart, d_scores = cross_entropy([[0, 0], [1000, 1000]], [0, 1])
    assert far_apart == pytest.approx(math.log(2))
    assert_allclose(d_scores, [[-1 / 4, 1 / 4], [1 / 4, -1 / 4]])
    assert cross_entropy(np.float32([[0, 1]]), [0])[1].dtype == np.float32
    with pytest.raises(ValueError, match="the loss overflows float64"):
        cross_entropy([[1e308, -1e308]], [1])


def test_indices_that_do_not_fit_are_refused():
    scores = draw(3, 5)
    for bad in ([-1, 0, 0], [0, 0, 5]):
        with pytest.raises(ValueError, match=r"^wanted must hold indices .* from 0 to 4"):
            cross_entropy(scores, bad)
    for bad in ([0, 0], [[0, 0, 0]], 0):
        with pytest.raises(ValueError, match=r"^wanted has shape .* scores has shape \(3, 5\)"):
            cross_entropy(scores, bad)
    with pytest.raises(ValueError, match="at least one row"):
        cross_entropy(np.zeros((0, 5)), np.zeros(0, int))


@both_types
def test_steps_of_adam_equal_torch(dtype):
    near = 1e-6 if dtype == np.float32 else 1e-13
    p = draw(2, 3).astype(dtype)
    in_torch = torch.nn.Parameter(torch.tensor(p))
    optimizer = torch.optim.Adam([in_torch])
    mean = square = np.zeros_like(p)
    for t, rate in enumerate((0.1, 0.03, 0.3), 1):
        d_p = draw(2, 3, seed=t).astype(dtype)
        p, mean, square = adam(p, d_p, mean, square, t, rate)
        optimizer.param_groups[0]["lr"], in_torch.grad = rate, torch.tensor(d_p)
        optimizer.step()
        assert p.dtype == mean.dtype == square.dtype == dtype
        assert_allclose(p, in_torch.detach(), atol=near)
    state = optimizer.state[in_torch]
    assert_allclose(mean, state["exp_avg"], atol=near)
    assert_allclose(square, state["exp_avg_sq"], atol=near)


def test_worked_step_of_adam():
    """Both means after the second step: 0.9 · 0.1 · 1 + 0.1 · 3, and 0.999 · 0.001 + 0.001 · 9."""
    p, mean, square = adam([5], [1], [0], [0], 1, 0.5)
    assert_allclose(p, [4.5], rtol=1e-8)
    p, mean, square = adam(p, [3], mean, square, 2, 0.5)
    assert_allclose([mean, square], [[0.39], [0.009999]], rtol=1e-14)
    assert_allclose(p, 4.5 - 0.5 * (0.39 / 0.19) / (0.009999 / 0.001999) ** 0.5, rtol=1e-8)


def test_bad_means_are_refused():
    one, two = np.ones((1, 2)), np.ones((2, 2))
    for name in ("mean", "square"):
        with pytest.raises(ValueError, match=rf"^{name} has shape \(1, 2\), but p .* \(2, 2\)"):
            adam(**{"p": two, "d_p": two, "mean": two, "square": two, name: one}, t=1, rate=1.0)
    with pytest.raises(ValueError, match=r"^d_p has shape \(1, 2\), expected \(2, 2\)"):
        adam(two, one, two, two, 1, 1.0)
    with pytest.raises(ValueError, match=r"^square is below 0"):
        adam(two, two, two, -two, 1, 1.0)
    for bad in (0, -1.0):
        with pytest.raises(ValueError, match=rf"^rate={bad}.* above 0"):
            adam(two, two, two, two, 1, bad)


@both_types
@pytest.mark.parametrize("largest", [0.5, 3.0, 1e6])
def test_clipping_equals_torch(dtype, largest):
    gradients = {"W": draw(2, 3).astype(dtype), "b": 4 * draw(5, seed=1).astype(dtype)}
    clipped, norm = clip_by_norm(gradients, largest)
    parameters = [torch.nn.Parameter(torch.tensor(d)) for d in gradients.values()]
    for p, d in zip(parameters, gradients.values()):
        p.grad = torch.tensor(d)
    total = torch.nn.utils.clip_grad_norm_(parameters, largest)
    assert type(norm) is float and norm == pytest.approx(total.item(), rel=1e-6)
    for p, (name, d) in zip(parameters, clipped.items(), strict=True):
        assert d.dtype == dtype and name in gradients
        assert_allclose(d, p.grad, rtol=1e-5)


def test_what_holds_for_every_clipping():
    gradients = {"W": draw(2, 3), "b": draw(5, seed=1)}
    clipped, norm = clip_by_norm(gradients, 0.25)
    assert clip_by_norm(clipped, 9.0)[1] == pytest.approx(0.25, rel=1e-14)
    assert norm == pytest.approx(math.sqrt(sum((d**2).sum() for d in gradients.values())))
    for name, d in gradients.items():
        assert_allclose(clipped[name] * norm, d * 0.25, rtol=1e-13)
        same, zeros = (clip_by_norm({name: x}, 9.0)[0][name] for x in (d, 0 * d))
        assert_array_equal(same, d)
        assert_array_equal(zeros, 0 * d)
    assert clip_by_norm({})[1] == 0 and clip_by_norm({"b": [3, 4]})[1] == 5.0
    assert clip_by_norm({"b": np.float32([3e30, 4e30])})[1] == pytest.approx(5e30)
    with pytest.raises(ValueError, match="norm of gradients overflows"):
        clip_by_norm({"b": [1e200]})


def test_bad_gradients_are_refused():
    for bad in (None, [1, 2], np.ones(3)):
        with pytest.raises(TypeError, match=r"^gradients must be a dict of arrays by name"):
            clip_by_norm(bad)
    with pytest.raises(ValueError, match=r"^gradients\['b'\] of shape .* holds nan at index 1"):
        clip_by_norm({"b": [1, np.nan]})
    for bad in (0, -1):
        with pytest.raises(ValueError, match=rf"^largest={bad}.* above 0"):
            clip_by_norm({"b": [1]}, bad)


@pytest.mark.parametrize("warm_up", [0, 1, 3, 10])
def test_the_rate_rises_and_falls(warm_up):
    shares = [rate_share(step, 10, warm_up) for step in range(10)]
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    falling = cosine(optimizer, 10 - warm_up) if warm_up < 10 else None
    for step, share in enumerate(shares):
        if step < warm_up:
            assert share == (step + 1) / warm_up
            continue
        assert share == pytest.approx(optimizer.param_groups[0]["lr"], abs=1e-12)
        optimizer.step()
        falling.step()
    constant = [rate_share(step, 10, warm_up, decay=False) for step in range(10)]
    assert constant == [min(1, (t + 1) / warm_up) if warm_up else 1 for t in range(10)]


def test_a_step_beyond_the_last_is_refused():
    with pytest.raises(ValueError, match=r"^step=5 is counted from 0 of steps=5"):
        rate_share(5, 5)
