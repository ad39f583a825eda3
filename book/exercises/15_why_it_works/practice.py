"""What the practice of chapter 15 draws: texts, counts, widths, and the answers by attnlib."""

import numpy as np

from attnlib import attend, dot
from attnlib.networks import InductionCircuit


def copy(rng):
    last, followers = "a", []
    while len(followers) < 2 or len(set(followers) - {last}) < 1:
        text = "".join(rng.choice(list("abcd"), 9, p=[0.4, 0.3, 0.2, 0.1])) + last
        followers = [text[i + 1] for i in range(9) if text[i] == last]
    places = len(followers)
    wanted = max("bcd", key=followers.count)
    hits = followers.count(wanted)
    copied, weights = InductionCircuit("abcd", 10)(text)
    looked = int((weights[1][-1][1:] > 1e-9).sum())
    numbers = dict(last=last, followers=followers, text=text)
    numbers |= dict(places=places, wanted=wanted, hits=hits)
    return numbers, [looked, copied[-1]["abcd".index(wanted) + 1]]


def count(rng):
    n, c, g = int(rng.integers(8, 30)), int(rng.integers(1, 6)), int(rng.integers(1, 4))
    scores = np.array([0.0] * (1 + c) + [-g] * (n - c))
    total = np.exp(scores).sum()
    weights = attend([[1.0]], scores[:, None], np.zeros((n + 1, 1)), score=dot)[1]
    return dict(n=n, c=c, g=g, total=total), [weights[0, 0], 1 / weights[0, 0] - 1]


def reach(rng):
    k, t = int(rng.integers(3, 8)), int(rng.integers(9, 60))
    layers = -(-t // (k - 1))
    return dict(k=k, t=t, layers=layers), [layers, layers * (k - 1)]
