"""Each rule for authors is reported when it is broken, and can be excused with a reason."""

import copy
import re
import sys
from pathlib import Path

import nbformat
import pytest
import rules.exercises
from nbformat.v4 import new_output
from pages import Page
from rules import RULES, problems

from attnlib.exercises import Exercise, Mistake

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "book" / "02_query_key_value.ipynb"
CHAPTER = nbformat.read(PATH, as_version=4)
LINES = "\n\n".join(f"x{number} = 1" for number in range(21))
SVG = new_output("display_data", data={"image/svg+xml": "<svg/>"})
SMALL = '<svg width="475pt"><!-- x --> <g transform="translate(1 1) scale(0.095 -0.095)"/></svg>'
SMALL = new_output("display_data", data={"image/svg+xml": SMALL})
WIDGET = {"application/vnd.attnlib.widget+json": {}, "text/plain": "Q"}
TRACEBACK = new_output("stream", name="stdout", text="Traceback (most recent call last)")


def prose(old, new, count=1):
    """An edit of the chapter's text."""

    def edit(notebook):
        cells = [
            c for c in notebook.cells if c.cell_type == "markdown" and re.search(old, c.source)
        ]
        assert cells
        for cell in cells[:count]:
            cell.source = re.sub(old, new, cell.source, count=1)

    return edit


def visible(source=None, outputs=None, **mystnb):
    """An edit of the first cell that is tagged nothing and stands before the figures."""

    def edit(notebook):
        cell = next(c for c in notebook.cells if c.source.startswith("q = np.array"))
        cell.source = source or cell.source
        cell.outputs = outputs or cell.outputs
        cell.metadata["mystnb"] = mystnb

    return edit


