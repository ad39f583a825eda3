"""Python in the page: what it loads, what it cannot reach, how it ends, and how it is used."""

import base64
import gzip
import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

import pytest
import site_tools
from attention_book import machine
from attention_book.in_page import cells
from page_metrics import overflow

from attnlib.exercises import check
from tests.helpers.axe_rules import violations

pytestmark = [pytest.mark.browser, pytest.mark.site]

CHAPTER, NAME = "book/03_scores_and_weights.html", "scores_and_weights.bilinear_scores"
LESSON = "book/05_many_queries.html"
#: An answer with one of the known mistakes, and a right one.
WRONG = f"def f(Q, K, W):\n    return Q @ K.T\n\n\ncheck({NAME!r}, f)"
RIGHT = WRONG.replace("Q @ K.T", "Q @ W @ K.T")
MARKUP = '<img src=x onerror="window.wasRun = 1">'
CALL = """
    ([source, limit, patience]) =>
      AttentionPython.call("cells.run", [[], source, limit], { patience }).catch((e) => e.message)
"""
SLOW = 60_000  # milliseconds, for what starts Python


def run(page, source, limit=20.0, patience=60):
    """What comes of a cell in the page's Python; the words of an error that is the page's."""
    return page.evaluate(CALL, [source, limit, patience])


def words(reply):
    """The pieces of a reply as one reads them, a paragraph each; backticks are marks of code."""
    heading, message, *others = (piece.replace("`", "") for piece in reply.pieces())
    return [f"{heading} {message}", *filter(None, others)]


def natively(source):
    scope = {"check": check}
    *first, last = source.strip().split("\n")
    exec("\n".join(first), scope)
    return eval(last, scope)


def exercise(page, at=0):
    return page.locator(".tag_exercise").nth(at)


def press(cell, name, wait=True):
    """Press a button of a cell; wait until what it starts has come back."""
    cell.get_by_role("button", name=name, exact=True).click()
    if wait:
        come_back(cell)


def come_back(cell):
    cell.locator(".cell_output[aria-busy=false]").wait_for(timeout=SLOW, state="attached")


def said(cell):
    """The paragraphs below a cell."""
    return cell.locator(".cell_output :is(p, pre)").all_text_contents()


@pytest.fixture(scope="module")
def python(browser, server):
    """A page with a Python that runs."""
    page = browser.new_page()
    page.goto(server + CHAPTER)
    run(page, "1")
    yield page
    page.close()


# What is loaded


def test_three_scripts_come_at_the_first_click_and_no_more(open_page, site):
    page = open_page(CHAPTER)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    first = exercise(page)
    stated = first.locator(".code-bar .code-state")
    assert "8 MB" in stated.inner_text() and not [url for url in asked if "/python/" in url]
    page.evaluate(
        """(e) => { window.told = [];
        new MutationObserver(() => told.push(e.textContent)).observe(e, { childList: true }); }""",
        stated.element_handle(),
    )
    press(first, "Check")
    press(exercise(page, 1), "Check")
    loaded = [url.split("/")[-1] for url in asked if "/_static/python/" in url]
    assert sorted(loaded) == ["book.js", "numpy.js", "runtime.js"]
    assert [t.split(",")[0] for t in page.evaluate("told") if t] == [
        "Running …", *["Loading Python"] * 4, "Starting Python …", "Running …"
    ]  # fmt: skip
    assert stated.inner_text() == "" == exercise(page, 2).locator(".code-state").inner_text()

    scripts = [path.read_bytes() for path in (site / "_static" / "python").glob("*.js")]
    served = sum(len(gzip.compress(script, 6)) for script in scripts)
    assert served <= 8.2e6 and sum(map(len, scripts)) <= 11e6
    assert page.evaluate("AttentionPython.megabytes") == round(served / 1e6)


