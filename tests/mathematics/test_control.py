"""CartPole as gymnasium has it, what policies have at hand, and policies in PyTorch as in NumPy."""

import gymnasium
import numpy as np
import pytest
import torch

from attnlib.data import cartpole
from attnlib.data.cartpole import (
    UNITS,
    WINDOW,
    by_reward,
    fallen,
    held,
    history,
    last_seen,
    measured,
    play,
    ruler,
    state_of,
    step,
    teacher,
)  # fmt: skip
from attnlib.experiments import control
from attnlib.experiments.control import LastAsks
from attnlib.experiments.layers import Attention
from attnlib.experiments.training import seeded
from attnlib.networks import Balancer


def test_a_step_is_gymnasiums():
    theirs = gymnasium.make("CartPole-v1").unwrapped
    rng = np.random.default_rng(0)
    for episode in range(20):
        theirs.reset(seed=episode)
        S = np.array(theirs.state, dtype=float)
        for _ in range(60):
            right = bool(rng.integers(2))
            _, reward, over, _, _ = theirs.step(int(right))
            S = step(S, right)
            np.testing.assert_allclose(S, theirs.state, atol=1e-9)
            assert reward == 1 and over == fallen(S)
            if over:
                break
    assert gymnasium.spec("CartPole-v1").max_episode_steps == cartpole.LONGEST


def test_many_episodes_are_one_by_one():
    rng = np.random.default_rng(1)
    S, right = rng.normal(size=(3, 4, 4)), rng.random((3, 4)) < 0.5
    together = step(S, right)
    for i in np.ndindex(3, 4):
        np.testing.assert_allclose(together[i], step(S[i], right[i]))


def test_the_teacher_balances_and_a_coin_does_not():
    assert (play(lambda H: teacher(state_of(H)), (20,))[0] == 500).all()
    assert play(lambda H: teacher(state_of(H)), (50,), noise=1.0)[0].mean() < 40


def test_a_history_is_a_loop():
    rng = np.random.default_rng(2)
    states, seen = rng.normal(size=(3, 9, 4)), rng.random((3, 9)) < 0.6
    for t in range(9):
        H = history(states, seen, t, window=5)
        for e in range(3):
            for row, s in enumerate(range(t - 4, t + 1)):
                there = s >= 0 and seen[e, s]
                expected = [*(states[e, s] * UNITS), 1] if there else np.zeros(5)
                np.testing.assert_allclose(H[e, row], expected)


def test_a_policy_sees_no_later_step():
    rng = np.random.default_rng(3)
    states, seen = rng.normal(size=(2, 30, 4)), rng.random((2, 30)) < 0.7
    before = history(states, seen, 12)
    states[:, 13:], seen[:, 13:] = 9, True
    assert np.array_equal(history(states, seen, 12), before)


@pytest.mark.parametrize("seed", range(5))
def test_attention_by_hand_measures_even_motion_exactly(seed):
    rng = np.random.default_rng(seed)
    x, v, angle, spin = rng.normal(size=4)
    t = 0.02 * np.arange(-15, 1)
    states = np.stack([x + v * t, 0 * t + v, angle + spin * t, 0 * t + spin], axis=1)
    seen = rng.random(16) < 0.5
    seen[[3, 9]] = True
    H = history(states[None], seen[None], 15)
    np.testing.assert_allclose(measured(H)[0], [x, v, angle, spin], rtol=1e-7)
    np.testing.assert_allclose(ruler(H)[0], teacher(states[-1]), rtol=1e-7)


def test_many_histories_are_measured_one_by_one():
    H = history(*_some(9), 20)
    H = np.concatenate([H, -H, H[:2]])
    assert len(H) == WINDOW  # as many histories as views
    np.testing.assert_allclose(measured(H), [measured(one) for one in H])
    np.testing.assert_allclose(last_seen(H), [last_seen(one) for one in H])
    weights, pushes = Balancer.trained().look(H.reshape(2, 8, WINDOW, 5))
    for i, one in enumerate(H):
        alone = Balancer.trained().look(one)
        np.testing.assert_allclose(weights[divmod(i, 8)], alone[0], atol=1e-12)
        np.testing.assert_allclose(pushes[divmod(i, 8)], alone[1], atol=1e-12)


def test_without_two_views_no_speed_is_measured():
    assert np.isfinite(measured(np.zeros((WINDOW, 5)))).all()
    H = np.zeros((WINDOW, 5))
    H[-3] = [0.5, 9, 0.4, 9, 1]
    np.testing.assert_allclose(measured(H), [0.5, 0, 0.04, 0], atol=1e-7)


