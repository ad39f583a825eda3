"""Measure every chapter's page and print a table: `make bench-page`.

Times are taken with the processor slowed four times and belong to this machine; their ratios say
more.  For a page it is the time until its first widget lives, over the time until something is seen
of the same page without its scripts: medians of five fresh visits each, in turns.  Below stands
everything that can be dragged in its first widget of each kind, over a floor that was measured just
before: an empty page in which one circle follows the pointer.  Each is dragged three times, and the
least disturbed counts, as what else runs on a machine only ever adds.
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
    first_paint,
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
#: At most: alive over painted; work of a frame over the floor's, median and 95th percentile.
RATIOS = 1.3, 2.5, 3.0
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
    """One page's numbers: its row, and the times of each thing that can be dragged."""

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
    turns = [
        [fresh(lambda page, time=time: time(page, address)) for time in (first_alive, first_paint)]
        for _ in range(RUNS)
    ]
    alive, painted = (statistics.median(times) for times in zip(*turns))
    row = [len(sent), sum(size for _, size in sent) / 1000, painted, alive]
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


def tell(name, values, *ratios):
    """One row of the table; a ratio, given with the most that it may be, has a star above that."""
    row = "".join(f"{value:>9.4g}" for value in values)
    row += "".join(f"{ratio:>9.3g}{'*' * (ratio > most) or ' '}" for ratio, most in ratios)
    print(f"{name:<46}{row}".rstrip(), flush=True)


def main(folder=None):
    folder = folder or html_of(ROOT)
    if not Path(folder, "index.html").exists():
        print(f"no site in {folder}: run make book first", file=sys.stderr)
        return 1
    print(f"Processor slowed {SLOWDOWN} times; kB compressed; times in ms.\n")
    heads = ["requests", "kB", "painted", "alive", "ratio"]
    print(f"{'page':<46}" + "".join(f"{head:>9}" for head in heads))
    heads = ["work p50", "p95", "late p50", "p95", "× floor", "p95"]
    print(f"{'  what is dragged':<46}" + "".join(f"{head:>9}" for head in heads) + "\n")
    with sync_playwright() as playwright, serve(folder) as address:
        browser = launch(playwright)
        for chapter in chapters():
            ((name, least),) = floor(browser).items()
            row, times = measure(browser, address + chapter)
            tell(chapter, row, (row[3] / row[2], RATIOS[0]))
            tell(f"  {name}", least)
            for name, values in times.items():
                work = ((a / b, most) for a, b, most in zip(values, least, RATIOS[1:]))
                tell(f"  {name}", values, *work)
        browser.close()
    started, middle, slow = RATIOS
    print(
        f"\nAt most {MAX_REQUESTS} requests and {MAX_BYTES // 1000} kB; a page alive within "
        f"{started} times its paint; a frame within {middle} times the floor, {slow} at p95. "
        "A star marks what is more."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
