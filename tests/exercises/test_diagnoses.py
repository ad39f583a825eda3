"""What the checker says by itself of a wrong answer, in whatever exercise it is given."""

from dataclasses import replace

import numpy as np
import pytest

from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake, examine

GIVEN = dict(
    task="Do it.", returns="an array of shape (n,)", why="So it is.", general="Unknown.",
    definition="As defined.",
)  # fmt: skip
DOUBLE = Exercise(
    **GIVEN, signature="double(x)", reference=lambda x: 2 * x,
    cases=(Case("two numbers", (np.array([2.0, 3.0]),)),
           Case("three", (np.array([1.0, 4.0, -1.0]),)),
           Case("none", (np.zeros(0),), rare=True)),
    mistakes=(Mistake("square", lambda x: x**2, "This is the square."),),
)  # fmt: skip
POWER = Exercise(
    **GIVEN, signature="power(x, y)", reference=lambda x, y: x**y,
    cases=(Case("a pair", (np.array([2.0, 3.0]), np.array([3.0, 1.0]))),
           Case("another", (np.array([1.0, 5.0]), np.array([2.0, 2.0])))),
)  # fmt: skip

#: A truth value cannot be sorted, and what ignores it is no answer for a sorted one.
MASKED = Exercise(
    **GIVEN, signature="masked(x, causal)", reference=lambda x, causal: x**2 if causal else x + 1,
    cases=(Case("all", (np.array([2.0, 3.0]), False)), Case("half", (np.array([2.0]), True))),
)  # fmt: skip


def by_levels(x):
    return [x[a] for a in x]


def root(x):
    return 2 * x + np.sqrt(-x)


KEPT, FACTOR = [], 2.0


def remembers(x):
    KEPT.extend(x)
    return np.array(KEPT)


@pytest.mark.parametrize(
    "asked, answer, words",
    [
        # One step too many, or another input.
        (DOUBLE, lambda x: 1 - 2 * x, "What comes back is 1 minus the right answer:"),
        (DOUBLE, lambda x: 2 * x[::-1], "What comes back is the right answer in reverse order:"),
        (DOUBLE, lambda x: x, "This is x itself, just as it came in."),
        (DOUBLE, lambda x: 0 * x, "Every number is 0."),
        (DOUBLE, lambda x: 2 * x * (x > 0), "Some of these numbers are 0, the others are right."),
        (DOUBLE, lambda x: np.where(x < 2, x, 2 * x), "Some of these numbers are still those of x"),
        (DOUBLE, lambda x: 2 * x + x[:1].sum(), "Unknown."),
        (DOUBLE, lambda x: 2 * abs(x), "What comes back is the right answer without its signs:"),
        (DOUBLE, lambda x: 2 * x / x.max(initial=1), "This would be right if x were divided by its "
         "largest number."),
        (DOUBLE, lambda x: 2 * np.roll(np.sort(x), 1), "These are the right numbers in another"),
        (DOUBLE, lambda x: 6.5 * x, "Every number is 3.25 times what it should be"),
        (DOUBLE, lambda x: 2 * x + 0.02, "These numbers are close but not exact."),
        (POWER, lambda x, y: y**x, "This would be right if x and y were exchanged."),
        (POWER, lambda x, y: x**y + y, "What comes back is the right answer plus y."),
        (POWER, lambda x, y: x**y / x.sum(), "here each number is 0.2 times what it should be."),
        # A part of what is wanted, or what would be one.
        (DOUBLE, lambda x: 2 * x[0], "That is only the first of what is wanted"),
        (DOUBLE, lambda x: 2 * x[-1:], "That is only the last of what is wanted"),
        (DOUBLE, lambda x: 2 * x[:-1], "The last one is missing"),
        (DOUBLE, lambda x: (2 * a for a in x), "It holds no numbers yet: np.array(list(…))"),
        (DOUBLE, lambda x: 2 * x + 0j, "Complex numbers come from a j"),
        # A known mistake on some inputs only; a rare input decides, but blurs no mistake.
        (DOUBLE, lambda x: x**2 if len(x) == 3 else 2 * x, "This is the square."),
        (DOUBLE, lambda x: x**2 if len(x) else 1 / 0, "This is the square."),
        (DOUBLE, lambda x: 2 * x if len(x) else 1 / 0, "raised ZeroDivisionError"),
        # An error of Python or NumPy; from text, so that the line that is quoted is not this one.
        (DOUBLE, eval("lambda x: x ^ 2"), "In Python ^ is not a power: write **."),
        (DOUBLE, eval("lambda x: x / x.sum"), "the brackets after its name are missing."),
        (DOUBLE, by_levels, "in line 2 of by_levels: return [x[a] for a in x]). An index has"),
        (DOUBLE, eval("lambda x: x @ [1] * 9"), "Two shapes do not fit."),
        (DOUBLE, eval("lambda x: np.einsum('ij->i', x)"), "Three dots stand for all others"),
        # The first NaN or inf.
        (DOUBLE, root, "arises in line 2 of root: return 2 * x + np.sqrt(-x). It comes from"),
        (DOUBLE, eval("lambda x: x / (x - x)"), "It comes from a division by 0."),
        (DOUBLE, eval("lambda x: 2 * x + x[:0].mean()"), "as where a sum or a slice is empty."),
        (DOUBLE, lambda x: 2 * x + np.nan, "NaN or inf comes back, though no step computes it"),
        # What the code shows, or a second call.
        (DOUBLE, lambda x: np.ones(2), "double never uses its argument x."),
        (MASKED, lambda x, causal: x + 1, "masked never uses its argument causal."),
        (POWER, lambda x, y: np.full(2, FACTOR), "never uses its arguments x and y, but takes FAC"),
        (DOUBLE, lambda x: np.array([a - FACTOR for a in x]), "double takes FACTOR from outside"),
        (DOUBLE, lambda x: np.array([x.sum() for _ in range(3)]), "count by hand where they begin"),
        (DOUBLE, lambda x: x + np.random.default_rng(1).normal(), "double draws random numbers"),
        (DOUBLE, remembers, "Something is kept from one call to the next"),
    ],
)  # fmt: skip
def test_what_is_said(asked, answer, words):
    reply = examine(asked, answer)
    assert not reply.passed and words in reply.message


def test_a_mistake_on_rare_inputs_alone_is_not_seen_elsewhere():
    rare = Mistake("rare", lambda x: 2 * x if len(x) else np.ones(1), "Only where it is empty.")
    viewed = replace(DOUBLE, view=lambda y, x: np.ravel(y), mistakes=(rare,))
    assert "one axis too many" in examine(viewed, lambda x: 2 * x[None]).message


def test_what_the_task_itself_draws_is_no_habit():
    drawn = replace(DOUBLE, reference=lambda x: x + np.random.default_rng(1).normal(), mistakes=())
    wrong = examine(drawn, lambda x: 5 * x + np.random.default_rng(1).normal())
    assert not wrong.passed and "draws" not in wrong.message


def test_a_task_to_be_done_without_attnlib_and_once():
    weights = Exercise(
        **GIVEN, own=True, signature="weights(x)", cases=DOUBLE.cases[:2],
        reference=lambda x: np.exp(x) / np.exp(x).sum(),
    )  # fmt: skip
    assert "but softmax comes from attnlib" in examine(weights, lambda x: softmax(x)).message
    assert examine(weights, weights.reference).passed
    twice = examine(weights, lambda x: weights.reference(weights.reference(x)))
    assert "All steps are done twice" in twice.message
