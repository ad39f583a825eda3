"""What the practice of chapter 3 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib import Bilinear, hardmax, sigmoid_normalize, softmax, sparsemax
from attnlib.exercises.engine.practising import short

NORMALIZERS = {
    "softmax": softmax,
    "sparsemax": sparsemax,
    "the normalised sigmoid": sigmoid_normalize,
}


def bilinear(rng):
    q, K = rng.integers(-2, 4, 2).astype(float), rng.integers(-2, 4, (2, 2)).astype(float)
    W = rng.integers(-1, 3, (2, 2)).astype(float)
    a, b = q @ W + 0.0  # no −0
    s = K @ [a, b] + 0.0
    return dict(q=q, K=K, W=W, a=a, b=b, s=s), Bilinear(W)(q[None], K)[0]


def candidate(scores, k):
    """The threshold if the first k scores are kept."""
    return (sum(scores[:k]) - 1) / k


def kept(scores):
    """How many lie above the threshold that includes them, as far as the last that does."""
    passing = [k for k in range(1, len(scores) + 1) if scores[k - 1] > candidate(scores, k)]
    return max(passing, default=1)


def tested(ordered, k):
    """The step at which the k-th score is tested; empty if one before it has failed."""
    if k > kept(ordered) + 1:
        return ""
    total, tau, score = sum(ordered[:k]), candidate(ordered, k), ordered[k - 1]
    verdict = "is above it and is kept" if score > tau else "is not above it and falls out"
    tau = tau if tau >= 0 else round(tau, 3)
    division = f"({short(round(total, 1))} − 1) / {k} = {short(tau)}"
    return f"The best {k}: `{division}`; `{short(score)}` {verdict}"


def shared(rng, count, low, high):
    """Scores in tenths, of which sparsemax keeps at least two, above a threshold of at least 0."""
    while True:
        s = np.round(rng.choice(np.arange(low, high), count, replace=False) * 0.1, 1)
        ordered = sorted(s.tolist(), reverse=True)
        k = kept(ordered)
        tau = candidate(ordered, k)
        if k > 1 and tau >= 0 and np.abs(s - tau).min() >= 0.01:
            return s, ordered, k, tau


def weights(rng):
    by = str(rng.choice(list(NORMALIZERS)))
    if by == "sparsemax":
        s, ordered, k, tau = shared(rng, 3, -10, 16)
    else:
        s = rng.choice(np.arange(-2, 3.5, 0.5), 3, replace=False)
        ordered = k = tau = None
    e, g = np.exp(s), 1 / (1 + np.exp(-s))
    weights_by = {name: normalize(s) for name, normalize in NORMALIZERS.items()}
    all_kept = s - candidate(s, 3)
    numbers = dict(by=by, s=s, ordered=ordered, k=k, tau=tau)
    numbers |= dict(e=e, g=g, weights_by=weights_by, all_kept=all_kept)
    return numbers, weights_by[by]


def threshold(rng):
    s, ordered, k, tau = shared(rng, 4, -12, 20)
    mean = np.mean(ordered[:k])
    unsorted = [kept(s), candidate(s, kept(s))]
    w = sparsemax(s)
    numbers = dict(s=s, ordered=ordered, k=k, tau=tau, mean=mean, unsorted=unsorted)
    return numbers, [(w > 0).sum(), (s - w)[w > 0].mean()]
