"""What the practice of chapter 9 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib.exercises.engine.practising import short
from attnlib.gradients import (
    output_query_jacobian,
    projection_vjp,
    scaled_dot_vjp,
    softmax_vjp,
    weighted_sum_vjp,
)

SMALL = [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]


def factor(x):
    """A number in a product: in brackets where it is negative."""
    return f"({short(x)})" if x < 0 else short(x)


def products(a, b):
    """A dot product as it is typed into a calculator."""
    return " + ".join(f"{factor(x)} · {factor(y)}" for x, y in zip(a, b))


def dot(a, b):
    """A dot product without what rounding left of a 0."""
    return round(a @ b, 9) + 0.0


def index(*numbers):
    """Subscripts, counted from 1."""
    return "".join("₁₂₃"[n] for n in numbers)


def values(rng):
    shares = rng.choice([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], 2, replace=False)
    W = np.stack([shares, 1 - shares], axis=1).round(1)
    dY, V = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0, 4.0], (2, 2, 2))
    (j, c), (i, k) = rng.integers(0, 2, (2, 2))
    dv, dw = dot(W[:, j], dY[:, c]), dot(dY[i], V[k])
    d_W, d_V = weighted_sum_vjp(dY, W, V)
    return dict(W=W, dY=dY, V=V, j=j, c=c, i=i, k=k, dv=dv, dw=dw), [d_V[j, c], d_W[i, k]]


def scores(rng):
    w = rng.permutation([[0.1, 0.2, 0.7], [0.1, 0.3, 0.6], [0.2, 0.3, 0.5]][rng.integers(3)])
    dw = rng.choice([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 5.0], 3, replace=False)
    j = rng.integers(3)
    D = dot(w, dw)
    away = round(dw[j] - D, 9)
    return dict(w=w, dw=dw, j=j, D=D, away=away), [w @ dw, softmax_vjp(dw, w)[j]]


def queries(rng):
    rises = rng.choice([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 2, replace=False)
    dS = np.stack([rises, -rises], axis=1)
    Q, K = rng.choice(SMALL, (2, 2, 2))
    (i, c), (j, b) = rng.integers(0, 2, (2, 2))
    root = np.sqrt(2)
    dq, dk = dot(dS[i], K[:, c]), dot(dS[:, j], Q[:, b])
    right_q, right_k = dq / root, dk / root
    d_Q, d_K = scaled_dot_vjp(dS, Q, K)
    numbers = dict(dS=dS, Q=Q, K=K, i=i, c=c, j=j)
    numbers |= dict(b=b, root=root, dq=dq, dk=dk, right_q=right_q, right_k=right_k)
    return numbers, [d_Q[i, c], d_K[j, b]]


def matrix(rng):
    X, dQ = rng.choice(SMALL, (2, 2, 2))
    W = rng.choice([-1.0, 1.0, 2.0, 3.0], (2, 2))
    (a, b), (t, c) = rng.integers(0, 2, (2, 2))
    dW, dX = dot(X[:, a], dQ[:, b]), dot(dQ[t], W[c])
    d_X, d_W, _ = projection_vjp(dQ, X, W)
    return dict(X=X, dQ=dQ, W=W, a=a, b=b, t=t, c=c, dW=dW, dX=dX), [d_W[a, b], d_X[t, c]]


def covariance(rng):
    base = int(rng.choice([2, 3]))
    keys = np.arange(3.0) + rng.integers(2)
    total = 1 + base + base**2
    w = np.array([1, base, base**2]) / total
    slope = -0.5
    while -1 < slope < 0:  # three digits would be too few, four too long
        v = rng.choice(np.arange(13.0), 3, replace=False)
        output, mean_key, both = w @ v, w @ keys, w @ (keys * v)
        slope = round(both - mean_key * output, 12) + 0.0
    jacobian = output_query_jacobian([np.log(base)], keys[:, None], v[:, None], scale=1.0)
    numbers = dict(base=base, keys=keys, total=total, w=w, slope=slope)
    numbers |= dict(v=v, output=output, mean_key=mean_key, both=both)
    return numbers, [output, jacobian.item()]
