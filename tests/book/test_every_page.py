"""Each page is visited once, and everything that all pages promise is checked in this visit."""

import pytest
from page_metrics import MAX_BYTES, MAX_REQUESTS, overflow, settle, sizes, too_tall_or_small
from site_tools import chapters, pages

from tests.helpers.axe_rules import OF_ONE_COLOUR, violations

pytestmark = [pytest.mark.browser, pytest.mark.site]

LOOKS = [(1280, "light"), (360, "dark")]
#: Chapters differ in what they hold, not in its colours: for these, two stand for all others.
IN_COLOUR = {*pages()} - {*chapters()[2:]}
SHIFTS = """
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.shifts.push(entry);
    }).observe({ type: "layout-shift", buffered: true });
"""
PAINTED = "performance.getEntriesByName('first-contentful-paint').length > 0"
JUMPS = """
    shifts.reduce((sum, s) => sum + s.value, 0) < 0.1 ? [] : shifts.map((s) =>
      `jumps by ${s.value}: ${s.sources.map((x) => x.node?.outerHTML?.slice(0, 120) ?? "?")}`)
"""
#: What is wrong with formulas and figures, in words.
FAULTS = """
    async (scheme) => {
      const faults = [];
      const all = (selector) => [...document.querySelectorAll(selector)];
      const fault = (wrong, words) => wrong && faults.push(words);
      fault(all("h1").filter((e) => e.checkVisibility()).length !== 1, "does not show one title");
      fault(all("[data-model]:not([data-alive])").length, "has a widget that is not alive");
      for (const { textContent } of all("[data-alive]:not([data-script='quiz'])"))
        fault(/undefined|NaN/.test(textContent), `has a widget that says: ${textContent}`);
      const [source, set] = [all("span.math, div.math"), all("mjx-container")].map((e) => e.length);
      fault(source !== set, `has ${source} formulas, of which ${set} are set`);
      for (const error of all("mjx-merror, [data-mjx-error]"))
        fault(true, `has a formula with an error: ${error.textContent}`);
      for (const formula of all("mjx-container:not([display])")) {
        const text = formula.parentElement.nextSibling;
        if (text?.nodeType !== Node.TEXT_NODE || !/^[.,;:!?)]/.test(text.data)) continue;
        const sign = document.createRange();
        sign.setStart(text, 0);
        sign.setEnd(text, 1);
        const [a, b] = [formula.getBoundingClientRect(), sign.getBoundingClientRect()];
        fault(a.width && b.top >= a.bottom, `begins a line with ${text.data.slice(0, 20)}`);
      }
      const figures = all("figure picture img");
      for (const e of figures) e.loading = "eager"; // the others come when they are scrolled to
      await Promise.allSettled(figures.map((e) => e.decode()));
      for (const e of figures) {
        const name = e.currentSrc.split("/").at(-1);
        const natural = e.naturalWidth / e.naturalHeight;
        const near = (ratio) => Math.abs(ratio / natural - 1) < 0.02;
        fault(e.naturalWidth < 100, `lacks the figure ${name}`);
        fault(name.endsWith(".dark.svg") !== (scheme === "dark"), `shows ${name} when ${scheme}`);
        fault(!near(e.width / e.height), `stretches ${name}`);
        fault(
          !near(e.getAttribute("width") / e.getAttribute("height")), `keeps no place for ${name}`);
      }
      return faults;
    }
"""


def arrive(page, address):
    """Open a page; its widgets' scripts come after the first paint, as they do on a slow line."""
    late = []
    page.add_init_script(SHIFTS)
    page.route("**/widgets/*.js", lambda route: late.append(route))
    page.goto(address, wait_until="commit")
    page.wait_for_function(PAINTED)
    for route in late:
        route.fallback()
    settle(page)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")


@pytest.mark.parametrize("path", pages())
def test_page_keeps_its_promises(watch, server, path):
    watch.allowed.append(server)
    page, answers = watch.page(), []
    page.on("response", lambda answer: answers.append(answer))
    arrive(page, server + path)
    faults = page.evaluate(JUMPS) if page.locator("[data-model]").count() else []
    sent = sizes(answers)
    for what, amount, most in (
        ("requests", len(sent), MAX_REQUESTS),
        ("bytes", sum(size for _, size in sent), MAX_BYTES),
    ):
        faults += [f"takes {amount} {what}, at most {most}: {sent}"] if amount > most else []
    if path not in IN_COLOUR:
        page.add_style_tag(content=OF_ONE_COLOUR)
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        # From the top: on a scrolled page the bar covers a piece of the text.
        page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        here = page.evaluate(FAULTS, scheme) + too_tall_or_small(page)
        wide = overflow(page)
        here += [f"is {wide} pixels wider than the window, or than a section"] if wide > 0 else []
        here += violations(page, contrast=scheme == "light" or path in IN_COLOUR)
        faults += [f"{width} pixels, {scheme}: {fault}" for fault in here]
    assert not faults, f"{path}:\n" + "\n".join(faults)


@pytest.mark.parametrize("path", chapters()[1:2] + pages()[:1])
def test_nothing_jumps_on_a_narrow_screen(watch, server, path):
    watch.allowed.append(server)
    page = watch.page(width=360)
    arrive(page, server + path)
    assert page.evaluate(JUMPS) == []
