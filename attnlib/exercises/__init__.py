"""Exercises that answer back: ``check("chapter.exercise", answer)``; questions and practice.

A chapter's exercises are a folder, and each exercise is a file in it that defines ``EXERCISE``;
``questions.py`` holds what ``ask`` asks, ``practice.py`` what ``practice`` draws.
An exercise knows the right answer and the mistakes people make; the reply to an attempt names the
likely error and shows the smallest input on which it appears, not the answer.
"""

from .engine.asking import all_questions, ask
from .engine.catalogue import all_exercises, find
from .engine.checking import check, examine
from .engine.exercise import Case, Exercise, Mistake
from .engine.faults import faults
from .engine.practising import Kind, Problem, all_practice, practice
from .engine.reply import Reply

__all__ = [
    "Case",
    "Exercise",
    "Kind",
    "Mistake",
    "Problem",
    "Reply",
    "all_exercises",
    "all_practice",
    "all_questions",
    "ask",
    "check",
    "examine",
    "faults",
    "find",
    "practice",
]
