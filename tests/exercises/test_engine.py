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

from attnlib.exercises import Case, Exercise, Mistake, Reply, check, examine, faults
from attnlib.exercises.engine.forms import remedy
from attnlib.exercises.engine.running import call, stop
from attnlib.exercises.engine.showing import describe, shorten, show

DOUBLE = dict(
    signature="double(x)", task="Write double(x).", returns="an array of shape (n,)",
    why="Doubling is linear.", general="Try one element.", definition="Half of it is x.",
    reference=lambda x: 2 * x,
    cases=(Case("one element", (np.array([3.0]),)), Case("several", (np.array([1.0, 4.0]),))),
    mistakes=(Mistake("square", lambda x: x**2, "This is the square."),),
)  # fmt: skip
JUDGED = DOUBLE | dict(
    signature="score", task="Set score.", returns="a single number", reference=3.0, cases=(),
    judge=lambda a: "Too small." if a < 2 else None,
    mistakes=(Mistake("small", 0.0, "Too small."),),
)  # fmt: skip
ADD = Exercise(
    **DOUBLE
    | dict(
        signature="add(a, b)", returns="a single number", mistakes=(),
        reference=lambda a, b: float(a @ b), cases=(Case("two", (np.ones(2), np.ones(2))),),
    )
)  # fmt: skip


DOUBLING = Exercise(**DOUBLE)


def exercise(**changes):
    return Exercise(**DOUBLE | changes)


@pytest.fixture(autouse=True)
def no_thread_remains():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


# One answer, one reply


def stub_with_a_gap(x):
    weights = ...
    return weights @ x


def pass_stub(x):
    pass


def of_helper(x):
    return helper(x + 1)


def helper(y):
    raise KeyError("weights")


def inverse(x):
    return np.linalg.inv(x)


def recursion(x):
    return recursion(x)


def raising(error):
    def double(x):
        raise error

    return double


def in_place(function, back=True):
    def double(x):
        x[:] = function(x)
        return x if back else None

    return double


class Unprintable(Exception):
    def __str__(self):
        raise ValueError


RIGHT = "Passed. double is right on 2 cases. Doubling is linear."
STUB = "Not attempted yet. Write double(x)."
HERE = "It should return an array of shape (n,), here (1,);"


