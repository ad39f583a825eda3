"""Answers that are right but for something that can happen in every exercise."""

from dataclasses import dataclass

import numpy as np

from .comparing import as_numbers, equal, outcomes_of, seen


@dataclass(frozen=True)
class Precision:
    """A kind of float that keeps less than float64 does."""

    dtype: type
    digits: str

    @property
    def name(self):
        """As NumPy calls it."""
        return self.dtype.__name__

    @property
    def diagnosis(self):
        """What to say where nothing else is wrong."""
        return (
            f"Right to about {self.digits} digits: something is {self.name}, which keeps no more. "
            "Compute in float64, as NumPy does unless it is told otherwise."
        )

    def near(self, answer, expected):
        """Whether two arrays agree as well as they can after a few steps of this precision."""
        if answer is None or expected is None or answer.shape != expected.shape:
            return False
        limits = np.finfo(self.dtype)
        size = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        slack = 32 * float(max(limits.eps * float(size), limits.smallest_subnormal))
        return np.allclose(answer, expected, rtol=0, atol=slack, equal_nan=True)

    def stored(self, answer, expected):
        """Whether an array of float64 looks like one that was kept in this precision before."""
        if not np.array_equal(answer, answer.astype(self.dtype)):
            return False
        return np.allclose(answer, expected, rtol=4 * float(np.finfo(self.dtype).eps), atol=1e-12)


HALF = Precision(np.float16, "three")
SINGLE = Precision(np.float32, "seven")
OVERFLOW = (
    "Something overflows on the way: float16 ends at 65504, and beyond it comes inf, then NaN. "
    "Compute in float64, as NumPy does unless it is told otherwise."
)
BESIDES = "Besides, this is float16, which keeps about three digits and ends at 65504."


def kept_in(outcomes):
    """The lowest precision in which something came back; None if none is below float64."""
    values = [o.value for o in outcomes if isinstance(o.value, np.ndarray | np.generic)]
    kinds = {value.dtype for value in values}
    return next((kept for kept in (HALF, SINGLE) if np.dtype(kept.dtype) in kinds), None)


def imprecise(exercise, outcomes, references):
    """The diagnosis of an answer whose only fault, or whose known one, is hidden by low precision.

    Parameters
    ----------
    exercise : Exercise
    outcomes, references : list of Outcome
        What came on every case, and what was wanted.

    Returns
    -------
    str or None
    """
    kept = kept_in(outcomes)
    came, wanted = _seen(exercise, outcomes), _seen(exercise, references)
    if any(a is None or a.shape != w.shape for a, w in zip(came, wanted)):
        return None
    for precision in (HALF, SINGLE):
        alike = all(map(precision.near, came, wanted))
        if alike and (kept is precision or all(map(precision.stored, came, wanted))):
            return precision.diagnosis
    if kept is None:
        return None
    for mistake in exercise.mistakes:
        others = _seen(exercise, outcomes_of(mistake.answer, exercise.cases))
        if all(map(kept.near, came, others)):
            return mistake.diagnosis
    finite = [np.isfinite(array) for array in came]
    near = all(HALF.near(a[f], w[f]) for a, w, f in zip(came, wanted, finite))
    return OVERFLOW if kept is HALF and near else None


def multiple(exercise, outcomes, references):
    """The diagnosis of an answer that is a sign or a factor 2 away; None if it is not."""
    came, wanted = _seen(exercise, outcomes), _seen(exercise, references)
    if any(a is None or a.shape != w.shape for a, w in zip(came, wanted)):
        return None
    for factor, diagnosis in FACTORS.items():
        if all(equal(a, factor * w, exercise) for a, w in zip(came, wanted)):
            return diagnosis
    return None


FACTORS = {
    -1: "Every sign is the wrong way round; the sizes are right.",
    2: "Every number is twice what it should be: something is counted or added twice.",
    0.5: "Every number is half of what it should be: look for a factor 2.",
}


def rounded(outcomes, references):
    """The diagnosis of an answer that is right but for rounding; None if it is not."""
    came, wanted = ([as_numbers(o.value) for o in all_] for all_ in (outcomes, references))
    if any(a is None or a.shape != w.shape for a, w in zip(came, wanted)):
        return None
    # Between 0 and 1 whole numbers are more likely a choice than a rounding.
    large = max(np.abs(array).max(initial=0.0) for array in wanted) >= 2
    off = [np.abs(a - w).max(initial=0.0) for a, w in zip(came, wanted)]
    if large and max(off) < 2 and all(array.dtype.kind in "iu" for array in came):
        return (
            "These are whole numbers: what stood behind the point is cut off. Look for int, for "
            "//, or for an array of whole numbers that is filled."
        )
    for places in range(0 if large else 1, 6):
        if max(off) <= 0.500001 * 10.0**-places:
            if all(np.allclose(a, np.round(a, places), rtol=0, atol=1e-12) for a in came):
                to = f"{places} decimal{'s' if places > 1 else ''}" if places else "whole numbers"
                return f"Right, but rounded to {to}. Keep all digits; round for print only."
    return None


def _seen(exercise, outcomes):
    return [seen(exercise, case, outcome) for case, outcome in zip(exercise.cases, outcomes)]
