"""What the page runs for a cell gives what all cells before it would give."""

import ast

import pytest
from attention_book.in_page import slicing

PROGRAMS = {
    "a method has the name of the function that it calls": """
def loss(a): return 2 * a
class Model:
    def loss(self): return loss(21)
found = Model().loss()""",
    "a class takes a name from outside for its own": """
n = 3
class Model: n = n
found = Model.n""",
    "a class uses what it has bound": """
class Model:
    n = 3
    m = n + 1
found = Model.m""",
    "annotations are read": """
Array = list
def f(x: Array) -> Array: return x
found = f([1])""",
    "a function fills a list": """
seen = []
def note(x): seen.append(x)
def twice(x): note(x); note(x)
twice(3)
found = seen""",
    "a function moves a global number": """
c = 0
def bump():
    global c
    c += 1
bump()
found = c""",
    "a method moves a global number": """
c = 0
class Counter:
    def bump(self):
        global c
        c += 1
Counter().bump()
found = c""",
    "a constant is bound anew": """
n = 3
n = n + 1
found = n""",
    "a function is bound anew": """
def f(): return 1
g = f
def f(): return 2
found = f() + g()""",
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_a_slice_gives_what_the_whole_gives(code):
    whole = {}
    exec(code, whole)
    *before, last = map(ast.unparse, ast.parse(code).body)
    part = {}
    exec("\n".join([*map(ast.unparse, slicing.needed(before, last)), last]), part)
    assert part["found"] == whole["found"]


def test_what_only_shows_is_left_out():
    cells = ["def f(x): return x\nn = 3", "print(f(n))\nfor i in range(9): f(i)", "y = f(2)"]
    assert [*map(ast.unparse, slicing.needed(cells, "f(n)"))] == [
        "def f(x):\n    return x",
        "n = 3",
    ]
