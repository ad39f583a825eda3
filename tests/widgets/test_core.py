"""The arithmetic that widgets share equals attnlib's, in a real browser, on random inputs."""

from functools import partial

import numpy as np
import pytest

from attnlib import attention, normalizers, scores

pytestmark = pytest.mark.browser

TWINS = {
    "softmax": "softmax",
    "sparsemax": "sparsemax",
    "sigmoidNormalize": "sigmoid_normalize",
    "hardmax": "hardmax",
}
EXACT = {"rtol": 1e-9, "atol": 1e-9}


@pytest.fixture(scope="module")
def core(javascript):
    return javascript("shared/core.js")


def rows_of_scores():
    """Rows of scores of every kind: ordinary, huge, tied, one key, not allowed."""
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 5, 7, 33):
        yield rng.normal(size=n)
        yield rng.normal(scale=30, size=n)
        yield rng.uniform(-1e4, 1e4, size=n)
        yield 1e4 + rng.normal(size=n)
        yield -1e4 + rng.normal(size=n)
        yield rng.integers(-2, 3, size=n).astype(float)
        yield np.full(n, rng.normal())
        if n > 1:
            barred = rng.normal(size=n)
            barred[rng.permutation(n)[: rng.integers(1, n)]] = -np.inf
            yield barred


ROWS = list(rows_of_scores())


@pytest.mark.parametrize("temperature", [1, 0.1, 0.37, 10])
@pytest.mark.parametrize("name", TWINS)
def test_normalizers(core, name, temperature):
    twin = getattr(normalizers, TWINS[name])
    result = core(*[(name, row, temperature) for row in ROWS])
    for row, weights in zip(ROWS, result):
        expected = twin(row, temperature=temperature)
        np.testing.assert_allclose(weights, expected, **EXACT, err_msg=f"{name} of {row}")
        assert all(w == 0 for w, score in zip(weights, row) if score == -np.inf)


SIZES = [(3, 5, 7, 11), (1, 1, 1, 1), (1, 6, 2, 2), (5, 3, 2, 4), (4, 4, 4, 4)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", TWINS.values())
def test_attend(core, name, sizes):
    n_q, n_k, d_k, d_v = sizes
    rng = np.random.default_rng([*sizes])
    calls, expected = [], []
    for temperature, spread in [(1, 1), (0.5, 3), (4, 100)]:
        Q, K, V = (spread * rng.normal(size=s) for s in [(n_q, d_k), (n_k, d_k), (n_k, d_v)])
        calls.append(("attend", Q, K, V, {"temperature": temperature, "normalizer": name}))
        normalize = partial(getattr(normalizers, name), temperature=temperature)
        output = attention.attend(Q, K, V, score=scores.dot, normalize=normalize)
        expected.append((*output, Q @ K.T))
    for result, (output, weights, raw) in zip(core(*calls), expected):
        np.testing.assert_allclose(result["scores"], raw, **EXACT)
        np.testing.assert_allclose(result["weights"], weights, **EXACT)
        np.testing.assert_allclose(result["output"], output, rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_scaled_dot(core, sizes):
    n_q, n_k, d_k, _ = sizes
    rng = np.random.default_rng([*sizes])
    Q, K = rng.normal(size=(n_q, d_k)), rng.normal(size=(n_k, d_k))
    (result,) = core(("scaledDot", Q, K))
    np.testing.assert_allclose(result, scores.scaled_dot(Q, K), **EXACT)


def turn(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


def test_the_hull_holds_all_points(core):
    rng = np.random.default_rng(6)
    clouds = [rng.normal(size=(n, 2)).tolist() for n in (1, 2, 3, 4, 6, 40)]
    clouds += [[[1, 1]] * 4, [[0, 0], [1, 1], [2, 2], [3, 3]], [[0, 0], [2, 0], [1, 0], [1, 3]]]
    clouds += [[[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5], [0, 0]]]
    for points, hull in zip(clouds, core(*[("convexHull", points) for points in clouds])):
        assert all(corner in points for corner in hull)
        assert len({tuple(corner) for corner in hull}) == len(hull)
        edges = list(zip(hull, [*hull[1:], hull[0]]))
        if len(hull) > 2:
            assert all(turn(a, b, p) >= -1e-12 for a, b in edges for p in points)
            following = [*hull[2:], *hull[:2]]
            assert all(turn(a, b, c) > 0 for (a, b), c in zip(edges, following))
        else:
            assert all(abs(turn(hull[0], hull[-1], p)) < 1e-12 for p in points)
            assert min(points) in hull and max(points) in hull
