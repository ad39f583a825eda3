"""A question with options, each of which explains itself."""

import traitlets

from attnlib.widgets.shared.declaration import Move
from attnlib.widgets.shared.question import Question, blocks, inline
from attnlib.widgets.shared.traits import dicts, sealed, text


def _option(text, correct=False):
    return {"text": text, "correct": correct, "why": f"Because of {text}."}


_CODE = """Which `axis`?

```python
def attend(Q, K, V, axis):

    # scaled <b>dot</b> products, a weight for each query and key, then the mean
    weights = softmax(Q @ K.swapaxes(-2, -1) / Q.shape[-1] ** 0.5, axis=axis)
    return weights @ V
```

Think of a `query`."""


class Quiz(Question):
    """One question with options, of which one or several are right.

    Raises
    ------
    traitlets.TraitError
        When an option lacks a part, when none is right, or there are fewer than two.

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

    shows = "A question with options."
    samples = (
        {"question": _CODE, "options": [_option("keys", True), _option("queries")]},
        {
            "question": "Which?",
            "options": [_option("one", True), _option("two", True), _option("three")],
            "task": "Think of `w`.",
        },
    )

    question = text("What is asked: plain text, code in backticks or between fences.")
    options = sealed(
        dicts(
            'Two or more of ``{"text": str, "correct": bool, "why": str}``: every option, right '
            "or wrong, explains itself.",
            required=True,
        )
    )
    title = text("The heading over the question.", "Question")

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

    def moves(self):
        for option in self.options:
            yield Move("radio", option["text"], "Space", says=option["why"])

    def asked(self):
        listed = "".join(f"<li>{inline(o['text'])}</li>" for o in self.options)
        return f'{blocks(self.question)}<ol type="A">{listed}</ol>'

    def answered(self):
        answers = "".join(
            f"<li><strong>{'Right' if o['correct'] else 'Wrong'}.</strong> {inline(o['why'])}</li>"
            for o in self.options
        )
        return f'<ol type="A">{answers}</ol>'
