"""Measure the chapters' pages, or one, and print a table: `make bench-page CHAPTER=02`.

Times are taken with the processor slowed four times and belong to this machine; their ratios say
more.  For a page it is the time until its first widget lives, over the time until something is seen
of the same page without its scripts: medians of five fresh visits each, in turns.  Below it, for
everything that can be dragged in its first widget of each kind, is the work of a frame over that of
a floor: an empty page in which one circle follows the pointer.  What else runs on a machine comes
and goes within seconds, so floor and widget are dragged in turns, five times each; the ratio is the
median of the five turns' own, not the quotient of the columns beside it.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from check import chapter
from page_metrics import (
    MAX_BYTES,
    MAX_REQUESTS,
    SLOWDOWN,
    drag_frames,
    first_alive,
    first_paint,
    handles,
    quantiles,
    settle,
    slowed,
    transfer,
)
from playwright.sync_api import sync_playwright
from site_tools import ROOT, chapters, html_of, launch, serve

RUNS = 5
#: At most: alive over painted; work of a frame over the floor's, median and 95th percentile.
RATIOS = 1.3, 2.5, 3.0
FLOOR = """<!DOCTYPE html><title>Floor</title><body style="margin: 0">
<div data-alive data-script="floor"><div role="slider" aria-label="one circle, nothing else">
<svg width="300" height="300"><circle cx="100" cy="100" r="20"/></svg></div></div>
<script>
  const circle = document.querySelector("circle");
  addEventListener("pointermove", ({ clientX }) =>
    requestAnimationFrame(() => circle.setAttribute("cx", clientX)));
</script>
"""


def opened(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    settle(page)
    return page


def dragged(page, handle):
    """Work and latency of one drag's frames, each as median and 95th percentile."""
    page.bring_to_front()
    reset = handle.locator("xpath=ancestor::*[@data-alive]").get_by_text("Reset")
    if reset.count():
        reset.click()
    with slowed(page):
        frames = drag_frames(page, handle)
    return [t for kind in ("work", "latency") for t in quantiles([f[kind] for f in frames])]


def in_turns(browser, address, floor_address):
    """For everything that can be dragged: ``(name, its times, the floor's, ratios of work)``."""
    floor, page = opened(browser, floor_address), opened(browser, address)
    ((_, circle),) = handles(floor)
    for name, handle in handles(page):
        turns = [(dragged(floor, circle), dragged(page, handle)) for _ in range(RUNS)]
        lowest, times = ([statistics.median(t) for t in zip(*of)] for of in zip(*turns))
        ratios = [statistics.median(b[k] / a[k] for a, b in turns) for k in (0, 1)]
        yield name, times, lowest, ratios
    floor.close()
    page.close()


def visited(browser, address):
    """For one page: requests, kilobytes, paint without scripts, first widget alive."""

    def fresh(measurement):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        try:
            return measurement(context.new_page(), address)
        finally:
            context.close()

    sent = fresh(transfer)
    turns = [[fresh(time) for time in (first_paint, first_alive)] for _ in range(RUNS)]
    painted, alive = (statistics.median(times) for times in zip(*turns))
    return len(sent), sum(size for _, size in sent) / 1000, painted, alive


def print_row(name, values, *ratios):
    """Print one row of the table; a ratio above its limit gets a star."""
    row = "".join(f"{value:>9.4g}" for value in values)
    row += "".join(f"{ratio:>9.3g}{'*' * (ratio > limit) or ' '}" for ratio, limit in ratios)
    print(f"{name:<46}{row}".rstrip(), flush=True)


def main(named=None):
    measured = [f"book/{chapter(named).path.stem}.html"] if named else chapters()
    folder = html_of(ROOT)
    if not Path(folder, "index.html").exists():
        print(f"no site in {folder}: run make book first", file=sys.stderr)
        return 1
    print(f"Processor slowed {SLOWDOWN} times; kB compressed; times in ms.\n")
    heads = ["requests", "kB", "painted", "alive", "ratio"]
    print(f"{'page':<46}" + "".join(f"{head:>9}" for head in heads))
    heads = ["work p50", "p95", "late p50", "p95", "floor", "p95", "× floor", "p95"]
    print(f"{'  what is dragged':<46}" + "".join(f"{head:>9}" for head in heads) + "\n")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as empty:
        Path(empty, "index.html").write_text(FLOOR, encoding="utf-8")
        with serve(folder) as address, serve(empty) as floor:
            browser = launch(playwright)
            for page in measured:
                row = visited(browser, address + page)
                print_row(page, row, (row[3] / row[2], RATIOS[0]))
                for name, times, lowest, ratios in in_turns(browser, address + page, floor):
                    print_row(f"  {name}", [*times, *lowest[:2]], *zip(ratios, RATIOS[1:]))
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
