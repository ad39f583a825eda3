"""An attempt at an exercise: what came back and what was wanted, each worked out once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy import allclose, isfinite  # as they are now, whatever an answer makes of NumPy later

from .exercise import Case, Exercise
from .running import Outcome, call
from .symptoms import called


def as_numbers(value, sequences=()):
    """A copy of a number or array, floats as float64; None for all else, but for ``sequences``."""
    if not isinstance(value, (int, float, np.number, np.ndarray, *sequences)):
        return None
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths
        return None
    if array.dtype.kind == "f":  # what is computed from a float16 would be rounded once more
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    return array if array.dtype.kind in "iu" else None  # neither truth values nor text


def counted(value):
    """A truth value, or an array or a list of them, as 0 and 1; all else as it is."""
    if isinstance(value, bool | np.bool_):
        return int(value)
    if isinstance(value, np.ndarray):
        return value.astype(int) if value.dtype == bool else value
    return [counted(part) for part in value] if type(value) is list else value


def equal(exercise, answer, expected):
    """Whether two arrays have one shape and agree within the exercise's tolerance."""
    if answer is None or expected is None or answer.shape != expected.shape:
        return False
    return allclose(answer, expected, exercise.rtol, exercise.atol, equal_nan=True)


def near(kind, answer, expected, each=False):
    """Whether an array agrees as well as it can after a few steps in this kind of float.

    What is forgiven belongs to the largest number, or, by far the most of it, to ``each``.
    """
    if answer is None or expected is None or answer.shape != expected.shape:
        return False
    size = float(np.abs(expected[isfinite(expected)]).max(initial=0.0))
    eps, least = float(np.finfo(kind).eps), float(np.finfo(kind).smallest_subnormal)
    rtol, steps = (32 * eps, 2) if each else (0, 32)
    return allclose(answer, expected, rtol, steps * max(eps * size, least), equal_nan=True)


@dataclass
class Trial:
    """What came of one case, and the trial that was wanted; a judged value has no arguments."""

    exercise: Exercise
    case: Case
    outcome: Outcome
    wanted: "Trial | None" = None

    def __post_init__(self):
        exercise, wanted, value = self.exercise, self.wanted, self.outcome.value
        #: What came back; truth values as 0 and 1 in an exercise that asks for them.
        self.value = counted(value) if exercise.truth else value
        #: As an array, None if it is not numbers; and what of the array is compared.
        # A list of truth values cannot be used as one, with ~ and &, nor one of indices as an array
        # of them; a tuple holds several results.
        arrays_only = exercise.truth or exercise.indices
        sequences = (list, tuple) if exercise.judge else () if arrays_only else (list,)
        self.array = self.seen = as_numbers(self.value, sequences)
        if self.array is not None and exercise.view:
            try:
                with np.errstate(all="ignore"):
                    self.seen = as_numbers(exercise.view(self.array, *self.case.args))
            except (ValueError, TypeError, IndexError):  # another shape has no such part
                pass
        #: The shape that is wanted, whether numbers of that shape came, and whether all is right.
        self.shape = np.shape(wanted.value) if wanted else exercise.shape
        #: Whether only the rounding of float32 keeps it from being equal.
        self.short = False
        self.has_form = self.array is not None and self.array.shape == self.shape
        if exercise.judge:
            finite = self.has_form and isfinite(self.array).all()
            self.right = bool(finite) and exercise.judge(self.array) is None
        else:
            self.right = bool(self.has_form and wanted) and equal(exercise, self.seen, wanted.seen)

    def by(self, function):
        """The trial in which a trusted function has this case."""
        return Trial(self.exercise, self.case, call(function, self.case.args), self.wanted)


def _same(exercise, a, b):
    """Whether two trials gave the same; None is the same as None."""
    return (a.value is None and b.value is None) or equal(exercise, a.seen, b.seen)


