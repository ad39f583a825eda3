"""Questions by name: read from a chapter's ``questions.md``, shown by `ask`."""

import re
from ast import literal_eval
from functools import cache

from .reading import collected, named
from .text import sections

NUMBER = r"([-−]?\d*\.?\d+(?:e[-+]?\d+)?)"
NUMERIC = ("answer", "why", "hint")


def questions(path):
    """The questions of a file: pairs of a name and the arguments of its widget."""
    for section in sections(path):
        read = _number if any(b.text.startswith("answer: ") for b in section.bullets) else _choice
        yield section.heading.text, {"question": section.text} | read(section)


def _choice(section):
    options = []
    for bullet in section.bullets:
        box, text = bullet.match(r"\[([ x])\] (.+)", "an option, '- [ ] …' or '- [x] …'")
        if not bullet.reply:
            raise bullet.expected("the reply to this option below it, '  - …'")
        options.append({"text": text, "correct": box == "x", "why": bullet.reply})
    if not any(option["correct"] for option in options):
        raise section.heading.expected("a right option, '- [x] …', below this question")
    return {"options": options}


def _number(section):
    settings, others = section.settings(NUMERIC)
    mistakes = []
    for bullet in others:
        value, reply = bullet.match(NUMBER + ": (.+)", "a wrong number and its reply, '- 4: …'")
        mistakes.append({"value": _value(value), "reply": reply})
    numbers = re.fullmatch(f"{NUMBER} ± {NUMBER}", settings.pop("answer"))
    if not numbers:
        raise section.heading.expected("'- answer: number ± tolerance' below the heading")
    answer, tolerance = map(_value, numbers.groups())
    return settings | {"answer": answer, "tolerance": tolerance, "mistakes": mistakes}


def _value(text):
    return literal_eval(text.replace("−", "-"))


@cache
def all_questions():
    """Every question of the book: name -> the arguments of its widget."""
    return collected(questions, "questions.md")


def ask(name):
    """A question of a chapter, by its name.

    Parameters
    ----------
    name : str
        ``chapter.question``; where there is none, a ValueError lists those that come near.

    Returns
    -------
    Quiz or NumberQuestion
        A widget that answers back.

    Examples
    --------
    >>> ask("query_key_value.shift").question
    'You add 5 to every score. What happens to the weights?'
    """
    from attnlib.widgets import NumberQuestion, Quiz

    question = named(name, all_questions(), "question")
    return (Quiz if "options" in question else NumberQuestion)(name=name, **question)