def test_what_the_hand_made_rules_give():
    H = np.zeros((6, 5))
    H[[1, 3, 4]] = [[1, 0, 1, 0, 1], [3, 0, 3, 0, 1], [4, 0, 4, 0, 1]]
    assert held(H)[:, 0].tolist() == [0, 1, 1, 3, 4, 4]
    assert last_seen(H)[:, 0].tolist() == [3, 4]
    np.testing.assert_allclose(last_seen(H)[:, 5], [2 / 6, 1 / 6])


@pytest.mark.parametrize("runs", [1, 3])
def test_a_balancer_is_its_network(runs):
    model = control.policy_of("attention", runs, seed=4, n_heads=1)
    H = history(*_some(5), 20)
    with torch.no_grad():
        pushes = model(model.prepare(np.stack([H] * runs))).numpy()
    weights = model.attention.weights
    for run in range(runs):
        ours = control.twin(model, run).look(H)
        np.testing.assert_allclose(ours[1], control.FAST * pushes[run], atol=1e-5)
        np.testing.assert_allclose(ours[0], weights[run, :, 0], atol=1e-5)


def _some(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(7, 30, 4)) / 5, rng.random((7, 30)) < 0.7


def test_batches_hold_histories_as_they_are_played():
    states, wanted, lengths = control.lessons(episodes=4, steps=40)
    H, target = control.windows(states, wanted, lengths, 0.0, runs=2, size=5)(
        np.random.default_rng(0)
    )
    known = [history(states, np.ones(states.shape[:2], bool), t) for t in range(40)]
    for run in range(2):
        for row in range(5):
            found = [
                (t, e) for t in range(40) for e in range(4) if np.allclose(known[t][e], H[run, row])
            ]
            assert any(np.isclose(wanted[e, t], target[run, row]) for t, e in found)


def test_runs_share_nothing():
    one = control.policy_of("two views", runs=2, seed=0)
    H = history(*_some(6), 20)
    X = one.prepare(np.stack([H, H]))
    one(X)[0].sum().backward()
    assert one.W.grad[1].abs().sum() == 0 and one.W.grad[0].abs().sum() > 0


def test_the_last_asks_as_it_does_among_all():
    with seeded(0):
        short, whole = (kind(6, 2, biases="Q", runs=2) for kind in (LastAsks, Attention))
        views, W, P = torch.randn(2, 4, 5, 3), torch.randn(2, 3, 6), torch.randn(2, 5, 6)
        short.b_Q.data.normal_()
    whole.load_state_dict(short.state_dict())
    with torch.no_grad():
        X = torch.stack([views[run] @ W[run] + P[run] for run in range(2)])
        torch.testing.assert_close(short(views, W, P), (X + whole(X))[:, :, -1:])
    torch.testing.assert_close(short.weights, whole.weights[:, :, :, -1])


def test_the_loss_of_runs_is_the_sum_of_their_means():
    both, wanted = (
        control.policy_of("two views", runs=2),
        torch.tensor(_some(8)[0][:2, :7, 0]).float(),
    )
    H = np.stack([history(*_some(seed), 20) for seed in (6, 7)])
    said, F = both(both.prepare(H)), torch.nn.functional
    squares = sum(F.mse_loss(said[run], wanted[run]) for run in range(2))
    torch.testing.assert_close(control.squared_error(both, H, wanted), squares)
    sides = sum(
        F.binary_cross_entropy_with_logits(said[run], (wanted[run] > 0).float()) for run in range(2)
    )
    torch.testing.assert_close(control.wrong_side(both, H, wanted), sides)


@pytest.mark.parametrize("kind", control.KINDS)
def test_policies_of_every_kind_learn(kind):
    model = control.policy_of(kind, 1)
    batches = control.windows(*control.lessons(episodes=20, steps=60), 0.3, 1)
    losses = control.train(model, batches, control.squared_error, 150, 0.005)
    assert np.mean(losses[-40:]) < np.mean(losses[:10])
    assert control.returns(model, episodes=3, steps=20).shape == (1, 3)


def test_reward_alone_finds_a_policy():
    _, means = by_reward(state_of, generations=4, episodes=3)  # not as many as numbers of a state
    assert means[-1] > 2 * means[0]


def test_the_stored_policy_balances():
    assert play(Balancer.trained(), (20,), lost=0.0)[0].mean() > 300


def test_asked_for_a_return():
    data = control.recordings(episodes=20)
    model = control.learn_to_be_asked(data, columns=(0, 2), window=4, steps=3)
    assert control.achieved(model, 20, episodes=4, steps=30).shape == (1, 4)
    X = torch.randn(1, 2, 4, 4)
    before = model(X)[:, :, :2]
    X[:, :, 2:] = 9
    assert torch.allclose(model(X)[:, :, :2], before)  # causal
