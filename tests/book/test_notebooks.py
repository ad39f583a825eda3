"""Every notebook of the book is in its canonical form and keeps the book's rules."""

import pytest
from notebooks import check
from pages import NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_canonical_and_keeps_the_rules(path):
    faults = check(path)
    assert not faults, "\n".join([*faults, f"run: python tools/notebooks.py book/{path.name}"])
