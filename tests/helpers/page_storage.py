"""Storage of pages opened from disk, which Chromium hands to a new page late now and then."""


def wait_for_stored_theme(page):
    """Load the page again, a few times at most, until it takes the theme another one stored."""
    for _ in range(5):
        if page.evaluate("document.documentElement.dataset.theme"):
            return
        page.wait_for_timeout(200)
        page.reload()
    raise AssertionError("the page takes no stored theme")
