"""Chapter pages stay inside their budget of requests and bytes; dragging rebuilds nothing."""

import pytest
from page_metrics import FRAMES, MAX_BYTES, MAX_REQUESTS, drag_frames, handles, settle, transfer
from site_tools import chapters

pytestmark = [pytest.mark.browser, pytest.mark.site]

# Elements that come into the widgets while the reader drags.
ADDED = """
    window.added = [];
    for (const place of document.querySelectorAll("[data-alive]"))
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node.nodeType === Node.ELEMENT_NODE) window.added.push(node.outerHTML);
      }).observe(place, { subtree: true, childList: true });
"""


@pytest.mark.parametrize("path", chapters())
def test_requests_and_bytes(watch, server, path):
    watch.allowed.append(server)
    sent = transfer(watch.page(), server + path)
    told = "\n".join(f"{size:>8} {address}" for address, size in sorted(sent, key=lambda s: -s[1]))
    assert len(sent) <= MAX_REQUESTS, told
    assert sum(size for _, size in sent) <= MAX_BYTES, told
    assert all(address.startswith(server) for address, _ in sent), told


@pytest.mark.parametrize("path", chapters())
def test_dragging_changes_attributes_and_builds_no_element(watch, server, path):
    watch.allowed.append(server)
    page = watch.page()
    page.goto(server + path)
    settle(page)
    page.evaluate(FRAMES)
    page.evaluate(ADDED)
    for name, handle in handles(page):
        assert len(drag_frames(page, handle, moves=40)) >= 10, name
        assert page.evaluate("window.added") == [], name
