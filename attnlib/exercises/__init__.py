"""Exercises that answer back: ``check("chapter.exercise", answer)``.

A chapter's exercises are a folder, and each exercise is a file in it that defines ``EXERCISE``.
An exercise knows the right answer and the mistakes people make; the reply to an attempt names the
likely error and shows the smallest input on which it appears, not the answer.
"""

from .engine.catalogue import all_exercises, find
from .engine.checking import check, examine
from .engine.exercise import Case, Exercise, Mistake
from .engine.faults import faults
from .engine.reply import Reply

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
