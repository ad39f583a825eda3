"""The widgets' Python side: what they accept, what follows, and what they put into a notebook."""

import doctest
import inspect
import json
import math
import re

import numpy as np
import pytest
from attention_book import live
from html_pages import Page
from ipywidgets import jsdlink, jslink
from traitlets import TraitError
from widget_pages import bundle, widget_page_text

from attnlib import attend, dot, examples, figures, sparsemax, widgets
from attnlib.widgets import modules
from attnlib.widgets.base import STATE_MIME, BookWidget

OPTIONS = [
    {"text": "yes", "correct": True, "why": "It is."},
    {"text": "no", "correct": False, "why": "It is not."},
]
MAKERS = {
    "QueryPlane": widgets.QueryPlane,
    "SignalWeights": widgets.SignalWeights,
    "ScalingLab": widgets.ScalingLab,
    "Quiz": lambda **given: widgets.Quiz(**{"question": "So?", "options": OPTIONS} | given),
    "NumberQuestion": lambda **given: widgets.NumberQuestion(
        **{"question": "2 + 2?", "answer": 4, "tolerance": 0.1, "why": "Four.", "hint": "Count."}
        | given
    ),
}
each = pytest.mark.parametrize("name", MAKERS)


def test_every_widget_is_tested_here():
    public = {name for name, thing in vars(widgets).items() if inspect.isclass(thing)}
    assert public - {"BookWidget"} == set(MAKERS) == set(widgets.__all__) & public - {"BookWidget"}


# What is refused, and that nothing changes then


@pytest.mark.parametrize(
    ("name", "trait", "value", "words"),
    [
        ("QueryPlane", "query", [1], "query must be finite numbers of shape (2,): got shape (1,)"),
        ("QueryPlane", "query", [1, 2, 3], "got shape (3,)"),
        ("QueryPlane", "query", [[1, 2]], "got shape (1, 2)"),
        ("QueryPlane", "query", [1, math.nan], "not finite"),
        ("QueryPlane", "query", [1, math.inf], "not finite"),
        ("QueryPlane", "query", ["a", "b"], "got ['a', 'b']"),
        ("QueryPlane", "query", None, "query"),
        ("QueryPlane", "query", [1, 2.6], "between -2.5 and 2.5 (key_range)"),
        ("QueryPlane", "K", [[1, 0], [0, 1], [9, 9]], "between -2.5 and 2.5 (key_range)"),
        ("QueryPlane", "K", [[1, 0], [0, 1], [1]], "K must be finite numbers of shape (n, 2)"),
        ("QueryPlane", "V", [[1, 0], [0, 1], [1, 13]], "between -2.0 and 12.0 (value_range)"),
        ("QueryPlane", "V", [], "shape (n, 2)"),
        ("QueryPlane", "normalizer", "soft", "normalizer"),
        ("QueryPlane", "temperature", 0, "temperature"),
        ("QueryPlane", "temperature", 11, "temperature"),
        ("QueryPlane", "temperature", "hot", "temperature"),
        ("SignalWeights", "moment", -1, "moment"),
        ("SignalWeights", "moment", 10_000, "moment must be below"),
        ("SignalWeights", "mode", "fix", "mode"),
        ("SignalWeights", "reach", 13, "reach"),
        ("SignalWeights", "bandwidth", 0, "bandwidth"),
        ("SignalWeights", "signal", [1, 2], "needs 4 to 120 elements, got 2"),
        ("SignalWeights", "signal", [1, 2, 3, math.nan], "not finite"),
        ("ScalingLab", "dimension", 3, "power of two from 1 to 512, got 3"),
        ("ScalingLab", "dimension", 1024, "power of two"),
        ("ScalingLab", "dimension", 0, "power of two"),
        ("ScalingLab", "scale", "root", "scale"),
        ("ScalingLab", "distribution", "cauchy", "distribution"),
        ("ScalingLab", "correlation", 1.1, "correlation"),
        ("ScalingLab", "seed", -1, "seed"),
        ("Quiz", "options", OPTIONS[:1], "two or more"),
        ("Quiz", "options", [OPTIONS[1], OPTIONS[1]], "at least one of them correct"),
        (
            "Quiz",
            "options",
            [OPTIONS[0], {"text": "no", "correct": False}],
            "text, correct and why",
        ),
        ("Quiz", "options", [OPTIONS[0], OPTIONS[1] | {"why": ""}], "text, correct and why"),
        ("NumberQuestion", "tolerance", -1, "tolerance"),
    ],
)
def test_what_is_wrong_is_refused_and_the_state_is_kept(name, trait, value, words):
    with pytest.raises(TraitError, match=re.escape(words)):
        MAKERS[name](**{trait: value})
    widget = MAKERS[name]()
    before = json.dumps(widget.state())
    with pytest.raises(TraitError, match=re.escape(words)):
        setattr(widget, trait, value)
    assert json.dumps(widget.state()) == before


