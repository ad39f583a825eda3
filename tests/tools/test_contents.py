"""What other pages say of the chapters follows from the chapters' heads."""

from types import SimpleNamespace

import contents
import pytest


def page(number, title, minutes):
    path = SimpleNamespace(name=f"{number:02}_x.ipynb")
    return SimpleNamespace(number=number, title=title, minutes=minutes, name="x", path=path)


@pytest.fixture
def two_parts(monkeypatch):
    parts = {"First": [page(1, "One", 10)], "Next": [page(3, "Three", 30), page(2, "Two", None)]}
    monkeypatch.setattr("contents.parts", lambda: parts)


OLD = """<!-- chapters: tables -->
| First | |
|---|--:|
| 1 Something else | in preparation |
| 9 Nine, at last | in preparation |
<!-- end --> Chapters <!-- chapters: numbers --><!-- end -->,
<!-- chapters: minutes -->0<!-- end --> min, in the
order <!-- chapters: order -->?<!-- end -->."""
NEW = """<!-- chapters: tables -->

| First | |
|---|--:|
| 1 [One](01_x.ipynb) | 10 min |
| 9 Nine, at last | in preparation |

| Next | |
|---|--:|
| 2 [Two](02_x.ipynb) | … min |
| 3 [Three](03_x.ipynb) | 30 min |

<!-- end --> Chapters <!-- chapters: numbers -->1, 2 and 3<!-- end -->,
<!-- chapters: minutes -->40<!-- end --> min, in the
order <!-- chapters: order -->1, 3, 2<!-- end -->."""


def test_rows_come_from_heads_and_planned_ones_stay_until_the_chapter_is_there(two_parts):
    assert contents.renewed(OLD) == contents.renewed(NEW) == NEW
