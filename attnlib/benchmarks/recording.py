"""Reading a recording: the measurements of one run, with where they come from.

A recording is a file of JSON that `attnlib.benchmarks.gpu` writes.  Its header names the device,
the versions, the hashes of the code, the seed, the settings, and the ceilings that were measured
at the start and at the end of the same run.  Its rows hold one measurement each; what the device
could not do is a row as well, with its reason.
"""

import json
from pathlib import Path

import numpy as np

from attnlib.benchmarks.checking import notices, problems
from attnlib.benchmarks.provenance import KIND, SCHEMA, script_hashes
from attnlib.benchmarks.schema import ROW
from attnlib.benchmarks.verdicts import binding_term, verdicts

__all__ = [
    "KIND",
    "SCHEMA",
    "binding_term",
    "load",
    "notices",
    "problems",
    "rows",
    "script_hashes",
    "table",
    "verdicts",
]


def load(path, *, check_hash=True):
    """Read a recording, and refuse one that has problems.

    Parameters
    ----------
    path : path
        A file of JSON.
    check_hash : bool, optional
        Whether the code that measured has to be the code that is here.

    Returns
    -------
    dict
        The header's fields, and ``rows``, a list of dicts.

    Raises
    ------
    ValueError
        If the file is not JSON, or `problems` finds any.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "empty.json")
    >>> _ = path.write_text("{}")
    >>> try:
    ...     load(path)
    ... except ValueError as error:
    ...     print(str(error)[:70])
    empty.json has 12 problems. The first: the header has no field schema.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name} is not JSON: {error}. Measure again.") from None
    found = problems(data, check_hash=check_hash)
    if found:
        raise ValueError(
            f"{path.name} has {len(found)} problems. The first: {found[0]} Measure again, or "
            f"restore the file as it was recorded."
        )
    return data


def rows(data, **wanted):
    """Return the rows of a recording whose fields are as wanted.

    Parameters
    ----------
    data : dict
        A recording.
    **wanted : optional
        Fields and their values; a list stands for any of its values.

    Returns
    -------
    list of dict
        In the order in which they were measured.

    Raises
    ------
    ValueError
        If a field is unknown.

    Examples
    --------
    >>> data = {"rows": [{"n": 8, "backend": "naive"}, {"n": 8, "backend": "flash"}]}
    >>> rows(data, n=8, backend=["flash", "flex"])
    [{'n': 8, 'backend': 'flash'}]
    """
    for name in wanted:
        _known_field(name, "the field")
    wanted = {name: x if isinstance(x, list) else [x] for name, x in wanted.items()}
    return [row for row in data["rows"] if all(row[name] in x for name, x in wanted.items())]


def table(data, field="p50_s", **wanted):
    """Return one measured number over n, for each back end: what a figure needs.

    Parameters
    ----------
    data : dict
        A recording.
    field : str, optional
        Which number.
    **wanted : optional
        As for `rows`; they should leave one row for each n and back end.

    Returns
    -------
    n : ndarray of int, shape (m,)
        Rising.
    columns : dict of str to ndarray, shape (m,)
        Back end -> numbers, NaN where nothing was measured.

    Raises
    ------
    ValueError
        If a field is unknown, or two rows have the same n and back end.

    Examples
    --------
    >>> data = {"rows": [{"n": 8, "backend": "naive", "p50_s": 2.0, "d": 64},
    ...                  {"n": 16, "backend": "naive", "p50_s": None, "d": 64}]}
    >>> n, columns = table(data, d=64)
    >>> n, columns["naive"]
    (array([ 8, 16]), array([ 2., nan]))
    """
    _known_field(field, "field")
    found = rows(data, **wanted)
    n = sorted({row["n"] for row in found})
    columns = {row["backend"]: np.full(len(n), np.nan) for row in found}
    filled = set()
    for row in found:
        place = row["backend"], n.index(row["n"])
        if place in filled:
            raise ValueError(
                f"several rows have n={row['n']} and backend={row['backend']!r}. Say which, for "
                f"example d=64, dtype='bfloat16', causal=False."
            )
        filled.add(place)
        if row[field] is not None:
            columns[place[0]][place[1]] = row[field]
    return np.array(n, dtype=int), columns


def _known_field(name, argument):
    if name not in ROW:
        raise ValueError(f"{argument} {name!r} is unknown. Choose one of {', '.join(ROW)}.")
