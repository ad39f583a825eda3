"""The colours: readable in both themes, apart for every eye, and the same everywhere."""

import itertools

import numpy as np
import pytest

from attnlib import palette

THEMES = {"light": palette.LIGHT, "dark": palette.DARK}
TEXT = ["query", "key", "value", "ink", "muted"]


def linear(colour):
    """Linear-light RGB of a hex colour (sRGB, IEC 61966-2-1)."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """Contrast ratio of WCAG 2.2."""
    light, dark = sorted((linear(c) @ [0.2126, 0.7152, 0.0722] for c in (a, b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["page", "panel"])
@pytest.mark.parametrize("role", TEXT)
def test_text_colours_are_readable(theme, ground, role):
    colours = THEMES[theme]
    assert contrast(colours[role], colours[ground]) >= 4.5


# Machado, Oliveira and Fernandes (2009), full severity, for linear RGB.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}


def lab(rgb):
    """CIE L*a*b* of linear RGB, white point D65."""
    xyz = np.clip(rgb, 0, 1) @ np.array(
        [[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192], [0.1805, 0.0722, 0.9505]]
    )
    t = xyz / [0.9505, 1.0, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_three_hues_stay_apart(theme, deficiency):
    seen = {
        role: lab(np.array(DEFICIENCIES[deficiency]) @ linear(THEMES[theme][role]))
        for role in ("query", "key", "value")
    }
    for a, b in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 15, (a, b)


def test_both_themes_have_the_same_roles():
    assert palette.LIGHT.keys() == palette.DARK.keys()


def test_every_macro_has_a_role():
    for name, role in palette.MACROS.items():
        assert palette.mathjax_macros()[name] == [rf"\class{{mjx-{role}}}{{#1}}", 1]
        assert rf"\newcommand{{\{name}}}" in palette.notebook_macros()