def test_as_many_keys_as_values():
    with pytest.raises(TraitError, match="got 2 keys and 3 values"):
        widgets.QueryPlane(K=[[1, 0], [0, 1]])
    seven = [[0, 0]] * 7
    with pytest.raises(TraitError, match="one to six keys"):
        widgets.QueryPlane(K=seven, V=seven)


@pytest.mark.parametrize("trait", ["K", "V"])
def test_the_number_of_keys_stays(trait):
    plane = widgets.QueryPlane()
    before = plane.state()
    with pytest.raises(TraitError, match=f"this QueryPlane has 3 {trait}, got 2: make a new one"):
        setattr(plane, trait, [[1, 0], [0, 1]])
    assert plane.state() == before


@pytest.mark.parametrize("trait", ["signal", "clean"])
def test_the_length_of_a_signal_stays(trait):
    lab = widgets.SignalWeights()
    before = lab.state()
    with pytest.raises(TraitError):
        setattr(lab, trait, [0, 0, 1, 1, 1])
    assert lab.state() == before and len(lab.weights) == len(lab.signal)


def test_a_signal_needs_its_truth():
    with pytest.raises(TraitError, match="as many clean elements as noisy ones"):
        widgets.SignalWeights(signal=[0, 0, 1, 1], clean=[0, 0, 1, 1, 1], moment=0)


@each
def test_unknown_names_are_refused(name):
    with pytest.raises(TypeError, match=f"{name} has no trait 'colour'; it has .*title"):
        MAKERS[name](colour="red")


@pytest.mark.parametrize(
    "mistakes",
    [
        [{"value": 4.15, "reply": "Near."}],
        [{"value": 8, "reply": "a"}, {"value": 8.2, "reply": "b"}],
        [{"value": 9, "reply": "a", "tolerance": 4.9}],
    ],
)
def test_mistakes_that_cannot_be_told_apart_are_refused(mistakes):
    with pytest.raises(TraitError, match="cannot tell"):
        MAKERS["NumberQuestion"](mistakes=mistakes)


def test_mistakes_take_the_tolerance_of_the_answer():
    question = MAKERS["NumberQuestion"](
        mistakes=[{"value": 8, "reply": "a"}, {"value": 9, "reply": "b", "tolerance": 0.5}]
    )
    assert [m["tolerance"] for m in question.mistakes] == [0.1, 0.5]


# What follows


def test_the_plane_follows_and_can_be_observed():
    plane, seen = widgets.QueryPlane(), []
    plane.observe(lambda change: seen.append(change.new.round(3).tolist()), "weights")
    plane.query = [-1, -1]
    plane.normalizer = "hardmax"
    assert seen == [[0.045, 0.045, 0.909], [0, 0, 1]]
    assert plane.output.tolist() == [5, 5]
    plane.normalizer, plane.temperature = "sparsemax", 0.5
    plane.K = np.array([[1, 2], [0, 1], [2, 0.5]])
    raw = np.array(plane.K) @ plane.query
    np.testing.assert_allclose(plane.scores, raw)
    np.testing.assert_allclose(plane.weights, sparsemax(raw, temperature=0.5))
    np.testing.assert_allclose(plane.output, plane.weights @ np.array(plane.V))


def test_the_plane_shows_the_worked_example():
    plane = widgets.QueryPlane()
    output, found = attend([plane.query], plane.K, plane.V, score=dot)
    np.testing.assert_allclose(plane.weights, found[0])
    assert plane.weights.round(6).tolist() == [0.487856, 0.487856, 0.024289]
    assert plane.output == pytest.approx(output[0])


def test_the_signal_follows():
    lab, seen = widgets.SignalWeights(), []
    lab.observe(lambda change: seen.append(change.new), "output")
    lab.moment, lab.mode, lab.bandwidth = 30, "adaptive", 0.5
    assert len(seen) == 3 and seen[-1] == lab.output
    assert lab.weights.sum() == pytest.approx(1) and lab.weights.argmax() == 30
    assert lab.filtered()[30] == pytest.approx(lab.output)
    assert lab.signal == examples.noisy_edge().noisy.tolist()


