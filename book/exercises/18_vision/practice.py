"""What the practice of chapter 18 draws: numbers, and the answer by attnlib."""

import numpy as np

from attnlib.data.digits import patches


def item(rng):
    answers = np.zeros(5)
    while min(abs(answers[1:] - answers[0])) < 0.05:
        image = rng.integers(0, 3, (2, 4)) / 2
        column = rng.choice([-1.0, -0.5, 0.5, 1.0, 2.0], 4)
        p = rng.choice([0.1, 0.2, 0.3, 0.4, -0.1, -0.2, -0.3], 2, replace=False)
        rows = patches(image)
        first, bare = rows @ column
        a, other, wrong_place = bare + p[1], first + p[0], bare + p[0]
        line = image[1] @ column + p[1]
        answers = np.array([a, other, bare, wrong_place, line])
    numbers = dict(image=image, column=column, p=p, rows=rows, bare=bare)
    numbers |= dict(a=a, other=other, wrong_place=wrong_place, line=line)
    return numbers, a


def looked(rng):
    W = np.zeros((3, 3))
    means = W.mean(axis=0)
    while len({*np.round(means, 2)}) < 3 or abs(means[0] - W[0, 0]) < 0.03:
        W = rng.choice([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], (3, 3))
        W[:, 2] = np.round(1 - W[:, 0] - W[:, 1], 1)
        means = W.mean(axis=0) if (W > 0.05).all() else np.zeros(3)
    return dict(W=W, means=means), [means[0], means[1]]


def effect(rng):
    ahead = 0
    while ahead < 0.5:
        before, after = rng.integers(-8, 25, (2, 3)) / 2
        rival, rival_after = before[1:].max(), after[1:].max()
        ahead, ahead_after = before[0] - rival, after[0] - rival_after
    drop = ahead - ahead_after
    k = 1 + int(before[1:].argmax())
    same = ahead - (after[0] - after[k])
    numbers = dict(ahead=ahead, before=before, after=after, rival=rival)
    numbers |= dict(rival_after=rival_after, ahead_after=ahead_after, drop=drop, same=same)
    return numbers, drop
