"""Random queries and keys: what is refused, the same draws in the page, charts that show them."""

import re

import numpy as np
import pytest

from attnlib import softmax
from attnlib.widgets import ScalingLab
from attnlib.widgets.scaling_lab import scaling_lab
from attnlib.widgets.scaling_lab.scaling_lab import LARGEST, N_K, N_Q, SCALES
from tests.helpers.widget_pages import refused

EXACT = {"rtol": 1e-9, "atol": 1e-9}
browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("power of two from 1 to 512, got 3", "dimension", 3),
        ("power of two", "dimension", 1024),
        ("power of two", "dimension", 0),
        ("scale", "scale", "root"),
        ("distribution", "distribution", "cauchy"),
        ("correlation", "correlation", 1.1),
        ("seed", "seed", -1),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(ScalingLab, words, **{trait: value})


def test_it_shows_what_it_is_about():
    lab = ScalingLab(dimension=256)
    spread = lab.scores.std()
    lab.scale = "sqrt"
    assert spread == pytest.approx(16, rel=0.15) and lab.scores.std() == pytest.approx(spread / 16)
    unscaled, scaled, by_d = ([*np.quantile(lab.slopes(s), [0.1, 0.5, 0.9])] for s in SCALES)
    assert unscaled[2] > 1000 * unscaled[0] and scaled[2] < 1.5 * scaled[0]
    assert by_d[1] == pytest.approx(scaled[1] / 16, rel=0.3)
    lab.correlation = 1
    assert np.diag(lab.scores[:16]).mean() == pytest.approx(16, rel=0.1)


def test_the_derivative_agrees_with_a_nudge():
    lab = ScalingLab(dimension=8, scale="sqrt")
    (Q, K), c = lab.pairs, SCALES["sqrt"](8)
    nudges = 1e-6 * np.eye(8)[:, None]
    moved = softmax(c * (Q + nudges) @ K.T) - softmax(c * (Q - nudges) @ K.T)
    sizes = np.sqrt((moved**2).sum(axis=(0, 2))) / 2e-6
    np.testing.assert_allclose(lab.slopes("sqrt"), sizes, rtol=1e-6)


@pytest.mark.parametrize("scale", ["none", "linear"])
def test_the_picture_says_what_the_widget_says(scale):
    lab = ScalingLab(dimension=64, scale=scale, correlation=0.5)
    written = " ".join(re.findall(r"<!-- (.*?) -->", lab.picture()["image/svg+xml"]))
    largest = np.sort(lab.weights, axis=1)[:, -1].mean()
    for name, number in {
        "mean": f"{lab.scores.mean():.2f}",
        "standard deviation": f"{lab.scores.std():.2f}",
        "largest": f"{largest:.3f}",
        "own key": f"{lab.own_weight:.3f}",
        "median": f"{np.median(lab.slopes(scale)):.3f}",
    }.items():
        told = f"{name} {number}".replace("-", "−")
        assert told in written and told in lab.announcement()
    assert all(name in written for name in ("1/√d", "1/d"))


@browser
@pytest.mark.parametrize("seed", [0, 1, 7, 123456789, 2**31 - 1])
def test_random_numbers_are_the_same_in_the_page(javascript, seed):
    sampling = javascript("scaling_lab/sampling.js")
    assert sampling(("uniforms", seed, 500)) == [scaling_lab.uniforms(seed, 500).tolist()]
    for kind in ("normal", "uniform", "sign"):
        (values,) = sampling(("draws", kind, seed, 301))
        np.testing.assert_allclose(values, scaling_lab.draws(kind, seed, 301), **EXACT)


@browser
@pytest.mark.parametrize(
    ("distribution", "correlation"), [("normal", 0.35), ("uniform", 1), ("sign", 0)]
)
def test_scores_and_summary_agree_with_the_page(javascript, distribution, correlation):
    sampling = javascript("scaling_lab/sampling.js")
    lab = ScalingLab(distribution=distribution, correlation=correlation, seed=5)
    settings = {"distribution": distribution, "seed": 5, "nQ": N_Q, "nK": N_K, "largest": LARGEST}
    drawn = dict(sampling(("randomProducts", settings))[0])
    assert list(drawn) == [2**power for power in range(10)]
    tables = sampling(*[("correlated", pair, correlation) for pair in drawn.values()])
    for d, raw in zip(drawn, tables):
        lab.dimension, lab.scale = d, "none"
        np.testing.assert_allclose(raw, lab.scores, **EXACT)
        for scale, factor in SCALES.items():
            lab.scale = scale
            calls = ("summarize", raw, factor(d)), ("slopes", raw, drawn[d]["squared"], factor(d))
            summary, slopes = sampling(*calls)
            expected = {"mean": lab.scores.mean(), "std": lab.scores.std(), "own": lab.own_weight}
            expected["sorted"] = (-np.sort(-lab.weights, axis=1)).mean(axis=0)
            for name, value in expected.items():
                np.testing.assert_allclose(summary[name], value, **EXACT)
            np.testing.assert_allclose(slopes, lab.slopes(scale), **EXACT)


def heights(path):
    """Height of each bar, in the picture's units, of one path ``M x base V top h width V base``."""
    bars = re.findall(r"M\S+ ([\d.]+)V([\d.]+)h", path)
    return np.array([float(base) - float(top) for base, top in bars])


@browser
@pytest.mark.parametrize("state", [{"dimension": 4}, {"dimension": 256, "scale": "sqrt"}], ids=str)
def test_the_charts_show_what_attnlib_says(show, state):
    model = ScalingLab(**state)
    page = show(model)

    def picture(name):
        return page.get_by_role("img", name=name)

    spread = heights(picture("Histogram").locator(".attn-stem").get_attribute("d"))
    edges = [-np.inf, *range(-39, 40), np.inf]
    counts = np.histogram(model.scores, edges)[0]
    assert spread / 114 == pytest.approx(counts / counts.max(), abs=1e-3)

    ranked = -np.sort(-model.weights, axis=1)
    drawn = heights(picture("Mean weights").locator(".attn-stem").get_attribute("d"))
    assert drawn / 114 == pytest.approx(ranked.mean(axis=0), abs=1e-3)

    derivative = picture("derivative")
    for column, name in zip(derivative.locator(".attn-dots").all(), SCALES):
        tops = re.findall(r"M\S+ ([\d.]+)h0", column.get_attribute("d"))
        drawn = (124 - np.array(tops, float)) / 114 * 5.2 - 4
        assert drawn == pytest.approx(np.maximum(np.log10(model.slopes(name)), -4), abs=1e-3)
        assert (column.get_attribute("data-chosen") is not None) == (name == model.scale)
