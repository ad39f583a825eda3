"""A target, and whether a recording reaches it."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """A target, what was measured (None if nothing was), and the bounds it must keep to.

    >>> print(Verdict("it takes at most twice as long", 2.5, most=2))
    MISSED     2.50  it takes at most twice as long
    """

    sentence: str
    value: float | None
    least: float = -math.inf
    most: float = math.inf

    @property
    def met(self):
        """True, False, or None where nothing was measured."""
        return None if self.value is None else bool(self.least <= self.value <= self.most)

    def __str__(self):
        if self.met is None:
            return f"not measured  {self.sentence}"
        return f"{'met   ' if self.met else 'MISSED'}  {self.value:7.2f}  {self.sentence}"
