"""The copy circuit: what is refused, what it copies, the same in the page."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.networks import InductionCircuit
from attnlib.widgets import CopyCircuit
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser
each_sample = pytest.mark.parametrize("sample", CopyCircuit.samples, ids=str)


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [
        ("1 to 8 of the letters abcd, got []", "tokens", []),
        ("1 to 8 of the letters abcd", "tokens", [*"abcdabcda"]),
        ("1 to 8 of the letters abcd, got ['a', 'be']", "tokens", ["a", "be"]),
        ("place", "place", 9),
        ("off", "off", "both"),
    ],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(CopyCircuit, words, **{trait: value})


def test_it_copies_what_followed_in_equal_shares():
    for text in map("".join, itertools.product("abc", repeat=5)):
        widget = CopyCircuit(tokens=[*text])
        followers = [text[i + 1] for i in range(4) if text[i] == text[4]]
        shares = [followers.count(letter) for letter in "abcd"]
        expected = [0, *np.divide(shares, len(followers))] if followers else [1, 0, 0, 0, 0]
        assert_allclose(widget.copied, expected, atol=1e-12)


@each_sample
def test_it_is_the_circuit_of_the_models(sample):
    widget = CopyCircuit(**sample)
    off = None if widget.off == "none" else widget.off
    copied, weights = InductionCircuit("abcd", 8)("".join(widget.tokens), off=off)
    assert_allclose(widget.copied, copied[widget.asks])
    assert_allclose(widget.weights, weights[:, widget.asks])


def test_notes_are_the_letters_before():
    assert CopyCircuit(tokens=[*"cab"]).notes == ["·", "·", "c", "a"]
    assert CopyCircuit(tokens=[*"cab"], off="previous").notes == ["", "", "", ""]


@browser
@pytest.mark.parametrize("off", ["none", "previous", "induction"])
def test_the_page_computes_the_same(javascript, off):
    call = javascript("copy_circuit/circuit.js")
    for text in ("a", "aa", "abcab", "abacadab", "dcbadcba"):
        (result,) = call(("circuit", [*text], off, [*"abcd"]))
        for place in range(len(text) + 1):
            widget = CopyCircuit(tokens=[*text], place=place, off=off)
            assert_allclose(result["copied"][place], widget.copied, atol=1e-12)
            shown = [head[place] for head in result["weights"]]
            assert_allclose(shown, widget.weights, atol=1e-12)
        (notes,) = call(("notesOf", [*text], off))
        assert notes == CopyCircuit(tokens=[*text], off=off).notes


@browser
@each_sample
def test_bars_and_numbers_are_those_of_python(show, sample):
    widget = CopyCircuit(**sample)
    page, n = show(widget), len(widget.tokens) + 1
    frame(page)
    for kind, weights in zip(("first", "second"), widget.weights):
        sizes = page.locator(f"[role=cell].attn-copy-{kind}:visible").evaluate_all(
            "all => all.map((e) => parseFloat(e.style.backgroundSize.split(' ')[1]))"
        )
        assert_allclose(sizes, 100 * weights, atol=0.01)
    assert page.locator("[role=cell].attn-copy-note:visible").all_inner_texts()[:n] == widget.notes
    shares = page.locator(".attn-copied-value").all_inner_texts()
    assert_allclose([numbers(share)[0] for share in shares], widget.copied, atol=0.0051)


@browser
def test_letters_are_changed_added_and_removed(show):
    page = show(CopyCircuit(tokens=[*"abcabca"], place=7))

    def press(name, role="button"):
        key = "Enter" if role == "button" else "Space"
        page.get_by_role(role, name=name, exact=True).press(key)
        frame(page)
        message = page.locator(".attn-message").inner_text()
        return "".join(state(page, CopyCircuit)["tokens"]), message

    assert press("Add d") == ("abcabcad", "")
    assert press("Add d") == ("abcabcad", "the text is full")
    press("place 2, b", "radio")
    assert press("d", "radio") == ("adcabcad", "")
    press("place 0, start", "radio")
    assert press("b", "radio") == ("adcabcad", "the start token stays what it is")
    assert page.locator(".attn-copy-edit input:checked").count() == 0
    for _ in range(8):
        text, message = press("Remove")
    assert (text, message) == ("a", "one letter stays")
    press("Reset")
    assert state(page, CopyCircuit)["tokens"] == [*"abcabca"]
