"""What a lesson types in a library, under *What it means when you use it*, does what it says.

There each block of Python in the text is run as it stands, in a namespace of its own. Of its
comments two kinds are compared with what came, numbers to the digits that are written:

    print(weights.sum(dim=-1))  # tensor([1., 1.])
    Y = attention(Q, K, V)  # (2, 3, 5, 4)

beside or below an expression what it shows, beside an assignment the shape of what is assigned.
All other comments are words. A block says something that can be false: such a value, or an assert.
"""

import ast
import contextlib
import io
import re
import tokenize

import pytest
from pages import NOTEBOOKS, Page

SECTION = re.compile(r"^## What it means when you use it$(.*?)(?=^## |\Z)", re.M | re.S)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
NUMBER = re.compile(r"(?<![A-Za-z_\d])[-+]?\d+(?:\.(\d*))?(?:e([-+]?\d+))?")
SHAPE = re.compile(r"\((?:\d+(?:, |,(?=\))|(?=\))))*\)")
LINES = 10


def blocks():
    """For each lesson with blocks: its name and the number of the block, and the block."""
    for page in map(Page.read, NOTEBOOKS):
        if page.is_lesson and (section := SECTION.search(page.prose)):
            for i, source in enumerate(BLOCK.findall(section[1]), 1):
                yield pytest.param(source, id=f"{page.path.stem}-{i}")


BLOCKS = list(blocks())


def comments(source):
    """The number of a line -> its comment."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}


def same(said, shown):
    """Whether two texts say the same, numbers to the digits of the first.

    >>> same("tensor([0.73, 0.27])", "tensor([0.7311, 0.2689])"), same("0.72", "0.7311")
    (True, False)
    >>> same("[[1 2] [3 4]]", "[[1 2]\\n [3 4]]"), same("3", "3.2"), same("[inf]", "[nan]")
    (True, False, False)
    """
    if "".join(NUMBER.sub("#", said).split()) != "".join(NUMBER.sub("#", shown).split()):
        return False
    return all(
        float(a[0]) == float(b[0])
        or (a[1] and abs(float(a[0]) - float(b[0])) < 0.501 * 10.0 ** (int(a[2] or 0) - len(a[1])))
        for a, b in zip(NUMBER.finditer(said), NUMBER.finditer(shown))
    )


def faults(source):
    """What is false, or not said, in a block; errors and failing asserts are raised.

    >>> list(faults("x = [[0.5, 1]]\\nprint(x)\\n# [[0.5, 1]]"))
    []
    >>> list(faults("x = [0.5, 1]\\nprint(x)  # [0.5, 2]"))
    ['line 2 shows [0.5, 1], and the block says [0.5, 2]']
    >>> list(faults("import numpy as np\\nx, y = np.ones((2, 3)), np.ones(3)  # (2, 3)"))
    ['line 2: y has shape (3,), and the block says (2, 3)']
    >>> list(faults("x = 1  # one")), list(faults("1 + 1"))
    (['says nothing that can be false'], ['line 1 shows 2: say so in a comment beside it or below'])
    """
    notes, names, claims = comments(source), {"__name__": "block"}, 0
    statements = ast.parse(source).body
    starts = [s.lineno for s in statements[1:]] + [len(source.splitlines()) + 1]
    for statement, following in zip(statements, starts):
        line = statement.end_lineno
        if isinstance(statement, ast.Expr):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                value = eval(compile(ast.Expression(statement.value), "block", "eval"), names)
            is_call = isinstance(statement.value, ast.Call)
            shown = out.getvalue().strip() or ("" if is_call else repr(value))
            below = [notes[i] for i in range(line + 1, following) if i in notes]
            said = notes.get(line) or " ".join(below)
            if shown and not said:
                yield f"line {line} shows {shown}: say so in a comment beside it or below"
            elif shown and not same(said, shown):
                yield f"line {line} shows {shown}, and the block says {said}"
            claims += bool(shown)
            continue
        exec(compile(ast.Module([statement], []), "block", "exec"), names)
        claims += any(isinstance(node, ast.Assert) for node in ast.walk(statement))
        if isinstance(statement, ast.Assign) and (said := SHAPE.match(notes.get(line, ""))):
            claims += 1
            for target in statement.targets:
                for name in (n.id for n in ast.walk(target) if isinstance(n, ast.Name)):
                    if (shape := tuple(names[name].shape)) != ast.literal_eval(said[0]):
                        yield f"line {line}: {name} has shape {shape}, and the block says {said[0]}"
    if not claims:
        yield "says nothing that can be false"


@pytest.mark.parametrize("source", BLOCKS)
def test_block_does_what_the_lesson_says(source):
    assert not list(faults(source)), source


@pytest.mark.parametrize("source", BLOCKS)
def test_block_is_short(source):
    lines = [line for line in source.splitlines() if line.strip()]
    assert len(lines) <= LINES and max(map(len, lines)) <= 77, source
