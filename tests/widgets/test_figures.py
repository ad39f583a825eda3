"""Figures: arrays in, Axes out; refusals; nobody's settings changed."""

import matplotlib
import numpy as np
import pytest

from attnlib import figures
from attnlib.palette import LIGHT
from attnlib.widgets import WIDGETS

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_heatmap_rows_are_queries_on_a_fixed_scale():
    ax = figures.heatmap(np.full((2, 3), 0.25), queries=["a", "b"], keys=["x", "y", "z"])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert ax.images[0].get_clim() == (0, 1)
    assert [t.get_text() for t in ax.texts] == ["0.25"] * 6


def test_heatmap_of_signed_numbers_is_centred_on_zero():
    low, high = figures.heatmap([[-2.0, 1.0]], signed=True).images[0].get_clim()
    assert (low, high) == (-2.0, 2.0)


def test_heatmap_writes_numbers_up_to_eight_by_eight():
    assert len(figures.heatmap(np.eye(8)).texts) == 64
    assert len(figures.heatmap(np.eye(9)).texts) == 0


def test_boolean_heatmaps_are_ink_without_numbers():
    ax = figures.heatmap(np.eye(2, dtype=bool), queries=["a", "b"], keys=["x", "y"])
    shown = ax.images[0].get_array()
    assert shown[0, 0] == shown[1, 1] > 0.55 > shown[0, 1] == shown[1, 0] > 0
    assert len(ax.texts) == 0
    names = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    assert [t.get_text() for t in names] == ["x", "y", "a", "b"]
    assert {t.get_color() for t in names} == {LIGHT["ink"]}


@pytest.mark.parametrize(
    ("matrix", "message"), [(np.zeros(3), "shape"), ([[1.5]], "signed=True"), ([[-0.1]], "0 and 1")]
)
def test_heatmap_refuses_what_is_no_matrix_of_weights(matrix, message):
    with pytest.raises(ValueError, match=message):
        figures.heatmap(matrix)


def test_stems_are_as_high_as_the_weights():
    bars = figures.stems([0.2, 0.8], names=["a", "b"]).patches
    assert [round(bar.get_height(), 3) for bar in bars] == [0.2, 0.8]


def test_lines_are_named_where_they_end():
    ax = figures.lines([1, 2, 4], {"up": [1, 2, 3]}, log=True)
    assert ax.texts[0].get_text() == "up" and tuple(ax.texts[0].xy) == (4, 3)


def test_histogram_bars_are_shares():
    assert sum(p.get_height() for p in figures.histogram([1, 2, 3], bins=[0, 2, 4]).patches) == 1


def test_drawing_a_still_leaves_the_readers_settings_alone():
    before = dict(matplotlib.rcParams)
    for cls in WIDGETS.values():
        cls(**cls.samples[0]).picture()
    assert dict(matplotlib.rcParams) == before


def test_a_blank_figure_is_shown_by_nobody():
    import matplotlib.pyplot as plt

    figures.blank(1, 1)
    assert not plt.get_fignums()


def test_a_canvas_has_a_bar_as_long_as_each_weight():
    weights = [0.5, 0.25, 0, 0.25, 0, 0, 0, 0]
    ax = figures.canvas(np.ones((10, 20)), weights, title="seven")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([4.6 * w for w in weights])
    assert ax.get_title(loc="left") == "seven"
    assert not figures.canvas(np.ones((10, 20))).patches


@pytest.mark.parametrize("shape", [(10, 21), (9, 20), (20,)])
def test_a_canvas_refuses_what_cannot_be_cut(shape):
    with pytest.raises(ValueError, match="multiples of 5"):
        figures.canvas(np.zeros(shape))
