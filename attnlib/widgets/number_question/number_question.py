"""A question whose answer is a number; well-known wrong numbers get a reply of their own."""

import math

import traitlets

from attnlib.widgets.shared.answers import judge, parse_number
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

    def reply(self, typed):
        """What is said to an answer as it is typed; None where it is no number.

        >>> two = NumberQuestion(question="Half of 1.74?", answer=0.87, tolerance=0.001, why="So.")
        >>> two.reply("1.74/2"), two.reply("87")[:45], two.reply("half")
        ('Right. So.', 'Almost: this is right up to a factor of 100. ', None)
        """
        value = parse_number(typed)
        if math.isnan(value):
            return None
        mistakes = [mistake | {"value": [mistake["value"]]} for mistake in self.mistakes]
        right, reply = judge([value], [self.answer], self.tolerance, mistakes)
        return f"Right. {self.why}" if right else reply or f"Not yet. {self.hint}"

    def moves(self):
        name = pieces(self.question)[0].replace("`", "")
        known = [str(mistake["value"]) for mistake in self.mistakes]
        nearly = [f"{self.answer}*100", f"{self.answer}/100", f"{self.answer} + {self.tolerance}*2"]
        for typed in [str(self.answer), str(self.answer - 1), *known, *nearly]:
            yield Move("textbox", name, typed, says=self.reply(typed))

    def asked(self):
        return blocks(self.question)

    def answered(self):
        return f"<p>{self.answer:g}. {inline(self.why)}</p>"
