"""The widgets under mouse, keyboard, finger and typing, in a real browser without a kernel."""

import re

import numpy as np
import pytest
from ipywidgets import jsdlink, jslink
from widget_pages import bundle, frame, handle, numbers, pixel, point, weights, worked_rows

from attnlib import attend, dot, widgets

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=alert(1)>"
APART = {"K": [[2, 0], [-2, 0], [0, -2]], "V": [[10, 0], [0, 10], [10, 10]], "query": [0, 1.5]}
PLANE = "Query and keys"
COARSE = {"has_touch": True, "is_mobile": True, "width": 390, "height": 844}


def lab(name, **state):
    """One widget of each kind, in a state that the tests know."""
    makers = {
        "plane": lambda: widgets.QueryPlane(**state),
        "signal": lambda: widgets.SignalWeights(**state),
        "scaling": lambda: widgets.ScalingLab(**state),
        "quiz": lambda: widgets.Quiz(question="Which axis?", options=options("keys", "queries")),
        "number": lambda: widgets.NumberQuestion(
            question="Two plus two?",
            answer=4,
            tolerance=0.1,
            why="Yes, four.",
            hint="Count.",
            mistakes=[{"value": 22, "reply": "Add."}, {"value": -4, "reply": "Mind the sign."}],
        ),
    }
    return makers[name]()


KINDS = ["plane", "signal", "scaling", "quiz", "number"]


def options(right, *wrong):
    texts = [right, *wrong]
    return [{"text": t, "correct": t == right, "why": f"Because of {t}."} for t in texts]


def drag(page, start, end, steps=6):
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=steps)
    page.mouse.up()


def expected_weights(query, K=((1, 0), (0.5, 0.5), (-1, -1))):
    return attend(np.array([query]), np.array(K, float), np.zeros((len(K), 1)), score=dot)[1][0]


# Mouse


def test_the_query_is_dragged(show):
    page = show(lab("plane"))
    drag(page, pixel(page, PLANE, "Query", (1, 1)), pixel(page, PLANE, "Query", (-1, -1)))
    frame(page)
    assert point(page, "Query") == pytest.approx([-1, -1], abs=0.03)
    assert weights(page) == pytest.approx(expected_weights(point(page, "Query")), abs=1e-3)
    assert weights(page)[2] > 0.9


@pytest.mark.parametrize(
    ("plane", "name", "old"),
    [
        (PLANE, "Key 1", (2, 0)),
        (PLANE, "Key 3", (0, -2)),
        ("Values and output", "Value 2", (0, 10)),
    ],
)
def test_keys_and_values_are_dragged(show, plane, name, old):
    page = show(lab("plane", **APART))
    before = worked_rows(page)
    drag(page, pixel(page, plane, name, old), pixel(page, plane, name, (1.5, 1)))
    frame(page)
    assert point(page, name) == pytest.approx([1.5, 1], abs=0.08)
    assert worked_rows(page) != before


def test_a_point_stays_in_its_picture(show):
    page = show(lab("plane"))
    drag(page, pixel(page, PLANE, "Query", (1, 1)), (1270, 3))
    frame(page)
    assert point(page, "Query") == [2.5, 2.5]


def test_the_right_button_moves_nothing(show):
    page = show(lab("plane"))
    page.mouse.move(*pixel(page, PLANE, "Query", (1, 1)))
    page.mouse.down(button="right")
    page.mouse.move(400, 400)
    page.mouse.up(button="right")
    frame(page)
    assert point(page, "Query") == [1, 1]