@pytest.mark.parametrize("place", ["under a path", "on the disk"])
def test_exercise_answers_as_in_a_notebook_and_is_kept(watch, site, place):
    with site_tools.serve(site.parent) as server:
        address = f"{server}{site.name}/" if place == "under a path" else site.as_uri() + "/"
        watch.allowed.append(address)
        page = watch.page()
        page.goto(address + CHAPTER)
        cell = exercise(page)
        field = cell.get_by_role("textbox", name="Your code, 3.1 A bilinear score")
        stub = field.input_value()
        solved = cell.locator(".code-solved")
        for source in (WRONG, RIGHT):
            assert solved.inner_text() == ""
            field.fill(source)
            press(cell, "Check")
            assert said(cell) == words(natively(source))
            assert cell.locator(".cell_output").get_attribute("role") == "status"
        assert said(cell)[0].startswith("Passed.") and solved.inner_text() == "Solved"
        page.reload()
        assert field.input_value() == RIGHT and solved.inner_text() == "Solved before"
        press(cell, "Start over", wait=False)
        assert field.input_value() == stub and said(cell) == []
        press(cell, "Bring it back", wait=False)
        assert field.input_value() == RIGHT
        press(cell, "Start over", wait=False)
        assert page.evaluate("(name) => AttentionProgress.written(name)", NAME) is None
        page.reload()
        assert field.input_value() == stub and said(cell) == []
        press(cell, "Check")
        assert said(cell)[0].startswith("Not attempted yet.")
        # What another tab writes, or a file brings, is in the open page, too.
        page.context.new_page().goto(address + "book/review.html")
        other = page.context.pages[-1]
        # A page behind another may draw no frame for long: the field is asked ten times a second.
        patience = {"polling": 100, "timeout": SLOW}
        shows = "(text) => document.querySelector('.code').value === text"
        other.evaluate("(given) => AttentionProgress.write(...given)", [NAME, WRONG])
        page.wait_for_function(shows, arg=WRONG, **patience)
        other.evaluate("AttentionProgress.forget()")
        page.wait_for_function(shows, arg=stub, **patience)
        assert solved.inner_text() == ""


# What it cannot reach


@contextmanager
def listening():
    """A server that lets every site in, and a list of what it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Type", "text/javascript")
            self.end_headers()

        do_POST = do_OPTIONS = do_HEAD = do_GET

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


#: Ways out of a worker to an address A, as JavaScript.
OUT = """
fetch(A)
new XMLHttpRequest().open("GET", A)
new WebSocket(A.replace("http", "ws"))
new EventSource(A)
importScripts(A)
import(A)
new Worker(A)
navigator.sendBeacon(A, "")
navigator.storage.getDirectory()
indexedDB.open("kept")
caches.open("kept")
localStorage.setItem("kept", "1")
new BroadcastChannel("kept").postMessage("heard")
new FontFace("F", `url(${A})`).load()
Function("return this")().fetch(A)
Function("a", "return import(a)")(A)
import(`data:text/javascript,import "${A}"`)
import(URL.createObjectURL(new Blob([`import "${A}"`], { type: "text/javascript" })))
Object.getPrototypeOf(Object.getPrototypeOf(self)).fetch.call(self, A)
Object.getPrototypeOf(Object.getPrototypeOf(self)).importScripts.call(self, A)
(delete self.fetch, fetch(A))
(delete self.importScripts, importScripts(A))
""".strip().splitlines()
#: The same for Python, each a statement.
OUT_OF_PYTHON = """
__import__("js").fetch({url!r} + "py/fetch")
__import__("js").XMLHttpRequest.new().open("GET", {url!r} + "py/xhr", False)
__import__("pyodide.http").http.open_url({url!r} + "py/open_url")
kept.append(__import__("pyodide.http").http.pyfetch({url!r} + "py/pyfetch").send(None))
__import__("pyodide.code").code.run_js("fetch(" + repr({url!r}) + "+ 'py/js')")
__import__("urllib.request").request.urlopen({url!r} + "py/urllib")
__import__("socket").create_connection(("127.0.0.1", {port}), 1)
""".strip().splitlines()
TRY_ALL = """
kept = []
for number, way in enumerate({ways!r}):
    try:
        exec(way)
    except BaseException:
        pass
print(number + 1, "ways")
"""
NO_NETWORK = ["Content Security Policy", "net::ERR", "Failed to", "Uncaught"]
NO_NETWORK += ["there is no network here", "A network error occurred"]
NO_NETWORK += ["Pyodide has suffered a fatal error", "The cause of the fatal error"]


def in_worker(page, ways, given):
    """Try ways in JavaScript where the page's Python runs, closer to it than a reader can get."""
    (worker,) = page.workers
    for way in ways:
        worker.evaluate(f"(A) => {{ try {{ {way} }} catch {{}} }}", given)


