"""The cover, the README and the page for teachers follow the chapters' heads."""

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

<!-- end --> Chapters <!-- chapters: numbers -->1 to 3<!-- end -->,
<!-- chapters: minutes -->40<!-- end --> min, in the
order <!-- chapters: order -->1, 3, 2<!-- end -->."""


def test_tables_follow_heads_and_keep_planned_chapters(two_parts):
    assert contents.renewed(OLD) == contents.renewed(NEW) == NEW


@pytest.mark.parametrize(
    "numbers, written",
    [
        ([1], "1"),
        ([1, 2], "1, 2"),
        ([1, 2, 3], "1 to 3"),
        ([1, 2, 4, 5, 6, 9], "1, 2, 4 to 6, 9"),
        ([1, 3, 2], "1, 3, 2"),
        ([4, 5, 6, 1, 2, 3], "4 to 6, 1 to 3"),
    ],
)
def test_consecutive_numbers_become_one_run(numbers, written):
    assert ", ".join(contents.runs(numbers)) == written


@pytest.mark.parametrize(
    "numbers, written", [([1], "1"), ([2, 1], "1 and 2"), ([1, 2, 3, 5], "1 to 3 and 5")]
)
def test_last_number_follows_an_and(monkeypatch, numbers, written):
    pages = [page(number, "A title", 1) for number in numbers]
    monkeypatch.setattr("contents.parts", lambda: {"A part": pages})
    assert contents.numbers("") == written
