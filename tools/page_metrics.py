"""What a page costs its reader: requests, bytes, time until the first widget lives, frames."""

import gzip
import statistics
from contextlib import contextmanager
from urllib.parse import urlsplit

#: Targets of the book for a chapter page (bytes are compressed, times on a slowed processor).
MAX_REQUESTS = 30
MAX_BYTES = 600_000
SLOWDOWN = 4
#: Of a widget, in pixels: its height on a screen 360 wide, and its letters on any screen.
TALLEST, SMALLEST = 1300, 10.9

TOO_TALL_OR_SMALL = """
    ([tallest, smallest]) => {
      const faults = [];
      for (const place of document.querySelectorAll("[data-alive]")) {
        const { script } = place.dataset;
        const { height } = place.getBoundingClientRect();
        if (innerWidth <= 360 && height > tallest)
          faults.push(`${script} is ${height} pixels high, at most ${tallest}`);
        for (const text of place.querySelectorAll("svg text")) {
          const size = parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
          if (text.checkVisibility() && size < smallest)
            faults.push(`${script} writes ${text.textContent} ${size} pixels high`);
        }
      }
      return faults;
    }
"""

OVERFLOW = """
    Math.max(...["html", "article > section > section"]
      .flatMap((selector) => [...document.querySelectorAll(selector)])
      .map((e) => e.scrollWidth - e.clientWidth))
"""

#: Already compressed; a server sends them as they are.
PACKED = (".woff", ".woff2", ".png", ".jpg", ".webp")

FIRST_ALIVE = """
    new MutationObserver((_, observer) => {
      if (!document.querySelector("[data-alive]")) return;
      window.firstAlive = performance.now();
      observer.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true });
"""

FIRST_PAINT = """
    new Promise((done) => new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName("first-contentful-paint");
      if (paint) done(paint.startTime);
    }).observe({ type: "paint", buffered: true }))
"""

# Two times, in milliseconds, for every movement of the pointer that moves what is held: both until
# its frame is done.
#   work:    from the start of the event's handlers. Handlers, the draw in requestAnimationFrame
#            (the listener here asks for its frame first, so it sees the widget's too), style,
#            layout and paint: a message posted in the frame is delivered after all of these.
#   latency: from the moment the browser had the event. It adds the wait for the next frame,
#            up to 16.7 ms that the page cannot influence.
# What happens after the main thread (raster, display) is not in either.
FRAMES = """
    (held) => {
      const state = () => held.value ?? [held.getAttribute("cx"), held.getAttribute("cy")].join();
      const frames = [];
      let last = state();
      const onMove = (event) => {
        const start = performance.now();
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            const end = performance.now();
            if (state() === last) return;
            last = state();
            frames.push({ work: end - start, latency: end - event.timeStamp });
          };
          port2.postMessage(null);
        });
      };
      addEventListener("pointermove", onMove, { capture: true });
      window.framesDone = () => {
        removeEventListener("pointermove", onMove, { capture: true });
        return new Promise((done) =>
          requestAnimationFrame(() => setTimeout(() => done(frames), 50)));
      };
    }
"""
HANDLES = "[role=slider] circle:last-of-type, input[type=range]"


def settle(page):
    """Wait until formulas, fonts and widgets are there."""
    page.wait_for_load_state()
    page.evaluate("window.MathJax?.startup?.promise.then(() => document.fonts.ready)")
    page.wait_for_function("!document.querySelector('[data-model]:not([data-alive])')")


def too_tall_or_small(page):
    """What in the page's widgets is too high for a narrow screen, or too small to read."""
    return page.evaluate(TOO_TALL_OR_SMALL, [TALLEST, SMALLEST])


def overflow(page):
    """By how many pixels a page is wider than the window, or a section's text than the section."""
    return page.evaluate(OVERFLOW)


def transfer(page, address):
    """Open a page in a fresh context: ``[(address, bytes as sent compressed), ...]``."""
    answers = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(address)
    settle(page)
    return sizes(answers)


def sizes(answers):
    """Addresses of the files that a page received, each with its size as sent compressed."""
    sent = []
    for answer in answers:
        body = answer.body()
        packed = urlsplit(answer.url).path.endswith(PACKED)
        sent.append((answer.url, len(body) if packed else len(gzip.compress(body, 6))))
    return sent


@contextmanager
def slowed(page):
    """Slow the page's processor down in the meantime."""
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    try:
        yield
    finally:
        client.send("Emulation.setCPUThrottlingRate", {"rate": 1})


def first_alive(page, address):
    """Milliseconds from the start of the navigation until the first widget lives, or None."""
    page.add_init_script(FIRST_ALIVE)
    with slowed(page):
        page.goto(address)
        settle(page)
    return page.evaluate("window.firstAlive ?? null")


def first_paint(page, address):
    """Milliseconds until something of the page is seen when all its scripts are blocked."""
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.send("Network.setBlockedURLs", {"urls": ["*.js", "*.js?*"]})
    with slowed(page):
        page.goto(address)
        return page.evaluate(FIRST_PAINT)


def handles(page):
    """All that can be dragged now in the first widget of each kind: ``[(name, locator), ...]``."""
    draggable = []
    kinds = page.locator("[data-alive]").evaluate_all("all => all.map((e) => e.dataset.script)")
    for kind in dict.fromkeys(kinds):
        widget = page.locator(f'[data-alive][data-script="{kind}"]').first
        for handle in widget.locator(HANDLES).all():
            if handle.is_visible():
                name = handle.evaluate(
                    "e => (e.closest('[role=slider]') ?? e).ariaLabel ?? e.labels[0].textContent"
                )
                draggable.append((f"{kind}: {name}", handle))
    return draggable


def drag_frames(page, handle, moves=80, warmup=20):
    """Drag a handle to and fro, and back to where it was.

    Returns ``[{"work": ms, "latency": ms}, ...]``, one for each frame in which it moved, without
    those of the first `warmup` moves.
    """
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    reach = max(40, 0.45 * box["width"])
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(warmup + moves):
        if step == warmup:
            handle.evaluate(FRAMES)
        page.mouse.move(x + reach * ((step % 20) / 10 - 1), y - 20 * (step % 3))
    frames = page.evaluate("window.framesDone()")
    page.mouse.move(x, y)
    page.mouse.up()
    if len(frames) < 2:
        raise RuntimeError(f"dragging does not move {handle}")
    return frames


def quantiles(values):
    """Median and 95th percentile.

    >>> quantiles(range(1, 101))
    (50.5, 95.05)
    """
    p95 = statistics.quantiles(values, n=20, method="inclusive")[-1]
    return statistics.median(values), p95
