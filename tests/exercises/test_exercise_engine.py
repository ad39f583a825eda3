"""The checker itself: whatever an answer does is answered in words, and never fatal."""

import functools
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlib.exercises import Case, Exercise, Mistake, Reply, check, examine, faults, find
from attnlib.exercises.running import call, stop
from attnlib.exercises.showing import describe, shorten, show

DOUBLE = dict(
    name="demo.double", signature="double(x)", task="Write double(x).",
    returns="an array of shape (n,)", why="Doubling is linear.", general="Try one element.",
    definition="Half of it is x.", reference=lambda x: 2 * x,
    cases=(Case("one element", (np.array([3.0]),)), Case("several", (np.array([1.0, 4.0]),))),
    mistakes=(Mistake("square", lambda x: x**2, "This is the square."),),
)  # fmt: skip
EXERCISE = Exercise(**DOUBLE)
ADD = Exercise(
    **DOUBLE
    | dict(
        name="demo.add", signature="add(a, b)", returns="a single number", mistakes=(),
        reference=lambda a, b: float(a @ b), cases=(Case("two", (np.ones(2), np.ones(2))),),
    )
)  # fmt: skip
VALUE = Exercise(
    **DOUBLE
    | dict(
        name="demo.value", signature="score", returns="a single number", reference=2.5, cases=(),
        mistakes=(Mistake("unscaled", 5.0, "The scale is missing."),), rtol=0, atol=0.01,
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def no_thread_remains():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


# Right and wrong


def test_right_answer():
    reply = examine(EXERCISE, lambda x: x + x)
    assert reply.passed
    assert reply.text == "Passed. double is right on 2 cases. Doubling is linear."


def test_known_mistake():
    reply = examine(EXERCISE, lambda x: x * x)
    assert reply.status == "wrong" and reply.message == "This is the square."
    assert "x = [3.]\n    double(x) returned\n    [9.]" in reply.text
    assert "Half of it is x." in reply.text
    assert "6" not in reply.text


def test_unknown_mistake_gets_the_general_message():
    reply = examine(EXERCISE, lambda x: x + 1)
    assert reply.status == "wrong" and reply.message == "Try one element."
    assert "[4.]" in reply.text and "This is the square." not in reply.text


def test_mistake_on_some_cases_only_is_not_that_mistake():
    reply = examine(EXERCISE, lambda x: x**2 if len(x) == 1 else x + 5)
    assert reply.message == "Try one element."


def test_says_which_kind_passes():
    reply = examine(EXERCISE, lambda x: 2 * x if len(x) == 1 else 3 * x)
    assert "It is right for one element, wrong for several." in reply.text
    assert "x = [1. 4.]" in reply.text and "x = [3.]" not in reply.text
    assert "It is right for" not in examine(EXERCISE, lambda x: x + 1).text


def test_tolerance():
    assert examine(EXERCISE, lambda x: 2 * x + 1e-9).passed
    assert not examine(EXERCISE, lambda x: 2 * x + 1e-4).passed
    assert examine(EXERCISE, lambda x: (2 * x).astype(np.float32)).passed
    assert examine(EXERCISE, lambda x: (2 * x).astype(int)).passed


def test_mistake_that_raises_on_some_cases():
    def only_long(x):
        return x + np.array([0.0, 1.0]) if len(x) == 2 else x @ np.ones(7)

    def another_error(x):
        return x + np.array([0.0, 1.0]) if len(x) == 2 else x @ np.ones(6)

    def partly_right(x):
        return 2 * x if len(x) == 2 else x @ np.ones(7)

    def partly_right_another_error(x):
        return 2 * x if len(x) == 2 else x @ np.ones(6)

    exercise = Exercise(**DOUBLE | dict(mistakes=(Mistake("m", only_long, "Only long."),)))
    assert examine(exercise, only_long).message == "Only long."
    assert examine(exercise, another_error).message == "Only long."  # a wrong value is shared
    exercise = Exercise(**DOUBLE | dict(mistakes=(Mistake("m", partly_right, "Partly."),)))
    assert examine(exercise, partly_right).message == "Partly."
    assert examine(exercise, partly_right_another_error).status == "error"


# The reader's own name


def my_double(x):
    return my_double.does(x)


@pytest.mark.parametrize(
    "does, words",
    [
        (lambda x: 2 * x, "my_double is right on 2 cases."),
        (lambda x: None, "Write my_double(x)."),
        (lambda x: x + 1, "my_double(x) returned\n    [4.]"),
        (lambda x: x @ np.ones(9), "my_double raised ValueError"),
        (lambda x: x.__imul__(2), "but my_double changes its argument x"),
        (lambda x: [time.sleep(0.01) for _ in range(900)], "my_double was still running"),
    ],
)
def test_replies_use_the_readers_name(does, words):
    my_double.does = does
    text = examine(EXERCISE, my_double, time_limit=0.3).text
    assert words in text and "double" not in text.replace("my_double", "")


def test_replies_use_the_readers_name_for_the_arguments():
    def my_add(a):
        return a

    assert (
        "my_add is called as my_add(a, b), but its arguments are (a)." in examine(ADD, my_add).text
    )


class Nameless:
    def __init__(self, name):
        self.given = name

    def __call__(self, x):
        return 2 * x

    def __getattr__(self, attribute):
        if attribute == "__name__" and self.given is not RuntimeError:
            return self.given
        raise (self.given if self.given is RuntimeError else AttributeError)


@pytest.mark.parametrize("name", [None, 3, "", "a b", "<b>", "x" * 1000, RuntimeError])
def test_an_answer_without_a_usable_name_gets_the_exercises(name):
    assert "Passed. double is right on 2 cases." in examine(EXERCISE, Nameless(name)).text


def test_an_odd_object_that_fails_is_reported():
    class Odd(Nameless):
        def __call__(self, x):
            raise KeyError("odd")

    def wraps_itself(x):
        raise KeyError("odd")

    wraps_itself.__wrapped__ = wraps_itself
    for answer in (Odd(RuntimeError), wraps_itself):
        assert "raised KeyError: 'odd'" in examine(EXERCISE, answer).text


def test_lambdas_and_partials_get_the_exercises_name():
    for answer in (lambda x: 2 * x, functools.partial(np.multiply, 2)):
        assert "Passed. double is right on 2 cases." in examine(EXERCISE, answer).text


# Unfinished stubs


def plain_stub(x): ...


def pass_stub(x):
    pass


def ellipsis_stub(x):
    return ...


def raising_stub(x):
    raise NotImplementedError("to do")


def stub_with_a_gap(x):
    weights = ...
    return weights @ x


@pytest.mark.parametrize(
    "stub", [plain_stub, pass_stub, ellipsis_stub, raising_stub, stub_with_a_gap, None, ...]
)
def test_stub_is_not_attempted(stub):
    reply = examine(EXERCISE, stub)
    name = getattr(stub, "__name__", "double")
    assert reply.status == "not attempted" and not reply.passed
    assert reply.text.startswith(f"Not attempted yet. Write {name}(x).")


def test_none_on_a_later_case_is_wrong():
    reply = examine(EXERCISE, lambda x: 2 * x if len(x) == 1 else None)
    assert reply.status == "wrong" and "None came back" in reply.text


def test_ellipsis_in_an_index_is_no_gap():
    assert examine(EXERCISE, lambda x: 2 * x[...]).passed
    assert examine(EXERCISE, lambda x: x[..., 5]).status == "error"


# Answers that fail


def test_exception_is_reported_with_its_line():
    def double(x):
        y = x + 1
        return helper(y)

    def helper(y):
        raise KeyError("weights")

    reply = examine(EXERCISE, double)
    assert reply.status == "error"
    assert "double raised KeyError: 'weights' (in line 2 of helper: raise KeyError" in reply.text
    assert "x = [3.]" in reply.text


def test_line_is_the_students_even_if_numpy_raises():
    def double(x):
        return np.linalg.inv(x)

    assert "(in line 2 of double: return np.linalg.inv(x))" in examine(EXERCISE, double).text


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError])
def test_exits_are_reported(error):
    def double(x):
        raise error("bye")

    reply = examine(EXERCISE, double)
    assert reply.status == "error" and f"raised {error.__name__}: bye" in reply.text


