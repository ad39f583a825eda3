"""The heads, the cover, the README and the page for teachers follow what is counted."""

from types import SimpleNamespace

import contents
import pytest


def page(number, title, *minutes):
    path = SimpleNamespace(name=f"{number:02}_x.ipynb")
    deeper = minutes[2] and SimpleNamespace(
        path=SimpleNamespace(name=f"{number:02}_x_deeper.ipynb")
    )
    return SimpleNamespace(
        number=number, title=title, minutes=minutes, name="x", path=path, deeper=deeper
    )


@pytest.fixture
def two_parts(monkeypatch):
    first = [page(1, "One", 30, 40, 60)]
    parts = {"First": first, "Next": [page(3, "Three", 40, 50, 0), page(2, "Two", 35, 45, 60)]}
    monkeypatch.setattr("contents.parts", lambda: parts)
    monkeypatch.setattr("contents.minutes", lambda page: page.minutes)


OLD = """<!-- chapters: tables -->
| First | lesson | exercises | deeper |
|---|--:|--:|--:|
| 1 Something else | in preparation | | |
| 9 Nine, at last | in preparation | | |
<!-- end --> Chapters <!-- chapters: numbers --><!-- end -->,
<!-- chapters: hours -->0<!-- end -->, in the
order <!-- chapters: order -->?<!-- end -->."""
NEW = """<!-- chapters: tables -->

| First | lesson | exercises | deeper |
|---|--:|--:|--:|
| 1 [One](01_x.ipynb) | 30 min | 40 min | [60 min](01_x_deeper.ipynb) |
| 9 Nine, at last | in preparation | | |

| Next | lesson | exercises | deeper |
|---|--:|--:|--:|
| 2 [Two](02_x.ipynb) | 35 min | 45 min | [60 min](02_x_deeper.ipynb) |
| 3 [Three](03_x.ipynb) | 40 min | 50 min |  |

<!-- end --> Chapters <!-- chapters: numbers -->1 to 3<!-- end -->,
<!-- chapters: hours -->2 hours for the lessons alone, 4 with their questions and exercises, \
6 with everything<!-- end -->, in the
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
    pages = [page(number, "A title", 1, 1, 1) for number in numbers]
    monkeypatch.setattr("contents.parts", lambda: {"A part": pages})
    assert contents.numbers("") == written