def test_the_moment_is_dragged_and_clicked(show):
    page = show(lab("signal", moment=10))
    picture = page.get_by_role("group", name="The signal, its weights and the filtered signal")
    box = picture.bounding_box()
    knob = centre(handle(page, "Moment").locator("circle").last)
    drag(page, knob, (box["x"] + box["width"] / 2, 300))
    frame(page)
    n = len(widgets.SignalWeights().signal)
    assert point(page, "Moment")[0] == pytest.approx((n - 1) / 2, abs=1)
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 60)
    frame(page)
    moment = int(point(page, "Moment")[0])
    assert moment > 0.8 * n
    expected = widgets.SignalWeights(moment=moment)
    said = numbers(page.get_by_text(f"At {moment}: signal").first.inner_text())
    assert said[1:3] == pytest.approx([expected.signal[moment], expected.output], abs=0.006)


def centre(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# Keyboard

TABBABLE = """
    () => {
      const all = document.querySelectorAll("input, button, a[href], [tabindex='0']");
      const shown = [...all].filter((e) => e.checkVisibility({ visibilityProperty: true }));
      const groups = Map.groupBy(shown, (e) => (e.type === "radio" ? e.name : null));
      return shown.filter((e) => e.type !== "radio" || e ===
        (groups.get(e.name).find((x) => x.checked) ?? groups.get(e.name)[0])).length;
    }
"""


@pytest.mark.parametrize("kind", KINDS)
def test_tab_reaches_every_control(show, kind):
    page = show(lab(kind))
    wanted = page.evaluate(TABBABLE)
    seen = 0
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        inside = "document.activeElement !== document.body && !document.activeElement.dataset.seen"
        if not page.evaluate(inside):
            break
        page.evaluate("document.activeElement.dataset.seen = 'yes'")
        shown = "getComputedStyle(document.activeElement.querySelector('.attn-hit') ?? "
        shown += "document.activeElement.nextElementSibling ?? document.activeElement).length"
        assert page.evaluate(shown)
        seen += 1
    assert seen == wanted > 0


@pytest.mark.parametrize(
    ("key", "moved"),
    [
        ("ArrowRight", (0.1, 0)),
        ("ArrowLeft", (-0.1, 0)),
        ("ArrowUp", (0, 0.1)),
        ("ArrowDown", (0, -0.1)),
        ("Shift+ArrowLeft", (-0.5, 0)),
        ("Shift+ArrowUp", (0, 0.5)),
    ],
)
def test_arrow_keys_move_the_query(show, key, moved):
    page = show(lab("plane"))
    handle(page, "Query").press(key)
    frame(page)
    query = [1 + moved[0], 1 + moved[1]]
    assert point(page, "Query") == pytest.approx(query)
    assert weights(page) == pytest.approx(expected_weights(query), abs=6e-4)


def test_arrow_keys_stop_at_the_edge_and_leave_the_page_alone(show):
    page = show(lab("plane"), height=300)
    for _ in range(5):
        handle(page, "Key 1").press("Shift+ArrowDown")
    top = page.evaluate("scrollY")
    for _ in range(3):
        handle(page, "Key 1").press("Shift+ArrowDown")
    frame(page)
    assert point(page, "Key 1") == [1, -2.5] and page.evaluate("scrollY") == top


def test_arrow_keys_move_the_moment(show):
    page = show(lab("signal", moment=10))
    handle(page, "Moment").press("ArrowRight")
    handle(page, "Moment").press("Shift+ArrowRight")
    frame(page)
    assert point(page, "Moment")[0] == 16


def test_temperature_and_normaliser_by_keyboard(show):
    page = show(lab("plane"))
    temperature = page.get_by_role("slider", name="Temperature")
    temperature.press("End")
    frame(page)
    assert temperature.get_attribute("aria-valuetext") == "10.00"
    assert max(weights(page)) - min(weights(page)) < 0.1
    page.get_by_role("radio", name="softmax").press("ArrowRight")
    frame(page)
    assert page.get_by_role("radio", name="sparsemax").is_checked()
    page.get_by_role("radio", name="sparsemax").press("ArrowLeft")
    page.get_by_role("radio", name="softmax").press("ArrowLeft")
    frame(page)
    assert page.get_by_role("radio", name="hardmax").is_checked()
    assert weights(page) == [1, 0, 0]


def test_signal_weights_change_their_kind(show):
    page = show(lab("signal", moment=20))
    reach, bandwidth = (
        page.get_by_role("slider", name=re.compile(name)) for name in ("Reach", "Bandwidth")
    )
    assert reach.is_visible() and not bandwidth.is_visible()
    page.get_by_role("radio", name=re.compile("fixed")).press("ArrowRight")
    frame(page)
    assert bandwidth.is_visible() and not reach.is_visible()
    bandwidth.press("ArrowRight")
    frame(page)
    # From 0.15 the slider steps along powers of ten, -0.80, -0.75, ...
    expected = widgets.SignalWeights(moment=20, mode="adaptive", bandwidth=10**-0.75)
    said = numbers(page.get_by_text("At 20: signal").first.inner_text())
    assert said[2] == pytest.approx(expected.output, abs=0.006)


def test_scaling_lab_answers_to_the_keyboard(show):
    page = show(lab("scaling"))
    for _ in range(4):
        page.get_by_role("slider", name="Components d").press("ArrowRight")
    page.get_by_role("radio", name="1/√d").check(force=True)
    page.get_by_role("slider", name="Query like its key").press("ArrowRight")
    frame(page)
    expected = widgets.ScalingLab(dimension=64, scale="sqrt", correlation=0.05)
    said = numbers(page.get_by_text("d = 64: scores have mean").first.inner_text())
    top = np.sort(expected.weights)[:, -1].mean()
    spread = [expected.scores.mean(), expected.scores.std()]
    found = [64, *spread, top, expected.own_weight, expected.gradient]
    assert said == pytest.approx(found, abs=6e-3)


# Fingers


def swipe(page, start, end, steps=8):
    client = page.context.new_cdp_session(page)

    def send(kind, at):
        points = [] if at is None else [{"x": at[0], "y": at[1]}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", start)
    for step in range(1, steps + 1):
        send("touchMove", [a + (b - a) * step / steps for a, b in zip(start, end)])
    send("touchEnd", None)


def test_a_finger_moves_the_query_and_not_the_page(show):
    page = show(lab("plane"), **COARSE)
    swipe(page, pixel(page, PLANE, "Query", (1, 1)), pixel(page, PLANE, "Query", (-1, -1)))
    frame(page)
    assert point(page, "Query") == pytest.approx([-1, -1], abs=0.1)
    assert page.evaluate("scrollY") == 0


def test_a_finger_moves_the_moment(show):
    page = show(lab("signal", moment=10), **COARSE)
    start = centre(handle(page, "Moment").locator("circle").last)
    swipe(page, start, (start[0] + 120, start[1]))
    frame(page)
    assert point(page, "Moment")[0] > 20


def test_a_finger_beside_the_points_scrolls(show):
    page = show(lab("plane"), lab("plane"), **COARSE)
    x, y = pixel(page.locator("[data-model]").first, PLANE, "Query", (-2, -2))
    swipe(page, (x, y), (x, y - 300))
    page.wait_for_function("scrollY > 100")
    assert point(page.locator("[data-model]").first, "Query") == [1, 1]


GRASP = """
    (element, size) => {
      const hit = element.querySelector("circle:last-of-type").getBoundingClientRect();
      const [x, y] = [hit.x + hit.width / 2, hit.y + hit.height / 2];
      const away = size / 2 - 0.5;
      return [[away, 0], [-away, 0], [0, away], [0, -away]].filter(([dx, dy]) =>
        document.elementFromPoint(x + dx, y + dy)?.closest("[role=slider]") !== element).length;
    }
"""


@pytest.mark.parametrize(
    ("size", "screen"),
    [(24, {"width": w}) for w in (1280, 560, 360)]
    + [(44, COARSE), (44, COARSE | {"width": 600}), (44, COARSE | {"width": 360})],
    ids=lambda value: str(value if isinstance(value, int) else value["width"]),
)
@pytest.mark.parametrize("kind", ["plane", "signal"])
def test_points_are_large_enough_to_grasp(show, kind, size, screen):
    page = show(lab(kind, **(APART if kind == "plane" else {"moment": 30})), **screen)
    points = page.locator("svg [role=slider]").all()
    assert points
    for found in points:
        found.scroll_into_view_if_needed()
        assert found.evaluate(GRASP, size) == 0, found.get_attribute("aria-label")


@pytest.mark.parametrize("screen", [{"width": 1280}, {"width": 360}, COARSE])
@pytest.mark.parametrize("kind", KINDS)
def test_other_controls_are_large_enough(show, kind, screen):
    page = show(lab(kind), **screen)
    for control in page.locator("input:visible, button:visible").all():
        around = control.locator("xpath=ancestor-or-self::label | self::*").first
        box = around.bounding_box()
        assert min(box["width"], box["height"]) >= 24, control.evaluate("(e) => e.outerHTML")


# Typing


@pytest.mark.parametrize(
    ("typed", "value"),
    [("1.5", 1.5), ("1,5", 1.5), ("−2", -2), ("-0.25", -0.25), (" .5 ", 0.5), ("25e-1", 2.5)],
)
def test_a_number_can_be_typed(show, typed, value):
    page = show(lab("plane"))
    page.get_by_role("textbox", name="Query, x").fill(typed)
    page.keyboard.press("Enter")
    frame(page)
    assert point(page, "Query") == [value, 1]
    assert weights(page) == pytest.approx(expected_weights([value, 1]), abs=6e-4)


@pytest.mark.parametrize("typed", ["abc", "1e9", "", "1.2.3", "--1", "Infinity", "0x1", MARKUP])
def test_what_is_no_number_is_said_and_nothing_is_lost(show, typed):
    page = show(lab("plane"))
    field = page.get_by_role("textbox", name="Query, x")
    field.fill(typed)
    field.press("Enter")
    frame(page)
    message = page.get_by_role("alert").inner_text()
    assert "Query, x" in message and "−2.5" in message and "2.5" in message
    assert field.input_value() == typed and field.get_attribute("aria-invalid") == "true"
    assert point(page, "Query") == [1, 1] and "NaN" not in page.locator("main").inner_text()
    page.get_by_role("textbox", name="Query, y").fill("2")
    page.keyboard.press("Enter")
    frame(page)
    assert point(page, "Query") == [1, 2]
    assert field.input_value() == typed, "what stands in the other field is lost"
    field.press("Escape")
    assert field.input_value() == "1" and field.get_attribute("aria-invalid") is None
    assert page.get_by_role("alert").inner_text() == ""


def test_leaving_a_field_takes_it_over(show):
    page = show(lab("plane"))
    page.get_by_role("textbox", name="Value 3, y").fill("12")
    page.keyboard.press("Tab")
    frame(page)
    assert point(page, "Value 3") == [5, 12]


def test_arrow_keys_nudge_a_number(show):
    page = show(lab("plane"))
    field = page.get_by_role("textbox", name="Key 2, y")
    for key in ("ArrowUp", "Shift+ArrowUp", "ArrowDown", "ArrowUp"):
        field.press(key)
    frame(page)
    assert point(page, "Key 2") == [0.5, 1.6] and field.input_value() == "1.6"


# Questions


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("4", "Right. Yes, four."),
        ("3,95", "Right. Yes, four."),
        ("22", "Add."),
        ("−4", "Mind the sign."),
        ("7", "Count."),
        ("four", "Type a number"),
        ("", "Type a number"),
        (MARKUP, "Type a number"),
    ],
)
def test_number_question_answers_back(show, typed, reply):
    page = show(lab("number"))
    field = page.get_by_role("textbox", name="Two plus two?")
    field.fill(typed)
    field.press("Enter")
    assert reply in page.get_by_role("status").inner_text()
    assert field.input_value() == typed
    field.fill("4")
    page.get_by_role("button", name="Check").click()
    assert page.get_by_role("status").inner_text() == "Right. Yes, four."