def test_sys_exit_and_recursion():
    def forever(x):
        return forever(x)

    assert "SystemExit: 3" in examine(EXERCISE, lambda x: sys.exit(3)).text
    assert "RecursionError" in examine(EXERCISE, forever).text


def test_exception_whose_message_raises():
    class Bad(Exception):
        def __str__(self):
            raise ValueError

    def double(x):
        raise Bad

    assert "Bad: (its message cannot be shown)" in examine(EXERCISE, double).text


@pytest.mark.parametrize(
    "value, words",
    [
        ("no", "the text 'no' came back"),
        ([6.0], "a list of 1 came back. np.array"),
        ((np.ones(1), 2), "a tuple of 2 came back"),
        (True, "True came back"),
        (6.0, "a single number came back"),
        (np.float64(6.0), "a single number came back"),
        (object(), "an object came back"),
        (np.array(["6"]), "an array of shape (1,) of <U1 came back"),
        (np.array([6.0 + 0j]), "of complex128 came back"),
        (np.array([[6.0]]), "an array of shape (1, 1) came back"),
        (np.zeros(0), "an array of shape (0,) came back"),
        (lambda: 6.0, "a function came back"),
    ],
)
def test_wrong_type_or_shape(value, words):
    reply = examine(EXERCISE, lambda x: value)
    assert reply.status == "wrong"
    assert words in reply.text and "an array of shape (n,), here (1,);" in reply.text


