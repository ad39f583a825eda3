"""Readable, stable cell ids: an author's id stays, a random one gives way to a derived one."""

import itertools
import re

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
#: What JupyterLab, VS Code and nbformat make up: 8 hex digits, or a UUID with or without dashes.
RANDOM = re.compile(
    r"[0-9a-f]{8}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)


def is_chosen(cell_id):
    """Whether an author chose this id: it is valid and not random.

    >>> is_chosen("fig-causal-mask"), is_chosen("0a1b2c3d"), is_chosen("two words")
    (True, False, False)
    """
    return bool(VALID.fullmatch(cell_id)) and not RANDOM.fullmatch(cell_id)


def describe(cell):
    r"""A readable id for a cell: its figure's name, or the first words of its first line.

    >>> describe({"cell_type": "markdown", "source": "## Why √d? *Scaling*\n\nMore."})
    'why-d-scaling'
    """
    figure = cell.get("metadata", {}).get("mystnb", {}).get("figure", {}).get("name")
    first = (figure or cell.get("source", "")).strip().partition("\n")[0]
    words = re.findall(r"[a-z0-9]+", first.lower())
    return "-".join(words[:5])[:40].strip("-") or cell["cell_type"]


def stable_ids(cells):
    """The ids of a notebook's cells, each of them valid, readable and used once.

    Parameters
    ----------
    cells : list of NotebookNode

    Returns
    -------
    list of str
        Authors' ids unchanged, derived ones for the rest; a second use of an id gets ``-2``.
    """
    old = [cell.get("id", "") for cell in cells]
    taken = {cell_id for cell_id in old if is_chosen(cell_id)}
    ids = []
    for cell, cell_id in zip(cells, old):
        if not is_chosen(cell_id) or cell_id in ids:
            base = (cell_id if is_chosen(cell_id) else describe(cell))[:60]
            names = itertools.chain([base], (f"{base}-{count}" for count in itertools.count(2)))
            cell_id = next(name for name in names if name not in taken)
            taken.add(cell_id)
        ids.append(cell_id)
    return ids