def test_reader_code_reaches_neither_network_nor_storage(watch, open_page):
    watch.expected += NO_NETWORK
    with listening() as (url, asked):
        watch.allowed += [url, url.replace("http", "ws")]
        page = open_page(CHAPTER)
        page.evaluate("(url) => fetch(url + 'control')", url)  # this server does count
        page.evaluate("""() => {
            localStorage.setItem("own", "1");
            window.heard = [];
            new BroadcastChannel("kept").onmessage = ({ data }) => heard.push(data);
        }""")
        before = page.evaluate("JSON.stringify(localStorage)")
        ways = [way.format(url=url, port=url[:-1].rsplit(":")[-1]) for way in OUT_OF_PYTHON]
        tried = run(page, TRY_ALL.format(ways=ways))
        assert tried == {"printed": f"{len(ways)} ways\n"}
        script = f"fetch('{url}py/ctypes')".encode()
        source = f"import ctypes; ctypes.pythonapi.emscripten_run_script({script!r})"
        assert "Evaluating a string as JavaScript violates" in run(page, source)
        run(page, "1")
        in_worker(page, OUT, url + "js")
        page.wait_for_timeout(500)
        assert asked == ["/control"]
        assert page.evaluate("JSON.stringify(localStorage)") == before
        assert page.evaluate("indexedDB.databases()") == [] == page.evaluate("caches.keys()")
        assert page.evaluate("heard") == []
        assert run(page, "1 + 1")["value"] == "2"


# Who says that an answer is right

#: Ways to speak in the name of the machine, where A is what it would say of a right answer.
SPEAK = """
postMessage(A[0])
for (const message of A) postMessage(message)
for (const message of A) self.postMessage(message)
for (const m of A) DedicatedWorkerGlobalScope.prototype.postMessage.call(self, m)
for (const m of A) dispatchEvent(new MessageEvent("message", { data: m }))
onmessage = ({ data }) => { for (const m of A) postMessage({ ...m, id: data.id }) }
addEventListener("message", ({ ports }) => ports[0].postMessage(A[0]))
close = () => {}
JSON.stringify = JSON.parse = () => A[0].result
Error.prepareStackTrace = (_, sites) => { for (const s of sites) s.getFunction()?.(A[0]) }
Object.defineProperty(Object.prototype, "result", { get: () => A[0].result, set() {} })
Object.defineProperty(Array.prototype, "0", { get: () => A[0], set() {} })
Promise.prototype.then = new Proxy(Promise.prototype.then, { apply: () => Promise.resolve(A[0]) })
for (const name of ["call", "apply", "bind"]) {\
 const own = Function.prototype[name];\
 Function.prototype[name] = function (...given) {\
 given[0]?.postMessage?.(A[0]); return Reflect.apply(own, this, given) } }
const own = Reflect.apply; Reflect.apply = (f, self, given) => {\
 if (f === MessagePort.prototype.postMessage) given = [{ ...given[0], ...A[0] }];\
 return own(f, self, given) }
const own = MessagePort.prototype.postMessage;\
 MessagePort.prototype.postMessage = function ({ id }) { own.call(this, { ...A[0], id }) }
const own = MessagePort.prototype.postMessage;\
 const { get } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");\
 Object.defineProperty(MessageEvent.prototype, "data", { get() {\
 const data = get.call(this);\
 for (const m of A) this.target?.postMessage({ ...m, id: data.id });\
 return data } })
""".strip().splitlines()
#: What a reader may write below an answer that is wrong; CHECK is the line that checks it, `reply`
#: one that says that all is right, and `messages` what the machine would say of it.
PRETEND = """
CHECK
reply
check = lambda *given: reply; CHECK
def check(*given): return reply; CHECK
import attnlib.exercises as e; e.check = lambda *g: reply; from attnlib.exercises import *; CHECK
import attnlib.exercises.engine.checking as c; c.examine = c.check = lambda *a, **b: reply; CHECK
import in_page.cells as c; c.check = c.told = lambda *given: reply; CHECK
from attnlib.exercises import Reply; Reply.passed = property(lambda self: True); CHECK
import numpy as np; np.allclose = np.array_equal = lambda *a, **b: True; CHECK
import builtins; builtins.all = builtins.any = lambda *a: True; CHECK
import js; [js.postMessage(m) for m in messages]; CHECK
import js; js.self.onmessage = lambda event: [js.postMessage(m) for m in messages]; CHECK
import js; js.eval(f"for (const m of {messages}) postMessage(m)"); CHECK
import pyodide_js; pyodide_js._module.callPyObject = lambda *a: messages[0]["result"]; CHECK
from pyodide.code import run_js; run_js(f"for (const m of {messages}) postMessage(m)"); CHECK
from ctypes import pythonapi; pythonapi.emscripten_run_script(b"postMessage(" + text + b")"); CHECK
import gc; [m(messages) for m in gc.get_objects() if type(m).__name__ == "JsProxy"]; CHECK
"""