def test_quiz_explains_every_choice(show):
    page = show(lab("quiz"))
    check, said = page.get_by_role("button", name="Check"), page.get_by_role("status")
    check.click()
    assert said.inner_text() == "Choose an answer first."
    page.get_by_role("radio", name="queries").check()
    check.click()
    assert "Not yet" in said.inner_text()
    assert page.get_by_text("Because of queries.").is_visible()
    assert not page.get_by_text("Because of keys.").is_visible()
    page.get_by_role("radio", name="queries").press("ArrowUp")
    assert not page.get_by_text("Because of queries.").is_visible()
    check.press("Enter")
    assert said.inner_text() == "Right." and page.get_by_text("Because of keys.").is_visible()


def test_quiz_with_several_right_answers(show):
    answers = options("one", "two", "three")
    answers[1]["correct"] = True
    page = show(widgets.Quiz(question="Which?", options=answers))
    check, said = page.get_by_role("button", name="Check"), page.get_by_role("status")
    page.get_by_role("checkbox", name="one").check()
    check.click()
    assert "not all" in said.inner_text()
    page.get_by_role("checkbox", name="two").check()
    check.click()
    assert said.inner_text() == "Right."
    page.get_by_role("checkbox", name="three").check()
    check.click()
    assert "Not yet" in said.inner_text()


