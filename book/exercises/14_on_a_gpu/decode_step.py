"""The least time of one step of decode: weights are shared, caches are not."""

import numpy as np

from attnlib.exercises import Case


def decode_step(batch, n, d, itemsize, flops_per_s, bytes_per_s):
    """The longer of arithmetic and memory, for the weights and for the caches."""
    weights, cache = 12 * d * d, 2 * n * d
    flops = np.array([2 * batch * weights, 2 * batch * cache])
    moved = itemsize * np.array([weights, batch * cache])
    return np.maximum(flops / flops_per_s, moved / bytes_per_s)


CASES = (
    Case("three sequences", (3, 7, 5, 4, 100.0, 20.0)),
    Case("one sequence", (1, 6, 4, 2, 200.0, 30.0)),
    Case("many sequences", (40, 7, 5, 2, 100.0, 80.0)),
    Case("a slow processor", (3, 9, 4, 2, 10.0, 90.0)),
    Case("a long cache", (4, 50, 3, 8, 150.0, 20.0)),
)


def times(case):
    """The seconds of FLOPs, and those of bytes, for weights and caches."""
    batch, n, d, itemsize, flops_per_s, bytes_per_s = case.args
    numbers = np.array([12 * d * d, 2 * batch * n * d])
    return 2 * numbers * [batch, 1] / flops_per_s, itemsize * numbers / bytes_per_s


def right(values, cases):
    """Which numbers are right, and where FLOPs decide: a row for each case."""
    pairs = [times(case) for case in cases]
    expected = np.array([np.maximum(*pair) for pair in pairs])
    return np.isclose(values, expected), np.array([a > b for a, b in pairs])


def chosen_once(values, cases):
    """Whether both numbers are times of FLOPs, or both of bytes, and some cases are right."""
    pairs = [times(case) for case in cases]
    alike = all(any(np.allclose(v, t) for t in pair) for v, pair in zip(values, pairs))
    return alike and right(values, cases)[0].all(axis=1).sum() > 2


def more_bytes(values, cases):
    """Whether both parts take longer where bytes decide, and are right where FLOPs do."""
    fine, arithmetic = right(values, cases)
    longer = all((v > np.maximum(*times(case)) - 1e-9).all() for v, case in zip(values, cases))
    return longer and fine[arithmetic].all() and not fine[~arithmetic].any()


def one_part(values, cases, part):
    """Whether one of the two is right in all cases, and the other is not."""
    fine = right(values, cases)[0]
    other = fine[:, 1 - part].all() and not fine[:, part].all()
    return other and not chosen_once(values, cases)


def weights_wrong(values, cases):
    return one_part(values, cases, 0)


def caches_wrong(values, cases):
    return one_part(values, cases, 1)


def flops_wrong(values, cases):
    fine, arithmetic = right(values, cases)
    parts = weights_wrong(values, cases) or caches_wrong(values, cases)
    return fine[~arithmetic].all() and not fine[arithmetic].any() and not parts