def messages():
    reply = {"status": "passed", "heading": "Passed.", "message": "", "notes": []}
    result = json.dumps({"printed": "", "reply": reply, "passed": True})
    return [{"id": id, "result": result, "turn": 1} for id in range(100)]


def is_solved(page):
    cell = exercise(page)
    return page.evaluate("AttentionProgress.isSolved", NAME) or (
        cell.locator(".code-solved").inner_text() != ""
    )


def test_no_message_of_other_code_is_heard(watch, open_page):
    watch.expected += NO_NETWORK
    page = open_page(CHAPTER)
    exercise(page).get_by_role("textbox").fill(WRONG)
    for way in SPEAK:
        run(page, "1")
        in_worker(page, [way], messages())
        press(exercise(page), "Check")
        assert not is_solved(page), way
        assert "Passed." not in "".join(said(exercise(page))), way
        page.evaluate("AttentionPython.renew()")


def test_an_answer_is_solved_where_the_books_own_check_says_so(watch, open_page):
    watch.expected += NO_NETWORK
    page = open_page(CHAPTER)
    cell = exercise(page)
    answer, line = WRONG.split("\n\n\n")
    given = (
        "from attnlib.exercises import Reply\n"
        f"reply, messages = Reply('passed', 'So there.'), {messages()!r}\n"
        f"text = {json.dumps(messages()[0])!r}.encode()\n"
    )
    for way in PRETEND.strip().splitlines():
        source = f"{given}{answer}\n" + way.replace("; ", "\n").replace("CHECK", line)
        cell.get_by_role("textbox").fill(source)
        press(cell, "Check")
        assert not is_solved(page), way
        assert "Passed." not in "".join(said(cell)), way
    cell.get_by_role("textbox").fill(f"def check(*given):\n    return 0\n\n\n{RIGHT}")
    press(cell, "Check")
    assert is_solved(page)


@pytest.mark.parametrize(
    ("source", "reply"),
    [
        (f"def f(Q, K, W):\n    return Q @ K.T\n\n    check({NAME!r}, f)", "NOT_RUN"),
        (f"def f(Q, K, W):\n    return Q @ K.T\n\n\nif 0:\n    check({NAME!r}, f)", "NOT_RUN"),
        ("def f(Q, K, W):\n    return Q @ K.T", "MISSING"),
        (f"def f(Q, K, W):\n    return Q @ K.T\n\n\n# check({NAME!r}, f)", "MISSING"),
        ("x = 1\n", "MISSING"),
        (
            f"def bilinear_scores(Q, K, W):\n    return Q @ K.T\n\n\nreply = check({NAME!r}, f)",
            None,
        ),
    ],
)
def test_a_reply_says_that_nothing_was_checked(source, reply):
    """The same in any Python; what the page shows of it is tested elsewhere."""
    line = f'check("{NAME}", bilinear_scores)'
    stub = f"def bilinear_scores(Q, K, W):\n    ...\n\n\n{line}"
    earlier = ["from attnlib.exercises import check"]
    if reply is None:
        source = source.replace(", f)", ", bilinear_scores)")
        result = cells.run(earlier, source, asked=line)
        assert result["reply"]["status"] == "wrong" and not result["passed"]
        assert cells.run(earlier, stub, asked=line)["reply"]["status"] == "not attempted"
        return
    result = cells.run(earlier, source, asked=line)
    assert result["reply"]["heading"] == "Nothing was checked." and not result["passed"]
    words = getattr(cells, reply).format(line=line, name="bilinear_scores")
    assert result["reply"]["message"] == words and "at the left margin" in words


