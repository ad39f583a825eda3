"""What axe objects to in a page, against WCAG 2.2 AA."""

from axe_playwright_python.sync_playwright import Axe

#: Only what is wrong is reported, and nothing of it is looked up that is not printed.
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
    "selectors": False,
    "elementRef": False,
    "preload": False,
}


def violations(page, leave_out=()):
    """What axe objects to, in words: the rule, the element, the reason."""
    context = {"exclude": [[selector] for selector in leave_out]} if leave_out else None
    found = Axe().run(page, context, OPTIONS).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} -- {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