def every_visible_cell(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.metadata.get("tags"):
            cell.source += "\n" + "\n".join(LINES.split("\n")[:11])


def without(words, nth=0):
    """The chapter without the nth cell that holds these words."""

    def edit(notebook):
        matches = [cell for cell in notebook.cells if words in cell.source]
        notebook.cells.remove(matches[nth])

    return edit


def all_but(count, words):
    """The chapter with only the last ``count`` cells that hold these words."""

    def edit(notebook):
        matches = [cell for cell in notebook.cells if words in cell.source]
        removed = matches[: len(matches) - count]
        notebook.cells = [cell for cell in notebook.cells if cell not in removed]

    return edit


def no_exercise(*names):
    def edit(notebook):
        for name in names:
            for _ in ("stub", "solution"):
                without(f'check("query_key_value.{name}"')(notebook)

    return edit


BROKEN = {
    "short_cells": (visible(LINES), "has 21 visible lines, at most 20: split it"),
    "narrow_lines": (visible("x = " + 74 * "1"), "has a line of 78 characters, at most 77"),
    "short_median": (every_visible_cell, "lines, at most 6: split cells"),
    "described_figures": (visible(outputs=[SVG]), "shows a figure without image: alt"),
    "readable_figures": (visible(outputs=[SMALL]), "shows “x” 6.6 pixels high on a screen 360"),
    "pictured_widgets": (
        visible(outputs=[new_output("display_data", data=WIDGET)]), "a widget without its picture"
    ),
    "local_images": (prose("## Summary", "## Summary\n\n![x](https://a.b/c.png)"), "from the net"),
    "no_tracebacks": (visible(outputs=[TRACEBACK]), "shows a traceback: mend it"),
    "prose_before_code": (without("## A soft dictionary"), "follows no prose"),
    "numbered_title": (prose("# 2 Query", "# 3 Query"), "should be '# 2 Title'"),
    "short_lesson": (
        prose("## Summary", "## Summary\n\n" + 1500 * "word "),
        "words before the questions, at most 2000",
    ),
    "plain_code": (visible("import torch"), "imports torch: a lesson shows NumPy"),
    "nothing_to_do": (prose("## Summary", "## Summary\n\nTODO"), "still says: TODO"),
    "opening_question": (prose(r"\*\*How do .*\n", "How?\n"), "no opening question"),
    "three_to_five_objectives": (prose(r"(?<=you can\n\n)(- .*\n)+", ""), "0 objectives, 3 to 5"),
    "short_description": (prose("How do you", 90 * "o" + " do you"), "characters too long"),
    "minutes_and_prerequisites": (prose("You need", "Bring"), "no minutes and prerequisites"),
    "predictions": (prose("> .*Predict.*", "Now:", 9), "nothing to predict"),
    "enough_questions": (all_but(0, 'ask("'), "0 cells with ask(…), at least 5 wanted"),
    "enough_practice": (all_but(0, 'practice("'), "0 cells with practice(…), at least 1 wanted"),
    "questions_of_the_chapter": (without('ask("query_key_value.shift"'), "no cell has ask("),
    "closing_sections": (prose("## Summary", "## The end"), "the section '## Summary' is missing"),
    "further_reading": (prose("Further reading", "And"), "no further reading: end with"),
    "words_that_move": (
        prose("## Summary", "<span data-widget='fig-x'>x</span>"), "another form than <span data-"
    ),
    "printed_numbers": (prose("## Summary", "## Summary\n\nIt is 0.1234."), "the text says 0.1234"),
    "linked_numbers": (prose("## Summary", "## Summary\n\nIt is 7.93."), "the text says 7.93"),
    "enough_exercises": (no_exercise("aim", "soft_lookup", "stable_softmax"), "0 exercises, at"),
    "exercises_of_the_chapter": (no_exercise("aim"), 'no cell has check("query_key_value.aim"'),
    "open_stubs": (without('check("query_key_value.aim"'), "aim has no stub that replies"),
    "three_hints": (prose("Hint 3", "Another"), "soft_lookup has 2 hints, 3 wanted"),
}  # fmt: skip
BROKEN_DEEPER = [
    ("results_first", prose("(?m)^## .*", "## Another"), "list '- [Another](#…): one sentence'"),
    ("results_first", prose("(?m)^- .*", "- [Bends](#bends): $x$."), "the head has formulas"),
    ("says_pytorch", prose("(?s)(.*)make torch", r"\1make"), "say in the head that `make torch`"),
]
OF_FILES = {
    "known_mistakes": (dict(mistakes=(Mistake("m", 1.0, "No."),)), "knows 1 mistakes, at least 4"),
    "plain_sentences": (dict(task="do it."), "task should be sentences"),
}


def problems_after(edit=lambda notebook: None, path=PATH, notebook=CHAPTER, **excused):
    notebook = copy.deepcopy(notebook)
    edit(notebook)
    if excused:
        notebook.metadata["attention_book"] = {"except": excused}
    return problems(Page(path, notebook))


def test_every_rule_is_tested_and_has_a_reason():
    deeper = {name for name, *_ in BROKEN_DEEPER}
    assert {*BROKEN, *deeper, *OF_FILES, "under_its_lesson"} == set(RULES)
    for file in ("cells", "chapters", "exercises", "prose"):
        functions = vars(sys.modules[f"rules.{file}"])
        assert all(functions[name].__doc__ for name in set(RULES) & set(functions))
    assert problems_after() == []


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rule_is_reported_and_can_be_excused(name):
    edit, words = BROKEN[name]
    reported = [line for line in problems_after(edit) if f"[{name}]" in line]
    assert reported and words in reported[0]
    excused = problems_after(edit, **{name: "The reason stands here."})
    assert excused == [line for line in problems_after(edit) if f"[{name}]" not in line]


@pytest.mark.parametrize("name, edit, words", BROKEN_DEEPER)
def test_broken_rule_of_deeper_pages_is_reported(name, edit, words):
    path = ROOT / "book" / "04_scaling_deeper.ipynb"
    deeper = nbformat.read(path, as_version=4)
    assert problems_after(path=path, notebook=deeper) == []
    reported = problems_after(edit, path=path, notebook=deeper)
    assert any(words in line and line.endswith(f"[{name}]") for line in reported)


def test_a_lesson_and_its_deeper_page_share_what_is_asked(tmp_path):
    """What the lesson leaves out is missing, unless the deeper page shows it, and not both do."""
    name = 'ask("query_key_value.shift")'
    missing, twice = f"no cell has {name}", f"{name} stands in lesson or deeper twice"
    path = tmp_path / PATH.name
    edit = without('ask("query_key_value.shift"')

    def reported(*arguments):
        lines = problems_after(*arguments, path=path)
        return {words for words in (missing, twice) if any(words in line for line in lines)}

    assert reported(edit) == {missing}
    shown = [cell for cell in CHAPTER.cells if "query_key_value.shift" in cell.source]
    deeper = nbformat.from_dict(CHAPTER | {"cells": shown})
    nbformat.write(deeper, path.with_stem(f"{PATH.stem}_deeper"))
    assert reported(edit) == set() and reported() == {twice}


def test_a_deeper_page_needs_its_lesson(tmp_path):
    path = tmp_path / "97_alone_deeper.ipynb"
    lines = problems_after(path=path)
    assert any(line.startswith("its lesson is missing: write 97_alone.ipynb") for line in lines)


#: A span of the chapter's text -> the message about it.
SPANS = {
    """<span data-widget="fig-query-plane" data-set='{"query": [-1, -1]}'>turn it</span>""": "",
    """<span data-widget="fig-query-plane" data-show="weights.2">0.024</span>""": "",
    """<span data-widget="fig-query-plane" data-set='{"query": [9, 9]}'>far</span>""": "got [9",
    """<span data-widget="fig-query-plane" data-set='{"K": [[1, 1]]}'>less</span>""": "has 3 K",
    """<span data-widget="fig-query-plane" data-set='{"weights": [1]}'>w</span>""": "needs traits",
    """<span data-widget="fig-query-plane" data-set='{}'>nothing</span>""": "needs traits of Query",
    """<span data-widget="fig-query-plane" data-set='query'>no JSON</span>""": "refuses its data-",
    """<span data-widget="fig-query-plane" data-set='3'>no object</span>""": "refuses its data-set",
    """<span data-widget="fig-hull" data-set='{"query": [0, 0]}'>x</span>""": "of fig-query-plane",
    """<span data-widget="fig-query-plane" data-show="weights.2">0.025</span>""": "with 0.024: wr",
    """<span data-widget="fig-query-plane" data-show="weights.3">0.024</span>""": "has 3 numbers",
    """<span data-widget="fig-query-plane" data-show="weight">0.024</span>""": "no 'weight': write",
}


@pytest.mark.parametrize("span", SPANS)
def test_widget_spans_are_compared_with_their_widget(span):
    reported = problems_after(
        prose("## Summary", f"## Summary\n\nNow {span}.".replace("\\", r"\\"))
    )
    if message := SPANS[span]:
        assert len(reported) == 1 and message in reported[0]
    else:
        assert reported == []


@pytest.mark.parametrize("name", OF_FILES)
def test_broken_exercise_rules_are_reported(name, monkeypatch):
    change, words = OF_FILES[name]
    four = tuple(Mistake(str(number), 0.0, "No.") for number in range(4))
    parts = dict(
        signature="q", task="Do it.", returns="a number", why="So.", general="So.",
        definition="So.", reference=1.0, judge=lambda q: None, mistakes=four,
    )  # fmt: skip
    aim = {"query_key_value.aim": Exercise(**parts)}
    every = rules.exercises.all_exercises()
    monkeypatch.setattr("rules.exercises.all_exercises", lambda: every | aim)
    assert problems_after() == []
    aim |= {"query_key_value.aim": Exercise(**parts | change)}
    (message,) = problems_after()
    assert words in message and message.endswith(f"[{name}]")


def test_exceptions_need_rule_reason_and_cause():
    edit, _ = BROKEN["predictions"]
    assert problems_after(edit, predictions="no") == [
        "say in a sentence why this notebook opts out of predictions"
    ]
    (message,) = problems_after(prediction="Nothing in it surprises.")
    assert message.startswith("there is no rule 'prediction' to opt out of; near it: predictions")
    (message,) = problems_after(predictions="Nothing in it surprises.")
    assert message == "the notebook now passes predictions: remove the exception"


def test_chapter_rules_do_not_apply_elsewhere():
    assert problems_after(BROKEN["predictions"][0], path=PATH.with_name("index.ipynb")) == []
