"""The loop of training that lesson 17 shows whole does what `CharacterModel.learn` does."""

import nbformat
import numpy as np
import pytest
from numpy.testing import assert_allclose
from site_tools import ROOT

from attnlib.networks import CharacterModel

LESSON = ROOT / "book" / "17_language_model.ipynb"
TEXT = "she sells sea shells on the sea shore, and the shells she sells are sea shells"
STEPS = 20


def loop():
    """The lesson's two cells, from the schedule to the last line of Adam, as one text."""
    cells = [c.source for c in nbformat.read(LESSON, as_version=4).cells if c.cell_type == "code"]
    first = next(i for i, source in enumerate(cells) if "steps, warm_up = " in source)
    return "\n".join(cells[first : first + 2])


def model():
    """Not the lesson's: another text, more blocks; its context is in the cells."""
    return CharacterModel(TEXT, d_model=8, n_heads=2, n_blocks=2, context=12, dtype="float64")


def trained(source):
    """The losses and the parameters after the loop has trained the model."""
    names = {"np": np, "text": TEXT, "CharacterModel": lambda *_, **__: model()}
    exec(compile(source, "loop", "exec"), names)
    return names["by_hand"], names["small"].parameters()


def agree(source):
    """Fail unless the loop takes the steps of `learn`."""
    losses, parameters = trained(source)
    other = model()
    assert_allclose(losses, other.learn(STEPS, batch=8), rtol=1e-9)
    assert other.parameters().keys() == parameters.keys()
    for name, array in other.parameters().items():
        assert_allclose(parameters[name], array, atol=1e-9, err_msg=name)


def test_the_loop_of_the_lesson_is_that_of_learn():
    agree(loop())


def test_the_loop_is_short():
    lines = [line for line in loop().splitlines() if line.strip()]
    assert len(lines) <= 20


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("0.1 * d[k]", "0.2 * d[k]"),
        ("0.999 * square", "0.99 * square"),
        ("d[k] ** 2", "abs(d[k])"),
        ("(1 - 0.9**t)", "1"),
        ("(1 - 0.999**t)", "(1 - 0.999 ** (t + 1))"),
        ("p[k] -=", "p[k] +="),
        ("warm_up = 20, 2", "warm_up = 20, 3"),
        ("endpoint=False", "endpoint=True"),
        ("0.005 *", "0.004 *"),
        ("spawn(2)[0]", "spawn(2)[1]"),
        ("size=8", "size=7"),
        ("windows[:, 1:]", "windows[:, :-1]"),
        ("enumerate(rates, 1)", "enumerate(rates, 2)"),
    ],
)
def test_a_slip_in_the_loop_shows(right, wrong):
    assert loop().count(right) == 1
    with pytest.raises(AssertionError):
        agree(loop().replace(right, wrong))
