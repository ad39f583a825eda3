"""Weights of a signal: what is refused, what follows, and that the picture is what it says."""

import math
import re

import numpy as np
import pytest
from traitlets import TraitError

from attnlib import examples, figures
from attnlib.widgets import SignalWeights
from attnlib.widgets.signal_weights.signal_weights import similarity_weights, window_weights
from tests.helpers.widget_pages import frame, handle, numbers, point, refused

browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("moment", "moment", -1),
        ("moment must be below", "moment", 10_000),
        ("mode", "mode", "fix"),
        ("reach", "reach", 13),
        ("bandwidth", "bandwidth", 0),
        ("needs 4 to 120 elements, got 2", "signal", [1, 2]),
        ("not finite", "signal", [1, 2, 3, math.nan]),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(SignalWeights, words, **{trait: value})


def test_a_signal_needs_a_truth_of_equal_length():
    with pytest.raises(TraitError, match="as many clean elements as noisy ones"):
        SignalWeights(signal=[0, 0, 1, 1], clean=[0, 0, 1, 1, 1], moment=0)
    widget = SignalWeights()
    before = widget.state()
    for trait in ("signal", "clean"):
        with pytest.raises(TraitError):
            setattr(widget, trait, [0, 0, 1, 1, 1])
    with pytest.raises(TraitError):
        widget.weights = [1, 0, 0]
    assert widget.state() == before and len(widget.weights) == len(widget.signal)


def test_it_follows_and_can_be_observed():
    widget, seen = SignalWeights(), []
    widget.observe(lambda change: seen.append(change.new), "output")
    widget.moment, widget.mode, widget.bandwidth = 30, "adaptive", 0.5
    assert len(seen) == 3 and seen[-1] == widget.output
    assert widget.weights.sum() == pytest.approx(1) and widget.weights.argmax() == 30
    assert widget.filtered()[30] == pytest.approx(widget.output)
    assert widget.signal == examples.noisy_edge().noisy.tolist()


def stretches(widget):
    """Errors before, at and after the edge of the default signal, which lies at 23.5."""
    off = widget.filtered() - np.array(widget.clean)
    return [np.sqrt((off[s] ** 2).mean()) for s in (slice(20), slice(20, 28), slice(28, None))]


@pytest.mark.parametrize("mode", ["fixed", "adaptive"])
def test_the_picture_says_what_the_widget_says(mode):
    widget = SignalWeights(moment=7, mode=mode, bandwidth=0.5)
    np.testing.assert_allclose(widget.errors(), stretches(widget))
    before, near, after = widget.errors()
    sentence = f"reading {widget.signal[7]:.2f}, output {widget.output:.2f}, truth 0.00. "
    sentence += f"Error before the edge {before:.3f}, at it {near:.3f}, after it {after:.3f}."
    assert sentence.replace("-", "−") in widget.announcement()
    written = re.findall(r"<!-- (.*?) -->", widget.picture()["image/svg+xml"])
    assert widget.announcement() in " ".join(written)
    ax = figures.filtered_signal(widget.signal, widget.filtered(), weights=widget.weights, moment=7)
    ink = ax.collections[1].get_sizes()
    np.testing.assert_allclose(ink / ink.sum(), widget.weights)


def test_a_stretch_without_elements_has_no_error():
    widget = SignalWeights(signal=[0, 0, 1, 1], clean=[0, 0, 1, 1], moment=1)
    assert [math.isnan(x) for x in widget.errors()] == [True, False, True]
    assert "before the edge –, at it 0" in widget.announcement()


@browser
def test_the_javascript_computes_the_same_weights(javascript):
    filters = javascript("signal_weights/filters.js")
    rng = np.random.default_rng(4)
    for n in (4, 9, 60):
        signal = rng.normal(size=n)
        for moment in (0, n // 2, n - 1):
            for reach, bandwidth in [(0, 0.05), (3, 0.25), (12, 2.0)]:
                window, similar = filters(
                    ("windowWeights", n, moment, reach),
                    ("similarityWeights", signal, moment, bandwidth),
                )
                np.testing.assert_allclose(window, window_weights(n, moment, reach), 1e-9, 1e-9)
                expected = similarity_weights(signal, moment, bandwidth)
                np.testing.assert_allclose(similar, expected, 1e-9, 1e-9)


@browser
def test_the_moment_is_clicked_and_stepped(show):
    page = show(SignalWeights(moment=10))
    handle(page, "Moment").press("ArrowRight")
    handle(page, "Moment").press("Shift+ArrowRight")
    frame(page)
    assert point(page, "Moment")[0] == 16
    picture = page.get_by_role("group", name="The signal, its weights and the filtered signal")
    box, n = picture.bounding_box(), len(SignalWeights().signal)
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 60)
    frame(page)
    assert point(page, "Moment")[0] > 0.8 * n


@browser
def test_only_the_chosen_kinds_slider_is_visible(show):
    page = show(SignalWeights())
    sliders = [page.get_by_role("slider", name=name) for name in ("Reach", "Bandwidth")]
    assert [slider.is_visible() for slider in sliders] == [True, False]
    page.get_by_role("radio", name="fixed").press("ArrowRight")
    frame(page)
    assert [slider.is_visible() for slider in sliders] == [False, True]


@browser
@pytest.mark.parametrize("mode", ["fixed", "adaptive"])
def test_weights_and_output_are_drawn(show, mode):
    model = SignalWeights(moment=20, mode=mode, reach=4, bandwidth=0.5)
    page = show(model)
    bars, discs = (page.locator(kind).get_attribute("d") for kind in (".attn-stem", ".attn-disc"))
    drawn = np.array([float(base) - float(top) for base, top in re.findall(r" (\S+)V(\S+)h", bars)])
    assert drawn / drawn.sum() == pytest.approx(model.weights, abs=2e-4)
    radii = np.array([float(r) for r in re.findall(r"a(\S+) \S+ 0 1 0\d", discs)])
    assert radii**2 / (radii**2).sum() == pytest.approx(model.weights, abs=2e-4)
    path = page.locator(".attn-output").get_attribute("d")
    x, top = map(float, re.match(r"M(\S+) ([^l\s]+)l", path).groups())
    filtered, truth = (
        np.reshape(numbers(page.locator(line).get_attribute("d")), (-1, 2))
        for line in (".attn-filtered", ".attn-truth")
    )
    assert [x, top + 8] == pytest.approx(filtered[20], abs=0.01)
    # The scale of the picture, from the truth, whose values are known.
    slope, offset = np.polyfit(model.clean, truth[:, 1], 1)
    assert offset + slope * model.filtered() == pytest.approx(filtered[:, 1], abs=0.05)
