"""What is typed into a question: the same number, and the same reply, in Python and in the page."""

import math
import random

import pytest

from attnlib.exercises import all_practice, all_questions
from attnlib.widgets import NumberQuestion
from attnlib.widgets.shared.answers import LONGEST, WORDS, judge, parse_number

NUMBERS = {
    "1.5": 1.5,
    "1,5": 1.5,
    "−2": -2,
    "-0.25": -0.25,
    " .5 ": 0.5,
    "25e-1": 2.5,
    "1/4": 0.25,
    "9*13": 117,
    "9 · 13": 117,
    "9×13": 117,
    "1,5 × 2": 3,
    "2**3**2": 512,
    "2^-1": 0.5,
    "-2**2": -4,
    "8 - 3 - 2": 3,
    "8 / 4 / 2": 1,
    "2 + 3*4": 14,
    "(2 + 3)*4": 20,
    "1/(1 + e**-1)": 1 / (1 + math.exp(-1)),
    "√2": math.sqrt(2),
    "sqrt(9)/√(4)": 1.5,
    "2π": math.nan,
    "2·π": 2 * math.pi,
    "--1": math.nan,
    "2 - -1": 3,
    "1 000": math.nan,
    "1,000.5": math.nan,
    "": math.nan,
    "()": math.nan,
    "(1": math.nan,
    "1)": math.nan,
    "1 +": math.nan,
    "1 2": math.nan,
    "2(3)": math.nan,
    "1/0": math.nan,
    "0**-1": math.nan,
    "(-8)**(1/3)": math.nan,
    "sqrt(-1)": math.nan,
    "9**9**9": math.nan,
    "1e999": math.nan,
    "0*1e999": math.nan,
    "(9**9**9)**0": math.nan,
    "abs(1)": math.nan,
    "__import__('os')": math.nan,
    "1_0": math.nan,
    "٣": math.nan,
    "0x10": math.nan,
    "1j": math.nan,
    "Infinity": math.nan,
    "NaN": math.nan,
    "(" * LONGEST: math.nan,
    "1-" * (LONGEST // 2 - 1) + "1": 2 - LONGEST // 2,
    "1" + "+1" * LONGEST: math.nan,
}


def random_texts(count):
    """Texts of what may be typed, most of them arithmetic, some of them not."""
    rng = random.Random(1)

    def made(depth):
        if depth == 0 or rng.random() < 0.2:
            return rng.choice(["2", "0.5", ".25", "3,5", "1e-2", "7.", "e", "π", "0"])
        a, b = made(depth - 1), made(depth - 1)
        forms = [f"({a})", f"-{a}", f"-({a})", f"√({a})", f"sqrt {a}", f"{a} {b}"]
        forms += [f"{a}{sign}{b}" for sign in ["+", " - ", "*", "/", "**", "^", "·", "×", "−"]]
        return rng.choice(forms)

    return [made(rng.randint(1, 4)) for _ in range(count)]


def same(a, b):
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-12)


def test_python_reads_what_a_reader_writes():
    for text, value in NUMBERS.items():
        assert same(parse_number(text), value), text
    texts = random_texts(2000)
    assert 500 < sum(math.isnan(parse_number(text)) for text in texts) < 1500


@pytest.mark.browser
def test_the_page_reads_the_same(javascript):
    texts = [*NUMBERS, *random_texts(2000)]
    values = javascript("shared/answers.js")(*(("parseNumber", text) for text in texts))
    for text, value in zip(texts, values):
        assert same(value, parse_number(text)), text


def judged(typed, answer, tolerance=0.005, mistakes=()):
    mistakes = [{"value": [value], "reply": str(value)} for value in mistakes]
    right, reply = judge([typed], [answer], tolerance, mistakes)
    return "right" if right else {text: name for name, text in WORDS.items()}.get(reply, reply)


def test_a_form_is_told_from_a_mistake():
    known = [0.87, 0.9, 25]
    assert judged(87.3, 87.31, 0.05) == "right"
    assert judged(0.8731, 87.31, 0.05) == judged(0.87, 87, 0.5) == judged(87, 0.87) == "factor"
    assert judged(0.87, 87, 0.5, known) == "Not yet. 0.87"
    assert judged(0.873, 87.31, 0.05, known) == "factor"
    assert judged(0, 0.004, 0.001) is None and judged(0.3, 0, 0.005) is None
    assert judged(0.87, 0.8731, 0.0005) == judged(0.88, 0.8731, 0.0005) == "rounding"
    assert judged(0.9, 0.8731, 0.0005) == "rounding"
    # Whole numbers near one another come from different counts.
    assert judged(120, 117, 0) is judged(100, 1, 0) is judged(6400, 64, 0) is None
    assert judged(0.9, 0.8731, 0.0005, known) == "Not yet. 0.9"
    assert judged(6.02, 6, 0.01) == "rounding"
    for typed, answer in [(118, 117), (116, 117), (100, 117), (0.86, 0.87), (0.8, 0.8731)]:
        assert judged(typed, answer, 0) is None
    # Of a mistake and of rounding the nearer one is named.
    assert judged(0.333, 0.32, 0.006, [1 / 3]) == f"Not yet. {1 / 3}"
    assert judged(0.33, 0.3365, 0.006, [0.325]) == "Not yet. 0.325"
    assert judged(0.33, 0.3365, 0.006, [0.323]) == "rounding"


def questions():
    """What `judge` is given for every number that the book asks for."""
    for name, question in all_questions().items():
        if "answer" in question:
            asked = NumberQuestion(**question)
            mistakes = [m | {"value": [m["value"]]} for m in asked.mistakes]
            yield name, [asked.answer], asked.tolerance, mistakes
    for name, kind in all_practice().items():
        for problem in kind.problems(3):
            yield name, problem["answer"], kind.tolerance, problem["mistakes"]


def test_a_known_mistake_keeps_its_reply():
    for name, answer, tolerance, mistakes in questions():
        assert judge(answer, answer, tolerance, mistakes) == (True, None), name
        for mistake in mistakes:
            reply = judge(mistake["value"], answer, tolerance, mistakes)
            assert reply == (False, f"Not yet. {mistake['reply']}"), (name, mistake)


@pytest.mark.browser
def test_the_page_replies_the_same(javascript):
    calls, replies = [], []
    for _, answer, tolerance, mistakes in questions():
        shared = {"answer": answer, "tolerance": tolerance, "mistakes": mistakes}
        values = [answer, *(m["value"] for m in mistakes)]
        for change in (
            lambda x: x,
            lambda x: 100 * x,
            lambda x: x / 100,
            lambda x: float(f"{x:.1f}"),
            lambda x: float(f"{x:.2g}"),
            lambda x: x + 2.5 * tolerance,  # noqa: B023
            lambda x: x + 1,
        ):
            for value in values:
                typed = [change(x) for x in value]
                calls.append(("judge", typed, shared))
                right, reply = judge(typed, answer, tolerance, mistakes)
                replies.append({"right": right, "reply": reply})
    assert {text for text in WORDS.values()} < {reply["reply"] for reply in replies}
    assert javascript("shared/answers.js")(*calls) == replies
