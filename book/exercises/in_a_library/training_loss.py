"""A training loss in PyTorch: labels shifted twice, and a mean of means."""

import numpy as np

from attnlib.exercises import Case
from attnlib.exercises.engine.drawing import draw


def as_given(logits, ids, real, size):
    import torch
    from torch.nn.functional import cross_entropy

    logits, ids, real = map(torch.from_numpy, (logits, ids, real))
    labels = ids.masked_fill(~real, -100)
    labels = torch.cat([labels[:, 1:], labels[:, :1] * 0 - 100], dim=1)
    losses = []
    for some, their in zip(logits.split(size), labels.split(size)):
        some = some[:, :-1].transpose(1, 2)
        losses.append(cross_entropy(some, their[:, 1:], ignore_index=-100))
    return torch.stack(losses).mean().numpy()


def each(logits, ids, real, shift=1):
    """The losses of the labels so many places on, and which of them count."""
    n = ids.shape[1]
    S = logits - logits.max(axis=-1, keepdims=True)
    logs = S - np.log(np.exp(S).sum(axis=-1, keepdims=True))
    at, to = slice(max(-shift, 0), n - max(shift, 0)), slice(max(shift, 0), n + min(shift, 0))
    losses = -np.take_along_axis(logs[:, at], ids[:, to, None], axis=-1)[..., 0]
    return losses, real[:, to]


def average(losses, here):
    """The mean of the losses that count, NaN where none does."""
    return losses[here].sum() / here.sum()


def mean(logits, ids, real, size, shift=1, by="labels", counts=None):
    """The loss with faults: of labels elsewhere, averaged over batches, texts or all places."""
    losses, here = each(logits, ids, real, shift)
    if counts == "all":
        here = here | True
    if by == "labels":
        return average(losses, here)
    if by == "places":
        return np.where(here, losses, 0).mean()
    if by == "texts":
        return (np.where(here, losses, 0).sum(axis=1) / here.sum(axis=1)).mean()
    if by == "text":
        return losses[here].sum() / len(ids)
    if by == "all places":
        return losses[here].sum() / ids.size
    if by == "later ids":
        return losses[here].sum() / real[:, 2:].sum()
    if by == "sum":
        return losses[here].sum()
    if by in ("ids", "next ids"):
        return losses[here].sum() / real[:, by == "next ids" :].sum()
    parts = range(0, len(ids), size)
    batches = [(losses[i : i + size], here[i : i + size]) for i in parts]
    means = [average(some, counted) for some, counted in batches]
    if by == "mean of sums":
        return np.mean([some[counted].sum() for some, counted in batches])
    if by == "weighted by texts":
        return sum(m * len(some) for m, (some, _) in zip(means, batches)) / len(ids)
    return {"batches": np.mean, "sum of means": np.sum, "first": lambda m: m[0],
            "last": lambda m: m[-1], "median": np.median}[by](means)  # fmt: skip


def reshaped(logits):
    """What a reshape makes of all logits but the last, where axes should be exchanged."""
    some = logits[:, :-1]
    mixed = some.reshape(len(some), some.shape[2], -1).swapaxes(1, 2)
    return np.concatenate([mixed, logits[:, -1:]], axis=1)


def training_loss(logits, ids, real, size):
    return mean(logits, ids, real, size)


def padded(*lengths):
    return np.arange(max(lengths)) < np.array(lengths)[:, None]


CASES = (
    Case("one batch", (
        *draw((2, 4, 3)), np.array([[2, 0, 1, 1], [1, 1, 0, 2]]), padded(4, 4), 2
    )),
    Case("one batch with padding", (
        *draw((3, 5, 4)), np.array([[3, 0, 2, 1, 1], [1, 2, 3, 0, 0], [0, 3, 2, 2, 0]]),
        padded(5, 3, 4), 5,
    )),
    Case("several batches", (
        draw((5, 6, 5))[0][[2, 3, 0, 1, 4]],
        np.array([[1, 3, 3, 2, 0, 0], [3, 4, 0, 1, 2, 0], [4, 0, 2, 3, 1, 1], [2, 1, 4, 0, 0, 0],
                  [0, 2, 4, 4, 3, 1]]),
        padded(4, 5, 6, 3, 6), 2,
    )),
)  # fmt: skip
