"""CartPole, a pole to be balanced on a cart, for many episodes at once; policies written by hand.

The dynamics are those of Barto et al. 1983, equal to gymnasium's `CartPole-v1` by test.
"""

import numpy as np

GRAVITY, CART, POLE, HALF = 9.8, 1.0, 0.1, 0.5  # m/s², kg, kg, half of the pole's length in m
FORCE, TAU = 10.0, 0.02  # of a push, in N, and how long it lasts, in s
WIDEST, STEEPEST = 2.4, 12 * np.pi / 180  # beyond these, in m and rad, an episode is over
LONGEST = 500  # steps of an episode
WINDOW = 16  # views that a policy has at hand
#: Columns of a history: what is not lost is multiplied by these, so that all are about 1.
UNITS = np.array([1.0, 1.0, 10.0, 1.0])
TEACHER = np.array([0.1, 0.2, 1.0, 0.3])


def step(S, right):
    """Push the cart for a fiftieth of a second.

    Parameters
    ----------
    S : ndarray, shape (..., 4)
        Place and speed of the cart, in m and m/s, angle and turning speed of the pole, in rad and
        rad/s; an angle to the right is positive.
    right : ndarray of bool, shape (...)
        Whether to push to the right; otherwise to the left.

    Returns
    -------
    ndarray, shape (..., 4)

    Examples
    --------
    >>> step(np.zeros(4), np.array(True)).round(4).tolist()
    [0.0, 0.1951, 0.0, -0.2927]
    """
    _, v, angle, spin = np.moveaxis(S, -1, 0)
    mass, sin, cos = CART + POLE, np.sin(angle), np.cos(angle)
    pushed = (np.where(right, FORCE, -FORCE) + POLE * HALF * spin**2 * sin) / mass
    turned = (GRAVITY * sin - cos * pushed) / (HALF * (4 / 3 - POLE * cos**2 / mass))
    moved = pushed - POLE * HALF * turned * cos / mass
    return S + TAU * np.stack([v, moved, spin, turned], axis=-1)


def fallen(S):
    """Whether an episode is over: the pole leans by more than 12 degrees, or the cart left."""
    return (abs(S[..., 0]) > WIDEST) | (abs(S[..., 2]) > STEEPEST)


def teacher(S):
    """Return a number for each state: push to the right where it is positive.

    It needs the speeds.

    >>> teacher(np.array([[0, 0, 0.03, 0.5], [0, 0, 0.03, -0.5]])).round(2).tolist()
    [0.18, -0.12]
    """
    return S @ TEACHER


def history(states, seen, t, window=WINDOW):
    """Return what a policy has at hand at step t, the oldest view first.

    Parameters
    ----------
    states : ndarray, shape (..., steps, 4)
    seen : ndarray of bool, shape (..., steps)
        Which views were not lost.
    t : int
    window : int, optional

    Returns
    -------
    ndarray, shape (..., window, 5)
        Four numbers in `UNITS`, and whether they were seen.  What was lost, or was before the first
        step, is five zeros.
    """
    H = np.zeros((*states.shape[:-2], window, 5))
    n = min(t + 1, window)
    there = seen[..., t + 1 - n : t + 1, None]
    H[..., window - n :, :4] = states[..., t + 1 - n : t + 1, :] * UNITS * there
    H[..., window - n :, 4:] = there
    return H


def play(policy, shape=(100,), lost=0.0, seed=0, steps=LONGEST, noise=0.0):
    """Let a policy balance the pole in many episodes at once.

    Parameters
    ----------
    policy : callable
        ``policy(H)`` returns a number for each history of the shape (..., WINDOW, 5), see
        `history`, and pushes to the right where it is positive.
    shape : tuple of int, optional
        How many episodes; all begin nearly upright, at random.
    lost : float, optional
        The chance of each view to be lost.
    seed : int, optional
    steps : int, optional
        Where an episode is cut.
    noise : float, optional
        The chance of each push to be a coin's.

    Returns
    -------
    lengths : ndarray of int, shape `shape`
        Steps until the pole fell, or `steps`.  One is paid for each, so this is also the return.
    states, seen, right : ndarray
        Of each step, the shapes (..., steps, 4), (..., steps) and (..., steps), with `shape` in
        front; what comes after a fall means nothing.

    Examples
    --------
    >>> def see_all(H):
    ...     return (H[..., -1, :4] / UNITS) @ TEACHER
    >>> play(see_all, (3,))[0].tolist()
    [500, 500, 500]
    """
    rng = np.random.default_rng(seed)
    S = rng.uniform(-0.05, 0.05, (*shape, 4))
    seen = rng.random((*shape, steps)) >= lost
    states, right = np.zeros((*shape, steps, 4)), np.zeros((*shape, steps), dtype=bool)
    alive, lengths = np.ones(shape, dtype=bool), np.zeros(shape, dtype=int)
    for t in range(steps):
        states[..., t, :] = S
        push = policy(history(states, seen, t)) > 0
        coin = rng.random(shape) < 0.5
        right[..., t] = np.where(rng.random(shape) < noise, coin, push)
        S = np.where(alive[..., None], step(S, right[..., t]), S)
        lengths += alive
        alive &= ~fallen(S)
        if not alive.any():
            break
    return lengths, states, seen, right


