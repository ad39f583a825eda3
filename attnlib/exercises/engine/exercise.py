"""What an exercise is: its cases, its reference answer and the mistakes that it knows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that people give, and what to tell them.

    Parameters
    ----------
    name : str
        Its code, for tests.
    answer : callable or value
        The wrong answer itself, of the kind that the exercise asks for.
    diagnosis : str
        One or two sentences: the likely error, and how to see it.
    recognise : callable, optional
        For an error that has many results, such as a search with too few rounds; ``answer`` is
        one of them. Takes what is compared on all cases, a list of finite arrays, and the cases;
        returns whether they look like this error. Asked if no mistake gives just this result.
    such_as : tuple
        More answers, for tests, that it should recognise.
    """

    name: str
    answer: Any
    diagnosis: str
    recognise: Callable | None = None
    such_as: tuple = ()


@dataclass(frozen=True)
class Case:
    """One input of a function: its arguments, and in words the kind of input that it is.

    One that is ``rare`` comes after the others. It decides whether an answer is right, but
    says which mistake it is only where all others pass.
    """

    kind: str
    args: tuple
    rare: bool = False


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise: a function that has ``cases``, or numbers that have a ``judge``.

    A *function* is compared with ``reference`` on every case. A *judged* answer, a number or an
    array, is one of many right ones, and ``judge`` decides.

    Parameters
    ----------
    signature : str
        How the function is called, ``soft_lookup(q, K, V)``; for numbers the variable's name.
    task : str
        One sentence: what to do. For a function it begins with "Write" and the signature.
    returns : str
        What must come back, in words: "an array of shape (d_v,)".
    why : str
        One sentence: what a right answer shows.
    general : str
        How to find an error that is none of the known mistakes.
    definition : str
        The property that a right answer has, said without giving the answer.
    reference : callable or value
        The right answer; for a judged exercise one of them, for the tests.
    cases : tuple of Case
        From smallest to largest; only for functions.
    mistakes : tuple of Mistake
    also_right : tuple
        Right answers in other forms, for tests.
    properties : tuple of callable
        Each takes the answer (an array) and the case's arguments, and returns None or one
        sentence: which property the answer breaks. The first that is broken is shown.
    judge : callable, optional
        Takes the answer (an array), returns None if it is right, or a diagnosis.
    shape : tuple of int
        The shape that a judged answer must have; ``()`` for a single number.
    view : callable, optional
        Takes the answer and the case's arguments, returns what of the answer is compared.
    own : bool
        Whether the task is to be done without `attnlib`.
    truth : bool
        Whether truth values come back. They are compared as 0 and 1.
    rtol, atol : float
        Tolerance: equal means within ``atol + rtol * |reference|``.
    name : str
        ``chapter.exercise``, from its folder and its file.

    Raises
    ------
    ValueError
        If these contradict one another.

    Examples
    --------
    >>> exercise = Exercise(
    ...     signature="half(x)", task="Write half(x).", returns="a number",
    ...     why="Halving is linear.", general="Try x = 2.", definition="Twice it is x.",
    ...     reference=lambda x: x / 2, cases=(Case("a number", (3.0,)),),
    ... )
    >>> exercise.kind, exercise.parameters
    ('function', ('x',))
    """

    signature: str
    task: str
    returns: str
    why: str
    general: str
    definition: str
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
