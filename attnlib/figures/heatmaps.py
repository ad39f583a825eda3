"""Matrices as pictures: queries down, keys across."""

import numpy as np

from attnlib.figures.style import INK, SIGNED, axes
from attnlib.palette import LIGHT

NO, YES = 0.05, 0.8  # how much ink false and true get: false is not the page


def heatmap(matrix, *, queries=None, keys=None, signed=False, title=None, digits=2, ax=None):
    """A matrix of weights, or of signed numbers, as a picture.

    Parameters
    ----------
    matrix : array_like, shape (n_q, n_k)
        Weights between 0 and 1, or any numbers when `signed`.  Of booleans, true is ink; no
        numbers are written, and the names are in ink, as they may be of anything.
    queries, keys : sequence of str, optional
        Names of the rows and the columns.
    signed : bool
        Diverging colours centred on zero, instead of ink from 0 to 1.
    title : str, optional
        Text over the axes.
    digits : int
        Decimals in the cells; cells are written up to 8 × 8.
    ax : matplotlib.axes.Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        When the matrix is not two-dimensional, or weights lie outside 0…1.

    Examples
    --------
    >>> heatmap([[0.25, 0.75]], keys=["a", "b"]).get_title(loc="left")
    ''

    Booleans are a table of yes and no:

    >>> len(heatmap([[True, False]]).texts)
    0
    """
    yes_or_no = np.asarray(matrix).dtype == bool
    matrix = np.asarray(matrix, dtype=float)
    if yes_or_no:
        matrix = NO + (YES - NO) * matrix
    if matrix.ndim != 2:
        raise ValueError(f"heatmap needs a matrix of shape (n_q, n_k), got shape {matrix.shape}.")
    if not signed and (matrix.min() < 0 or matrix.max() > 1):
        raise ValueError(
            f"weights must lie between 0 and 1, got {matrix.min():g} to {matrix.max():g}; "
            "pass signed=True for other numbers."
        )
    ax = axes(height=max(2.4, 0.6 + 0.42 * len(matrix))) if ax is None else ax
    reach = np.abs(matrix).max() or 1.0
    low = -reach if signed else 0.0
    high = reach if signed else 1.0
    ax.imshow(matrix, cmap=SIGNED if signed else INK, vmin=low, vmax=high, aspect="equal")
    n_q, n_k = matrix.shape
    across, down = (LIGHT["ink" if yes_or_no else role] for role in ("key", "query"))
    ax.set_xticks(range(n_k), keys if keys is not None else range(n_k), color=across)
    ax.set_yticks(range(n_q), queries if queries is not None else range(n_q), color=down)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(n_k - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(n_q - 1) + 0.5, minor=True)
    ax.grid(which="minor", color=LIGHT["page"], linewidth=2)
    ax.tick_params(which="minor", length=0)
    if max(n_q, n_k) <= 8 and not yes_or_no:
        for (i, j), value in np.ndenumerate(matrix):
            dark = abs(value) > 0.55 * high
            colour = LIGHT["page"] if dark else LIGHT["ink"]
            text = f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
            ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=10)
    if title:
        ax.set_title(title)
    return ax
