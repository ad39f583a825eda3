"""The patch viewer: what is refused, that its digits are the data's, the same in the page."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.data.digits import patches, split_digits
from attnlib.networks.vision import VisionTransformer
from attnlib.widgets import PatchViewer
from attnlib.widgets.patch_viewer.patch_viewer import MEAN, PICTURES, stroke
from tests.helpers.widget_pages import COARSE, drag, frame, refused, state, swipe

browser = pytest.mark.browser
PAPER = [0] * 64
#: Ordinary strokes: the corners of each, in pixels from the upper left.
STROKES = {
    0: [[(4, 1), (2, 2.5), (2, 5.5), (4, 7), (6, 5.5), (6, 2.5), (4, 1)]],
    1: [[(2.5, 2), (4, 1), (4, 7.5)]],
    2: [[(2.5, 2), (4, 1), (5.5, 2), (4.5, 4.5), (2.5, 7), (6, 7)]],
    3: [[(2.5, 1), (5.5, 1), (4, 3.5), (5.5, 5.5), (4, 7), (2, 6.5)]],
    4: [[(4, 1), (2, 4.5), (6, 4.5)], [(4.5, 3), (4.5, 7.5)]],
    7: [[(2, 1), (5.5, 1), (3.5, 7.5)], [(2.5, 4), (5.5, 4)]],
}


@pytest.mark.parametrize(
    ("trait", "value"),
    [("digit", 10), ("digit", -1), ("covered", 17), ("covered", -1), ("press", "paint"),
     ("drawn", [0] * 63), ("drawn", [17] * 64), ("drawn", [-1] * 64), ("drawn", [0.5] * 64)],
)  # fmt: skip
def test_what_is_wrong_is_refused(trait, value):
    refused(PatchViewer, trait, **{trait: value})


def test_its_digits_are_test_digits_and_the_mean_is_that_of_the_others():
    (trained, _), (tested, wanted) = split_digits()
    for label, picture in enumerate(PICTURES):
        (k,) = np.flatnonzero((tested == picture).all(axis=(1, 2)))
        assert wanted[k] == label
    assert_allclose(MEAN, patches(trained.mean(axis=0)), atol=5e-4)


def test_it_answers_as_the_model_does():
    model = VisionTransformer.trained()
    for digit in range(10):
        viewer = PatchViewer(digit=digit)
        logits, weights = model(viewer.picture_shown)
        assert viewer.chances.argmax() == logits.argmax()
        assert_allclose(viewer.seen, weights[-1].mean(axis=(0, 1)))
        less = model(PatchViewer(digit=digit, covered=6).picture_shown)[0]
        answer = logits.argmax()
        ahead = [x[answer] - np.delete(x, answer).max() for x in (logits, less)]
        assert_allclose(viewer.effects[5], ahead[0] - ahead[1], atol=1e-9)


def made(strokes):
    """The pixels of some strokes on empty paper."""
    pixels = PAPER
    for corners in strokes:
        for start, end in pairwise(corners):
            pixels = stroke(pixels, start, end)
    return pixels


FOUR = made(STROKES[4])


def test_what_is_drawn_is_read():
    for digit, strokes in STROKES.items():
        assert PatchViewer(drawn=made(strokes)).chances.argmax() == digit


def test_a_stroke_never_makes_lighter_and_an_eraser_clears():
    stored = (16 * PatchViewer().pixels).astype(int).ravel().tolist()
    more = np.array(stroke(stored, (1.5, 2.5), (6.5, 2.5)))
    assert (more >= stored).all() and (more[17:23] == 16).all()
    assert (more[32:] == stored[32:]).all()
    less = stroke(PatchViewer(drawn=more.tolist()).drawn, (3.5, 2.5), (3.5, 2.5), erases=True)
    assert np.flatnonzero(more != less).tolist() == [19] and less[19] == 0


def test_empty_paper_gets_an_answer():
    viewer = PatchViewer(drawn=PAPER)
    assert np.isfinite(viewer.effects).all()
    assert viewer.announcement().startswith("The paper is empty, and still the answer is 1")


def at(page, *points):
    """Where points of the picture, in pixels of it, are in the window."""
    box = page.locator(".attn-patch-paper").bounding_box()
    return [(box["x"] + x * box["width"] / 8, box["y"] + y * box["height"] / 8) for x, y in points]


@browser
def test_a_mouse_draws_and_erases(show):
    page = show(PatchViewer(drawn=PAPER, press="draw"))
    ends = [(2.5, 1.5), (5.5, 6.5)]
    drag(page, *at(page, *ends), steps=3)
    drawn = state(page, PatchViewer)["drawn"]
    assert_allclose(drawn, stroke(PAPER, *ends), atol=1)
    page.mouse.move(*at(page, (6, 2))[0])
    assert state(page, PatchViewer)["drawn"] == drawn  # nothing is held any more
    page.get_by_role("radio", name="erases").press("Space")
    page.mouse.click(*at(page, (2.5, 1.5))[0])
    assert state(page, PatchViewer)["drawn"] == [*drawn[:10], 0, *drawn[11:]]
    page.mouse.click(*at(page, (5.5, 6.5))[0], button="right")
    assert state(page, PatchViewer)["drawn"][53] == drawn[53] == 16


@browser
def test_a_finger_draws_and_leaves_the_page_where_it_is(show):
    page = show(PatchViewer(drawn=PAPER, press="draw"), **COARSE)
    page.evaluate("document.body.style.paddingBlockEnd = '2000px'")
    swipe(page, *at(page, (5.5, 6.5), (2.5, 1.5)))
    frame(page)
    assert page.evaluate("scrollY") == 0
    drawn = state(page, PatchViewer)["drawn"]
    assert_allclose(drawn, stroke(PAPER, (2.5, 1.5), (5.5, 6.5)), atol=1)


@browser
def test_keys_walk_over_the_pixels_and_draw(show):
    page = show(PatchViewer())
    page.get_by_role("button", name="Empty paper").press("Enter")
    frame(page)
    page.get_by_role("button", name="row 1, column 1: ink 0").press("ArrowRight")
    for key in ("ArrowDown", "ArrowDown", "Space"):
        page.keyboard.press(key)
    assert state(page, PatchViewer)["drawn"] == stroke(PAPER, (1.5, 2.5), (1.5, 2.5))
    frame(page)
    assert page.evaluate("document.activeElement.ariaLabel") == "row 3, column 2: ink 16"
    assert page.locator(".attn-patch-pixel[tabindex='0']").count() == 1
    page.get_by_role("radio", name="erases").press("Space")
    frame(page)
    page.get_by_role("button", name="row 3, column 2: ink 16").press("Enter")
    assert sum(state(page, PatchViewer)["drawn"]) == 16  # its four neighbours


@browser
def test_a_digit_and_words_of_the_page_lead_back_to_what_is_stored(show):
    page = show(PatchViewer(drawn=PAPER, press="draw"))
    assert page.get_by_role("radio", name="7", exact=True).is_checked() is False
    page.get_by_role("radio", name="7", exact=True).press("Space")
    assert state(page, PatchViewer)["drawn"] == []
    page.get_by_role("button", name="Empty paper").press("Enter")
    page.locator(".attn-presets").evaluate(
        "(e, detail) => e.dispatchEvent(new CustomEvent('attention-set', { detail }))",
        {"digit": 3, "covered": 0},
    )
    now = state(page, PatchViewer)
    assert (now["digit"], now["drawn"], now["press"]) == (3, [], "cover")


@browser
def test_the_page_computes_what_attnlib_does(show):
    page = show(PatchViewer())
    page.add_script_tag(content="const [model] = AttentionBook.models.values();")
    for digit, covered, drawn in [(7, 0, []), (3, 7, []), (0, 16, []), (8, 1, []), (8, 6, FOUR)]:
        page.get_by_role("radio", name=str(digit), exact=True).press("Space")
        page.evaluate("(drawn) => model.set('drawn', drawn)", drawn)
        if covered:
            page.get_by_role("radio", name=f"cover patch {covered}", exact=True).press("Space")
        frame(page)
        viewer = PatchViewer(**state(page, PatchViewer))
        assert (viewer.digit, viewer.covered, viewer.drawn) == (digit, covered, drawn)
        said = [float(w) for w in page.locator(".attn-chance-value").all_inner_texts()]
        assert_allclose(said, viewer.chances, atol=0.0051)
        for name, values in (("seen", viewer.seen), ("effects", viewer.effects)):
            labels = page.locator(f".attn-patch-{name} > [role=img]").evaluate_all(
                "all => all.map((e) => e.getAttribute('aria-label'))"
            )
            shown = [float(t.split(": ")[1].replace("\N{MINUS SIGN}", "-")) for t in labels]
            assert_allclose(shown, values, atol=6e-4)