def test_a_check_inside_the_answer_checks_nothing_in_the_page_either():
    line = f'check("{NAME}", bilinear_scores)'
    source = f"def bilinear_scores(Q, K, W):\n    {line}\n    return Q @ W @ K.T\n\n\n{line}"
    result = cells.run(["from attnlib.exercises import check"], source, asked=line)
    assert "calls the checker itself, so nothing was checked" in result["reply"]["message"]


def test_a_module_that_was_deleted_spoils_no_later_cell(monkeypatch):
    cells.keep()
    monkeypatch.delitem(sys.modules, "attnlib.masks.items")
    assert cells.run([], "1 + 1")["value"] == "2"


# What does not end

LATE = "It was still running after 0.3 seconds."
DEAF = """
while True:
    try:
        while True:
            pass
    except BaseException:
        continue
"""
#: A cell, its seconds, and a piece of what is said of it.
ENDED_BY_PYTHON = [
    ("while True: pass", 0.3, LATE),
    (DEAF, 0.3, LATE),
    ("sum(1 for _ in iter(int, 1))", 0.3, LATE),
    (
        "from attnlib.exercises import examine, find\n"
        f"examine(find({NAME!r}), lambda *args: exec({DEAF!r}), time_limit=0.3)",
        20,
        "bilinear_scores was still running after 0.3 seconds",
    ),
    (
        "def f(f): return f(f)\nf(f)",
        20,
        "RecursionError: maximum recursion depth exceeded (line 1).",
    ),
    ("import sys\nsys.exit()", 20, "SystemExit (line 2)."),
    ("input('x?')", 20, "Nothing can be typed in here."),
    ("print('x' * 10_000_000)", 20, "and 9980001 characters more"),
    ("[0] * 2**29", 20, "MemoryError (line 1)."),
    ("import numpy as np\nnp.ones(10**9)", 20, "array is too big"),
]
#: What takes Python with it: the next check has a new one.
ENDED_BY_THE_PAGE = [
    ("import numpy as np\nnp.linalg.svd(np.ones((3000, 3000)))", 1, "No reply came in 1 seconds"),
    ("import os\nos._exit(1)", 60, "Python ended: Program terminated with exit(1)."),
    (
        "x = []\nfor _ in range(10**5): x = [x]\nx",
        60,
        "Python ended: Maximum call stack size exceeded.",
    ),
]


def test_whatever_does_not_end_is_ended_with_a_word(python):
    for source, limit, piece in ENDED_BY_PYTHON:
        result = run(python, source, limit)
        assert piece in json.dumps(result), (source, result)
        assert len(json.dumps(result)) < 25_000
        assert run(python, "1 + 1")["value"] == "2", source
    for source, patience, piece in ENDED_BY_THE_PAGE:
        assert piece in run(python, source, 20, patience), source
        assert run(python, "1 + 1")["value"] == "2", source


def test_stop_ends_a_start_and_a_run_by_keyboard(open_page):
    page = open_page(CHAPTER)
    cell = exercise(page)
    cell.get_by_role("textbox").fill("while True: pass")
    check, stop = (cell.get_by_role("button", name=name) for name in ("Check", "Stop"))
    page.route("**/python/numpy.js", lambda route: hold.append(route))
    hold = []
    for wait in ("Loading Python", "Running"):
        check.press("Enter")
        page.wait_for_function(
            "(w) => document.querySelector('.code-bar .code-state').textContent.startsWith(w)"
            " && document.activeElement.textContent === 'Stop'",
            arg=wait,
            timeout=SLOW,
        )
        page.keyboard.press("Enter")
        come_back(cell)
        assert said(cell) == ["No reply. You stopped it."]
        assert check.evaluate("(e) => e === document.activeElement") and stop.is_hidden()
        for route in hold:
            route.continue_()
        hold.clear()
        page.unroute_all()
    cell.get_by_role("textbox").fill(WRONG)
    press(cell, "Check")
    assert said(cell) == words(natively(WRONG))


# What is typed and returned is text


