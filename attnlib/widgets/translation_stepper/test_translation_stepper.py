"""The translation stepper: what is refused, and that the page computes what attnlib does."""

import numpy as np
import pytest

from attnlib.data import english_words, french_words
from attnlib.data.numbers import END, ENGLISH, FRENCH
from attnlib.networks import Translator
from attnlib.widgets import TranslationStepper
from attnlib.widgets.translation_stepper.translation_stepper import KINDS
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser

NUMBERS = [0, 5, 16, 21, 71, 80, 91, 100, 180, 200, 421, 999, 1000, 1001, 2000, 80_000, 99_999]
NUMBERS += [100_000, 200_200, 271_081, 480_580, 700_071, 999_999]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [("number", "number", -1), ("number", "number", 1_000_000), ("kind", "kind", "dot"),
     ("step", "step", 0), ("step", "step", 16)],
)  # fmt: skip
def test_what_is_wrong_is_refused(words, trait, value):
    refused(TranslationStepper, words, **{trait: value})


@pytest.mark.parametrize("kind", KINDS)
def test_it_shows_what_the_translator_writes(kind):
    network = Translator.trained(kind)
    for number in NUMBERS:
        stepper = TranslationStepper(number=number, kind=kind)
        translation, weights = network(english_words(number))
        assert [word for word, *_ in stepper.steps] == translation == stepper.translation
        assert all(FRENCH[step[2].argmax()] == step[0] for step in stepper.steps)
        assert np.array_equal(stepper.weights, weights)
        right = [*french_words(number), END]
        assert (stepper.wrong == 0) == (translation == right)
        if stepper.wrong:
            assert translation[: stepper.wrong - 1] == right[: stepper.wrong - 1]
            assert translation[stepper.wrong - 1 : stepper.wrong] != right[stepper.wrong - 1 :][:1]


@browser
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_translates_as_attnlib_does(show, kind):
    page = show(TranslationStepper(kind=kind))
    field = page.get_by_role("textbox", name="Number")
    for number in NUMBERS:
        field.fill(str(number))
        field.press("Enter")
        frame(page)
        stepper = TranslationStepper(**state(page, TranslationStepper))
        assert stepper.number == number
        assert page.locator(".attn-align-english").inner_text() == " ".join(english_words(number))
        words = page.locator(".attn-align-word .attn-number").all_inner_texts()
        assert [word for word in words if word] == stepper.translation
        verdict = page.locator(".attn-align-verdict").inner_text()
        assert verdict.startswith("Right:") == (not stepper.wrong)
        if kind != "none":
            rows = page.locator(".attn-align-row--french").evaluate_all(
                "rows => rows.map((row) => [...row.querySelectorAll('[data-there]')]"
                ".map((cell) => cell.style.getPropertyValue('--weight')))"
            )
            shown = [[float(w.rstrip("%")) / 100 for w in row] for row in rows if row]
            np.testing.assert_allclose(shown, stepper.weights, atol=6e-5)


@browser
def test_a_row_is_chosen_and_its_chances_are_said(show):
    page = show(TranslationStepper(number=97))
    page.locator(".attn-align-row--french").nth(2).click()
    frame(page)
    stepper = TranslationStepper(**state(page, TranslationStepper))
    assert stepper.step == 3 and page.locator("[data-chosen]").count() == 1
    said = numbers(page.locator(".attn-align-likely").inner_text())
    best = np.sort(stepper.steps[2][2])[::-1][:3]
    np.testing.assert_allclose(said, best, atol=0.005)
    page.locator(".attn-align-row--french").nth(12).click()
    frame(page)
    assert state(page, TranslationStepper)["step"] == len(stepper.translation)


def test_the_vocabularies_hold_every_word():
    assert len(ENGLISH) == 31 and len(FRENCH) == 28
    assert {w for n in NUMBERS for w in english_words(n)} <= {*ENGLISH}