def test_results_are_not_to_be_set():
    for widget in (widgets.QueryPlane(), widgets.SignalWeights()):
        with pytest.raises(TraitError):
            widget.weights = [1, 0, 0]


def test_the_scaling_lab_shows_what_it_is_about():
    lab = widgets.ScalingLab(dimension=256)
    spread, gradient = lab.scores.std(), lab.gradient
    lab.scale = "sqrt"
    assert spread == pytest.approx(16, rel=0.15) and lab.scores.std() == pytest.approx(spread / 16)
    assert lab.gradient > 2 * gradient
    lab.correlation = 1
    assert np.diag(lab.raw_scores(256)[:16]).mean() == pytest.approx(256, rel=0.1)
    sizes, curves = lab.gradient_curves()
    assert curves["sqrt"][sizes.index(256)] == pytest.approx(lab.gradient)


# What a notebook gets


@each
def test_the_bundle_holds_view_state_picture_and_words(name):
    widget = MAKERS[name]()
    data = bundle(widget)
    pictures = {"image/svg+xml", "text/html"} & set(data)
    assert len(pictures) == 1
    assert set(data) == {STATE_MIME, live.VIEW, "text/plain"} | pictures
    assert data["text/plain"].startswith(f"{name}(")
    state = data[STATE_MIME]
    assert set(state) == {"widget", "script", "model", "state", "links"}
    assert state["model"].startswith(f"{name}-") and state["links"] == []
    assert len(json.dumps(state)) < 20_000


@each
def test_the_state_survives_json(name):
    widget = MAKERS[name](title="A “title” <b>")
    state = json.loads(json.dumps(widget.state()))
    again = MAKERS[name](**state)
    assert again.state() == widget.state() == state
    assert bundle(again)[STATE_MIME]["state"] == state


@each
def test_the_picture_is_the_same_twice(name):
    one, two = (MAKERS[name]().picture() for _ in range(2))
    assert one == two and len(next(iter(one.values()))) > 50


def test_the_picture_shows_the_state():
    assert widgets.QueryPlane().picture() != widgets.QueryPlane(query=[-1, -1]).picture()
    assert widgets.SignalWeights().picture() != widgets.SignalWeights(moment=3).picture()
    assert widgets.ScalingLab().picture() != widgets.ScalingLab(scale="sqrt").picture()


def test_models_have_names_of_their_own():
    names = [MAKERS[name]().model_name for name in MAKERS for _ in range(2)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("link", "both"), [(jslink, True), (jsdlink, False)])
def test_links_are_written_down(link, both):
    a, b = widgets.QueryPlane(), widgets.QueryPlane()
    made = link((a, "query"), (b, "query"))
    expected = {"source": [a.model_name, "query"], "target": [b.model_name, "query"], "both": both}
    assert a.links() == b.links() == [expected]
    assert widgets.QueryPlane().links() == []
    made.close()


EVIL = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> & \"'"


@each
def test_no_text_becomes_markup_in_the_page(name, tmp_path):
    given = {"title": EVIL, "task": EVIL}
    if name in ("Quiz", "NumberQuestion"):
        given["question"] = EVIL
    if name == "Quiz":
        given["options"] = [option | {"text": EVIL, "why": EVIL} for option in OPTIONS]
    if name == "NumberQuestion":
        given |= {"why": EVIL, "hint": EVIL}
    path = tmp_path / "page.html"
    path.write_text(widget_page_text([MAKERS[name](**given)]), encoding="utf-8")
    page = Page(path)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 3 and "onerror" not in str(page.elements)
    if "question" in given:
        assert EVIL in page.text


def test_the_folded_answer_is_complete():
    html = MAKERS["Quiz"](question="Is `w` one?").picture()["text/html"]
    assert "<code>w</code>" in html and "<details>" in html
    for words in ("yes", "no", "It is.", "It is not.", "Right.", "Wrong."):
        assert words in html
    html = MAKERS["NumberQuestion"]().picture()["text/html"]
    assert "2 + 2?" in html and "4. Four." in html and "<details>" in html


# The JavaScript files


@each
def test_the_script_is_self_contained(name):
    script = getattr(widgets, name).script
    assert (modules.HERE / f"{script}.js").is_file()
    module, site = modules.notebook_module(script), modules.site_script(script)
    assert not re.search(r"^\s*import\b", module, re.MULTILINE)
    assert module.count("export default") == 1
    assert not re.search(r"^\s*(?:import|export)\b", site, re.MULTILINE)
    assert site.count("\nreturn {") == 1
    for text in (module, site):
        assert "innerHTML" not in text and "eval(" not in text
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)


