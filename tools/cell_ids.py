"""Readable, stable cell ids: a hand-given id stays, a random one is derived from the cell."""

import itertools
import keyword
import re
import unicodedata

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
#: What JupyterLab, VS Code and nbformat make up: 8 hex digits, or a UUID with or without dashes.
RANDOM = re.compile(
    r"[0-9a-f]{8}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
LENGTH = 40


def is_hand_given(cell):
    """Whether a cell carries an id that somebody chose.

    Parameters
    ----------
    cell : NotebookNode

    Returns
    -------
    bool
        False for a missing, random or invalid id.
    """
    cell_id = cell.get("id", "")
    return bool(VALID.fullmatch(cell_id)) and not RANDOM.fullmatch(cell_id)


def slug(text):
    """Lower-case words joined by dashes, cut at a word's end.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        At most 40 characters of ``[a-z0-9-]``; empty when the text holds no such word.

    Examples
    --------
    >>> slug("Why √d? Scaled dot-product à la carte")
    'why-d-scaled-dot-product-a-la-carte'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", plain.lower())
    while len(words) > 1 and len("-".join(words)) > LENGTH:
        words.pop()
    return "-".join(words)[:LENGTH]


def describe(cell):
    """A readable name for a cell, from its content alone.

    Parameters
    ----------
    cell : NotebookNode

    Returns
    -------
    str
        The slug of the first heading or words (markdown), of the figure's name, of the first
        function or of the first names (code); never empty.
    """
    source = cell.get("source", "")
    if cell["cell_type"] != "code":
        heading = re.search(r"^#{1,6}\s+(.+)$", source, re.MULTILINE)
        words = heading[1] if heading else " ".join(re.findall(r"[^\W_]+", source)[:5])
        return slug(words) or cell["cell_type"]
    figure = cell.get("metadata", {}).get("mystnb", {}).get("figure", {}).get("name")
    function = re.search(r"^(?:async )?(?:def|class) (\w+)", source, re.MULTILINE)
    if figure or function:
        return slug(figure or function[1]) or "code"
    lines = [line for line in source.splitlines() if line.strip()]
    if lines and all(re.match(r"(import|from) ", line) for line in lines):
        return "imports"
    names = [name for name in re.findall(r"[^\W\d]\w+", source) if not keyword.iskeyword(name)]
    return slug(" ".join(names[:4])) or "code"


def stable_ids(cells):
    """The ids of a notebook's cells, each of them valid, readable and used once.

    Parameters
    ----------
    cells : list of NotebookNode

    Returns
    -------
    list of str
        Hand-given ids unchanged, derived ones for the rest; a second use of an id gets ``-2``.
    """
    ids = [cell["id"] if is_hand_given(cell) else None for cell in cells]
    taken = set(ids)
    seen = set()
    for number, cell in enumerate(cells):
        if ids[number] is None or ids[number] in seen:
            base = (ids[number] or describe(cell))[: 64 - 4]
            numbered = (f"{base}-{count}" for count in itertools.count(2))
            names = itertools.chain([base], numbered)
            ids[number] = next(name for name in names if name not in taken)
            taken.add(ids[number])
        seen.add(ids[number])
    return ids
