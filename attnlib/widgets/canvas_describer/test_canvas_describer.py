"""The describer's widget: what is refused, and that the page computes what attnlib does."""

import numpy as np
import pytest

from attnlib.data import held_out
from attnlib.networks import Describer
from attnlib.widgets import CanvasDescriber
from attnlib.widgets.canvas_describer.canvas_describer import FIRST
from attnlib.widgets.shared.digits import images
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [("left", "left", 10), ("right", "right", -2), ("left_column", "left_column", 5),
     ("source", "source", "both"), ("first", "first", "·"), ("step", "step", 0)],
)  # fmt: skip
def test_what_is_wrong_is_refused(words, trait, value):
    refused(CanvasDescriber, words, **{trait: value})


def test_its_digits_are_held_out_ones():
    for digit in range(10):
        made = held_out([digit], [0], rows=(0,))
        np.testing.assert_array_equal(images()[digit], made.pixels[:8, :8])


@pytest.mark.parametrize("source", ["own", "keys", "values"])
def test_it_shows_what_the_describer_writes(source):
    widget = CanvasDescriber(left=3, right=8, source=source)
    own, other = (c.pixels for c in widget.canvases)
    of_keys, of_values = (other if source == what else own for what in ("keys", "values"))
    for first, question in FIRST.items():
        widget.first = first
        said, weights = Describer.trained()(of_keys, of_values, question=question)
        assert widget.said == said and np.array_equal(widget.weights, weights)


@browser
@pytest.mark.parametrize("source", ["own", "keys", "values"])
def test_the_page_describes_as_attnlib_does(show, source):
    page = show(CanvasDescriber(source=source))
    for key in ("Home", "ArrowRight", "PageUp", "End"):
        for label in ("Left digit", "Other right digit", "Left column"):
            page.get_by_role("slider", name=label, exact=True).press(key)
            frame(page)
            widget = CanvasDescriber(**state(page, CanvasDescriber))
            shown = page.locator(".attn-see-word").all_inner_texts()
            assert [word for word in shown if word] == widget.said
            said = numbers(page.locator(".attn-see-now").inner_text())
            assert said[-1] == pytest.approx(widget.numbers()["weight"], abs=0.005)
