"""Measure every chapter's page and print a table: `make bench-page`.

Times are taken with the processor slowed four times and belong to this machine.  The first line is
its floor: an empty page in which one circle follows the pointer.  Below a page stands everything
that can be dragged in its first widget of each kind.  Each is dragged three times, and the least
disturbed counts, as what else runs on a machine only ever adds; the time until the first widget
lives is the median of five fresh visits.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from page_metrics import (
    FRAMES,
    MAX_BYTES,
    MAX_REQUESTS,
    SLOWDOWN,
    drag_frames,
    first_alive,
    handles,
    quantiles,
    settle,
    slow_down,
    transfer,
)
from playwright.sync_api import sync_playwright
from site_tools import ROOT, chapters, html_of, launch, serve

RUNS = 5
DRAGS = 3
FLOOR = """<!DOCTYPE html><title>Floor</title>
<div data-alive data-script="floor"><div role="slider" aria-label="one circle, nothing else">
<svg width="300" height="300"><circle cx="100" cy="100" r="20"/></svg></div></div>
<script>
  const circle = document.querySelector("circle");
  addEventListener("pointermove", ({ clientX }) =>
    requestAnimationFrame(() => circle.setAttribute("cx", clientX)));
</script>
"""


def drags(page):
    """Work and latency, each as median and 95th percentile, of all that can be dragged."""
    slow_down(page)
    page.evaluate(FRAMES)
    times = {}
    for name, handle in handles(page):
        runs = []
        for _ in range(DRAGS):
            reset = handle.locator("xpath=ancestor::*[@data-alive]").get_by_text("Reset")
            if reset.count():
                reset.click()
            runs.append(drag_frames(page, handle))
        measured = [
            [t for kind in ("work", "latency") for t in quantiles([f[kind] for f in frames])]
            for frames in runs
        ]
        times[name] = min(measured)
    return times


def measure(browser, address):
    """One page's numbers: its row, and a row for each thing that can be dragged."""

    def fresh(measurement):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        try:
            return measurement(context.new_page())
        finally:
            context.close()

    def dragged(page):
        page.goto(address)
        settle(page)
        return drags(page)

    sent = fresh(lambda page: transfer(page, address))
    alive = [fresh(lambda page: first_alive(page, address)) for _ in range(RUNS)]
    row = [len(sent), sum(size for _, size in sent) / 1000]
    row.append(statistics.median(alive) if None not in alive else float("nan"))
    return row, fresh(dragged)


def floor(browser):
    """The same for a page that holds nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "index.html").write_text(FLOOR, encoding="utf-8")
        with serve(folder) as address:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{address}index.html")
            times = drags(page)
            page.close()
    return times


def tell(times):
    for name, values in times.items():
        print(f"  {name:<68}" + "".join(f"{value:>12.4g}" for value in values), flush=True)


def main(folder=None):
    folder = folder or html_of(ROOT)
    if not Path(folder, "index.html").exists():
        print(f"no site in {folder}: run make book first", file=sys.stderr)
        return 1
    print(f"Processor slowed {SLOWDOWN} times; kB compressed; times in ms.\n")
    heads = ["requests", "kB", "alive", "work p50", "p95", "latency p50", "p95"]
    print(f"{'page, and what is dragged':<34}" + "".join(f"{head:>12}" for head in heads))
    with sync_playwright() as playwright, serve(folder) as address:
        browser = launch(playwright)
        tell(floor(browser))
        for chapter in chapters():
            row, times = measure(browser, address + chapter)
            print(f"{chapter:<34}" + "".join(f"{value:>12.4g}" for value in row), flush=True)
            tell(times)
        browser.close()
    targets = [MAX_REQUESTS, MAX_BYTES // 1000, 1000, 16.7, 33, "", ""]
    print(f"{'target, at most':<34}" + "".join(f"{target:>12}" for target in targets))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
