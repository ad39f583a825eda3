"""Every exercise in the page: its replies are those of a notebook."""

import contextlib
import io
import json
import linecache
import re

import pytest
import site_tools

from attnlib.exercises import all_exercises

pytestmark = [pytest.mark.browser, pytest.mark.site]

#: A busy machine takes longer than a reader would wait.
SECONDS = 200
CALL = f"given => AttentionPython.call('cells.run', given, {{patience: {SECONDS}}})"
#: What is known of an exercise, right and every fourth wrong form, since the page is slow, and its
#: reference's results in other forms.
PROGRAM = """
import json

import numpy as np
from attnlib.exercises import examine, find

exercise = find({name!r})
answers = [exercise.reference, *exercise.also_right]
for mistake in exercise.mistakes[::4]:
    answers += [mistake.answer, *mistake.such_as]
forms = {{
    "lists": lambda x: np.asarray(x).tolist(),
    "integers": lambda x: np.rint(x).astype(int),
    "float32": lambda x: np.asarray(x, np.float32),
    "float16": lambda x: np.asarray(x).astype(np.float16),
    "nothing": lambda x: None,
}}
for form in forms.values():
    reference = exercise.reference
    if exercise.cases:
        answers.append(lambda *args, form=form: form(reference(*args)))
    else:
        answers.append(form(reference))

def overflowing(*args):
    large = np.exp(1e3)
    return reference(*args) * (large / large)

if exercise.cases:
    answers.append(overflowing)
with np.errstate(all="ignore"):
    replies = [examine(exercise, a) for a in answers[{start}:{start} + {some}]]
print(json.dumps([(r.status, r.text) for r in replies]))
"""
#: One of its mistakes compares digit by digit, and the two round differently: the same words, about
#: another example.
ROUNDED = "self_attention.is_equivariant"
#: In the page arithmetic raises nothing, and what NaN comes from is known less exactly.
CAUSE = re.compile(r"(?<= It comes from )[^.]*")
SOME = 12  # replies at a time: a cell prints so much and no more


@pytest.fixture(scope="module")
def page(browser, server):
    page = browser.new_page()
    page.goto(server + site_tools.chapters()[0])
    yield page
    page.close()


def natively(program):
    linecache.cache["<cell>"] = (len(program), None, program.splitlines(keepends=True), "<cell>")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "<cell>", "exec"), {"__name__": "__main__"})
    return json.loads(printed.getvalue())


@pytest.mark.parametrize("name", [n for n, e in all_exercises().items() if not e.needs])
def test_replies_in_the_page_are_those_of_a_notebook(page, name):
    start, wanted = 0, [None] * SOME
    while len(wanted) == SOME:  # there may be more
        program = PROGRAM.format(name=name, start=start, some=SOME)
        wanted = natively(program)
        result = page.evaluate(CALL, [[], program, SECONDS])
        assert "reply" not in result, result
        for here, there in zip(json.loads(result["printed"]), wanted, strict=True):
            here, there = ([status, CAUSE.sub("…", text)] for status, text in (here, there))
            if name == ROUNDED:
                here, there = ([status, text.split("\n")[0]] for status, text in (here, there))
            assert here == there
        start += SOME