def measured(H, near=(3.0, 0.5), gap=50.0):
    r"""Return place, speed, angle and turning speed, (..., 4), by attention written by hand.

    Two heads look back, one at the last view that was seen, the other at several.  A score is
    `gap` for a seen view, less `near` for each step into the past; a value holds place, angle and
    lag.  For steady motion the two mixtures lie on one line, so their difference gives the speeds,
    exactly:

    .. math:: \omega = \frac{\bar\theta_1 - \bar\theta_2}{\tau\,(\bar\ell_2 - \bar\ell_1)}

    Examples
    --------
    A pole that turns at 0.5 rad/s, seen now, and two and three steps ago:

    >>> H = np.zeros((4, 5))
    >>> H[:, 2], H[:, 4] = [0, 0.1, 0, 0.3], [1, 1, 0, 1]
    >>> measured(H).round(3).tolist()
    [0.0, 0.0, 0.03, 0.5]
    """
    lag = np.arange(H.shape[-2])[::-1]
    values = np.concatenate([H[..., [0, 2]] / UNITS[[0, 2]], 0 * H[..., :1] + lag[:, None]], -1)
    found = []
    for step_back in near:
        scores = gap * H[..., 4] - step_back * lag
        w = np.exp(scores - scores.max(axis=-1, keepdims=True))
        w /= w.sum(axis=-1, keepdims=True)
        found.append((w[..., None, :] @ values)[..., 0, :])
    last, several = found
    time = TAU * (several[..., 2:] - last[..., 2:])
    speeds = (last[..., :2] - several[..., :2]) / np.where(time > 1e-4, time, np.inf)
    now = last[..., :2] + speeds * TAU * last[..., 2:]
    return np.stack([now, speeds], axis=-1).reshape(*H.shape[:-2], 4)


def ruler(H):
    """Balance by what attention written by hand has `measured`.

    >>> H = np.zeros((4, 5))
    >>> H[:, 2], H[:, 4] = [0, 0.1, 0, 0.3], [1, 1, 0, 1]
    >>> float(ruler(H).round(3))
    0.18
    """
    return teacher(measured(H))


def held(H):
    """Fill each lost view of a history with the one before it."""
    H = H.copy()
    for t in range(1, H.shape[-2]):
        missing = H[..., t, 4:] == 0
        H[..., t, :] = np.where(missing, H[..., t - 1, :], H[..., t, :])
    return H


def last_seen(H, count=2):
    """Return the last views that were seen and how many steps ago each was, (..., count, 6)."""
    n = H.shape[-2]
    order = np.argsort(H[..., 4], axis=-1, kind="stable")[..., -count:]
    lag = (n - 1 - order)[..., None] / n
    return np.concatenate([np.take_along_axis(H, order[..., None], -2), lag], -1)


def by_reward(numbers, generations=12, policies=24, episodes=4, lost=0.0, seed=0):
    """Search a policy of four factors by returns alone, with the cross-entropy method.

    Each generation draws policies around a mean, plays some episodes with each, and takes mean and
    spread of the best quarter for the next (Rubinstein 1999).

    Parameters
    ----------
    numbers : callable
        ``numbers(H)`` returns for each history four numbers, which a policy multiplies by its
        factors and adds; it pushes to the right where the sum is positive.
    generations, policies, episodes : int, optional
    lost : float, optional
        The chance of a view to be lost.
    seed : int, optional

    Returns
    -------
    factors : ndarray, shape (4,)
        The mean at the end.
    means : list of float
        The mean return of each generation; each plays ``policies * episodes`` episodes.
    """
    rng = np.random.default_rng(seed)
    mean, spread, means = np.zeros(4), np.ones(4), []
    for generation in range(generations):
        drawn = mean + spread * rng.normal(size=(policies, 4))

        def policy(H, drawn=drawn):
            return (numbers(H) * drawn[:, None]).sum(axis=-1)

        lengths, *_ = play(policy, (policies, episodes), lost, seed=(seed, generation))
        best = drawn[np.argsort(-lengths.mean(axis=1), kind="stable")[: policies // 4]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
        means.append(float(lengths.mean()))
    return mean, means


def state_of(H):
    """Return place, speed, angle and turning speed of the last view, which is to be whole."""
    return H[..., -1, :4] / UNITS