@pytest.mark.parametrize(
    "answer, status, words",
    [
        # Right, also within the tolerance, of another type, under another name.
        (lambda x: x + x, "passed", RIGHT),
        (lambda x: 2 * x + 1e-9, "passed", RIGHT),
        (lambda x: (2 * x).astype(np.float32), "passed", RIGHT),
        (lambda x: (2 * x).astype(int), "passed", RIGHT),
        (lambda x: 2 * x[...], "passed", RIGHT),
        (functools.partial(np.multiply, 2), "passed", RIGHT),
        # Wrong: a known mistake, another one, a mistake on some cases only.
        (lambda x: x * x, "wrong", "Not right yet. This is the square.\n\nThe smallest input on "
         "which it goes wrong:\n\n    x = [3.]\n    double(x) returned\n    [9.]\n\n"
         "Half of it is x."),
        (lambda x: x + 1, "wrong", "Try one element."),
        (lambda x: 2 * x + 1e-4, "wrong", "These numbers are close but not exact."),
        (lambda x: x**2 if len(x) == 1 else x + 5, "wrong", "Try one element."),
        (lambda x: 2 * x if len(x) == 1 else 3 * x, "wrong", "x = [1. 4.]"),
        (lambda x: 2 * x if len(x) == 1 else 3 * x, "wrong", "right for one element, wrong for se"),
        # Unfinished.
        (None, "not attempted", STUB),
        (..., "not attempted", STUB),
        (lambda x: None, "not attempted", STUB + " It returns None so far"),
        (lambda x: ..., "not attempted", STUB + " Replace the ... that it returns."),
        (raising(NotImplementedError("to do")), "not attempted", STUB),
        (pass_stub, "not attempted", "Write pass_stub(x)."),
        (stub_with_a_gap, "not attempted", "Replace the ... that is still in it."),
        # Of another type or shape.
        (lambda x: "no", "wrong", f"{HERE} the text 'no' came back"),
        (lambda x: [6.0], "wrong", f"{HERE} a list of 1 came back. np.array"),
        (lambda x: (np.ones(1), 2), "wrong", f"{HERE} a tuple of 2 came back"),
        (lambda x: True, "wrong", f"{HERE} True came back"),
        (lambda x: np.float64(6), "wrong", f"{HERE} a single number came back"),
        (lambda x: object(), "wrong", f"{HERE} an object came back"),
        (lambda x: np.array(["6"]), "wrong", f"{HERE} an array of shape (1,) of <U1 came back"),
        (lambda x: 2j * x, "wrong", "of complex128 came back"),
        (lambda x: 2 * x[None], "wrong", f"{HERE} an array of shape (1, 1) came back"),
        (lambda x: lambda: 6.0, "wrong", f"{HERE} a function came back"),
        (lambda x: 2 * x if len(x) == 1 else None, "wrong", "None came back"),
        (lambda x: 2 * x + np.nan, "wrong", "The answer holds NaN (not a number)."),
        (lambda x: 2 * x + np.inf, "wrong", "The answer holds an infinite number."),
        # It raises, with the line of the reader's own code.
        (of_helper, "error", "of_helper raised KeyError: 'weights' (in line 2 of helper: raise"),
        (inverse, "error", "(in line 2 of inverse: return np.linalg.inv(x))"),
        (recursion, "error", "RecursionError"),
        (lambda x: x[..., 5], "error", "IndexError"),
        (lambda x: sys.exit(3), "error", "SystemExit: 3"),
        (raising(KeyboardInterrupt("bye")), "error", "KeyboardInterrupt: bye"),
        (raising(GeneratorExit("bye")), "error", "GeneratorExit: bye"),
        (raising(Unprintable()), "error", "Unprintable: (its message cannot be shown)"),
        (raising(ValueError(object())), "error", "ValueError: <object object>"),
        # It changes its argument.
        (in_place(lambda x: 2 * x), "wrong", "The result is right, but double changes its argument "
         "x in place"),
        (in_place(lambda x: x + 1), "wrong", "Besides, double changes its argument x in place"),
        (in_place(lambda x: 2 * x, back=False), "wrong", "None came back"),
        # It is no function of one argument.
        (np.ones(1), "wrong", "A function double(x) was expected; an array of shape (1,) was give"),
        (lambda x, y: x, "wrong", "double is called as double(x), but its arguments are (x, y)."),
    ],
)  # fmt: skip
def test_reply(answer, status, words):
    reply = examine(DOUBLING, answer)
    assert reply.status == status and words in reply.text
    assert "0x" not in reply.text and repr(examine(DOUBLING, answer)) == repr(reply)


def test_the_order_of_arguments_and_a_single_number():
    assert "The order matters." in examine(ADD, lambda b, a: a @ b).text
    text = examine(ADD, lambda a, b: np.array([2.0])).text
    assert "It should return a single number; an array of shape (1,) came back." in text
    for right in (lambda u, v, scale=1: u @ v, lambda *args: np.array(args[0] @ args[1]), np.dot):
        assert examine(ADD, right).passed


TABLE = Exercise(
    **DOUBLE
    | dict(
        signature="table(x, y)", returns="an array of shape (n, m)", mistakes=(),
        reference=lambda x, y: np.outer(x, y),
        cases=(Case("a square", (np.array([1.0, 2.0]), np.array([3.0, 5.0]))),
               Case("a tall one", (np.array([1.0, 2.0, 4.0]), np.array([3.0, 5.0])))),
    )
)  # fmt: skip
SQUARE = "It should return an array of shape (n, m), here (2, 2); "
TALL = "It should return an array of shape (n, m), here (3, 2); "
NUMBER = "It should return a single number; "