def test_number_expected_and_array_given():
    reply = examine(ADD, lambda a, b: np.array([2.0]))
    assert "It should return a single number; an array of shape (1,) came back." in reply.text
    assert examine(ADD, lambda a, b: a @ b).passed
    assert examine(ADD, lambda a, b: np.array(2.0)).passed
    assert examine(ADD, lambda a, b: 2).passed


@pytest.mark.parametrize("bad, words", [(np.nan, "NaN"), (np.inf, "infinite")])
def test_nan_and_infinity(bad, words):
    reply = examine(EXERCISE, lambda x: 2 * x + bad)
    assert reply.status == "wrong" and f"The answer holds {words}" in reply.text.replace(
        " an ", " "
    )


def test_overflow_in_the_answer_is_silent(recwarn):
    examine(EXERCISE, lambda x: np.exp(x * 1e5) / np.exp(x * 1e5))
    examine(EXERCISE, lambda x: x[:0].mean() + x)
    assert not recwarn.list
    with np.errstate(all="raise"):
        reply = examine(EXERCISE, lambda x: 2 * x + 0 * (np.exp(x * 1e5) > 0))
    assert reply.passed


# Arguments


def test_argument_changed_in_place():
    def double(x):
        x *= 2
        return x

    reply = examine(EXERCISE, double)
    assert reply.status == "wrong"
    assert "The result is right, but double changes its argument x in place" in reply.text


def test_wrong_and_changed_in_place():
    def double(x):
        x += 1
        return x

    reply = examine(EXERCISE, double)
    assert reply.message == "Try one element." and "Besides, double changes" in reply.text
    assert "x = [3.]" in reply.text

    def returns_nothing(x):
        x *= 2

    assert "None came back" in examine(EXERCISE, returns_nothing).text


def test_every_call_has_copies_of_its_own():
    def double(x):
        y = 2 * x
        x[:] = 0
        return y

    kept = [case.args[0].copy() for case in EXERCISE.cases]
    first = examine(EXERCISE, double)
    assert all((a == case.args[0]).all() for a, case in zip(kept, EXERCISE.cases))
    assert repr(first) == repr(examine(EXERCISE, double))


def test_one_buffer_for_all_results():
    buffer = np.zeros(2)

    def double(x):
        buffer[: len(x)] = 2 * x
        return buffer[: len(x)]

    assert examine(EXERCISE, double).passed


@pytest.mark.parametrize("thing", [3, "double", [1.0], np.ones(1)])
def test_not_a_function(thing):
    reply = examine(EXERCISE, thing)
    assert reply.status == "wrong" and "A function double(x) was expected" in reply.text


