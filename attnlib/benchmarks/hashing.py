"""The hash of code: of what a program does, whatever is said about it."""

import ast
import hashlib
from pathlib import Path


def hashes(patterns, root=None):
    """Return the SHA-256 of some files.

    Parameters
    ----------
    patterns : list of str
        Files, relative to `root`; ``*`` stands for any name.
    root : path, optional
        The folder that holds ``attnlib``; the one this file lies in, if not given.

    Returns
    -------
    dict of str to str
        As for `script_hashes`.

    Raises
    ------
    ValueError
        If `root` holds none of them.

    Examples
    --------
    >>> list(hashes(["attnlib/cost/roof*.py"]))
    ['attnlib/cost/roofline.py']
    """
    root = Path(__file__).parents[2] if root is None else Path(root)
    files = sorted({path for pattern in patterns for path in root.glob(pattern)})
    if not files:
        raise ValueError(f"root={str(root)!r} holds no attnlib. Give the folder above it.")
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(
            code_of(path.read_text(encoding="utf-8")).encode()
        ).hexdigest()
        for path in files
    }


def code_of(source):
    """Return the lines of a program without docstrings, comments of their own and empty lines.

    Parameters
    ----------
    source : str
        Python.

    Returns
    -------
    str

    Examples
    --------
    >>> code_of("# add\\n\\ndef f(x):\\n    'Add one.'\\n    return x + 1  # one\\n")
    'def f(x):\\n    return x + 1  # one'
    """
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    left_out = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            left_out |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return "\n".join(
        line
        for number, line in enumerate(source.splitlines(), start=1)
        if number not in left_out and line.strip() and not line.lstrip().startswith("#")
    )