@pytest.mark.parametrize(
    "asked, answer, message",
    [
        (TABLE, lambda x, y: (x, np.outer(x, y)), SQUARE + "a tuple of 2 came back. It holds an "
         "array of shape (2,) and an array of shape (2, 2): its second element alone would be "
         "right."),
        (TABLE, lambda x, y: (x + 1, 7), SQUARE + "a tuple of 2 came back. It holds an array of "
         "shape (2,) and a single number: return only what is asked for. table never uses its "
         "argument y."),
        (TABLE, lambda x, y: [np.outer(x, y)], SQUARE + "a list of 1 came back. It holds an array "
         "of shape (2, 2): its only element alone would be right."),
        (TABLE, lambda x, y: np.outer(x, y).tolist(), SQUARE + "a list of 2 came back. np.array(…) "
         "makes an array of it, which would be right."),
        (TABLE, lambda x, y: np.outer(x, y)[:1].tolist(), SQUARE + "a list of 1 came back. As an "
         "array it has shape (1, 2). That is only the first of what is wanted: look for a return "
         "inside a loop, or for an index too many."),
        (TABLE, lambda x, y: np.outer(x, y)[None], SQUARE + "an array of shape (1, 2, 2) came "
         "back. That is one axis too many, the first, of size 1: without it the answer would be "
         "right."),
        (TABLE, lambda x, y: np.outer(x, y)[..., None] + 1, SQUARE + "an array of shape (2, 2, 1) "
         "came back. That is one axis too many, the last, of size 1: without it the shape would "
         "be right."),
        (TABLE, lambda x, y: x, SQUARE + "an array of shape (2,) came back. That is one axis too "
         "few: an index, a sum or a mean takes one away. table never uses its argument y."),
        (TABLE, lambda x, y: np.outer(x, y).ravel(), SQUARE + "an array of shape (4,) came back. "
         "That is one axis too few: in the shape (2, 2) the same numbers would be right."),
        (TABLE, lambda x, y: np.outer(x, y).T, "Rows and columns are exchanged: transposed, the "
         "answer would be right. For a tall one shape (2, 3) came back where (3, 2) is wanted."),
        (TABLE, lambda x, y: np.outer(x, y) if len(x) == 2 else np.outer(y, x) + 1, TALL + "an "
         "array of shape (2, 3) came back. Rows and columns are exchanged."),
        (TABLE, lambda x, y: np.outer([*x, 1], y), SQUARE + "an array of shape (3, 2) came back. "
         "Its first axis has 3 entries instead of 2: count by hand where they begin and end."),
        (TABLE, lambda x, y: np.outer(x, y)[:2], TALL + "an array of shape (2, 2) came back. The "
         "last one is missing: range(n) already stops at n - 1."),
        (TABLE, lambda x, y: np.outer(x, y) if len(x) == 2 else None, TALL + "None came back. On "
         "this input the function ends without reaching a return."),
        (ADD, lambda a, b: np.array([[a @ b]]), NUMBER + "an array of shape (1, 1) came back. That "
         "is two axes too many, of size 1: without them the answer would be right."),
        (ADD, lambda a, b: a * b, NUMBER + "an array of shape (2,) came back. That is one axis too "
         "many: an index or a sum is missing, or an axis of size 1 has met another and the two "
         "have spread to a table."),
        (ADD, lambda a, b: f"{a @ b:.2f}", NUMBER + "the text '2.00' came back. That is text: "
         "leave out the quotes; rounding and formatting belong to print."),
        (ADD, lambda a, b: a @ b > 1, NUMBER + "a bool came back. A comparison gives truth values, "
         "not numbers."),
    ],
)  # fmt: skip
def test_another_form_is_named_with_both_shapes(asked, answer, message):
    reply = examine(asked, answer)
    assert reply.message == message
    assert "should return" not in "".join(piece for _, piece in reply.details)  # said once


LATER = exercise(
    signature="later(x)", reference=lambda x: x > 1, truth=True,
    cases=(Case("two", (np.array([1.0, 2.0]),)), Case("three", (np.array([3.0, 1.0, 0.0]),))),
    mistakes=(Mistake("ones", lambda x: x == 1, "Only the ones."),),
)  # fmt: skip