def test_wrong_number_of_arguments():
    reply = examine(ADD, lambda a: a)
    assert reply.status == "wrong"
    assert "add is called as add(a, b), but its arguments are (a)." in reply.text
    assert "its arguments are (a, b, c)" in examine(ADD, lambda a, b, c: a).text
    assert "The order matters." in examine(ADD, lambda b, a: a @ b).text
    assert examine(ADD, lambda u, v, scale=1: u @ v).passed
    assert examine(ADD, lambda *args: args[0] @ args[1]).passed
    assert examine(ADD, np.dot).passed


def test_prints_are_allowed(capsys):
    def double(x):
        print("scores", x)
        return 2 * x

    assert examine(EXERCISE, double).passed
    assert "scores [3.]" in capsys.readouterr().out


# Time


def test_endless_loop_is_stopped():
    def double(x):
        while True:
            pass

    before = threading.active_count()
    start = time.monotonic()
    reply = examine(EXERCISE, double, time_limit=0.2)
    assert time.monotonic() - start < 10
    assert reply.status == "error" and reply.text.startswith("Did not finish.")
    assert "0.2 seconds" in reply.text and "x = [3.]" in reply.text
    assert "restart" not in reply.text
    assert threading.active_count() == before


def test_endless_loop_that_catches_exceptions():
    def double(x):
        while True:
            try:
                time.sleep(0.001)
            except Exception:
                pass

    assert examine(EXERCISE, double, time_limit=0.1).heading == "Did not finish."


def test_endless_loop_on_a_later_case():
    def double(x):
        while len(x) > 1:
            pass
        return 2 * x

    reply = examine(EXERCISE, double, time_limit=1)
    assert reply.heading == "Did not finish." and "x = [1. 4.]" in reply.text


def test_time_limit_is_for_all_calls_together():
    def double(x):
        time.sleep(0.3)
        return 2 * x

    assert examine(EXERCISE, double, time_limit=5).passed
    assert examine(EXERCISE, double, time_limit=0.45).heading == "Did not finish."


