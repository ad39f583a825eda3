"""One short loop that trains any of the book's PyTorch models."""

from contextlib import contextmanager
from copy import deepcopy

import numpy as np
import torch

from attnlib.training import rate_share


@contextmanager
def seeded(seed):
    """Draw PyTorch's random numbers from a seed, and leave those outside as they were.

    Examples
    --------
    >>> with seeded(3):
    ...     a = torch.nn.Linear(2, 2).weight
    >>> with seeded(3):
    ...     b = torch.nn.Linear(2, 2).weight
    >>> bool((a == b).all())
    True
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


@contextmanager
def one_thread():
    """For small matrices more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def train(
    model,
    batches,
    loss,
    steps,
    rate,
    *,
    seed=0,
    warm_up=0,
    decay=False,
    clip=1.0,
    validate=None,
    every=100,
    patience=None,
    report=None,
):
    """Train a model by Adam, in place, and return the loss of each step.

    Parameters
    ----------
    model : torch.nn.Module
        What to train.  Make it under `seeded`, for its start is drawn before this loop.
    batches : callable
        ``batches(rng)`` draws one batch, a tuple, with a NumPy generator.
    loss : callable
        ``loss(model, *batch)`` returns the number to make small.
    steps : int
        Number of steps, at most.
    rate : float
        Learning rate, the largest of all steps.
    seed : int, optional
        Seed of the batches, and of dropout.
    warm_up : int, optional
        During so many first steps the rate rises to its full value.
    decay : bool, optional
        Whether the rate then falls to 0 along half a cosine.
    clip : float or None, optional
        Longest gradient, over all parameters; a longer one is shortened to it.
    validate : callable, optional
        ``validate(model)`` scores the model, higher is better, every `every` steps and at the end.
        The model keeps the parameters that scored best.
    every : int, optional
        Number of steps between two scores, and between two reports.
    patience : int, optional
        Stop early after so many scores in a row that were not better than the best.
    report : callable, optional
        ``report(step, loss, score)`` is told how far training is, `print` for example; the loss is
        the mean since the last report, and the score None without `validate`.

    Returns
    -------
    list of float
        An interrupt (Ctrl-C, or Jupyter's stop button) is passed on; the model keeps what it has
        learned until then.

    Examples
    --------
    A line through the points of y = 3x:

    >>> with seeded(0):
    ...     line = torch.nn.Linear(1, 1)
    >>> def batches(rng):
    ...     x = torch.tensor(rng.normal(size=(8, 1)), dtype=torch.float32)
    ...     return x, 3 * x
    >>> def loss(model, x, y):
    ...     return ((model(x) - y) ** 2).mean()
    >>> losses = train(line, batches, loss, steps=200, rate=0.1)
    >>> len(losses), round(line.weight.item(), 1)
    (200, 3.0)
    """
    rng, losses, best, waited = np.random.default_rng(seed), [], None, 0
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    with seeded(seed):
        for step in range(steps):
            model.train()
            for group in optimizer.param_groups:
                group["lr"] = rate * rate_share(step, steps, warm_up, decay)
            optimizer.zero_grad()
            value = loss(model, *batches(rng))
            value.backward()
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            losses.append(value.item())
            if (step + 1) % every and step + 1 < steps:
                continue
            model.eval()
            score = validate(model) if validate else None
            if report:
                since = losses[step - step % every :]
                report(step + 1, sum(since) / len(since), score)
            if validate and (best is None or score > best[0]):
                best, waited = (score, deepcopy(model.state_dict())), 0
            elif validate:
                waited += 1
                if waited == patience:
                    break
    if best:
        model.load_state_dict(best[1])
    model.eval()
    return losses
