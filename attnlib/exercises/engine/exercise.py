"""What an exercise is: its cases, its reference answer and the mistakes that it knows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


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
    """One input of a function: what kind of input it is, in words, and the arguments.

    One that is ``rare`` comes after the others. It decides whether an answer is right, but
    says which mistake it is only where all others pass.
    """

    kind: str
    args: tuple
    rare: bool = False


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise: a function, which has ``cases``, or numbers, which have a ``judge``.

    A function is compared with ``reference`` on every case. An array is one of many right ones,
    and ``judge`` decides.

    Parameters
    ----------
    signature : str
        How the function is called, ``soft_lookup(q, K, V)``; for numbers the variable's name.
    task : str
        One sentence: what to do. For a function it begins with "Write" and the signature.
    returns, definition : str
        What must come back, "an array of shape (d_v,)"; a property that tells a right answer.
    why, general : str
        What a right answer shows; how to find an error that is none of the known mistakes.
    reference : callable or array
        The right answer, or one of them.
    cases, mistakes : tuple of Case, tuple of Mistake
        Cases from smallest to largest.
    also_right : tuple
        Right answers in other forms, for tests.
    properties : tuple of callable
        Each takes the answer (an array) and the case's arguments, and returns None or a sentence:
        which property the answer lacks. The first that is lacking is shown.
    judge : callable, optional
        Takes the answer (an array), returns None if it is right, or a diagnosis.
    shape : tuple of int
        Of an array that is judged.
    view : callable, optional
        Takes the answer and the case's arguments, returns what of the answer is compared.
    own, truth : bool
        Whether it is to be done without `attnlib`; whether truth values come back.
    rtol, atol : float
        Equal means within ``atol + rtol * |reference|``.
    name : str
        ``chapter.exercise``.

    Raises
    ------
    ValueError
        If these contradict one another.
    """

    signature: str
    task: str
    returns: str
    definition: str
    why: str
    general: str
    reference: Any
    cases: tuple = ()
    mistakes: tuple = ()
    also_right: tuple = ()
    properties: tuple = ()
    judge: Callable | None = None
    shape: tuple = ()
    view: Callable | None = None
    own: bool = False
    truth: bool = False
    rtol: float = 1e-6
    atol: float = 1e-8
    name: str = ""

    def __post_init__(self):
        if bool(self.cases) == bool(self.judge):
            raise ValueError(f"{self.signature}: give cases for a function, or a judge for numbers")
        if bool(self.cases) != callable(self.reference):
            raise ValueError(f"{self.signature}: a reference function has cases, numbers a judge")

    @property
    def kind(self):
        """``"function"`` or ``"judged"``."""
        return "judged" if self.judge else "function"

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
        """The same exercise for a reader who has given the function another name.

        Examples
        --------
        >>> from attnlib.exercises import find
        >>> find("scaling.softmax_jacobian").called("my_jacobian").signature
        'my_jacobian(w)'
        """
        signature = name + self.signature[len(self.short_name) :]
        return replace(self, signature=signature, task=self.task.replace(self.signature, signature))