def test_thread_that_cannot_be_stopped_is_admitted(monkeypatch):
    release = threading.Event()

    def double(x):
        release.wait(30)

    monkeypatch.setattr("attnlib.exercises.running.stop", lambda thread: stop(thread, 0.1))
    reply = examine(EXERCISE, double, time_limit=0.05)
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

    monkeypatch.setattr("attnlib.exercises.running.threading.Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(double, (1,), 7)


# Values


def test_value():
    assert examine(VALUE, 2.505).passed
    assert examine(VALUE, np.float32(2.5)).passed
    assert examine(VALUE, 5.001).message == "The scale is missing."
    reply = examine(VALUE, 3.0)
    assert reply.message == "Try one element." and "score = 3" in reply.text
    assert "2.5" not in reply.text
    assert "NaN" in examine(VALUE, np.nan).text
    assert "the text '2.5' was given" in examine(VALUE, "2.5").text
    assert "a function was given" in examine(VALUE, lambda: 2.5).text
    assert examine(VALUE, [2.5]).status == "wrong"
    assert examine(VALUE, None).status == examine(VALUE, ...).status == "not attempted"


def test_array_value_takes_lists():
    exercise = Exercise(**DOUBLE | dict(cases=(), reference=np.array([1.0, 2.0]), mistakes=()))
    assert examine(exercise, [1, 2]).passed
    one = Exercise(**DOUBLE | dict(cases=(), reference=1, mistakes=()))
    assert examine(one, 1).passed and "True was given" in examine(one, True).text
    assert examine(exercise, [[1], [2, 3]]).status == "wrong"
    assert "(3,)" in examine(exercise, np.ones(3)).text


# The reply


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found, self.words = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data


SCRIPT = "<script>alert(1)</script>"
OWN_TAGS = {"div", "p", "strong", "pre"}


def hostile_raise(x):
    raise ValueError(SCRIPT)


def hostile_return(x):
    return SCRIPT


@pytest.mark.parametrize("answer", [hostile_raise, hostile_return, SCRIPT])
def test_html_is_escaped(answer):
    html = examine(EXERCISE, answer)._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html
    assert {tag for tag, _ in Tags(html).found} <= OWN_TAGS


def test_type_names_are_escaped():
    hostile = type("<img src=x onerror=alert(1)>", (Exception,), {})

    def double(x):
        raise hostile("'\"&")

    html = examine(EXERCISE, double)._repr_html_()
    assert "<img" not in html and "&quot;&amp;" in html
    html = examine(EXERCISE, lambda x: hostile())._repr_html_()
    assert "<img" not in html


@given(st.text())
@settings(deadline=None)
def test_any_text_stays_text(text):
    def double(x):
        raise ValueError(text)

    reply = examine(EXERCISE, double)
    tags = Tags(reply._repr_html_())
    assert {tag for tag, _ in tags.found} <= OWN_TAGS
    assert all(set(attrs) <= {"class", "role", "style"} for _, attrs in tags.found)
    assert all(c.isprintable() or c == "\n" for c in reply.text)


@pytest.mark.parametrize("status", ["passed", "not attempted", "wrong", "error"])
def test_html_structure(status):
    reply = Reply(status, "A message.", (("pre", "x = 1"), ("p", "A sentence.")))
    tags = Tags(reply._repr_html_())
    name = status.replace(" ", "-")
    assert tags.found[0][1] == {"class": f"attn-reply attn-reply--{name}", "role": "status"}
    assert tags.words.split() == reply.text.split()
    assert reply.passed == (status == "passed")
    assert repr(reply) == reply.text


def test_bad_reply():
    with pytest.raises(ValueError, match="status is 'fine'"):
        Reply("fine", "A message.")
    with pytest.raises(ValueError, match="tag 'script'"):
        Reply("wrong", "A message.", (("script", "x"),))


def test_replies_hold_no_addresses():
    def double(x):
        raise ValueError(f"bad {object()} {double}")

    text = examine(EXERCISE, double).text
    assert "0x" not in text and "<object object>" in text
    assert "0x" not in examine(EXERCISE, lambda x: object()).text


def test_print_options_do_not_matter():
    before = examine(EXERCISE, lambda x: x / 3).text
    with np.printoptions(precision=1, sign="+", formatter={"float": lambda v: "?"}, nanstr="-"):
        assert examine(EXERCISE, lambda x: x / 3).text == before


def test_show_is_short_and_rounded():
    assert show(np.array([1 / 3, -1e-9])) == "[0.3333 0.    ]"
    assert show(np.arange(1000)) == "[  0   1   2 ... 997 998 999]"
    assert "e+300" in show(np.array([1e300])) and "e-09" in show(np.array([2e-9]))
    assert show(np.nan) == "nan" and show(7) == "7" and show(2.0) == "2"
    assert len(shorten("word " * 1000)) == 240
    assert describe("x" * 1000).endswith("…") and describe({}) == "a dict of 0"


# Names and definitions


@pytest.mark.parametrize(
    "name, near",
    [
        ("query_key_value.soft_lokup", "query_key_value.soft_lookup"),
        ("soft_lookup", "query_key_value.soft_lookup"),
        ("scaling.mask", "scaling.score_std"),
        ("", "scaling.score_std"),
        (None, "scaling.score_std"),
    ],
)
def test_unknown_name_lists_near_ones(name, near):
    with pytest.raises(ValueError, match="there is no exercise") as error:
        check(name, None)
    assert near in str(error.value)


def test_find():
    assert find("scaling.score_std").short_name == "score_std"


@pytest.mark.parametrize(
    "change, words",
    [
        (dict(name="double"), "chapter.exercise"),
        (dict(mistakes=EXERCISE.mistakes * 2), "two mistakes have one name"),
        (dict(judge=lambda a: None), "not both"),
        (dict(reference=3.0), "must be a function"),
        (dict(cases=()), "needs cases"),
    ],
)
def test_contradictions_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        Exercise(**DOUBLE | change)


def test_cases_can_be_a_function():
    exercise = Exercise(**DOUBLE | dict(cases=lambda: DOUBLE["cases"]))
    assert exercise.kind == "function" and exercise.all_cases() == DOUBLE["cases"]
    assert examine(exercise, lambda x: 2 * x).passed


def test_faults_find_ambiguity():
    assert faults(EXERCISE) == faults(VALUE) == []
    twin = Mistake("twin", lambda x: x * x, "Another diagnosis.")
    right = Mistake("right", lambda x: x + x, "Not a mistake.")
    broken = Mistake("broken", lambda x: x[9], "Always raises.")
    for extra, said in [
        (twin, "square equals twin"),
        (right, "right equals the reference"),
        (broken, "broken raises everywhere"),
    ]:
        found = faults(Exercise(**DOUBLE | dict(mistakes=(*EXERCISE.mistakes, extra))))
        assert said in found
    near = Mistake("near", 5.005, "The same within the tolerance.")
    value = dict(cases=(), reference=2.5, atol=0.01)
    doubled = Exercise(**DOUBLE | value | dict(mistakes=(*VALUE.mistakes, near)))
    assert faults(doubled) == ["unscaled equals near"]
    judged = dict(cases=(), reference=1.0, judge=lambda a: "Too small." if a < 2 else None)
    small = Mistake("small", 0.0, "Too large.")
    found = faults(Exercise(**DOUBLE | judged | dict(mistakes=(small,))))
    assert found == ["small: judged 'Too small.'", "the reference is judged 'Too small.'"]


# Mistakes with many results


def all_too_large(values, cases):
    return all((v > 2 * case.args[0]).all() for v, case in zip(values, cases))


LARGE = Mistake("large", lambda x: 2 * x + 7, "Too large.", recognise=all_too_large)


def with_mistakes(*mistakes):
    return Exercise(**DOUBLE | dict(mistakes=mistakes))


def test_a_mistake_with_many_results_is_recognised():
    exercise = with_mistakes(LARGE, Mistake("nine", lambda x: 2 * x + 9, "Nine more."))
    assert faults(exercise) == []
    assert examine(exercise, lambda x: 2 * x + 7).message == "Too large."
    assert examine(exercise, lambda x: 2 * x + 8).message == "Too large."
    assert examine(exercise, lambda x: 2 * x + 9).message == "Nine more."  # the exact one first
    assert examine(exercise, lambda x: 2 * x - 1).message == "Try one element."
    assert examine(exercise, lambda x: 2 * x).passed
    # recognise sees finite numbers of the right form only
    assert "overflows" in examine(exercise, lambda x: 2 * x + np.inf).message
    assert "overflows" in examine(exercise, lambda x: 2 * x + np.nan).message
    assert "kind" in examine(exercise, lambda x: list(2 * x + 8)).message
    greedy = Mistake("greedy", lambda x: x, "Always.", recognise=lambda values, cases: True)
    roots = Exercise(**DOUBLE | dict(mistakes=(greedy,), view=lambda y, x: np.sqrt(y)))
    assert examine(roots, lambda x: 3 * x).message == "Always."
    assert examine(roots, lambda x: -3 * x).message == "Try one element."
    assert examine(exercise, lambda x: 2 * x + 8 if len(x) < 2 else None).message != "Too large."


def test_faults_in_what_is_recognised():
    twin = Mistake("twin", lambda x: 2 * x + 5, "Large too.", recognise=all_too_large)
    assert faults(with_mistakes(LARGE, twin)) == [
        "large is recognised as ['large', 'twin']",
        "twin is recognised as ['large', 'twin']",
    ]
    blind = Mistake("blind", lambda x: x, "Never.", recognise=lambda values, cases: False)
    assert faults(with_mistakes(blind)) == ["blind is recognised as []"]
    greedy = Mistake("greedy", lambda x: x, "Always.", recognise=lambda values, cases: True)
    assert faults(with_mistakes(greedy)) == ["the reference is recognised as ['greedy']"]


def test_exercises_load_numpy_only():
    code = (
        "import sys; from attnlib.exercises import all_exercises; all_exercises();"
        "heavy = {'matplotlib', 'ipywidgets', 'IPython', 'torch', 'scipy'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