def test_text_is_never_markup(show):
    text = MARKUP + "</script><script>alert(2)</script>"
    presets = [{"label": text, "query": [0, 0]}]
    page = show(
        widgets.QueryPlane(title=text, task=f"`{text}`", presets=presets),
        widgets.Quiz(title=text, question=text, options=options(text, text + "!")),
        widgets.NumberQuestion(question=text, answer=1, why=text, hint=text),
    )
    assert page.locator("[data-alive]").count() == 3
    page.get_by_role("textbox").last.fill("9")
    page.keyboard.press("Enter")
    assert page.locator("main img").count() == 0
    assert page.get_by_text(text).count() >= 6


# Presets, live region, names


def test_presets_and_reset(show):
    presets = [
        {"label": "away", "query": [-1, -1]},
        {"label": "hard", "normalizer": "hardmax", "temperature": 0.1},
    ]
    page = show(lab("plane", presets=presets))
    start = worked_rows(page)
    page.get_by_role("button", name="away").click()
    page.get_by_role("button", name="hard").click()
    frame(page)
    assert point(page, "Query") == [-1, -1] and weights(page) == [0, 0, 1]
    assert page.get_by_role("radio", name="hardmax").is_checked()
    assert page.get_by_role("slider", name="Temperature").get_attribute("aria-valuetext") == "0.10"
    page.get_by_role("button", name="Reset").click()
    frame(page)
    assert worked_rows(page) == start and page.get_by_role("radio", name="softmax").is_checked()


