"""Exercises that answer back: ``check("chapter.exercise", answer)``; questions and practice.

Their words are text in ``book/exercises/``, one folder a chapter: a Markdown file for each
exercise with a Python file of what it computes beside it, ``questions.md`` for what `ask` asks,
``practice.md`` and ``practice.py`` for what `practice` draws. An installed package brings them
along. This package reads them. The reply to an attempt names the likely error and shows the
smallest input on which it appears, not the answer.
"""

from .engine.asking import all_questions, ask
from .engine.checking import check, examine, use
from .engine.exercise import Case, Exercise, Misfit, Mistake
from .engine.practising import Kind, Problem, all_practice, practice
from .engine.reading import all_exercises, find
from .engine.reply import Reply

__all__ = [
    "Case",
    "Exercise",
    "Kind",
    "Misfit",
    "Mistake",
    "Problem",
    "Reply",
    "all_exercises",
    "all_practice",
    "all_questions",
    "ask",
    "check",
    "examine",
    "find",
    "practice",
    "use",
]
