"""Where numbers come from: the code that measured them, by hash, with nothing private in it."""

import re
from pathlib import Path

from attnlib.benchmarks.hashing import hashes

SCHEMA = 1
KIND = "attention on one device"

#: The files whose code decides a number.  Those that only read a recording are not among them,
#: so that a better check does not make a recording worthless.
DECIDING = [
    "attnlib/benchmarks/backends.py",
    "attnlib/benchmarks/ceilings.py",
    "attnlib/benchmarks/command.py",
    "attnlib/benchmarks/exact.py",
    "attnlib/benchmarks/gpu.py",
    "attnlib/benchmarks/hashing.py",
    "attnlib/benchmarks/header.py",
    "attnlib/benchmarks/measuring.py",
    "attnlib/benchmarks/plan.py",
    "attnlib/benchmarks/provenance.py",
    "attnlib/benchmarks/work.py",
    "attnlib/cost/*.py",
    "attnlib/timing/*.py",
]

#: What has to be the same before rows of two commands may stand in one recording.
SAME_RUN = ["schema", "kind", "device", "versions", "scripts", "seed", "settings", "nominal"]

#: A path from the root of a disk.
_PATH = re.compile(r"""(?<![\w.)\]])(?:[A-Za-z]:\\[^\s"']+|/(?:[^\s/"':,;()]+/)+[^\s"':,;()]*)""")


def script_hashes(root=None):
    """Return the SHA-256 of every file whose code decides a number.

    Parameters
    ----------
    root : path, optional
        The folder that holds ``attnlib``; the one this file lies in, if not given.

    Returns
    -------
    dict of str to str
        From the file, relative to `root`, to 64 hexadecimal digits.  Only code counts, see
        `code_of`: a better docstring does not make a recording worthless.

    Raises
    ------
    ValueError
        If `root` holds none of them.

    Examples
    --------
    >>> hashes = script_hashes()
    >>> "attnlib/benchmarks/gpu.py" in hashes, {len(h) for h in hashes.values()}
    (True, {64})
    """
    return hashes(DECIDING, root)


def without_paths(text):
    """Return `text` with every absolute path replaced, so that a message may be published.

    Parameters
    ----------
    text : str
        For example the message of an error.

    Returns
    -------
    str
        In one line.

    Examples
    --------
    >>> without_paths("no such file: /some/where/x.py, sorry")
    'no such file: (a path), sorry'
    >>> without_paths("bytes/s of attnlib/cost stay")
    'bytes/s of attnlib/cost stay'
    """
    return " ".join(_PATH.sub("(a path)", text).split())


def first_path(thing):
    """Return the first string with an absolute path in nested dicts and lists, or None.

    Parameters
    ----------
    thing : dict, list, str or anything else
        What was read from JSON.

    Returns
    -------
    str or None
        The whole string.

    Examples
    --------
    >>> first_path({"a": ["fine", "in /some/where/"]})
    'in /some/where/'
    >>> first_path({"a": 1}) is None
    True
    """
    if isinstance(thing, str):
        return thing if _PATH.search(thing) else None
    if isinstance(thing, dict):
        thing = [*thing.keys(), *thing.values()]
    if isinstance(thing, list):
        return next((found for found in map(first_path, thing) if found), None)
    return None


def refuse_other_run(header, wanted, path):
    """Raise an error that says what differs, if two headers are not of the same run."""
    differs = [
        said for name in SAME_RUN for said in differences(header.get(name), wanted[name], name)
    ]
    if differs:
        raise ValueError(
            f"{Path(path).name} is from another run: {'; '.join(differs[:5])}"
            f"{'; and more' if len(differs) > 5 else ''}. Give another --out, or --fresh to set "
            f"the old file aside as .old."
        )


def differences(there, here, name):
    """Say in words where two nested dicts differ.

    Parameters
    ----------
    there, here : anything that JSON can hold
        What a file says, and what is true now.
    name : str
        What it is called.

    Returns
    -------
    list of str

    Examples
    --------
    >>> differences({"n": [1], "d": 2}, {"n": [1, 2], "d": 2}, "settings")
    ['settings.n is [1] there and [1, 2] here']
    """
    if isinstance(there, dict) and isinstance(here, dict):
        names = [*here, *(key for key in there if key not in here)]
        return [
            said
            for key in names
            for said in differences(there.get(key), here.get(key), f"{name}.{key}")
        ]
    return [] if there == here else [f"{name} is {_short(there)} there and {_short(here)} here"]


def _short(thing):
    text = repr(thing)
    return text if len(text) <= 60 else text[:28] + " … " + text[-28:]
