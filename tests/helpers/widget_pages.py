"""Small pages that hold widgets in any state, made as the site makes them; a reader's gestures."""

import re
from pathlib import Path
from urllib.parse import quote

import attention_book
import pytest
from attention_book import live
from traitlets import TraitError

from attnlib.widgets.shared import modules

HOST = Path(attention_book.__file__).parents[2] / "_assets" / "live.js"
STILL = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'
COARSE = {"has_touch": True, "is_mobile": True, "width": 390, "height": 844}


def bundle(widget):
    """What the widget stores in a notebook, with a picture that takes no time to draw."""
    if isinstance(widget, dict):
        return widget
    return {live.STATE: widget.stored(), "image/svg+xml": STILL}


def whole(svg, words):
    """A picture as HTML that holds all of it."""
    return f'<img loading="lazy" alt="{words}" src="data:image/svg+xml,{quote(svg)}">'


def widget_page_text(widgets, scripts=(), prose=""):
    """A page with these widgets, alive as in the site, in the figures ``fig-1``, ``fig-2``, ….

    `scripts` are texts run after the widgets' own; `prose` is HTML above the widgets.
    """
    bundles = [bundle(widget) for widget in widgets]
    places = [
        f'<figure id="fig-{number}">{live.place(data, whole)}</figure>'
        for number, data in enumerate(bundles, 1)
    ]
    names = sorted({data[live.STATE]["script"] for data in bundles})
    code = [HOST.read_text(encoding="utf-8"), modules.shared_script()]
    code += [text for n in names for text in modules.later_scripts(n).values()]
    code += [modules.site_script(n) for n in names if (modules.HERE / n).exists()]
    scripts_text = "\n".join(f"<script>{text}</script>" for text in [*code, *scripts])
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Widgets</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<style>{attention_book.colours()}{modules.shared_stylesheet()}"
        "body { margin: 1rem; max-width: 40rem; background: var(--page) } figure { margin: 0 }"
        f"</style></head><body><main><h1>Widgets</h1>{prose}{''.join(places)}</main>{scripts_text}"
        "</body></html>"
    )


def numbers(text):
    """All numbers in a text as a reader sees it, with true minus signs.

    >>> numbers("[−0.50, 2]")
    [-0.5, 2.0]
    """
    return [float(result) for result in re.findall(r"-?\d+(?:\.\d+)?", text.replace("−", "-"))]


def handle(scope, name):
    """A slider or a movable point, by its label."""
    return scope.get_by_role("slider", name=name, exact=True)


def point(scope, name):
    """Where a movable point is, as a reader hears it."""
    return numbers(handle(scope, name).get_attribute("aria-valuetext"))


def centre(locator):
    """Where in the window the middle of an element is."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def frame(page):
    """Let the page draw what the last gesture changed."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")


def drag(page, start, end, steps=6):
    """Press, move and release the mouse."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=steps)
    page.mouse.up()


def swipe(page, start, end, steps=8):
    """The same with a finger."""
    client = page.context.new_cdp_session(page)

    def send(kind, *points):
        touch = [{"x": x, "y": y} for x, y in points]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touch})

    send("touchStart", start)
    for step in range(1, steps + 1):
        send("touchMove", tuple(a + (b - a) * step / steps for a, b in zip(start, end)))
    send("touchEnd")


def state(page, cls):
    """The state of the page's first widget, in the page."""
    return page.evaluate(
        "(names) => { const [model] = AttentionBook.models.values();"
        "return Object.fromEntries(names.map((name) => [name, model.get(name)])); }",
        cls.state_names(),
    )


def perform(page, move):
    """Make a declared move by keyboard in the page's first widget, its traits set beforehand."""
    page.evaluate(
        "(before) => { const [model] = AttentionBook.models.values();"
        "for (const [name, value] of Object.entries(before)) model.set(name, value); }",
        move.before,
    )
    frame(page)
    control = page.get_by_role(move.role, name=move.name, exact=True)
    if move.role == "textbox":
        control.fill(move.key)
        control.press("Enter")
    else:
        control.press(move.key)
    check = page.get_by_role("button", name="Check")
    if check.count() and move.role != "button":
        check.press("Enter")
    frame(page)


def refused(cls, words, **wrong):
    """Assert that a wrong trait is refused with these words, and that the state is kept."""
    (trait,) = wrong
    needed = {name: cls.samples[0][name] for name in cls.class_traits(required=True)}
    widget = cls(**needed)
    before = widget.state()
    with pytest.raises(TraitError, match=re.escape(words)):
        cls(**needed | wrong)
    with pytest.raises(TraitError, match=re.escape(words)):
        setattr(widget, trait, wrong[trait])
    assert widget.state() == before
