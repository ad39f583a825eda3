"""Measure every chapter's page and print a table: `make bench-page`.

Times are taken with the processor slowed four times, each in a fresh browser context, and are
medians; they belong to this machine and are compared with nothing but their targets.  Below a page
stands everything that can be dragged in its first widget of each kind.
"""

import statistics
import sys
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
        slow_down(page)
        page.evaluate(FRAMES)
        return {name: drag_frames(page, handle) for name, handle in handles(page)}

    sent = fresh(lambda page: transfer(page, address))
    alive = [fresh(lambda page: first_alive(page, address)) for _ in range(RUNS)]
    frames = fresh(dragged)
    row = [len(sent), sum(size for _, size in sent) / 1000]
    row.append(statistics.median(alive) if None not in alive else float("nan"))
    times = {
        name: [t for kind in ("work", "latency") for t in quantiles([f[kind] for f in of_handle])]
        for name, of_handle in frames.items()
    }
    return row, times


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
        for chapter in chapters():
            row, times = measure(browser, address + chapter)
            print(f"{chapter:<34}" + "".join(f"{value:>12.4g}" for value in row), flush=True)
            for name, values in times.items():
                print(f"  {name:<68}" + "".join(f"{value:>12.4g}" for value in values), flush=True)
        browser.close()
    targets = [MAX_REQUESTS, MAX_BYTES // 1000, 1000, 16.7, 33, "", ""]
    print(f"{'target, at most':<34}" + "".join(f"{target:>12}" for target in targets))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
