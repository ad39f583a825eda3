"""A question whose answer is a number; well-known wrong numbers get a reply of their own."""

import traitlets

from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.question import Question, blocks, inline, pieces
from attnlib.widgets.shared.traits import dicts, real, sealed, text, unseal


class NumberQuestion(Question):
    """A question whose answer is a number.

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

    shows = "A question whose answer is a number."
    samples = (
        {
            "question": "Two plus two, as `2 + 2`?\n\n```python\n2 + 2\n```",
            "answer": 4.0,
            "tolerance": 0.1,
            "why": "Yes, four.",
            "hint": "Count.",
            "mistakes": [{"value": 22, "reply": "Add."}, {"value": -4, "reply": "Mind the sign."}],
        },
        {
            "question": "One third?",
            "answer": 1 / 3,
            "tolerance": 0.005,
            "task": "Guess.",
        },
    )

    question = text("What is asked: plain text, code in backticks or between fences.")
    answer = sealed(real("The right answer."))
    tolerance = real("Any number that is as near as this to the answer is right.", 0.0, 0.0)
    why = sealed(text("The reply to a right answer."))
    hint = sealed(text("The reply to a wrong answer that is not among the mistakes."))
    mistakes = sealed(
        dicts(
            'Wrong answers that are known, ``{"value": float, "reply": str}``; each is recognised '
            "within a twentieth of its size, at most the tolerance (or its own, "
            '``"tolerance"``), and gets its own reply.'
        )
    )
    title = text("The heading over the question.", "Question")

    def __init__(self, **kwargs):
        tolerance = kwargs.get("tolerance", 0.0)
        kwargs["mistakes"] = [
            {"tolerance": min(tolerance, abs(m["value"]) / 20) or tolerance / 20, **m}
            for m in unseal(kwargs.get("mistakes", []))
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

    def moves(self):
        name = pieces(self.question)[0].replace("`", "")
        yield Move("textbox", name, str(self.answer), says=f"Right. {self.why}")
        yield Move("textbox", name, str(self.answer - 1), says=f"Not yet. {self.hint}")
        for mistake in self.mistakes:
            yield Move("textbox", name, str(mistake["value"]), says=f"Not yet. {mistake['reply']}")

    def asked(self):
        return blocks(self.question)

    def answered(self):
        return f"<p>{self.answer:g}. {inline(self.why)}</p>"
