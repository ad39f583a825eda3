"""Two memories: what is refused, what each gives back, and that the page computes the same."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnlib.widgets import MemoryRace
from attnlib.widgets.memory_race.memory_race import KEYS, VALUES
from tests.helpers.widget_pages import frame, numbers, refused

browser = pytest.mark.browser


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [("pairs", "pairs", 0), ("pairs", "pairs", 49), ("size", "size", 12), ("kept", "kept", 1.1)],
)
def test_what_is_wrong_is_refused(words, trait, value):
    refused(MemoryRace, words, **{trait: value})


@pytest.mark.parametrize("size", [8, 16, 32])
def test_no_two_keys_are_equal(size):
    assert len(np.unique(KEYS[:, :size], axis=0)) == len(KEYS) == len(VALUES)
    assert {*KEYS.ravel()} == {*VALUES} == {1.0, -1.0}


@pytest.mark.parametrize("kept", [1.0, 0.9])
def test_an_answer_is_its_value_and_the_others_by_likeness(kept):
    race = MemoryRace(pairs=20, size=16, kept=kept)
    likeness = KEYS[:20, :16] @ KEYS[:20, :16].T / 16
    faded = kept ** np.arange(20)[::-1]
    assert_allclose(race.from_state, likeness @ (faded * VALUES[:20]))
    assert np.abs(race.from_cache - VALUES[:20]).max() < 0.01


def test_one_pair_is_given_back_whole_and_a_full_state_errs():
    for size in (8, 16, 32):
        assert MemoryRace(pairs=1, size=size).numbers()["state_right"] == 1
        race = MemoryRace(pairs=48, size=size)
        assert race.numbers()["state_right"] < race.numbers()["cache_right"] == 48


def test_the_lesson_says_what_it_shows():
    assert MemoryRace(pairs=4, size=16).numbers()["state_right"] == 3
    assert MemoryRace(pairs=24, size=16).numbers()["state_right"] == 14
    right = MemoryRace(pairs=24, size=16, kept=0.8).from_state * VALUES[:24] > 0
    assert right[-4:].all() and right[:12].sum() == 5


@browser
@pytest.mark.parametrize("sample", MemoryRace.samples)
def test_the_page_draws_what_attnlib_computes(show, sample):
    widget = MemoryRace(**sample)
    page = show(widget)
    frame(page)
    notes = page.locator(".attn-memory-note").all_inner_texts()
    ours = widget.numbers()
    names = ("size", "state_bytes", "state_right", "pairs")
    assert numbers(notes[0]) == [ours[name] for name in names]
    names = ("cache_numbers", "cache_bytes", "cache_right", "pairs")
    assert numbers(notes[1]) == [ours[name] for name in names]
    paths = page.locator(".attn-memory-right, .attn-memory-wrong, .attn-memory-stored")
    drawn = [
        path.count("M") for path in paths.evaluate_all("all => all.map((e) => e.getAttribute('d'))")
    ]
    assert drawn[2] == drawn[5] == widget.pairs
    assert drawn[0] == ours["state_right"] and drawn[3] == ours["cache_right"]
    squares = page.locator(".attn-memory-squares")
    counts = squares.evaluate_all(
        "all => all.map((e) => e.getAttribute('d').split('M').length - 1)"
    )
    assert counts == [ours["size"], ours["cache_numbers"]]