@each
def test_the_widget_carries_its_script_and_style(name):
    found = getattr(widgets, name)
    widget = MAKERS[name]()
    assert widget._esm == modules.notebook_module(found.script)
    assert "--query" in widget._css and ".attn" in widget._css


def test_no_file_is_left_over():
    scripts = [getattr(widgets, name).script for name in MAKERS]
    used = {part for script in scripts for part in modules.files(script)}
    assert used == {path.stem for path in modules.HERE.glob("*.js")}


@each
def test_every_widget_is_documented(name):
    found = getattr(widgets, name)
    assert issubclass(found, BookWidget)
    for section in ("Parameters", "Raises", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in inspect.getdoc(found)
    assert doctest.DocTestFinder(recurse=False).find(found, name)[0].examples
    undescribed = [t for t in found.state_names() if t not in found.__doc__]
    assert set(undescribed) <= {"title", "task", "presets"}


@pytest.mark.parametrize("normalizer", ["softmax", "hardmax"])
def test_the_planes_picture_holds_the_worked_example(normalizer):
    plane = widgets.QueryPlane(query=[-1.5, 0.25], normalizer=normalizer)
    svg = plane.picture()["image/svg+xml"]
    written = {text.replace("−", "-") for text in re.findall(r"<!-- (.*?) -->", svg)}
    assert {f"{x:.2f}" for x in plane.scores} | {f"{x:.3f}" for x in plane.weights} <= written
    assert {"k₂ = [0.5, 0.5]", "v₁ = [10, 0]"} <= written
    products = plane.weights[:, None] * np.array(plane.V)
    for vector in [*products, plane.output]:
        assert f"[{', '.join(f'{x + 0.0:.2f}' for x in vector)}]" in written


def test_the_planes_picture_marks_the_feet_on_the_querys_line():
    plane = widgets.QueryPlane(query=[-1.5, 0.25])
    left = figures.query_plane(plane).axes[0]
    feet = np.vstack([dots.get_offsets() for dots in left.collections])
    np.testing.assert_allclose(feet @ plane.query, plane.scores)
    np.testing.assert_allclose(feet @ [0.25, 1.5], 0, atol=1e-12)


def written(widget):
    """The texts of a widget's picture, with plain minus signs."""
    svg = widget.picture()["image/svg+xml"]
    return " ".join(re.findall(r"<!-- (.*?) -->", svg)).replace("−", "-")


@pytest.mark.parametrize("mode", ["fixed", "adaptive"])
def test_the_signals_picture_says_what_the_widget_says(mode):
    lab = widgets.SignalWeights(moment=7, mode=mode, bandwidth=0.5)
    off = lab.filtered() - np.array(lab.clean)
    sizes = [np.sqrt((off[s] ** 2).mean()) for s in (slice(20), slice(20, 28), slice(28, None))]
    np.testing.assert_allclose(lab.errors(), sizes)
    said = "Error before the edge {:.3f}, at it {:.3f}, after it {:.3f}.".format(*sizes)
    assert said in written(lab)
    assert f"signal {lab.signal[7]:.2f}, output {lab.output:.2f}, truth 0.00" in written(lab)
    ink = figures.signal_weights(lab).axes[0].collections[1].get_sizes()
    np.testing.assert_allclose(ink / ink.sum(), lab.weights)


def test_a_stretch_without_elements_has_no_error():
    lab = widgets.SignalWeights(signal=[0, 0, 1, 1], clean=[0, 0, 1, 1], moment=1)
    assert [math.isnan(x) for x in lab.errors()] == [True, False, True]
    assert "before the edge –, at it 0" in written(lab)


@pytest.mark.parametrize("scale", ["none", "linear"])
def test_the_labs_picture_says_what_the_widget_says(scale):
    lab = widgets.ScalingLab(dimension=64, scale=scale, correlation=0.5)
    largest = np.sort(lab.weights, axis=1)[:, -1].mean()
    for name, number in {
        "mean": f"{lab.scores.mean():.2f}",
        "standard deviation": f"{lab.scores.std():.2f}",
        "largest": f"{largest:.3f}",
        "own key": f"{lab.own_weight:.3f}",
        "mean size": f"{lab.gradient:.3f}",
    }.items():
        assert f"{name} {number}" in written(lab)
    assert all(name in written(lab) for name in ("1/√d", "1/d"))
