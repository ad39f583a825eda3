"""Questions by name: `choice` and `number` write them, `ask` shows one."""

from .catalogue import named, tables


def right(text, why):
    """A right option of a choice, with its reason."""
    return {"text": text, "correct": True, "why": why}


def wrong(text, why):
    """A wrong option of a choice, with the reason why it is wrong."""
    return {"text": text, "correct": False, "why": why}


def choice(question, *options):
    """A question with options, each `right` or `wrong`."""
    return {"question": question, "options": list(options)}


def number(question, *, answer, tolerance, why, hint, mistakes):
    """A question whose answer is a number; `mistakes` are wrong numbers, each with its reply."""
    known = [{"value": value, "reply": reply} for value, reply in mistakes.items()]
    answers = {"answer": answer, "tolerance": tolerance, "mistakes": known}
    return {"question": question, "why": why, "hint": hint} | answers


def all_questions():
    """Every question of the book: name -> the arguments of its widget."""
    return tables("questions", "QUESTIONS")


def ask(name):
    """A question of a chapter, by its name.

    Parameters
    ----------
    name : str
        ``chapter.question``.

    Returns
    -------
    Quiz or NumberQuestion
        A widget that answers back.

    Raises
    ------
    ValueError
        If there is no question of that name, with those that come near.

    Examples
    --------
    >>> ask("query_key_value.shift").question
    'You add 5 to every score. What happens to the weights?'
    """
    from attnlib.widgets import NumberQuestion, Quiz

    given = named(name, all_questions(), "question")
    return (Quiz if "options" in given else NumberQuestion)(name=name, **given)
