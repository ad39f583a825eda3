"""Questions that answer back in the page: `Quiz` and `NumberQuestion`."""

from html import escape

import traitlets

from attnlib.widgets.base import BookWidget


def _inline(text):
    """Escaped text with `code` between backticks."""
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def _details(question, summary, body):
    """The question as it stands where no script runs, its answer folded away."""
    return {
        "text/html": (
            f'<div class="attn-static"><p>{_inline(question)}</p>'
            f"<details><summary>{summary}</summary>{body}</details></div>"
        )
    }


class Quiz(BookWidget):
    """One question with options, of which one or several are right.

    Parameters
    ----------
    question : str
        What is asked: plain text, code in backticks.
    options : list of dict
        Two or more of ``{"text": str, "correct": bool, "why": str}``: every option, right or
        wrong, explains itself.
    title : str
        The heading over the question.
    task : str
        A line shown with the question; code in backticks.

    Raises
    ------
    traitlets.TraitError
        When an option lacks a part, when none is right, or fewer than two are given.

    Examples
    --------
    Which options are right, read off the quiz:

    >>> keys = {"text": "keys", "correct": True,
    ...         "why": "Each query's weights sum to one."}
    >>> queries = {"text": "queries", "correct": False,
    ...            "why": "Then queries would compete."}
    >>> quiz = Quiz(question="Along which axis do weights sum to one?",
    ...             options=[keys, queries])
    >>> [option["text"] for option in quiz.options if option["correct"]]
    ['keys']
    """

    script = "quiz"

    question = traitlets.Unicode().tag(sync=True)
    options = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, **kwargs):
        kwargs.setdefault("title", "Question")
        if "options" not in kwargs:
            raise traitlets.TraitError("Quiz needs options.")
        super().__init__(**kwargs)

    @traitlets.validate("options")
    def _check(self, proposal):
        options = proposal["value"]
        for option in options:
            if set(option) != {"text", "correct", "why"} or not option["why"]:
                raise traitlets.TraitError(
                    f"Quiz.options: every option needs text, correct and why, got {option!r}."
                )
        if len(options) < 2 or not any(option["correct"] for option in options):
            raise traitlets.TraitError(
                "Quiz.options needs two or more, at least one of them correct."
            )
        return options

    def picture(self):
        listed = "".join(f"<li>{_inline(o['text'])}</li>" for o in self.options)
        answers = "".join(
            f"<li><strong>{'Right' if o['correct'] else 'Wrong'}.</strong> {_inline(o['why'])}</li>"
            for o in self.options
        )
        static = _details(self.question, "Answers", f'<ol type="A">{answers}</ol>')
        html = static["text/html"].replace("</p>", f'</p><ol type="A">{listed}</ol>', 1)
        return {"text/html": html}


class NumberQuestion(BookWidget):
    """A question whose answer is a number.

    Parameters
    ----------
    question : str
        What is asked: plain text, code in backticks.
    answer, tolerance : float
        Any number within the tolerance of the answer is right.
    why : str
        The reply to a right answer.
    mistakes : list of dict
        Wrong answers that are known, ``{"value": float, "reply": str}``; each is recognised
        within a twentieth of its size, at most the tolerance (or its own, ``"tolerance"``), and
        gets its own reply.
    hint : str
        The reply to any other wrong answer.
    title : str
        The heading over the question.
    task : str
        A line shown with the question; code in backticks.

    Raises
    ------
    traitlets.TraitError
        When a mistake would count as right, or two mistakes cannot be told apart.

    Examples
    --------
    A mistake takes over the question's tolerance, so 0.335 is right and 1.002 gets the reply.

    >>> question = NumberQuestion(
    ...     question="Three scores are equal. What is the weight of each?",
    ...     answer=1 / 3, tolerance=0.005, why="Equal scores get equal weights.",
    ...     hint="What do the three weights sum to?",
    ...     mistakes=[{"value": 1, "reply": "Divide by the sum."}])
    >>> question.mistakes
    [{'tolerance': 0.005, 'value': 1, 'reply': 'Divide by the sum.'}]
    """

    script = "number_question"

    question = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Float().tag(sync=True)
    tolerance = traitlets.Float(0.0, min=0.0).tag(sync=True)
    why = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    mistakes = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, **kwargs):
        kwargs.setdefault("title", "Question")
        tolerance = kwargs.get("tolerance", 0.0)
        kwargs["mistakes"] = [
            {"tolerance": min(tolerance, abs(m["value"]) / 20) or tolerance / 20, **m}
            for m in kwargs.get("mistakes", [])
        ]
        super().__init__(**kwargs)
        intervals = [(self.answer, self.tolerance)]
        intervals += [(m["value"], m["tolerance"]) for m in self.mistakes]
        for i, (a, near_a) in enumerate(intervals):
            for b, near_b in intervals[:i]:
                if abs(a - b) <= near_a + near_b:
                    raise traitlets.TraitError(
                        f"NumberQuestion cannot tell {a} from {b}: the tolerances overlap."
                    )

    def picture(self):
        body = f"<p>{self.answer:g}. {_inline(self.why)}</p>"
        return _details(self.question, "Answer", body)
