"""The checker itself: whatever an answer does is answered in words, and never fatal."""

import builtins
import functools
import os
import random
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attnlib
from attnlib.exercises import (
    Case,
    Exercise,
    Misfit,
    Mistake,
    Reply,
    all_exercises,
    check,
    examine,
    find,
    use,
)
from attnlib.exercises.engine.running import call
from attnlib.exercises.engine.showing import describe, shorten, show
from tests.helpers.exercise_faults import faults

WORDS = dict(
    task="Write double(x).", returns="an array of shape (n,)", why="Doubling is linear.",
    general="Try one element.", definition="Half of it is x.",
)  # fmt: skip
SQUARE = Mistake("square", lambda x: x**2, "This is the square.")
DOUBLE = Exercise(
    **WORDS, signature="double(x)", reference=lambda x: 2 * x, mistakes=(SQUARE,),
    cases=(Case("one", (np.array([3.0]),)), Case("several", (np.array([1.0, 4.0]),))),
)  # fmt: skip
JUDGED = Exercise(
    **WORDS | dict(returns="a single number"), signature="score", reference=3.0,
    judge=lambda a: "Too small." if a < 2 else None, mistakes=(Mistake("low", 0.0, "Too small."),),
)  # fmt: skip
PAIR = replace(
    JUDGED, shape=(2,), judge=lambda a: "No." if (a < 0).any() else None, mistakes=()
)  # fmt: skip


def raising(error):
    def double(x):
        raise error

    return double


@pytest.fixture(autouse=True)
def no_thread_remains():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def test_replies_use_the_readers_name():
    for does in (lambda x: 2 * x, lambda x: None, lambda x: x + 1, lambda x: x @ np.ones(9),
                 lambda x: x.__imul__(2), lambda x: time.sleep(0.9)):  # fmt: skip

        def my_own(x, does=does):
            return does(x)

        text = examine(DOUBLE, my_own, time_limit=0.2).text
        assert "my_own" in text and "double" not in text


class Odd:
    """It can be called, but asking for its attributes fails."""

    def __call__(self, x):
        raise KeyError("odd")

    def __getattr__(self, name):
        raise RuntimeError


def test_odd_objects_and_names():
    wraps_itself = raising(KeyError("odd"))
    wraps_itself.__wrapped__ = wraps_itself
    for answer in (Odd(), wraps_itself):
        assert "raised KeyError: 'odd'" in examine(DOUBLE, answer).text
    for name in [3, "", "a b", "<b>", "x" * 1000]:
        answer = functools.partial(np.multiply, 2)
        answer.__name__ = name
        assert "double is right on 2 cases" in examine(DOUBLE, answer).text


def test_overflow_is_silent_and_prints_are_allowed(recwarn, capsys):
    examine(DOUBLE, lambda x: np.exp(x * 1e5) / np.exp(x * 1e5) + x[:0].mean())
    assert not recwarn.list
    with np.errstate(all="raise"):
        assert examine(DOUBLE, lambda x: 2 * x + 0 * (np.exp(x * 1e5) > 0)).passed
    assert examine(DOUBLE, lambda x: print("scores", x) or 2 * x).passed
    assert "scores [3.]" in capsys.readouterr().out


def test_every_call_gets_copies():
    buffer = np.zeros(2)

    def one_buffer_for_all(x):
        buffer[: len(x)] = 2 * x
        x[:] = 0
        return buffer[: len(x)]

    assert examine(DOUBLE, one_buffer_for_all).message.startswith("The result is right, but")
    assert [case.args[0].tolist() for case in DOUBLE.cases] == [[3], [1, 4]]


def test_check_inside_the_answer_checks_nothing():
    def double(x):
        examine(DOUBLE, double)
        return 2 * x

    for answer in (double, lambda x: check("scaling.score_std", None), lambda x: find("a.b")):
        reply = examine(DOUBLE, answer)
        assert "calls the checker itself, so nothing was checked" in reply.message
    assert examine(DOUBLE, lambda x: 2 * x).passed


def all_alike(x):
    np.allclose = np.array_equal = np.isclose = lambda *args, **settings: True


def other_numpy(x):
    np.add = np.exp = np.log
    attnlib.softmax = attnlib.attention.softmax = abs


def other_checker(x):
    Reply.passed = property(lambda reply: True)
    sys.modules[call.__module__].call = call
    builtins.all = any


