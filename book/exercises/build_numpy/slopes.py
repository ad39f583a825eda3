"""Derivatives by central differences."""

import numpy as np

from attnlib.exercises import Case


def slopes(f, theta, step):
    """Each entry a step up, a step down."""
    e = np.eye(len(theta)) * step
    return np.array([(f(theta + e_i) - f(theta - e_i)) / (2 * step) for e_i in e])


def central(f, theta, step):
    return slopes(f, theta, step)


def left_below(f, theta, step):
    theta, d = theta.copy(), []
    for i in range(len(theta)):
        theta[i] += step
        high = f(theta)
        theta[i] -= 2 * step
        d.append((high - f(theta)) / (2 * step))
    return np.array(d)


def set_to_step(f, theta, step):
    d = []
    for i in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[i], down[i] = step, -step
        d.append((f(up) - f(down)) / (2 * step))
    return np.array(d)


def but_last(f, theta, step):
    d = slopes(f, theta, step)
    d[-1] = 0
    return d


def written(code):
    """A function that shows as its own code."""
    function = eval(code, {"np": np})
    function.__name__ = code
    return function


def moved_and_left(f, theta, step):
    theta, d = theta.copy(), []
    for i in range(len(theta)):
        down = f(theta)
        theta[i] += 2 * step
        d.append((f(theta) - down) / (2 * step))
    return np.array(d)


def both_left(f, theta, step):
    up, down, d = theta.copy(), theta.copy(), []
    for i in range(len(theta)):
        up[i] += step
        down[i] -= step
        d.append((f(up) - f(down)) / (2 * step))
    return np.array(d)


def relative(f, theta, step):
    rows = np.eye(len(theta)) * (step * theta)
    return np.array([(f(theta + r) - f(theta - r)) / (2 * r.sum()) for r in rows])


def half_steps(f, theta, step):
    return slopes(f, theta, step / 2)


def first_alone(f, theta, step):
    d = np.zeros(len(theta))
    d[:1] = slopes(f, theta, step)[:1]
    return d


def put_back(f, theta, step):
    d = np.zeros(len(theta))
    for i in range(len(theta)):
        theta[i] += step
        d[i] = f(theta)
        theta[i] -= 2 * step
        d[i] -= f(theta)
        theta[i] += step
    return d / (2 * step)


def up_is_theta(f, theta, step):
    theta, d = theta.copy(), []
    for i in range(len(theta)):
        down = theta.copy()
        theta[i] += step
        down[i] -= step
        d.append((f(theta) - f(down)) / (2 * step))
    return np.array(d)


def put_back_wrong(f, theta, step):
    theta, d = theta.copy(), []
    for i in range(len(theta)):
        theta[i] += step
        high = f(theta)
        theta[i] -= 2 * step
        d.append((high - f(theta)) / (2 * step))
        theta[i] -= step
    return np.array(d)


def but_first(f, theta, step):
    d = slopes(f, theta, step)
    d[0] = 0
    return d


def others_at_0(f, theta, step):
    rows, e = np.diag(theta), np.eye(len(theta)) * step
    return np.array([(f(r + e_i) - f(r - e_i)) / (2 * step) for r, e_i in zip(rows, e)])


def moved_by_share(f, theta, step):
    moves = np.diag(step * np.maximum(1, abs(theta)))
    return np.array([(f(theta + m) - f(theta - m)) / (2 * m.sum()) for m in moves])


CUBES = written("lambda theta: (theta**3).sum()")
PRODUCT = written("lambda theta: theta[0] * theta[1] ** 2 - 3 * theta[2] * theta[0]")
CURVED = written("lambda theta: np.exp(theta / 2) @ np.arange(1, 5) + theta[0] * theta[3]")

# The numbers are multiples of 1/8, so that a step there and back leaves them as they were.
CASES = (
    Case("one number", (CUBES, [2.0], 0.5)),
    Case("two numbers", (CUBES, [1.0, -1.5], 0.25)),
    Case("numbers that meet", (PRODUCT, [0.5, 2.0, -1.25], 0.125)),
    Case("a step that is not small", (CURVED, [0.25, -0.5, 1.0, 1.875], 1.0)),
    Case("a small step", (CURVED, [-0.125, 0.75, 1.5, -1.0], 2.0**-10)),
)
