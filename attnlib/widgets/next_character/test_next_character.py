"""Chances of the next character: what is refused, the same numbers in the page, what is drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib import softmax
from attnlib.networks import CharacterModel
from attnlib.widgets import NextCharacter
from tests.helpers.widget_pages import frame, refused

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", NextCharacter.samples, ids=str)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("characters needs texts, none of them empty", "characters", ["e", ""]),
        ("prompts needs texts, none of them empty, 16 at most", "prompts", ["a"] * 17),
        ("heads needs texts", "heads", []),
        ("logits needs the shape (2, 4) in front", "logits", [[1, 2, 3, 4]]),
        ("looks needs the shape (2, 2) in front", "looks", [[[1, 0, 0]]]),
        ("looks needs weights from 0 to 1, at least 3 in a row", "looks", [[[1, 0]] * 2] * 2),
        ("looks needs weights from 0 to 1", "looks", [[[2, 0, 0]] * 2] * 2),
        ("not finite", "logits", [[np.nan, 0, 0, 0]] * 2),
        ("prompt", "prompt", -1),
        ("temperature", "temperature", 0),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(NextCharacter, words, **{trait: value})


@each_sample
def test_chances_are_softmax_of_the_logits(sample):
    widget = NextCharacter(**sample)
    p = softmax(np.array(widget.logits[widget.place]) / widget.temperature)
    assert_allclose(widget.chances, sorted(p, reverse=True))
    assert_allclose(p[widget.order], widget.chances)
    said = widget.numbers()
    assert said["rest"] + said["chances"].sum() == pytest.approx(1)
    assert said["perplexity"] == pytest.approx(np.prod(p**-p))
    assert widget.weights.shape == (len(widget.heads), len(widget.read))


def test_it_shows_what_a_model_reads():
    model = CharacterModel("so far so good", context=6)
    prompts = ["so", "so good"]
    read = [model.look(prompt) for prompt in prompts]
    looks = np.zeros((2, 2, 7))
    for row, (_, weights) in zip(looks, read):
        row[:, : weights.shape[-1]] = weights[0]
    widget = NextCharacter(
        characters=[*model.characters], prompts=prompts, logits=[r[0] for r in read], looks=looks
    )
    best = model.sample(1, temperature=0, start="so")[-1]
    assert widget.likeliest[0] == best
    assert_allclose(widget.weights.sum(axis=1), 1, atol=1e-6)


@browser
@each_sample
def test_the_page_computes_the_same(javascript, sample):
    widget = NextCharacter(**sample)
    logits = widget.logits[widget.place]
    script = javascript("next_character/chances.js")
    result, text = script(("nextOf", logits, widget.temperature), ("seen", "a b\n"))
    assert text == "a␣b⏎" and result["order"] == widget.order.tolist()
    said = widget.numbers()
    for name in ("rest", "perplexity"):
        assert result[name] == pytest.approx(said[name], abs=1e-12)
    assert_allclose(result["chances"], widget.chances, rtol=1e-9, atol=1e-12)


@browser
@each_sample
def test_bars_and_squares_are_as_large_as_they_say(show, sample):
    widget = NextCharacter(**sample)
    page = show(widget)
    frame(page)
    chances = widget.numbers()["chances"]
    bars = page.locator(".attn-next-bar").evaluate_all(
        "all => all.filter((e) => e.getAttribute('visibility') !== 'hidden')"
        ".map((e) => Number(e.getAttribute('width')))"
    )
    wanted = [*chances, *[widget.numbers()["rest"]] * (len(widget.characters) > len(chances))]
    assert_allclose(np.array(bars) / 228, wanted, atol=1e-4)
    inks = page.locator(".attn-next-box").evaluate_all(
        "all => all.map((e) => Number(e.getAttribute('fill-opacity')))"
    )
    inks = np.array(inks).reshape(len(widget.heads), -1)
    n = len(widget.read)
    assert_allclose(inks[:, :n], widget.weights, atol=6e-4)
    assert not inks[:, n:].any()
