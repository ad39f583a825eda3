"""Answers that are right but for something that can happen in every exercise."""

from dataclasses import dataclass

import numpy as np

from .comparing import as_numbers, outcomes_of, seen_everywhere


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
CUT = (
    "These are whole numbers: the digits after the decimal point are cut off. Look for int, for "
    "//, for range, or for an array of whole numbers that is filled."
)
NEARLY = (
    "These numbers are close but not exact. Look for a rounding, a short number type such as "
    "float16, or something small that is added or cut off, and leave it out."
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
    came, wanted = seen_everywhere(exercise, outcomes), seen_everywhere(exercise, references)
    if any(a is None or a.shape != w.shape for a, w in zip(came, wanted)):
        return None
    for precision in (HALF, SINGLE):
        alike = all(map(precision.near, came, wanted))
        if alike and (kept is precision or all(map(precision.stored, came, wanted))):
            return precision.diagnosis
    if kept is None:
        return None
    for mistake in exercise.mistakes:
        others = seen_everywhere(exercise, outcomes_of(mistake.answer, exercise.cases))
        if all(map(kept.near, came, others)):
            return mistake.diagnosis
    finite = [np.isfinite(array) for array in came]
    near = all(HALF.near(a[f], w[f]) for a, w, f in zip(came, wanted, finite))
    return OVERFLOW if kept is HALF and near else None


def rounded(outcomes, references):
    """The diagnosis of an answer that is right but for rounding; None if it is not."""
    came, wanted = ([as_numbers(o.value) for o in all_] for all_ in (outcomes, references))
    if any(a is None or a.shape != w.shape for a, w in zip(came, wanted)):
        return None
    # Between 0 and 1 whole numbers are more likely a choice than a rounding.
    large = max(np.abs(array).max(initial=0.0) for array in wanted) >= 2
    off = max(np.abs(a - w).max(initial=0.0) for a, w in zip(came, wanted))
    if large and off < 2 and all(array.dtype.kind in "iu" for array in came):
        return CUT
    for places in range(0 if large else 1, 6):
        if off <= 0.500001 * 10.0**-places:
            if all(np.allclose(a, np.round(a, places), rtol=0, atol=1e-12) for a in came):
                to = f"{places} decimal{'s' if places > 1 else ''}" if places else "whole numbers"
                return f"Right, but rounded to {to}. Keep all digits; round for print only."
    for cut in (np.trunc, np.floor):
        if large and all(np.array_equal(a, cut(w)) for a, w in zip(came, wanted)):
            return CUT
    return None


def nearly(exercise, outcomes, references):
    """The diagnosis of an answer that is off everywhere by little; None if it is not."""
    came = seen_everywhere(exercise, outcomes)
    wanted = seen_everywhere(exercise, references)
    for a, w in zip(came, wanted):
        if exercise.view or a is None or a.shape != w.shape:
            return None
        if not np.abs(a - w).max(initial=0) <= max(0.006, 0.02 * np.abs(w).max(initial=0)):
            return None
    return NEARLY
