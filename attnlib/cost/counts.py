"""A cost: operations and bytes, step by step and in total."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    r"""What one step computes and moves, as `attention_cost` and `block_cost` count it.

    Parameters
    ----------
    multiply_adds : int
        In matrix products: one multiplication and the addition of its result count as one.
    other : int
        Additions, multiplications, divisions and comparisons outside matrix products.
    exponentials : int
        Exponentials, which take a processor longer than a multiplication.
    bytes : int
        Read from memory and written to it.

    Notes
    -----
    Counters of FLOPs, and papers on fast attention, count matrix products only, each
    multiply-add as two (Dao et al. 2022):

    .. math:: \text{FLOPs} = 2 \cdot \text{multiply-adds}

    Examples
    --------
    >>> Step(multiply_adds=6, other=1, exponentials=0, bytes=40).flops
    12
    """

    multiply_adds: int = 0
    other: int = 0
    exponentials: int = 0
    bytes: int = 0

    @property
    def flops(self):
        """Floating-point operations of the matrix products, two for each multiply-add."""
        return 2 * self.multiply_adds

    @property
    def intensity(self):
        """FLOPs for each byte that is moved; infinite where nothing is."""
        return self.flops / self.bytes if self.bytes else math.inf


class Cost(Step):
    r"""The steps that `attention_cost` or `block_cost` counts, in order, and their sum.

    Parameters
    ----------
    steps : dict of str to Step
        Name of each step, and what it costs.

    Notes
    -----
    Each count is the sum over the steps, which run one after the other:

    .. math:: \text{bytes} = \sum_s \text{bytes}_s

    Examples
    --------
    >>> scores, weigh = Step(multiply_adds=6), Step(multiply_adds=4)
    >>> cost = Cost({"scores": scores, "weigh": weigh})
    >>> cost.flops, cost.steps["weigh"].flops
    (20, 8)
    """

    def __init__(self, steps):
        names = ("multiply_adds", "other", "exponentials", "bytes")
        super().__init__(*(sum(getattr(step, n) for step in steps.values()) for n in names))
        object.__setattr__(self, "steps", dict(steps))

    def __repr__(self):
        return f"Cost({self.steps})"

    def __eq__(self, other):
        return isinstance(other, Cost) and self.steps == other.steps

    __hash__ = None
