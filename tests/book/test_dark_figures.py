"""Figures in the dark theme: every colour has its dark twin, and the page shows the right one."""

import base64
import io
import re

import matplotlib
import numpy as np
import pytest
from attention_book import dark
from PIL import Image
from site_tools import chapters
from sphinx.errors import ExtensionError

from attnlib import figures
from attnlib.figures.style import blank, styled
from attnlib.palette import DARK, LIGHT
from tests.helpers.page_storage import wait_for_stored_theme

matplotlib.use("agg")

ALL_ARE = """
    (night) => {
      const images = [...document.querySelectorAll("figure picture img")];
      for (const e of images) e.loading = "eager"; // the others come when they are scrolled to
      return images.length > 0 && images.every((e) => e.currentSrc.endsWith(".dark.svg") === night);
    }
"""
BROKEN = """
    async () => {
      const images = [...document.querySelectorAll("figure picture img")];
      await Promise.allSettled(images.map((e) => e.decode()));
      return images.filter((e) => e.naturalWidth < 100).map((e) => e.currentSrc);
    }
"""


def colours(svg):
    return set(re.findall(r"#[0-9a-f]{6}\b", svg))


@pytest.mark.parametrize("role", LIGHT)
def test_each_role_gets_its_dark_colour(role):
    assert dark.dark_name(LIGHT[role]) == DARK[role]
    assert dark.dark_name(LIGHT[role].upper()) == DARK[role]


@pytest.mark.parametrize("role", ["ink", "key", "query"])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_shade_keeps_its_place_on_its_ramp(role, part):
    def between(theme):
        page, end = dark.rgb(theme["page"]), dark.rgb(theme[role])
        return page + part * (end - page)

    shade = dark.darkened(*(int(x) for x in between(LIGHT).round()))
    np.testing.assert_allclose(shade, between(DARK), atol=2)


@pytest.mark.parametrize("colour", ["#ff0000", "#1f77b4", "#000000", "#ffffff", "#2d2126"])
def test_foreign_colour_is_refused_by_name(colour):
    with pytest.raises(ExtensionError, match=f"loss.svg: {colour} is no colour of attnlib.palette"):
        dark.dark_svg(f'<svg><path style="fill: {colour}"/></svg>', "loss.svg")


@styled
def heat(matrix, **kwargs):
    figure = blank(4, 3)
    figures.heatmap(matrix, ax=figure.subplots(), **kwargs)
    return figures.svg_text(figure)


def bitmap_colours(svg):
    pixels = np.array(Image.open(io.BytesIO(base64.b64decode(dark._BITMAP.search(svg).group()))))
    return pixels[pixels[..., 3] == 255][:, :3]


def test_heat_map_cells_get_dark_colours():
    svg = heat([[0.0, 1.0], [0.5, 0.25]])
    assert tuple(dark.rgb(LIGHT["ink"])) in {tuple(c) for c in bitmap_colours(svg)}
    turned = bitmap_colours(dark.dark_svg(svg, "heat"))
    cells = {tuple(int(x) for x in c) for c in turned}
    assert tuple(int(x) for x in dark.rgb(DARK["ink"])) in cells
    assert tuple(int(x) for x in dark.rgb(DARK["page"])) in cells
    assert not cells & {tuple(int(x) for x in dark.rgb(LIGHT[role])) for role in ("ink", "page")}


def test_signed_cells_keep_their_two_hues():
    turned = bitmap_colours(dark.dark_svg(heat([[-2.0, 2.0]], signed=True), "signed"))
    cells = {tuple(int(x) for x in c) for c in turned}
    for role in ("key", "query"):
        assert tuple(int(x) for x in dark.rgb(DARK[role])) in cells


@pytest.mark.site
def test_every_site_figure_has_a_dark_twin(site):
    lights = [p for p in (site / "_images").glob("*.svg") if not p.stem.endswith(".dark")]
    assert lights
    for light in lights:
        twin = light.with_suffix(".dark.svg").read_text(encoding="utf-8")
        used = colours(light.read_text(encoding="utf-8"))
        assert colours(twin) == {dark.dark_name(colour) for colour in used}, light.name
        roles = used & set(LIGHT.values())  # the others are tints, between the page and a role
        assert len(colours(twin) & set(DARK.values())) >= len(roles) > 1, light.name


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("protocol", ["http", "file"])
def test_figures_follow_system_and_button(open_page, protocol):
    def expect(night):
        page.wait_for_function(ALL_ARE, arg=night)
        assert page.evaluate(BROKEN) == []

    page = open_page(chapters()[1], protocol=protocol)
    expect(False)
    page.emulate_media(color_scheme="dark")
    expect(True)
    page.get_by_role("button", name="Use the light theme").click()
    expect(False)
    page.reload()
    wait_for_stored_theme(page)
    expect(False)
    page.get_by_role("button", name="Use the dark theme").click()
    expect(True)
    page.emulate_media(media="print")
    expect(False)


@pytest.mark.site
@pytest.mark.browser
def test_without_script_figures_and_widgets_follow_the_system(open_page):
    for night in (False, True):
        page = open_page(chapters()[1], dark=night, java_script_enabled=False)
        for image in page.locator("picture img").all():
            image.scroll_into_view_if_needed()
        shown = page.locator("picture img").evaluate_all("all => all.map((e) => e.currentSrc)")
        assert len(shown) >= 2
        assert all(source.endswith(".dark.svg") == night for source in shown)
