"""What axe objects to in a page, against WCAG 2.2 AA."""

from axe_playwright_python.sync_playwright import Axe

#: Only violations, without details that are not printed.
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
    "selectors": False,
    "elementRef": False,
    "preload": False,
}


#: Makes invisible what takes long to look at and is coloured in the same way on every page.
OF_ONE_COLOUR = "mjx-container, pre span { visibility: hidden !important }"


def violations(page, contrast=True):
    """What axe objects to, in words: the rule, the element, the reason."""
    options = OPTIONS | {"rules": {"color-contrast": {"enabled": contrast}}}
    result = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} -- {node['failureSummary']}"
        for rule in result
        for node in rule["nodes"]
    ]
