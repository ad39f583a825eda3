"""Measure every chapter's page and print a table: `make bench-page`.

Times are taken with the processor slowed four times, each in a fresh browser context, and are
medians; they belong to this machine and are compared with nothing but their targets.
"""

import statistics
import sys
from pathlib import Path

from page_metrics import (
    MAX_BYTES,
    MAX_REQUESTS,
    SLOWDOWN,
    drag_frames,
    first_alive,
    first_handle,
    quantiles,
    settle,
    slow_down,
    transfer,
)
from playwright.sync_api import sync_playwright
from site_tools import ROOT, chapters, html_of, launch, serve

RUNS = 5


def measure(browser, address):
    """One page's numbers as a row of the table."""

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
        return drag_frames(page) if first_handle(page) else []

    sent = fresh(lambda page: transfer(page, address))
    alive = [fresh(lambda page: first_alive(page, address)) for _ in range(RUNS)]
    frames = fresh(dragged)
    row = [len(sent), sum(size for _, size in sent) / 1000]
    row.append(statistics.median(alive) if None not in alive else float("nan"))
    for kind in ("work", "latency"):
        row += quantiles([frame[kind] for frame in frames]) if frames else [float("nan")] * 2
    return row


def main(folder=None):
    folder = folder or html_of(ROOT)
    if not Path(folder, "index.html").exists():
        print(f"no site in {folder}: run make book first", file=sys.stderr)
        return 1
    print(f"Processor slowed {SLOWDOWN} times; kB compressed; times in ms.\n")
    heads = ["requests", "kB", "alive", "work p50", "p95", "latency p50", "p95"]
    print(f"{'page':<34}" + "".join(f"{head:>12}" for head in heads))
    with sync_playwright() as playwright, serve(folder) as address:
        browser = launch(playwright)
        for chapter in chapters():
            row = measure(browser, address + chapter)
            print(f"{chapter:<34}" + "".join(f"{value:>12.4g}" for value in row), flush=True)
        browser.close()
    targets = [MAX_REQUESTS, MAX_BYTES // 1000, 1000, 16.7, 33, "", ""]
    print(f"{'target, at most':<34}" + "".join(f"{target:>12}" for target in targets))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
