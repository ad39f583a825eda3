"""Measure how high each widget is in the built site and write it beside the widget: run
`make book`, then `python tools/widget_heights.py`.

A page keeps this much room for a widget until its script has run.  It is the median over all pages,
so a widget that no page shows has no height, and the room is what its picture takes.
"""

import json
import statistics
import sys
from collections import defaultdict

from page_metrics import settle
from playwright.sync_api import sync_playwright
from site_tools import ROOT, html_of, launch, pages, serve

#: Name of the CSS property -> width of the window.
WIDTHS = {"height": 1280, "narrow": 360}
ALIVE = "all => all.map((e) => [e.dataset.script, Math.round(e.getBoundingClientRect().height)])"


def measure(folder):
    """``{widget: {"height": pixels, "narrow": pixels}}``."""
    measured = defaultdict(lambda: defaultdict(list))
    with sync_playwright() as playwright, serve(folder) as address:
        page = launch(playwright).new_page()
        for name, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            for path in pages():
                page.goto(address + path)
                settle(page)
                for widget, height in page.locator("[data-alive]").evaluate_all(ALIVE):
                    measured[widget][name].append(height)
    return {
        widget: {name: statistics.median_low(heights) for name, heights in by_name.items()}
        for widget, by_name in measured.items()
    }


if __name__ == "__main__":
    for widget, heights in measure(*sys.argv[1:] or [html_of(ROOT)]).items():
        target = ROOT / "attnlib" / "widgets" / widget / "heights.json"
        target.write_text(json.dumps(heights) + "\n", encoding="utf-8")
        print(widget, heights)