def test_nothing_that_is_typed_or_returned_is_markup(open_page):
    page = open_page(CHAPTER)
    cell = page.locator(".tag_runs-here").nth(1)
    press(cell, "Change and run", wait=False)
    field = cell.get_by_role("textbox")
    of_class = "class A:\n    def __repr__(self): return {m!r}\n    _repr_html_ = __repr__\n"
    f = f"def f(Q, K, W):\n    {MARKUP!r}\n    {{body}}\nf.__name__ = f.__qualname__ = {MARKUP!r}\n"
    f += f"check({NAME!r}, f)"
    sources = [
        of_class.format(m=MARKUP) + "A()",
        of_class.format(m=MARKUP) + "print(A())",
        f"raise ValueError({MARKUP!r})",
        f"1 + # {MARKUP}",
        f.format(body=f"raise ValueError({MARKUP!r})"),
        f.format(body=f"return {MARKUP!r}"),
        f.format(body=f"return type({MARKUP!r}, (), {{}})()"),
        f"check({MARKUP!r}, 1)",
        f"from attnlib.exercises import Reply\nm = {MARKUP!r}\nReply('wrong', m, m, (m, m), m, m)",
    ]
    for source in sources:
        field.fill(source)
        press(cell, "Run")
        assert MARKUP in cell.locator(".cell_output").inner_text(), source
    page.evaluate(
        """([name, words]) => localStorage.setItem("attention-answers", JSON.stringify({
          code: { [name]: { text: words, time: 1 } },
          replaced: { [words]: { text: words, time: 1 } },
          solved: { [words]: 1 },
        }))""",
        [NAME, MARKUP],
    )
    page.reload()
    assert exercise(page).get_by_role("textbox").input_value() == MARKUP
    page.goto(page.url.replace(CHAPTER, "book/review.html"))
    assert MARKUP in page.locator("#practice-review").text_content()
    assert page.locator("img[src=x]").count() == 0 and not page.evaluate("window.wasRun")


def test_code_in_a_reply_is_code_and_long_lines_stay_in_its_box(open_page):
    page = open_page(CHAPTER, width=360)
    cell = exercise(page)
    field, output = cell.get_by_role("textbox"), cell.locator(".cell_output")
    f = "def f(Q, K, W):\n    {body}\n\n\ncheck(" + repr(NAME) + ", f)"
    long = "x" * 500
    sources = {
        f.format(body="raise ValueError('one `<b>` more')"): ["<b>"],
        f.format(body="return Q").replace("\ncheck", "\n    check"): ["check"],
        "x = 1": ["bilinear_scores"],
        f.format(body=f"raise ValueError({long!r})"): [],
        f.format(body=f"return {long!r}"): [],
        f.format(body=f"return [{long!r}, '`{long}`']"): [],
        f"raise ValueError({long!r})": [],
        f"{long} = 0\n{long}.{long}": [],
        f"print({long!r})\n{long!r}": [],
        f"def {long}(Q, K, W):\n    return Q.T\n\n\ncheck({NAME!r}, {long})": [],
    }
    for source, code in sources.items():
        field.fill(source)
        press(cell, "Check")
        shown = output.locator("p code").all_text_contents()
        assert {*code} <= {*shown}, (source, shown)
        for part in output.locator(".attn-reply, .attn-reply :is(p, pre)").all():
            assert part.evaluate("(e) => e.scrollWidth <= e.clientWidth"), source
        assert overflow(page) <= 0, source


# How it is used


