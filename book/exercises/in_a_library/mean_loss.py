"""The mean loss of a padded batch: exp overflows, and padding counts in the mean."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(logits, y, pad):
    kinds = logits.shape[-1]
    rows = logits.reshape(-1, kinds)
    targets = y.ravel()
    real = targets != pad
    powers = np.exp(rows)
    chances = powers / powers.sum(axis=-1, keepdims=True)
    chosen = chances[np.arange(len(targets)), targets]
    losses = np.where(real, -np.log(chosen), 0.0)
    return losses.mean()


def losses_of(logits, y, take=None, cut=np.inf):
    """The loss at each place; ``take`` is what is subtracted before exp, ``cut`` the largest."""
    S = np.minimum(logits - (take or of_each)(logits), cut)
    logs = S - np.log(np.exp(S).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, (y % logits.shape[-1])[..., None], axis=-1)[..., 0]


def of_each(S):
    return S.max(axis=-1, keepdims=True)


def by_chances(logits, y, tiny=0.0, take=of_each):
    """The same by dividing first, as the program does."""
    powers = np.exp(logits - take(logits))
    chances = powers / powers.sum(axis=-1, keepdims=True)
    return -np.log(
        np.take_along_axis(chances, (y % logits.shape[-1])[..., None], -1)[..., 0] + tiny
    )


def mean_loss(logits, y, pad):
    return losses_of(logits, y)[y != pad].mean()


def unsafe(logits, y):
    """As in the program: powers are divided by their sum, and nothing is subtracted."""
    return by_chances(logits, y, take=nothing)


def nothing(S):
    return 0.0


def of_all(S):
    return S.max()


def of_smallest(S):
    return S.min(axis=-1, keepdims=True)


def of_mean(S):
    return S.mean(axis=-1, keepdims=True)


def log2_of_powers(logits, y):
    """The logarithm to base 2 of a sum of powers of e."""
    S = logits - of_each(logits)
    logs = S - np.log2(np.exp(S).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logs, (y % logits.shape[-1])[..., None], axis=-1)[..., 0]


def above_0(losses):
    """The mean over losses above 0."""
    return losses[losses > 0].mean()


def without_nan(losses, infinite=np.inf):
    """Zeros in place of NaN, and this, or the largest number, in place of infinite ones."""
    return np.nan_to_num(losses, posinf=infinite)


def limited(arrays, cases):
    """All is right or nearly, but for a loss that is larger than a limit."""
    wanted = [mean_loss(*case.args) for case in cases]
    near = np.isclose(arrays, wanted, rtol=1e-3)
    return bool(near[:-1].all() and not near[-1] and arrays[-1] < wanted[-1])


def cut_off(arrays, cases):
    """Only large logits are wrong, and all of them."""
    right = np.isclose(arrays, [mean_loss(*case.args) for case in cases])
    return bool(right[:5].all() and not right[5:].any())


def without_pad(logits, y, pad):
    """The padding's column takes no part in softmax."""
    kept = logits.copy()
    kept[..., pad] = -np.inf
    return losses_of(kept, y)


def of_texts(losses, real):
    """The mean of each text's own mean."""
    return np.mean([row[here].mean() for row, here in zip(losses, real)])


L, M, N, O = draw((2, 3, 4), (3, 4, 5), (2, 4, 3), (3, 2, 6))
CASES = (
    Case("no padding", (O, np.array([[1, 4], [5, 2], [2, 3]]), 0)),
    Case("padding", (L, np.array([[2, 3, 1], [1, 0, 0]]), 0)),
    Case("padding", (M, np.array([[3, 2, 1, 1], [2, -1, -1, -1], [4, 0, 3, -1]]), -1)),
    Case("a sure target", (
        [[[0.0, 60.0, -4.0], [1.5, 0.5, -1.0]], [[-0.5, 1.0, 2.0], [0.5, 0.0, 0.5]]],
        np.array([[1, 2], [1, 0]]), 0,
    )),
    Case("logits far apart", (
        [[[3.0, -2395.0, 1.0], [2.0, 4.5, 3.0]], [[-1.0, 0.5, -1900.0], [1.0, 0.0, 2.5]]],
        np.array([[2, 1], [1, 0]]), 0,
    )),
    Case("large logits", (
        [[[905.0, 900.5, 902.0], [3.0, 0.5, 1.0]], [[1204.0, 1201.0, 1206.5], [2.0, 9.0, 0.0]]],
        np.array([[1, 2], [1, 0]]), 0,
    )),
    Case("large logits", (
        N * 900 + [[[900.0], [0.0], [2000.0], [-3000.0]], [[-1500.0], [1e4], [1.0], [0.0]]],
        np.array([[1, 2, 0, 1], [2, 1, 2, 0]]), 0,
    )),
)  # fmt: skip
