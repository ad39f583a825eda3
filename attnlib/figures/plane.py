"""Attention in the plane: query and keys, values and output, and the same in numbers."""

import numpy as np
from matplotlib.patches import Polygon

from attnlib.figures.style import axes
from attnlib.palette import LIGHT

SUBSCRIPTS = "₁₂₃₄₅₆"


def _plane(ax, limits, title):
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    ax.set_title(title or "")
    ax.axhline(0, color=LIGHT["line"], linewidth=0.8, zorder=0)
    ax.axvline(0, color=LIGHT["line"], linewidth=0.8, zorder=0)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_facecolor(LIGHT["panel"])


def _outwards(point, centre):
    """Unit vector from the centre to the point; upwards where they coincide."""
    out = np.subtract(point, centre)
    length = np.hypot(*out)
    return out / length if length else np.array([0.0, 1.0])


def _arrow(ax, tip, role, name, width=2, turned=False):
    """An arrow from the origin with its name further out, or beside it where that is taken."""
    style = {"arrowstyle": "-|>", "color": LIGHT[role], "lw": width, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tip, (0, 0), arrowprops=style)
    x, y = _outwards(tip, (0, 0))
    _name(ax, name, tip, (-y, x) if turned else (x, y), role)


def _name(ax, name, point, direction, role, distance=13):
    ax.annotate(
        name, point, xytext=distance * np.array(direction), textcoords="offset points",
        ha="center", va="center", color=LIGHT[role], weight="bold", zorder=6,
    )  # fmt: skip


def _corners(points):
    """Points of the convex hull in order, by angle round their mean, inner ones left out."""
    points = np.unique(points, axis=0)
    keep = []
    for i, p in enumerate(points):
        angles = np.sort(np.arctan2(*(np.delete(points, i, axis=0) - p).T[::-1]))
        gaps = np.diff(np.r_[angles, angles[0] + 2 * np.pi]) if len(angles) else [2 * np.pi]
        if np.max(gaps) > np.pi + 1e-9:
            keep.append(p)
    keep = np.array(keep if len(keep) > 1 else points)
    middle = keep.mean(axis=0)
    return keep[np.argsort(np.arctan2(*(keep - middle).T[::-1]))]


def query_and_keys(query, keys, *, limits, title=None, ax=None):
    """The query and its line, and each key with its foot on that line.

    A foot's distance from the origin, times the length of the query, is the key's score.

    Parameters
    ----------
    query : array_like, shape (2,)
    keys : array_like, shape (n, 2)
        Up to six.
    limits : pair of float
        Ends of both axes.
    title : str, optional
        Text over the axes.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(query_and_keys([1, 1], [[1, 0], [0, 2]], limits=[-3, 3]).collections)
    2
    """
    ax = axes(height=3.2, width=3.2) if ax is None else ax
    _plane(ax, limits, title)
    query, keys = np.array(query, dtype=float), np.array(keys, dtype=float)
    along = query / (np.linalg.norm(query) or 1.0)
    guide = {"color": LIGHT["muted"], "linestyle": ":", "linewidth": 1}
    reach = 2 * max(np.abs(limits))
    ax.plot(*np.transpose([-reach * along, reach * along]), **guide)
    _arrow(ax, query, "query", "q", width=4.5)
    for i, key in enumerate(keys):
        foot = (key @ along) * along
        ax.plot(*np.transpose([key, foot]), **guide)
        ax.scatter(*foot, s=14, color=LIGHT["key"], zorder=5)
        aligned = key @ along > 0.9 * np.linalg.norm(key)
        _arrow(ax, key, "key", f"k{SUBSCRIPTS[i]}", turned=aligned)
    return ax


def values_and_output(values, weights, output, *, limits, title=None, ax=None):
    """The values with as much ink as weight, their hull, and the output inside it.

    Parameters
    ----------
    values : array_like, shape (n, 2)
        Up to six.
    weights : array_like, shape (n,)
    output : array_like, shape (2,)
    limits, title, ax
        As for `query_and_keys`.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> len(values_and_output([[4, 0], [0, 4]], [0.5, 0.5], [2, 2], limits=[-1, 5]).texts)
    3
    """
    ax = axes(height=3.2, width=3.2) if ax is None else ax
    _plane(ax, limits, title)
    values, output = np.array(values, dtype=float), np.array(output)
    fill, edge = LIGHT["value"] + "20", LIGHT["value"]
    ax.add_patch(Polygon(_corners(values), facecolor=fill, edgecolor=edge, ls="--"))
    middle = values.mean(axis=0)
    for i, (value, weight) in enumerate(zip(values, weights)):
        ax.plot(*zip(output, value), color=LIGHT["ink"], alpha=0.55, linewidth=0.4 + 4 * weight)
        ax.scatter(*value, s=330 * weight, color=LIGHT["ink"], zorder=3)
        ax.scatter(*value, s=360, facecolor="none", edgecolor=LIGHT["value"], lw=1.6, zorder=4)
        _name(ax, f"v{SUBSCRIPTS[i]}", value, _outwards(value, middle), "value", distance=18)
    ax.scatter(
        *output, marker="D", s=60, color=LIGHT["value"], edgecolor=LIGHT["ink"], lw=1.4, zorder=5
    )
    _name(ax, "y", output, (1.0, 0.7), "value")
    return ax


def weighted_sum(keys, scores, weights, values, output, *, ax=None):
    """A row of numbers for each key, from its score to its weighted value, and the sum.

    Parameters
    ----------
    keys, values : array_like, shape (n, d)
        Up to six; columns are wide enough for two components.
    scores, weights : array_like, shape (n,)
    output : array_like, shape (d,)
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = weighted_sum([[1, 0]], [2.0], [1.0], [[3, 4]], [3, 4])
    >>> [text.get_text() for text in ax.texts][5:10]
    ['k₁ = [1, 0]', '2.00', '1.000', 'v₁ = [3, 4]', '[3.00, 4.00]']
    """
    ax = axes(height=1.6) if ax is None else ax
    columns = {0.0: "key", 0.38: "score q·k", 0.55: "weight w", 0.62: "value", 1.0: "w v"}
    rows = [columns.values()]
    for i, (key, score, weight, value) in enumerate(zip(keys, scores, weights, values)):
        names = [f"{name}{SUBSCRIPTS[i]} = {_vector(x)}" for name, x in (("k", key), ("v", value))]
        product = _vector(weight * np.array(value), ".2f")
        rows.append([names[0], _minus(f"{score:.2f}"), f"{weight:.3f}", names[1], product])
    rows.append(["sum", "", "1.000", "output y =", _vector(output, ".2f")])
    colours = ["key", "ink", "ink", "value", "ink"]
    for y, row in enumerate(rows):
        for (x, heading), text, role in zip(columns.items(), row, colours):
            ax.text(
                x, -y, text, ha="left" if heading in ("key", "value") else "right", va="center",
                color=LIGHT[role if 0 < y < len(rows) - 1 else "muted" if y == 0 else "ink"],
            )  # fmt: skip
    ax.set(xlim=(0, 1), ylim=(0.6 - len(rows), 0.6))
    ax.axis("off")
    return ax


def _vector(numbers, form="g"):
    return _minus(f"[{', '.join(f'{x + 0.0:{form}}' for x in numbers)}]")


def _minus(text):
    return text.replace("-", "−")