def test_editor_and_hints_by_keyboard(open_page):
    page = open_page(CHAPTER)
    cell = exercise(page)
    field = cell.get_by_role("textbox", name="Your code, 3.1 A bilinear score")
    keys, stub = page.keyboard, field.input_value()
    field.fill("")
    field.focus()

    def type(*pressed):
        for key in pressed:
            keys.press(key)
        return field.input_value()

    keys.type("for q in Q:  # each")
    type("Enter")
    keys.type("if q:")
    assert type("Enter", "a") == "for q in Q:  # each\n    if q:\n        a"
    assert type("Enter", "Backspace", "b") == "for q in Q:  # each\n    if q:\n        a\n    b"
    three = "x\ny\n\nz"
    field.fill(three)
    assert type("ControlOrMeta+A", "Tab") == "    x\n    y\n\n    z"
    assert type("Tab", "Shift+Tab", "Shift+Tab") == three
    assert type("ControlOrMeta+Z") == "    x\n    y\n\n    z"
    assert type("ControlOrMeta+Z", "ControlOrMeta+Z", "ControlOrMeta+Z") == three
    field.fill("def f(Q):\n    if Q:\n        return Q[\n            0]")
    assert type("Enter").endswith("0]\n            ")
    for line in ("pass", "return Q @ (K.T)", "return"):
        field.fill(f"def f(Q):\n    {line}")
        assert type("Enter").endswith(f"    {line}\n")
    field.fill("  x")
    assert type("Home", "ArrowRight", "Tab") == "    x"[:1] + "   " + " x"
    assert type("End", "Tab") == "     x  " and type("Shift+Tab") == " x  "

    field.fill(stub)
    type("Escape", "Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    type("Shift+Tab", "Shift+Enter")
    come_back(cell)
    assert said(cell)[0].startswith("Not attempted yet.") and field.input_value() == stub

    section = page.locator("section:has(> .tag_exercise)").first
    hints = section.locator("> details")
    for i in range(3):
        assert [hint.is_visible() for hint in hints.all()] == [n <= i for n in range(3)]
        hints.nth(i).locator("summary").press("Enter")
        hints.nth(i).locator("p >> nth=1").or_(hints.nth(i).locator("> p")).first.wait_for()
    solution = section.locator(".tag_solution")
    assert not solution.is_visible()
    ask = cell.locator(".code-bar button", has_text="olution")
    ask.press("Enter")
    assert ask.inner_text() == "Show the solution before you have tried?"
    assert not solution.is_visible()
    # Whoever writes over all of it is answered, too.
    field.fill(WRONG.split("\n\n\ncheck(")[0].replace("def f(", "def bilinear_scores("))
    press(cell, "Check")
    assert said(cell)[0] == words(natively(WRONG))[0] and ask.inner_text() == "Solution"
    ask.press("Enter")
    assert "Q @ W @ K.T" in solution.inner_text() and ask.count() == 0
    assert violations(page) == []
    assert page.evaluate("document.activeElement.matches('.tag_solution summary')")


def test_cell_of_a_lesson_is_changed_run_and_put_back(open_page):
    page = open_page(LESSON, width=360, dark=True)
    lesson = page.locator(".tag_runs-here:not(.tag_hide-output)")
    texts = lesson.all_inner_texts()
    first, below = (
        lesson.nth(next(i for i, text in enumerate(texts) if piece in text))
        for piece in ("two_queries()", "W.sum(axis=1)")
    )
    shown = {cell: cell.inner_text() for cell in (first, below)}
    recorded = said(below)
    for cell in (first, below):
        press(cell, "Change and run", wait=False)
        assert cell.get_by_role("textbox").evaluate("(e) => e === document.activeElement")
    press(below, "Run")
    assert said(below) == recorded
    field = first.get_by_role("textbox")
    source = field.input_value()
    field.fill(source + "\nK = K[9]")
    press(first, "Run")
    assert any("IndexError: index 9 is out of" in s and "(line 4)." in s for s in said(first))
    press(below, "Run")
    assert "a cell above" in said(below)[0]
    assert violations(page) == []
    field.fill(source + "\nK = 0 * K")
    press(first, "Run")
    press(below, "Run")
    assert "columns [0.667 0.667 0.667]" in said(below)[0]
    for cell in (first, below):
        press(cell, "As it was", wait=False)
        assert cell.inner_text() == shown[cell]
        assert cell.get_by_role("button", name="Change and run").evaluate(
            "(e) => e === document.activeElement"
        )
    drawn = page.locator(".tag_notebook-only:has(img)").first
    words = "This cell draws a figure. It runs in the notebook."
    assert words in drawn.locator(".cell_input").text_content()
    assert drawn.get_by_role("button", name="Change and run").count() == 0


@pytest.mark.parametrize("width", [1280, 360])
def test_buttons_hide_no_code_and_suit_fingers(open_page, width):
    is_phone = width == 360
    page = open_page(LESSON, width=width, has_touch=is_phone, is_mobile=is_phone)
    lines = """
        (button) => {
          const box = button.getBoundingClientRect();
          const range = document.createRange();
          range.selectNodeContents(button.parentElement.querySelector("pre"));
          const isOver = (r) => r.right > box.left && r.left < box.right
            && r.bottom > box.top + 0.5 && r.top < box.bottom - 0.5;
          return [box.height, [...range.getClientRects()].filter(isOver).length];
        }
    """
    buttons = page.locator(".tag_runs-here .change:visible, .cell .copy:visible").all()
    assert len(buttons) > 10
    for button in buttons:
        height, over = button.evaluate(lines)
        assert height >= (44 if is_phone else 24) and over == 0
    bar = exercise(page).locator(".code-bar button:visible")
    assert bar.count() == 3
    assert all(b.bounding_box()["height"] >= (44 if is_phone else 24) for b in bar.all())


# What is missing


def test_without_webassembly_the_page_says_so(watch, site):
    watch.allowed.append(site.as_uri())
    page = watch.page()
    page.add_init_script("delete window.WebAssembly")
    page.goto(f"{site.as_uri()}/{CHAPTER}")
    assert page.get_by_text("This browser cannot run Python in the page.").count() == 1
    page.get_by_text("The notebook does all of it.").click()
    assert page.url.endswith("/book/run.html#in-jupyterlab")
    page.go_back()
    assert page.locator("textarea").count() == 0
    assert page.locator(".tag_solution summary").first.is_visible()
    page.get_by_role("button", name="Check").first.click()
    assert page.locator(".attn-question").first.is_visible()


def test_what_cannot_be_loaded_is_said_and_tried_again(watch, open_page):
    watch.expected.append("ERR_FAILED")
    page = open_page(CHAPTER)
    page.route("**/python/numpy.js", lambda route: route.abort())
    cell = exercise(page)
    press(cell, "Check")
    assert said(cell) == [
        "No reply. A part of Python cannot be read: numpy.js.",
        "Try again, or work in the notebook.",
    ]
    assert (
        cell.get_by_role("link", name="notebook")
        .get_attribute("href")
        .endswith("run.html#in-jupyterlab")
    )
    page.unroute_all()
    press(cell, "Check")
    assert said(cell)[0].startswith("Not attempted yet.")


# What was compiled is its source, and the page stays smooth

COMPARE = """
import base64, json, marshal, site, zipfile

library, packages = zipfile.ZipFile("/lib/python312.zip"), site.getsitepackages()[0]
for name, text in json.loads({batch!r}):
    of_numpy = name.startswith("numpy")
    packed = open(f"{{packages}}/{{name}}c", "rb").read() if of_numpy else library.read(name + "c")
    here = compile(
        base64.b64decode(text), name, "exec", dont_inherit=True, optimize=0 if of_numpy else 2
    )
    print(name if marshal.loads(packed[16:]) == here else "differs: " + name)
"""


def test_what_was_compiled_is_its_source(python):
    sources = machine.library_sources() | machine.numpy_sources()
    python_files = {name: text for name, text in sources.items() if name.endswith(".py")}
    assert len(python_files) > 300
    packed = machine.compiled(sources)
    assert not {name for name in packed if name.endswith(".py")}
    assert {f"{name}c" for name in python_files} <= packed.keys()
    batch = json.dumps([[n, base64.b64encode(t).decode()] for n, t in python_files.items()])
    result = run(python, COMPARE.format(batch=batch), 60)
    assert result["printed"].split("\n")[:-1] == [*python_files]


def test_page_stays_smooth_while_python_works(python):
    gaps = """
        async (given) => {
          const found = [];
          let last = performance.now(), goes = true;
          const look = (now) => {
            found.push(now - last);
            last = now;
            if (goes) requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
          if (given) await AttentionPython.call("cells.run", given);
          else await new Promise((done) => setTimeout(done, 500));
          goes = false;
          return Math.max(...found.slice(1));
        }
    """
    work = "import time\nend = time.time() + 0.5\nwhile time.time() < end: pass\n'x' * 20_000"
    at_rest, at_work = [], []
    for _ in range(5):
        at_rest.append(python.evaluate(gaps, None))
        at_work.append(python.evaluate(gaps, [[], work, 20]))
    assert median(at_work) <= median(at_rest) + 50
