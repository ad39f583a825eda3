"""What an exercise is: its cases, its reference answer and the mistakes that it knows."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


class Misfit(ValueError):
    """What an exercise's ``adapt`` raises where an answer cannot be used: in words, the reply."""


def _copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people give, and what to tell them.

    ``name`` is its code, ``answer`` the wrong answer itself, ``diagnosis`` one or two sentences:
    the likely error, and how to see it. Where an error has many results, as a search with too few
    rounds has, ``recognise`` takes what is compared on all cases, a list of finite arrays, and the
    cases, and returns whether they look like it; it is asked if no mistake gives just this result.
    ``such_as`` are more answers, for tests, that should get the diagnosis.
    """

    name: str
    answer: Any
    diagnosis: str
    recognise: Callable | None = None
    such_as: tuple = ()


@dataclass(frozen=True)
class Case:
    """One input of a function: what kind it is, in words, and the arguments, lists as arrays.

    One that is ``rare`` comes after the others. It decides whether an answer is right, but
    says which mistake it is only where all others pass.
    """

    kind: str
    args: tuple
    rare: bool = False

    def __post_init__(self):
        if any(isinstance(arg, list) for arg in self.args):
            arrays = (np.array(arg) if isinstance(arg, list) else arg for arg in self.args)
            object.__setattr__(self, "args", tuple(arrays))

    def copied(self):
        """The same case with arrays of its own; arguments that renew themselves as they are."""
        plain = type(self.args) is tuple
        return replace(self, args=tuple(map(_copied, self.args))) if plain else self


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise: a function, which has ``cases``, or numbers, which have a ``judge``.

    A function is compared with ``reference`` on every case. An array is one of many right ones,
    and ``judge`` decides. If these contradict one another, it raises a ValueError.
    """

    signature: str  # how a function is called, "soft_lookup(q, K, V)", or the variable's name
    task: str  # one sentence; for a function it begins with "Write" and the signature
    returns: str  # what must come back, "an array of shape (d_v,)"
    definition: str  # a property that tells a right answer
    why: str  # what a right answer shows
    general: str  # how to find an error that is none of the known mistakes
    reference: Any  # the right answer, or one of them
    cases: tuple = ()  # from smallest to largest
    mistakes: tuple = ()
    also_right: tuple = ()  # right answers in other forms, for tests
    #: Each takes the answer (an array) and the case's arguments, and returns None or a sentence:
    #: which property the answer lacks. The first that is lacking is shown.
    properties: tuple = ()
    #: Kind of case -> what is said in place of `general` where the smallest wrong case is of it.
    where: dict = field(default_factory=dict)
    judge: Callable | None = None  # takes an array, returns None if it is right, or a diagnosis
    shape: tuple = ()  # of an array that is judged
    #: Makes a function of the cases' arguments of another answer, as of a class of PyTorch.
    adapt: Callable | None = None
    view: Callable | None = None  # takes answer and arguments, returns what of it is compared
    own: bool = False  # whether it is to be done without `attnlib`
    truth: bool = False  # whether truth values come back
    rtol: float = 1e-6  # equal means within atol + rtol * |reference|
    atol: float = 1e-8
    needs: str = ""  # a module that need not be installed, "torch"
    before: tuple = ()  # names of lessons' exercises of which this one can be made
    minutes: int = 0  # that it takes a second-year student
    name: str = ""  # "chapter.exercise"

    def __post_init__(self):
        if not bool(self.cases) == callable(self.reference) != bool(self.judge):
            raise ValueError(f"{self.signature}: a function has cases, numbers have a judge")

    @property
    def short_name(self):
        """The name of the student's function or variable."""
        return self.signature.partition("(")[0]

    @property
    def parameters(self):
        """The names of the function's parameters."""
        inside = self.signature.partition("(")[2].rstrip(")")
        return tuple(p.strip() for p in inside.split(",") if p.strip())

    def called(self, name):
        """The same exercise for a reader who has given the function another name."""
        signature = name + self.signature[len(self.short_name) :]
        return replace(self, signature=signature, task=self.task.replace(self.signature, signature))
