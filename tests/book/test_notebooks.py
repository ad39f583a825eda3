"""Every notebook of the book is in its canonical form and keeps the book's rules."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from notebooks import check, find_notebooks  # noqa: E402

NOTEBOOKS = find_notebooks([ROOT / "book"])


def test_the_book_has_notebooks():
    assert NOTEBOOKS, "no notebook found under book/"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_notebook_is_canonical_and_keeps_the_rules(path):
    found = check(path)
    assert not found, "\n".join([*found, "run: python tools/notebooks.py " + str(path)])
