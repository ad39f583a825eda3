"""Scores, weights, Jacobians: what is refused, the same numbers in the page, what is drawn."""

import re

import numpy as np
import pytest
from traitlets import TraitError

from attnlib import normalizers
from attnlib.widgets import NormalizerLab
from attnlib.widgets.normalizer_lab.normalizer_lab import NORMALIZERS
from tests.helpers.widget_pages import refused

EXACT = {"rtol": 1e-9, "atol": 1e-9}
browser = pytest.mark.browser


def entries_of(jacobian):
    """What is written in the table: a plain 0 only where nothing moves at all."""
    return ["0" if x == 0 else f"{x:z.3f}".replace("-", "−") for x in jacobian.ravel()]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("two to six scores, got 1", "scores", [1]),
        ("two to six scores, got 7", "scores", [0] * 7),
        ("between -4 and 6", "scores", [7, 0, 0, 0]),
        ("between -4 and 6", "scores", [0, 0, -4.1, 0]),
        ("not finite", "scores", [0, 0, float("nan"), 0]),
        ("normalizer", "normalizer", "argmax"),
        ("temperature", "temperature", 0),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(NormalizerLab, words, **{trait: value})


def test_the_number_of_scores_stays():
    lab = NormalizerLab()
    with pytest.raises(TraitError, match="has 4 scores, got 3: make a new one"):
        lab.scores = [1, 2, 3]
    assert lab.scores == [2.1, -0.5, 3.8, 0.2]


@pytest.mark.parametrize("temperature", [0.3, 1, 4])
def test_sparsemax_weights_lie_above_the_threshold(temperature):
    lab = NormalizerLab(scores=[1.2, 0.9, 0.2, -1], temperature=temperature)
    above = np.maximum(np.array(lab.scores) - lab.threshold, 0) / temperature
    np.testing.assert_allclose(lab.weights["sparsemax"], above, atol=1e-12)


@pytest.mark.parametrize("name", NORMALIZERS)
def test_the_jacobian_is_what_a_nudge_shows(name):
    lab = NormalizerLab(scores=[1.2, 0.9, 0.2], normalizer=name, temperature=0.8)
    nudges = 1e-6 * np.eye(3)
    twin, scores = getattr(normalizers, name), np.array(lab.scores)
    ends = [twin(scores + sign * nudges, temperature=0.8) for sign in (1, -1)]
    np.testing.assert_allclose(lab.jacobian, (ends[0] - ends[1]).T / 2e-6, atol=1e-6)


@pytest.mark.parametrize("name", NORMALIZERS)
def test_the_picture_says_what_the_widget_says(name):
    lab = NormalizerLab(scores=[1.2, 0.9, 0.2, -1], normalizer=name)
    written = re.findall(r"<!-- (.*?) -->", lab.picture()["image/svg+xml"])
    names, places, title = lab.words["names"], "₁₂₃₄", f"Jacobian of {lab.words['names'][name]}"
    wanted = ["Scores"]
    for kind, weights in lab.weights.items():
        wanted += [*(f"{w:.2f}" for w in weights), names[kind]]
    wanted += [f"{axis}{place}" for axis in "sw" for place in places]
    wanted += [*entries_of(lab.jacobian), title]
    assert written[written.index("Scores") :] == wanted
    assert "s₁ = 1.2" in written[: written.index("Scores")]
    assert f"{title}, its diagonal" in lab.announcement()


@browser
def test_the_javascript_computes_the_same_jacobians(javascript):
    script = javascript("normalizer_lab/jacobians.js")
    rng = np.random.default_rng(5)
    for name in NORMALIZERS:
        for temperature in (0.1, 1, 3.7):
            rows = [rng.uniform(-4, 6, size=n) for n in (2, 3, 6)] + [np.zeros(4)]
            tables = script(*[("jacobian", name, row, temperature) for row in rows])
            for row, J in zip(rows, tables):
                lab = NormalizerLab(scores=row.tolist(), normalizer=name, temperature=temperature)
                np.testing.assert_allclose(J, lab.jacobian, **EXACT)


def bars(path):
    """The heights of the bars in one path ``M x base V top h width V base``."""
    return [float(base) - float(top) for base, top in re.findall(r" (\S+)V(\S+)h", path)]


@browser
@pytest.mark.parametrize("name", NORMALIZERS)
def test_the_panels_show_what_attnlib_says(show, name):
    model = NormalizerLab(scores=[1.2, 0.9, 0.2, -1], normalizer=name, temperature=0.7)
    page = show(model)
    drawn = page.locator(".attn-lab-bars").all()
    for path, (kind, weights) in zip(drawn, model.weights.items(), strict=True):
        assert np.array(bars(path.get_attribute("d"))) / 36 == pytest.approx(weights, abs=1e-3)
        assert (path.get_attribute("data-chosen") is not None) == (kind == name)
    entries = [e.inner_html() for e in page.locator(".attn-jacobian-number").all()]
    assert entries == entries_of(model.jacobian)
    tints = [e.get_attribute("class").split("-")[-1] for e in page.locator(".attn-jacobian").all()]
    assert tints == ["key" if x < 0 else "query" for x in model.jacobian.ravel()]
    cut = page.locator(".attn-cut")
    assert (cut.get_attribute("visibility") is None) == (name == "sparsemax")
    if name == "sparsemax":
        zero = float(page.locator(".attn-axis").first.get_attribute("x1"))
        end = float(page.locator(".attn-knob").first.get_attribute("cx"))
        one = (end - zero) / model.scores[0]
        assert float(cut.get_attribute("x1")) == pytest.approx(zero + one * model.threshold)
