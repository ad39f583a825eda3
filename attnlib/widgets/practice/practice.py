"""Problems of one kind, one after another, each diagnosed and worked out."""

import traitlets

from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.question import Question, inline
from attnlib.widgets.shared.traits import dicts, real, sealed, text, texts, whole

PARTS = {"question", "answer", "mistakes", "working"}


class Practice(Question):
    """Problems of one kind, whose answer is a number or a few.

    Raises
    ------
    traitlets.TraitError
        When a problem lacks a part, or has not one number for each field.

    Examples
    --------
    Chapters make theirs with `attnlib.exercises.practice`.

    >>> two = {"question": "Two times 3?", "answer": [6], "working": ["`2 · 3 = 6`"],
    ...        "mistakes": [{"value": [5], "reply": "That is the sum."}]}
    >>> Practice(problems=[two], tolerance=0.1).problems[0]["answer"]
    [6]
    """

    shows = "A problem whose answer is a number or a few."
    samples = (
        {
            "problems": [
                {
                    "question": "Two times `3`?",
                    "answer": [6],
                    "working": ["Take 3 twice: `3 + 3 = 6`"],
                    "mistakes": [{"value": [5], "reply": "That is the sum."}],
                },
                {"question": "Two times 4?", "answer": [8], "working": ["`8`"], "mistakes": []},
            ],
            "tolerance": 0.1,
            "hint": "Count.",
        },
        {
            "problems": [
                {
                    "question": "One third and two thirds of 3?",
                    "answer": [1, 2],
                    "working": ["Divide by three.", "`1`, `2`"],
                    "mistakes": [{"value": [2, 1], "reply": "The other way round."}],
                }
            ],
            "fields": ["a third", "two thirds"],
            "tolerance": 0.1,
            "task": "Do a few.",
        },
    )

    problems = sealed(
        dicts(
            'One or more of ``{"question": str, "answer": list of float, "working": list of str, '
            '"mistakes": list of {"value": list of float, "reply": str}}``.',
            required=True,
        )
    )
    fields = texts("What is asked for, a label for each number of the answer.", ["Answer"])
    tolerance = real("Numbers as near as this to the answer are right.", 0.0, 0.0)
    hint = sealed(text("The reply to a wrong answer that is not among the mistakes."))
    at = whole("Which problem is shown, counted from 0.", 0, 0)
    title = text("The heading over the problem.", "Practice")

    @traitlets.validate("problems")
    def _check(self, proposal):
        problems = proposal["value"]
        if not problems:
            raise traitlets.TraitError("Practice.problems needs one or more.")
        for problem in problems:
            if set(problem) != PARTS or not problem["working"]:
                raise traitlets.TraitError(
                    f"Practice.problems: every problem needs {', '.join(sorted(PARTS))}, "
                    f"got {problem!r}."
                )
        return problems

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        for problem in self.problems:
            for numbers in [problem["answer"], *(m["value"] for m in problem["mistakes"])]:
                if len(numbers) != len(self.fields):
                    raise traitlets.TraitError(
                        f"Practice has {len(self.fields)} fields, and {numbers} has "
                        f"{len(numbers)} numbers: give a label for each."
                    )

    @property
    def problem(self):
        """The problem that is shown."""
        return self.problems[self.at % len(self.problems)]

    def moves(self):
        problem, after = self.problem, self.at + 1
        if len(self.fields) == 1:
            (right,) = problem["answer"]
            yield Move("textbox", self.fields[0], str(right), says="Right.")
            yield Move("textbox", self.fields[0], str(right + 99), says=f"Not yet. {self.hint}")
            for mistake in problem["mistakes"]:
                value = str(mistake["value"][0])
                yield Move("textbox", self.fields[0], value, says=f"Not yet. {mistake['reply']}")
        working = problem["working"][-1].replace("`", "")
        yield Move("button", "Show the working", "Enter", says=working)
        following = self.problems[after % len(self.problems)]["question"].replace("`", "")
        yield Move("button", "Another one", "Enter", {"at": after}, says=following)

    def asked(self):
        return f"<p>{inline(self.problem['question'])}</p>"

    def answered(self):
        steps = "".join(f"<li>{inline(step)}</li>" for step in self.problem["working"])
        return f"{self.asked()}<ol>{steps}</ol>"