def other_reference(x):
    DOUBLE.reference.__code__ = (lambda x: x).__code__


def other_exercise(x):
    vars(DOUBLE)["rtol"] = 1e9
    vars(DOUBLE.cases[0])["args"] = (np.zeros(1),)
    DOUBLE.cases[1].args[0][:] = 0


@pytest.mark.parametrize(
    "patch, words",
    [
        (all_alike, "it replaces np.allclose, np.array_equal and more"),
        (other_numpy, "np.exp"),
        (other_checker, "it replaces all and Reply.passed"),
        (other_reference, "it replaces the code of <lambda>"),
        (other_exercise, "it replaces a part of the exercise and the numbers of the exercise"),
    ],
)
def test_what_an_answer_replaces_is_put_back_and_named(patch, words):
    places = [np, builtins, attnlib, attnlib.attention, Reply, DOUBLE, *DOUBLE.cases]
    before = [dict(vars(place)) for place in places], DOUBLE.reference.__code__

    def wrong(x):
        patch(x)
        return x

    def right(x):
        patch(x)
        return x + x

    replies = [examine(DOUBLE, answer) for answer in (wrong, right)]
    assert not any(reply.passed for reply in replies)
    assert all("which other code relies" in f"{r.text}" for r in replies)
    assert words in replies[0].text and "The result is right, but it replaces" in replies[1].text
    assert before == ([dict(vars(place)) for place in places], DOUBLE.reference.__code__)
    assert DOUBLE.cases[1].args[0].tolist() == [1, 4]


def test_settings_are_put_back_without_a_word(tmp_path):
    def double(x):
        os.chdir(tmp_path)
        np.random.seed(1)  # noqa: NPY002
        random.seed(1)
        sys.setrecursionlimit(700)
        np.set_printoptions(precision=1)
        warnings.simplefilter("error")
        sys.stdout = sys.stderr = None
        return 2 * x

    def settings():
        drawn = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
        options = np.get_printoptions(), sys.getrecursionlimit(), list(warnings.filters)
        return *drawn, *options, os.getcwd(), sys.stdout, sys.stderr

    before = settings()
    assert examine(DOUBLE, double).text == "Passed. double is right on 2 cases. Doubling is linear."
    assert settings() == before


def test_what_is_wanted_cannot_be_imported_meanwhile():
    find("scaling.score_std")

    def score_std(d, var_q, var_k):
        from book_exercises.scaling.score_std import score_std

        return score_std(d, var_q, var_k)

    assert "ModuleNotFoundError" in check("scaling.score_std", score_std).message
    assert "book_exercises.scaling.score_std" in sys.modules


def test_floods_of_output_are_cut(capsys):
    reply = examine(DOUBLE, lambda x: print("y" * 9000) or 2 * x)
    assert reply.passed and "It printed more than 10,000 characters" in reply.text
    assert capsys.readouterr().out.count("y") == 9999  # of the second line, the end is left out


def test_endless_loop_is_stopped():
    def double(x):
        while len(x) > 1:
            try:
                time.sleep(0.001)
            except Exception:
                pass
        return 2 * x

    start = time.monotonic()
    reply = examine(DOUBLE, double, time_limit=0.3)
    assert time.monotonic() - start < 10
    assert reply.status == "error" and reply.text.startswith("Did not finish.")
    assert "0.3 seconds" in reply.text and "x = [1. 4.]" in reply.case
    assert "restart" not in reply.text


def test_time_limit_is_for_all_calls_together():
    def double(x):
        time.sleep(0.3)
        return 2 * x

    assert examine(DOUBLE, double, time_limit=5).passed
    assert examine(DOUBLE, double, time_limit=0.45).heading == "Did not finish."