def test_truth_values_are_compared_as_numbers_where_they_are_asked_for():
    assert faults(LATER) == []
    for answer, said in [
        (lambda x: x == 1, "Only the ones."),
        (lambda x: ~(x > 1), "Every truth value is turned round: True stands where False is"),
        (lambda x: x >= 1, "Try one element."),
        (lambda x: (x > 1).astype(float), "As 0 and 1 the result is right, but truth values are"),
        (lambda x: [bool(a > 1) for a in x], "It should return an array of shape (n,), here (2,);"),
        (lambda x: bool((x > 1).any()), "It should return an array of shape (n,), here (2,); a"),
    ]:
        assert examine(LATER, answer).message.startswith(said)
    assert "returned\n    [1 1]" in examine(LATER, lambda x: x >= 1).text


def test_a_single_truth_value_may_be_found_by_trying_and_shows_no_mistake():
    one = exercise(returns="a truth value", reference=lambda x: bool(x[0] > 1), truth=True,
                   cases=LATER.cases,
                   mistakes=(Mistake("last", lambda x: x[-1] > 1, "Only the last."),))  # fmt: skip
    assert examine(one, lambda x: x[0] > 1).passed
    wrong_like_it = examine(one, lambda x: len(x) > 0)
    assert (
        wrong_like_it.message == "Try one element." and "returned\n    True" in wrong_like_it.text
    )
    drawn = examine(one, lambda x: x[0] + np.random.default_rng(1).normal() > 9)
    assert "draws" not in drawn.message


def test_an_argument_may_be_a_function():
    def twice(x):
        return 2 * x

    def negative(x):
        return -x

    asked = exercise(
        signature="apply(f, x)", returns="a single number", mistakes=(),
        reference=lambda f, x: f(x),
        cases=(Case("one", (twice, 3.0)), Case("two", (negative, 2.0))),
    )  # fmt: skip
    reply = examine(asked, lambda f, x: x + f(f(x)))
    assert reply.message == "Try one element." and "f = twice" in reply.text
    assert examine(asked, lambda f, x: x).message == "This is x itself, just as it came in."


OVERFLOW = "Something overflows on the way: float16 ends at 65504"


@pytest.mark.parametrize(
    "came, wanted, which",
    [((1, 2, 1), (1, 2), "the last"), ((1, 2, 1), (2, 1), "the first"),
     ((2, 1, 2), (2, 2), "one in the middle")],
)  # fmt: skip
def test_the_axis_too_many_is_named(came, wanted, which):
    said = f"That is one axis too many, {which}, of size 1: without it the shape would be right."
    assert remedy(np.ones(came), wanted, lambda change: False) == said


def test_properties_are_computed_in_full_precision():
    sums = exercise(properties=(lambda y, x: f"The sum is {show(y.sum() * 2)}.",))
    assert "The sum is 120000." in examine(sums, lambda x: np.float16([6e4])).text


LOW = "Right to about three digits: something is float16"


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda x: (2 * x * 1.001).astype(np.float16), LOW),
        (lambda x: (2 * x / 7).astype(np.float16).astype(float) * 7, "Every number is 0.9998 "),
        (lambda x: (x**2 + 0.003).astype(np.float16), "This is the square."),
        (lambda x: (2 * x + 0.001).astype(np.float32), "These numbers are close but not exact."),
        (lambda x: (2 * x * 1.0000015).astype(np.float32), "Right to about seven digits"),
        (lambda x: (2 * x * 1.003).astype(np.float16).astype(float), LOW),
        (lambda x: (2 * x * 1.3).astype(np.float16), "Try one element."),
        (lambda x: x.astype(np.float16) * np.float16(6e4) / np.float16(3e4), OVERFLOW),
        (lambda x: (2.0 * x).round() + 0.4, "Try one element."),
    ],
)
def test_right_but_for_one_thing(answer, message):
    assert examine(DOUBLING, answer).message.startswith(message)


