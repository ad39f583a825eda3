"""Exercises that answer back: ``check("chapter.exercise", answer)``.

Each chapter has a module with its exercises. An exercise knows the right answer and the mistakes
people make; the reply to an attempt names the likely error and shows the smallest input on which
it appears, not the answer.
"""

from .catalogue import all_exercises, find
from .comparing import faults
from .engine import check, examine
from .exercise import Case, Exercise, Mistake
from .reply import Reply

__all__ = [
    "Case",
    "Exercise",
    "Mistake",
    "Reply",
    "all_exercises",
    "check",
    "examine",
    "faults",
    "find",
]