def test_thread_that_cannot_be_stopped_is_admitted(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr("attnlib.exercises.engine.limiting.PATIENCE", 0.1)
    reply = examine(DOUBLE, lambda x: release.wait(30), time_limit=0.05)
    assert "It could not be stopped: restart the kernel" in reply.text
    release.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon:
            thread.join(5)


def test_interrupt_from_outside_stops_the_thread(monkeypatch):
    class Interrupted(threading.Thread):
        def join(self, timeout=None):
            if timeout == 7:
                raise KeyboardInterrupt
            super().join(timeout)

    def double(x):
        while True:
            pass

    monkeypatch.setattr("attnlib.exercises.engine.limiting.threading.Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(double, (1,), 7)


@pytest.mark.parametrize(
    "asked, answer, words",
    [
        (JUDGED, np.float32(2.5), "Passed. Doubling is linear."),
        (JUDGED, None, "Not attempted yet."),
        (JUDGED, ..., "Not attempted yet."),
        (JUDGED, 1, "Too small.\n\n    score = 1\n\nHalf of it is x."),
        (JUDGED, np.nan, "score should be a single number; NaN or an infinite number was given."),
        (JUDGED, "2", "score should be a single number; the text '2' was given. That is text"),
        (JUDGED, lambda: 3, "a function was given. Return what it computes"),
        (JUDGED, [2.5], "a list of 1 was given. It holds a single number: its only element alone"),
        (JUDGED, True, "True was given. A comparison gives truth values, not numbers."),
        (JUDGED, [[1], [2, 3]], "a list of 2 was given. It holds a list of 1 and a list of 2:"),
        (PAIR, [1, 2], "Passed."),
        (PAIR, np.float32([1, 2]), "Passed."),
        (PAIR, (np.ones(2), 3), "of shape (2,) and a single number: its first element alone would"),
        (PAIR, (-np.ones(2), 3), "give only the numbers, without inner brackets."),
        (PAIR, (np.ones(2) * np.nan, 3), "give only the numbers, without inner brackets."),
        (PAIR, ["1", "2"], "That is text: leave out the quotes"),
        (PAIR, np.ones(3), "an array of shape (3,) was given. Try one element."),
        (PAIR, np.ones((1, 2)), "one axis too many, of size 1: without it the answer"),
    ],
)
def test_judged_numbers(asked, answer, words):
    reply = examine(asked, answer)
    assert words in reply.text
    assert reply.passed == words.startswith("Passed.")


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.words = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data


def check_html(reply):
    html = Tags(reply._repr_html_())
    assert {tag for tag, _ in html.tags} <= {"div", "p", "strong", "pre", "code"}
    assert all(set(attrs) <= {"class", "role", "style"} for _, attrs in html.tags)
    assert all(c.isprintable() or c == "\n" for c in reply.text)
    assert html.words.replace("`", "").split() == reply.text.replace("`", "").split()
    assert reply.text == repr(reply)
    return html


@pytest.mark.parametrize(
    "answer", [raising, lambda text: lambda x: text, str], ids=["raised", "returned", "passed"]
)
@given(text=st.one_of(st.text(), st.just("<script>alert('1')</script>")))
@settings(max_examples=30, deadline=None)
def test_any_text_stays_text(answer, text):
    check_html(examine(DOUBLE, answer(ValueError(text) if answer is raising else text)))


def test_names_are_escaped():
    hostile = type("<img src=x onerror=alert(1)>", (Exception,), {})
    for answer in (raising(hostile("'\"&")), lambda x: hostile()):
        check_html(examine(DOUBLE, answer))
    assert "&quot;&amp;" in examine(DOUBLE, raising(hostile("'\"&")))._repr_html_()


@pytest.mark.parametrize("status", ["passed", "not attempted", "wrong", "error"])
def test_html_says_what_the_text_says(status):
    reply = Reply(status, "A message.", "x = 1", ("A note.", "Another."), "The case:")
    html = check_html(reply)
    name = status.replace(" ", "-")
    assert html.tags[0][1] == {"class": f"attn-reply attn-reply--{name}", "role": "status"}
    assert [tag for tag, _ in html.tags[3:]] == ["p", "pre", "p", "p"]
    assert reply.text.endswith("A message.\n\nThe case:\n\n    x = 1\n\nA note.\n\nAnother.")
    assert reply.passed == (status == "passed")
    assert [tag for tag, _ in check_html(Reply(status, "A.")).tags] == ["div", "p", "strong"]


def test_numbers_are_short_whatever_the_print_options():
    before = examine(DOUBLE, lambda x: x / 3).text
    with np.printoptions(precision=1, sign="+", formatter={"float": lambda v: "?"}, nanstr="-"):
        assert examine(DOUBLE, lambda x: x / 3).text == before
    assert show(np.array([1 / 3, -1e-9])) == "[0.3333 0.    ]"
    with np.errstate(all="raise"):
        assert show(np.float16([6e4, 0.1, np.inf])) == "[60000.      0.1     inf]"
    assert show(np.arange(1000)) == "[  0   1   2 ... 997 998 999]"
    assert "e+300" in show(np.array([1e300])) and "e-09" in show(np.array([2e-9]))
    assert show(np.nan) == "nan" and show(7) == "7" and show(2.0) == "2"
    assert len(shorten("word " * 1000)) == 240
    assert describe("x" * 1000).endswith("…") and describe({}) == "a dict of 0"


def test_unknown_name_lists_near_ones():
    for name in ("query_key_value.soft_lokup", "soft_lookup", "query_key_value.mask", None):
        with pytest.raises(ValueError, match=r"there is no exercise .*soft_lookup'"):
            check(name, None)


def test_contradictions_are_refused():
    for change in (dict(judge=lambda a: None), dict(cases=()), dict(reference=3.0)):
        with pytest.raises(ValueError, match="a function has cases, numbers have a judge"):
            replace(DOUBLE, **change)


def all_too_large(values, cases):
    return all((v > 2 * case.args[0]).all() for v, case in zip(values, cases))


LARGE = Mistake("large", lambda x: 2 * x + 7, "Too large.", recognise=all_too_large)


def test_mistake_with_many_results_is_recognised():
    many = replace(DOUBLE, mistakes=(LARGE, Mistake("nine", lambda x: 2 * x + 9, "Nine more.")))
    for answer, message in [
        (lambda x: 2 * x + 8, "Too large."),
        (lambda x: 2 * x + 9, "Nine more."),  # the exact one first
        (lambda x: 2 * x - 1, "Try one element."),
        # Finite numbers of the right form only are handed to ``recognise``.
        (lambda x: 2 * x + np.inf, "NaN or inf comes back"),
        (lambda x: 2 * x + 8 if len(x) < 2 else None, "Try one element."),
        (lambda x: 2 * x[:1] + 8, "Try one element."),
    ]:
        assert examine(many, answer).message.startswith(message)
    assert examine(many, lambda x: list(2 * x + 8)).message == "Too large."
    greedy = Mistake("greedy", lambda x: x, "Always.", recognise=lambda values, cases: True)
    roots = replace(DOUBLE, mistakes=(greedy,), view=lambda y, x: np.sqrt(y))
    assert examine(roots, lambda x: 3 * x).message == "Always."
    assert examine(roots, lambda x: -3 * x).message == "Try one element."


def recognising(name, add, recognise):
    return Mistake(name, lambda x: 2 * x + add, name, recognise=recognise)


@pytest.mark.parametrize(
    "mistakes, sentences",
    [
        ((SQUARE,), []),
        ((LARGE,), []),
        ((SQUARE, Mistake("twin", lambda x: x * x, "Another.")),
         ["twin gets another diagnosis than its own: This is the square."]),
        ((Mistake("right", lambda x: x + x, "Not a mistake."),),
         ["right gets another diagnosis than its own: double is right on 2 cases. "
          "Doubling is linear."]),
        ((Mistake("broken", lambda x: x[9], "Always raises."),),
         ["broken raises on every case: add one on which it returns something"]),
        ((LARGE, recognising("twin", 5, all_too_large)),
         ["large is recognised as ['large', 'twin']", "twin is recognised as ['large', 'twin']"]),
        ((recognising("blind", 1, lambda values, cases: False),), ["blind is recognised as []"]),
        ((recognising("greedy", 1, lambda values, cases: True),),
         ["the reference is recognised as ['greedy']"]),
    ],
)  # fmt: skip
def test_faults_of_an_exercise(mistakes, sentences):
    assert faults(replace(DOUBLE, mistakes=mistakes)) == sentences


def test_faults_of_a_judge_and_of_a_reference():
    assert faults(JUDGED) == []
    assert faults(replace(JUDGED, reference=1.0, judge=lambda a: "No.")) == [
        "the reference is refused: No.",
        "low gets another diagnosis than its own: No.",
    ]
    uneven = iter(range(999))
    (fault,) = faults(replace(DOUBLE, mistakes=(), reference=lambda x: x + next(uneven)))
    assert fault.startswith("the reference is refused")


ONLY_NUMPY = """
import sys

class Refuse:
    def find_spec(name, path=None, target=None):
        home = name.partition(".")[0]
        if home not in sys.stdlib_module_names | {"numpy", "attnlib", "book_exercises"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refuse)
from attnlib.exercises import all_exercises, check
all_exercises()
print(check("scaling.score_std", lambda d, var_q, var_k: d * var_q * var_k)._repr_html_())
"""


def test_exercises_need_numpy_only():
    command = [sys.executable, "-c", ONLY_NUMPY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "attn-reply--wrong" in done.stdout


ONLY_ONE = """
import sys
from attnlib.exercises import find
from attnlib.exercises.engine import reading

read, texts = [], reading.sections
reading.sections = lambda path: read.append(path.name) or texts(path)
find("many_queries.attend_all")
print(*read, *sorted(name for name in sys.modules if name.startswith(reading.ROOT + ".")))
"""


def test_finding_one_exercise_reads_one():
    command = [sys.executable, "-c", ONLY_ONE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    chapter = "book_exercises.many_queries"
    assert done.stdout.split() == ["attend_all.md", chapter, f"{chapter}.attend_all"]


def adapted(answer):
    """The answer is a class whose `factor` is used."""

    def double(x):
        if not hasattr(answer, "factor"):
            raise Misfit("The class has no factor.")
        return answer.factor * x

    return double


def test_other_answers_are_adapted():
    asked = replace(DOUBLE, adapt=adapted)
    for factor, words in [(2, "Passed."), (3, "right answer plus x"), (None, "TypeError")]:
        answer = type("Double", (), {"factor": factor})
        assert words in examine(asked, answer).text
    assert "Not right yet. The class has no factor." in examine(asked, lambda x: 2 * x).text


def test_what_is_not_installed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    reply = examine(replace(DOUBLE, needs="torch"), lambda x: 2 * x)
    assert (reply.status, reply.heading) == ("not attempted", "Not checked.")
    assert "make torch" in reply.message


def test_a_solved_part_is_handed_on_and_no_other(capsys):
    def mine(d, var_q, var_k):
        return np.sqrt(d * var_q * var_k)

    name, book = "scaling.score_std", find("scaling.score_std").reference
    assert use(name, mine) is mine and use(name) is book
    assert capsys.readouterr().out == ""
    for answer in (lambda d, var_q, var_k: d, lambda d, var_q, var_k: ..., raising(KeyError)):
        assert use(name, answer) is book
        assert use(name, answer, mine) is mine
        assert capsys.readouterr().out.startswith("score_std: the book's")


def test_what_is_offered_from_lessons_is_there():
    everything = all_exercises()
    assert {n for e in everything.values() for n in e.before} <= {*everything}


def scaled(x, b):
    return b["factor"] * x.sum() + b["shift"][0]


SCALED = Exercise(
    **WORDS | dict(returns="a single number"), signature="scaled(x, b)", reference=scaled,
    cases=tuple(
        Case(f"{n} numbers", (np.arange(n) + 0.5, {"factor": np.array(n), "shift": np.ones(n)}))
        for n in (2, 3)
    ),
)  # fmt: skip


def test_a_dictionary_of_arrays_is_an_argument():
    assert examine(SCALED, scaled).passed
    reply = examine(SCALED, lambda x, b: 2 * scaled(x, b))
    assert "right answer doubled" in reply.message
    assert "b = {'factor': 2,\n     'shift': [1. 1.]}" in reply.case

    def in_an_array(x, b):
        b["shift"] += 1
        return scaled(x, b) - 1

    def in_its_names(x, b):
        b["more"] = x
        return scaled(x, b)

    for answer in (in_an_array, in_its_names):
        for _ in range(2):  # and the exercise itself stays as it was
            reply = examine(SCALED, answer)
            assert reply.status == "wrong" and "changes its argument b in place" in reply.message


LETTERS = Exercise(
    **WORDS | dict(returns="an array of integers"), signature="places(text)", indices=True,
    reference=lambda text: np.array([ord(c) - ord("a") for c in text]),
    cases=(Case("a word", ("cab",)), Case("another", ("head",))),
)  # fmt: skip


def test_indices_are_an_array_of_whole_numbers():
    right = LETTERS.reference
    assert examine(LETTERS, right).passed
    reply = examine(LETTERS, lambda text: right(text).astype(float))
    assert reply.status == "wrong" and "decimals, of type float64" in reply.message
    reply = examine(LETTERS, lambda text: right(text).tolist())
    assert reply.status == "wrong" and "np.array(…) makes an array of it" in reply.message
    assert "in reverse order" in examine(LETTERS, lambda text: right(text)[::-1]).message