def test_rounding_is_named_and_a_choice_is_not_a_rounding():
    thirds = exercise(reference=lambda x: x / 3, mistakes=())
    cut = "These are whole numbers: the digits after the decimal point are cut off."
    large = exercise(reference=lambda x: 200 * x / 3, mistakes=())
    for asked, answer, message in [
        (thirds, lambda x: np.round(x / 3, 2), "Right, but rounded to 2 decimals."),
        (thirds, lambda x: np.round(x / 3, 2) + 0.1, "Try one element."),
        (thirds, lambda x: np.round(x / 3, 0), "Try one element."),
        (large, lambda x: np.round(200 * x / 3), "Right, but rounded to whole numbers."),
        (large, lambda x: 200 * x.astype(int) // 3, cut),
        (large, lambda x: 200 * x // 3, cut),
    ]:
        assert examine(asked, answer).message.startswith(message)


def test_mistake_that_raises_on_some_cases():
    def partly(function, fails):
        return lambda x: function(x) if len(x) == 2 else fails(x)

    def seven(x):
        return x @ np.ones(7)

    def six(x):
        return x @ np.ones(6)

    def no_such_index(x):
        return x[9]

    # With another message it is the same mistake only if a wrong value is shared.
    for function, same in [(lambda x: x + np.array([0.0, 1.0]), True), (lambda x: 2 * x, False)]:
        known = exercise(mistakes=(Mistake("m", partly(function, seven), "This one."),))
        assert examine(known, partly(function, seven)).message == "This one."
        assert (examine(known, partly(function, six)).message == "This one.") == same
        assert examine(known, partly(function, no_such_index)).status == "error"


@pytest.mark.parametrize(
    "does",
    [
        lambda x: 2 * x,
        lambda x: None,
        lambda x: x + 1,
        lambda x: x @ np.ones(9),
        lambda x: x.__imul__(2),
        lambda x: [time.sleep(0.01) for _ in range(90)],
    ],
)
def test_replies_use_the_readers_name(does):
    def my_own(x):
        return does(x)

    text = examine(DOUBLING, my_own, time_limit=0.2).text
    assert "my_own" in text and "double" not in text


class Odd:
    """It can be called, but asking for its attributes fails."""

    def __call__(self, x):
        raise KeyError("odd")

    def __getattr__(self, name):
        raise RuntimeError


def test_odd_objects_and_names():
    def wraps_itself(x):
        raise KeyError("odd")

    wraps_itself.__wrapped__ = wraps_itself
    for answer in (Odd(), wraps_itself):
        assert "raised KeyError: 'odd'" in examine(DOUBLING, answer).text
    for name in [3, "", "a b", "<b>", "x" * 1000]:
        answer = functools.partial(np.multiply, 2)
        answer.__name__ = name
        assert examine(DOUBLING, answer).text == RIGHT


def test_overflow_is_silent_and_prints_are_allowed(recwarn, capsys):
    examine(DOUBLING, lambda x: np.exp(x * 1e5) / np.exp(x * 1e5) + x[:0].mean())
    assert not recwarn.list
    with np.errstate(all="raise"):
        assert examine(DOUBLING, lambda x: 2 * x + 0 * (np.exp(x * 1e5) > 0)).passed
    assert examine(DOUBLING, lambda x: print("scores", x) or 2 * x).passed
    assert "scores [3.]" in capsys.readouterr().out


def test_every_call_has_copies_of_its_own():
    buffer = np.zeros(2)

    def one_buffer_for_all(x):
        buffer[: len(x)] = 2 * x
        x[:] = 0
        return buffer[: len(x)]

    assert examine(DOUBLING, one_buffer_for_all).text.startswith("Not right yet. The result is rig")
    assert [case.args[0].tolist() for case in DOUBLE["cases"]] == [[3], [1, 4]]


# Time


def test_endless_loop_is_stopped():
    def double(x):
        while len(x) > 1:
            try:
                time.sleep(0.001)
            except Exception:
                pass
        return 2 * x

    start = time.monotonic()
    reply = examine(DOUBLING, double, time_limit=0.3)
    assert time.monotonic() - start < 10
    assert reply.status == "error" and reply.text.startswith("Did not finish.")
    assert "0.3 seconds" in reply.text and "x = [1. 4.]" in reply.text
    assert "restart" not in reply.text


def test_time_limit_is_for_all_calls_together():
    def double(x):
        time.sleep(0.3)
        return 2 * x

    assert examine(DOUBLING, double, time_limit=5).passed
    assert examine(DOUBLING, double, time_limit=0.45).heading == "Did not finish."


def test_thread_that_cannot_be_stopped_is_admitted(monkeypatch):
    release = threading.Event()
    monkeypatch.setattr("attnlib.exercises.engine.running.stop", lambda thread: stop(thread, 0.1))
    reply = examine(DOUBLING, lambda x: release.wait(30), time_limit=0.05)
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

    monkeypatch.setattr("attnlib.exercises.engine.running.threading.Thread", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        call(double, (1,), 7)


# Judged numbers


def test_judged_numbers():
    judged = Exercise(**JUDGED)
    assert examine(judged, np.float32(2.5)).passed
    reply = examine(judged, 1)
    assert reply.message == "Too small." and "score = 1" in reply.text
    for junk, words in [(np.nan, "NaN"), ("2", "the text '2'"), (lambda: 3, "a function"),
                        ([2.5], "a list"), (True, "True"), ([[1], [2, 3]], "a list")]:  # fmt: skip
        assert examine(judged, junk).status == "wrong" and words in examine(judged, junk).text
    assert examine(judged, None).status == examine(judged, ...).status == "not attempted"
    near = dict(shape=(2,), judge=lambda a: "No." if (a < 0).any() else None, mistakes=())
    pair = Exercise(**JUDGED | near)
    for right in ([1, 2], np.float32([1, 2])):
        assert examine(pair, right).passed
    for wrong, words in [
        ((np.ones(2), 3), "It holds an array of shape (2,) and a single number: its first element"),
        ((-np.ones(2), 3), "give only the numbers, without inner brackets."),
        ((np.ones(2) * np.nan, 3), "give only the numbers, without inner brackets."),
        (["1", "2"], "That is text: leave out the quotes"),
        (np.ones(3), "Its only axis has 3 entries instead of 2. Try one element."),
        (np.ones((1, 2)), "one axis too many, the first, of size 1: without it the answer would"),
    ]:
        assert words in examine(pair, wrong).message


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


def check_html(reply):
    tags = Tags(reply._repr_html_())
    assert {tag for tag, _ in tags.found} <= {"div", "p", "strong", "pre"}
    assert all(set(attrs) <= {"class", "role", "style"} for _, attrs in tags.found)
    assert all(c.isprintable() or c == "\n" for c in reply.text)
    return tags


@pytest.mark.parametrize(
    "answer", [raising, lambda text: lambda x: text, str], ids=["raised", "returned", "given"]
)
@given(text=st.one_of(st.text(), st.just("<script>alert('1')</script>")))
@settings(max_examples=30, deadline=None)
def test_any_text_stays_text(answer, text):
    check_html(examine(DOUBLING, answer(ValueError(text) if answer is raising else text)))


def test_names_are_escaped():
    hostile = type("<img src=x onerror=alert(1)>", (Exception,), {})
    for answer in (raising(hostile("'\"&")), lambda x: hostile()):
        check_html(examine(DOUBLING, answer))
    assert "&quot;&amp;" in examine(DOUBLING, raising(hostile("'\"&")))._repr_html_()


@pytest.mark.parametrize("status", ["passed", "not attempted", "wrong", "error"])
def test_html_structure(status):
    reply = Reply(status, "A message.", (("pre", "x = 1"), ("p", "A sentence.")))
    tags = check_html(reply)
    name = status.replace(" ", "-")
    assert tags.found[0][1] == {"class": f"attn-reply attn-reply--{name}", "role": "status"}
    assert tags.words.split() == reply.text.split() == repr(reply).split()
    assert reply.passed == (status == "passed")


def test_bad_reply():
    with pytest.raises(ValueError, match="status is 'fine'"):
        Reply("fine", "A message.")
    with pytest.raises(ValueError, match="tag 'script'"):
        Reply("wrong", "A message.", (("script", "x"),))


def test_numbers_are_short_whatever_the_print_options():
    before = examine(DOUBLING, lambda x: x / 3).text
    with np.printoptions(precision=1, sign="+", formatter={"float": lambda v: "?"}, nanstr="-"):
        assert examine(DOUBLING, lambda x: x / 3).text == before
    assert show(np.array([1 / 3, -1e-9])) == "[0.3333 0.    ]"
    with np.errstate(all="raise"):
        assert show(np.float16([6e4, 0.1, np.inf])) == "[60000.      0.1     inf]"
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
        (None, "scaling.score_std"),
    ],
)
def test_unknown_name_lists_near_ones(name, near):
    with pytest.raises(ValueError, match=f"there is no exercise .*{near}"):
        check(name, None)


@pytest.mark.parametrize(
    "change, words",
    [
        (dict(mistakes=DOUBLE["mistakes"] * 2), "two mistakes have one name"),
        (dict(judge=lambda a: None), "cases for a function, or a judge"),
        (dict(cases=()), "cases for a function, or a judge"),
        (dict(reference=3.0), "a reference function has cases"),
    ],
)
def test_contradictions_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        exercise(**change)


def all_too_large(values, cases):
    return all((v > 2 * case.args[0]).all() for v, case in zip(values, cases))


LARGE = Mistake("large", lambda x: 2 * x + 7, "Too large.", recognise=all_too_large)


def test_a_mistake_with_many_results_is_recognised():
    many = exercise(mistakes=(LARGE, Mistake("nine", lambda x: 2 * x + 9, "Nine more.")))
    for answer, message in [
        (lambda x: 2 * x + 8, "Too large."),
        (lambda x: 2 * x + 9, "Nine more."),  # the exact one first
        (lambda x: 2 * x - 1, "Try one element."),
        (
            lambda x: list(2 * x + 8),
            f"{HERE} a list of 1 came back. np.array(…) makes an array of it.",
        ),
    ]:
        assert examine(many, answer).message == message
    # Finite numbers of the right form only are given to ``recognise``.
    assert "NaN or inf" in examine(many, lambda x: 2 * x + np.inf).message
    for later in (lambda x: None, lambda x: 2 * x[:1] + 8):
        partly = examine(many, lambda x, later=later: 2 * x + 8 if len(x) < 2 else later(x))
        assert partly.message == "Try one element."
    greedy = Mistake("greedy", lambda x: x, "Always.", recognise=lambda values, cases: True)
    roots = exercise(mistakes=(greedy,), view=lambda y, x: np.sqrt(y))
    assert examine(roots, lambda x: 3 * x).message == "Always."
    assert examine(roots, lambda x: -3 * x).message == "Try one element."


def recognising(name, add, recognise):
    return Mistake(name, lambda x: 2 * x + add, name, recognise=recognise)


@pytest.mark.parametrize(
    "mistakes, said",
    [
        (DOUBLE["mistakes"], []),
        ((LARGE,), []),
        ((*DOUBLE["mistakes"], Mistake("twin", lambda x: x * x, "Another.")),
         ["twin gets another diagnosis than its own: This is the square."]),
        ((Mistake("right", lambda x: x + x, "Not a mistake."),),
         ["right gets another diagnosis than its own: double is right on 2 cases. "
          "Doubling is linear."]),
        ((Mistake("broken", lambda x: x[9], "Always raises."),),
         ["broken raises on every case: give it one on which it returns something"]),
        ((LARGE, recognising("twin", 5, all_too_large)),
         ["large is recognised as ['large', 'twin']", "twin is recognised as ['large', 'twin']"]),
        ((recognising("blind", 1, lambda values, cases: False),), ["blind is recognised as []"]),
        ((recognising("greedy", 1, lambda values, cases: True),),
         ["the reference is recognised as ['greedy']"]),
    ],
)  # fmt: skip
def test_faults_of_an_exercise(mistakes, said):
    assert faults(exercise(mistakes=mistakes)) == said


def test_faults_of_a_judge_and_of_a_reference():
    assert faults(Exercise(**JUDGED)) == []
    assert faults(Exercise(**JUDGED | dict(reference=1.0, judge=lambda a: "No."))) == [
        "the reference is refused: No.",
        "small gets another diagnosis than its own: No.",
    ]
    uneven = iter(range(999))
    (said,) = faults(exercise(mistakes=(), reference=lambda x: x + next(uneven)))
    assert said.startswith("the reference is refused")


def test_exercises_load_numpy_only():
    code = (
        "import sys; from attnlib.exercises import all_exercises; all_exercises();"
        "heavy = {'matplotlib', 'ipywidgets', 'torch', 'scipy', 'pytest'} & set(sys.modules);"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