@dataclass
class Attempt:
    """An answer to an exercise, with a Trial for each case; ``run`` tries a case once more."""

    exercise: Exercise
    answer: object
    trials: list
    run: Callable | None = None

    def __post_init__(self):
        single = "float32" in called(self.answer)
        for trial in self.trials:
            is_single = single or getattr(trial.value, "dtype", None) == np.float32
            if is_single and not trial.right and trial.has_form and trial.wanted:
                trial.short = trial.right = near(
                    np.float32, trial.seen, trial.wanted.seen, each=True
                )
        self.wrong = [trial for trial in self.trials if not trial.right]
        self.mistakes = {}
        #: What is compared on each case, and what it is compared with.
        self.came = [trial.seen for trial in self.trials]
        self.wanted = [trial.wanted.seen for trial in self.trials if trial.wanted]
        #: Whether all that came has the shape that is compared, and whether it is finite too.
        pairs = list(zip(self.came, self.wanted))
        self.comparable = all(a is not None and a.shape == np.shape(w) for a, w in pairs)
        self.finite = self.comparable and all(isfinite(a).all() for a, _ in pairs)

    def arguments(self):
        """The numbers and arrays among the arguments by name, each as arrays on all cases."""
        columns = zip(self.exercise.parameters, zip(*(trial.case.args for trial in self.trials)))
        numeric = ((n, c) for n, c in columns if not (callable(c[0]) or type(c[0]) in (str, dict)))
        return {name: list(map(np.asarray, c)) for name, c in numeric}

    def low_precision(self):
        """The shortest float in which something came back; None if none is below float64."""
        values = [trial.value for trial in self.trials]
        kinds = {v.dtype for v in values if isinstance(v, np.ndarray | np.generic)}
        return next((kind for kind in (np.float16, np.float32) if np.dtype(kind) in kinds), None)

    def recognised(self):
        """The mistakes that recognise these results as theirs."""
        cases = [trial.case for trial in self.trials]
        recognising = [m for m in self.exercise.mistakes if m.recognise and self.finite]
        return [m for m in recognising if m.recognise(self.came, cases)]

    def gives(self, arrays):
        """Whether these arrays came, one on each case."""
        return all(equal(self.exercise, a, b) for a, b in zip(self.came, arrays))

    def by(self, mistake):
        """The trials of a known mistake."""
        if mistake.name not in self.mistakes:
            self.mistakes[mistake.name] = [trial.by(mistake.answer) for trial in self.trials]
        return self.mistakes[mistake.name]

    def makes(self, mistake, where_wrong=False):
        """Whether a mistake gives the same on all cases, or on those where the answer is wrong.

        Where both raise, the exception's type must agree; its message too, unless some wrong
        value that they share shows already that they are the same.
        """
        pairs = zip(self.trials, self.by(mistake))
        pairs = [(a, b) for a, b in pairs if not (where_wrong and a.right)]
        failures = [(a.outcome.failure, b.outcome.failure) for a, b in pairs]
        failures = [(a, b) for a, b in failures if a or b]
        if any(a is None or b is None or a.kind != b.kind for a, b in failures):
            return False
        pairs = [(a, b) for a, b in pairs if not a.outcome.failure]
        if not all(_same(self.exercise, a, b) for a, b in pairs):
            return False
        shared = not all(equal(self.exercise, b.seen, a.wanted.seen) for a, b in pairs)
        return shared or (bool(failures) and all(a.message == b.message for a, b in failures))

    def right_after(self, change, part=None):
        """Whether a change of what came makes all of it right, or makes it that part of it.

        ``change`` takes what came and the shape that is wanted, ``part`` what is wanted.
        """

        def right(trial):
            changed = Outcome(change(trial.value, trial.shape))
            after = Trial(self.exercise, trial.case, changed, trial.wanted)
            if part and equal(self.exercise, after.array, as_numbers(part(trial.wanted.value))):
                return True
            return after.right

        try:
            return not any(t.outcome.failure for t in self.trials) and all(map(right, self.trials))
        except Exception:  # what came, or what is wanted, has no such element or axis
            return False