@pytest.mark.parametrize("kind", ["signal", "scaling"])
def test_reset_takes_back_what_was_moved(show, kind):
    page = show(lab(kind))
    page.wait_for_function("document.querySelector('[aria-live]').textContent !== ''")
    before = page.locator("main").inner_text()
    for slider in page.get_by_role("slider").all():
        slider.press("ArrowRight")
    for radio in page.get_by_role("radio").all():
        radio.check(force=True)
    frame(page)
    assert page.locator("main").inner_text() != before
    page.get_by_role("button", name="Reset").click()
    frame(page)
    page.wait_for_function(
        "(text) => document.querySelector('main').innerText === text", arg=before
    )


def test_the_new_numbers_are_spoken_once_they_rest(show):
    page = show(lab("plane"))
    live = page.locator("[aria-live=polite]")
    heard = []
    page.expose_function("heard", lambda text: heard.append(text))
    live.evaluate(
        "(e) => new MutationObserver(() => heard(e.textContent)).observe(e, { childList: true })"
    )
    for _ in range(5):
        handle(page, "Query").press("ArrowRight")
    wanted = expected_weights([1.5, 1])
    page.wait_for_function(
        "(text) => document.querySelector('[aria-live]').textContent.includes(text)",
        arg=f"{wanted[0]:.3f}",
    )
    assert len(heard) <= 2, heard
    assert "Output" in live.inner_text()


