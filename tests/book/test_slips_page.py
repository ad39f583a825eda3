"""The appendix in the page: each slip has its place in a lesson, folded and never a hint."""

import pytest
from pages import ROOT, Page, asked, named

pytestmark = [pytest.mark.browser, pytest.mark.site]
SLIPS = Page.read(ROOT / "book" / "slips.ipynb")


def test_each_slip_is_followed_by_its_place_in_the_book(open_page):
    page = open_page("book/slips.html")
    page.locator(".cell.tag_exercise").first.get_by_role("button", name="Check").wait_for()
    folds = page.locator("details", has_text="Where the book gets it right")
    assert folds.count() == len(named(SLIPS, "ask")) + len(asked(SLIPS))
    for fold in folds.all():
        assert fold.is_visible() and fold.get_attribute("open") is None
        links = fold.locator("a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
        assert any(".html#" in link for link in links), links
    hints = page.locator("details", has_text="Hint").all()
    assert [hint.is_visible() for hint in hints] == [True, False, False] * len(asked(SLIPS))
