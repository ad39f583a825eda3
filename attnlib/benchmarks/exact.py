"""What every back end of a group gets, and how far its answers are from the exact ones."""

from dataclasses import dataclass

import numpy as np
import torch

from attnlib.benchmarks.plan import Group


@dataclass(frozen=True)
class Inputs:
    """What every back end of a group gets, and what some of its answers have to be."""

    Q: torch.Tensor
    K: torch.Tensor
    V: torch.Tensor
    rows: list
    exact: torch.Tensor


def draw_inputs(group: Group, device, seed):
    """Draw queries, keys and values of a group, and answer some of the queries exactly.

    Parameters
    ----------
    group : Group
        Sizes and number type.
    device : {"cpu", "cuda"}
        Where the tensors are to lie.
    seed : int
        Of the run; the numbers depend on it and on the group alone.

    Returns
    -------
    Inputs
        Tensors of shape (batch, n_heads, n, d) with standard normal numbers.

    Examples
    --------
    >>> inputs = draw_inputs(Group(3, 1, 2, 4, "float32", False), "cpu", seed=0)
    >>> tuple(inputs.Q.shape), inputs.rows
    ((1, 2, 3, 4), [0, 1, 2])
    """
    generator = torch.Generator(device).manual_seed(group.seed(seed))
    shape = (group.batch, group.n_heads, group.n, group.d)
    Q, K, V = (
        torch.randn(shape, generator=generator, device=device).to(getattr(torch, group.dtype))
        for _ in range(3)
    )
    rows = sampled_rows(group.n, np.random.default_rng(group.seed(seed)))
    return Inputs(Q, K, V, rows, exact_rows(Q, K, V, rows, causal=group.causal))


def sampled_rows(n, rng, count=64):
    """Return which queries of a sequence are checked: the first, the last, and a random sample.

    Parameters
    ----------
    n : int
        Number of queries.
    rng : numpy.random.Generator
        Draws the sample.
    count : int, optional
        How many are drawn.

    Returns
    -------
    list of int
        Rising, none twice.

    Examples
    --------
    >>> sampled_rows(3, np.random.default_rng(0))
    [0, 1, 2]
    >>> rows = sampled_rows(1000, np.random.default_rng(0))
    >>> rows[0], rows[-1], len(rows) in range(64, 67)
    (0, 999, True)
    """
    drawn = rng.choice(n, size=min(n, count), replace=False)
    return sorted({0, n - 1, *map(int, drawn)})


def exact_rows(Q, K, V, rows, *, causal):
    r"""Answer some of the queries in float64.

    Parameters
    ----------
    Q, K, V : torch.Tensor, shape (batch, n_heads, n, d)
        The inputs as the back end gets them, so their own rounding is no error of the back end.
    rows : list of int
        Which queries.
    causal : bool
        Whether a query attends to no later position.

    Returns
    -------
    torch.Tensor of float64, shape (batch, n_heads, len(rows), d)
        One sequence after the other, so that little memory is needed.

    Notes
    -----
    .. math:: \v{y}_i = \mathrm{softmax}\left(\frac{\q{q}_i \k{K}^\top}{\sqrt d}\right) \v{V}

    (Vaswani et al. 2017).

    Examples
    --------
    >>> one, V = torch.ones(1, 1, 2, 1), torch.tensor([[[[1.0], [3.0]]]])
    >>> exact_rows(one, one, V, [0, 1], causal=False).flatten().tolist()
    [2.0, 2.0]
    >>> exact_rows(one, one, V, [0, 1], causal=True).flatten().tolist()
    [1.0, 2.0]
    """
    rows = torch.tensor(rows, device=Q.device)
    later = torch.arange(K.shape[-2], device=Q.device) > rows[:, None]
    answers = []
    for q, k, v in zip(Q, K, V):
        scores = q[:, rows].double() @ k.double().transpose(-2, -1) / Q.shape[-1] ** 0.5
        if causal:
            scores.masked_fill_(later, -torch.inf)
        answers.append(torch.softmax(scores, dim=-1) @ v.double())
    return torch.stack(answers)


def relative_error(output, exact, rows):
    r"""Return the largest difference from the exact answer, relative to the largest exact number.

    Parameters
    ----------
    output : torch.Tensor, shape (batch, n_heads, n, d)
        What the back end returned.
    exact : torch.Tensor, shape (batch, n_heads, len(rows), d)
        From `exact_rows`.
    rows : list of int
        Which queries `exact` answers.

    Returns
    -------
    float
        NaN where the output holds NaN, infinite where it has another shape.

    Notes
    -----
    .. math:: \frac{\max |y - y_\text{exact}|}{\max |y_\text{exact}|}

    Examples
    --------
    >>> exact = torch.tensor([[[[4.0]]]])
    >>> relative_error(torch.tensor([[[[5.0], [0.0]]]]), exact, [0])
    0.25
    """
    expected = (*exact.shape[:2], exact.shape[3])
    if output.ndim != 4 or (*output.shape[:2], output.shape[3]) != expected:
        return float("inf")
    if output.shape[2] <= rows[-1]:
        return float("inf")
    rows = torch.tensor(rows, device=output.device)
    difference = (output[:, :, rows].double() - exact).abs().max()
    return float(difference / exact.abs().max())