INTERACTIVE = {"slider", "textbox", "button", "radio", "checkbox", "link", "searchbox", "group"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_control_has_a_name(show, kind):
    page = show(lab(kind))
    client = page.context.new_cdp_session(page)
    tree = client.send("Accessibility.getFullAXTree")["nodes"]
    nodes = [n for n in tree if not n["ignored"] and n["role"]["value"] in INTERACTIVE]
    assert len(nodes) > 1
    nameless = [n for n in nodes if not n.get("name", {}).get("value", "").strip()]
    assert not [n for n in nameless if n["role"]["value"] != "group"], nameless


# Several places, links, failures


def test_two_places_of_one_model_stay_in_step(show):
    plane = bundle(lab("plane"))
    page = show(plane, plane)
    first, second = page.locator("[data-model]").all()
    handle(first, "Query").press("ArrowRight")
    second.get_by_role("textbox", name="Query, y").fill("2")
    page.keyboard.press("Enter")
    frame(page)
    assert point(first, "Query") == point(second, "Query") == [1.1, 2]
    assert weights(first) == weights(second)
    second.get_by_role("button", name="Reset").click()
    frame(page)
    assert point(first, "Query") == [1, 1]


def temperatures(page):
    found = page.get_by_role("slider", name="Temperature").all()
    return [float(slider.get_attribute("aria-valuetext")) for slider in found]


def test_jslink_holds_both_ways(show):
    a, b, other = lab("plane"), lab("plane"), lab("plane")
    link = jslink((a, "temperature"), (b, "temperature"))
    page = show(a, b, other)
    link.unlink()
    sliders = page.get_by_role("slider", name="Temperature").all()
    sliders[0].press("End")
    frame(page)
    assert temperatures(page) == [10, 10, 1]
    sliders[1].press("Home")
    frame(page)
    assert temperatures(page) == [0.1, 0.1, 1]


def test_jsdlink_holds_one_way(show):
    a, b = lab("plane"), lab("plane")
    link = jsdlink((a, "temperature"), (b, "temperature"))
    page = show(a, b)
    link.unlink()
    sliders = page.get_by_role("slider", name="Temperature").all()
    sliders[1].press("Home")
    frame(page)
    assert temperatures(page) == [1, 0.1]
    sliders[0].press("End")
    frame(page)
    assert temperatures(page) == [10, 10]


def broken(script):
    found = bundle(lab("plane"))
    key = "application/vnd.attnlib.widget+json"
    return found | {key: found[key] | {"script": script, "model": "Broken-1"}}


@pytest.mark.parametrize(
    "code",
    [
        'AttentionBook.define("bad", () => ({ render() { throw new Error("no luck"); } }));',
        'AttentionBook.define("bad", () => { throw new Error("no luck"); });',
    ],
    ids=["render", "script"],
)
def test_a_broken_widget_says_one_line_and_the_others_live(show, watch, code):
    watch.expected.append("no luck")
    page = show(lab("plane"), broken("bad"), lab("quiz"), scripts=[code])
    places = page.locator("[data-model]").all()
    assert [p.get_attribute("data-alive") is not None for p in places] == [True, False, True]
    assert places[1].get_by_role("alert").inner_text().count("no luck") == 1
    assert places[1].locator("img").is_visible()
    handle(page, "Query").press("ArrowRight")
    frame(page)
    assert point(page, "Query") == [1.1, 1]
