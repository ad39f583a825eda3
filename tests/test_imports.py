"""What `import attnlib` loads, and what each public name says about itself."""

import inspect
import subprocess
import sys

import pytest

import attnlib
from attnlib import examples

HEAVY = ["matplotlib", "ipywidgets", "torch", "anywidget", "scipy", "IPython", "traitlets"]

PUBLIC = {name: getattr(attnlib, name) for name in attnlib.__all__}
WORKED = {
    name: thing
    for name, thing in vars(examples).items()
    if getattr(thing, "__module__", "") == examples.__name__ and not name.startswith("_")
}


def in_a_fresh_python(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("module", ["attnlib", "attnlib.examples"])
def test_import_loads_nothing_heavier_than_numpy(module):
    loaded = in_a_fresh_python(
        f"import sys, {module}; print(*{{m.split('.')[0] for m in sys.modules}})"
    )
    assert "numpy" in loaded
    assert not set(HEAVY) & set(loaded)


def test_import_adds_only_numpy_to_the_standard_library():
    before = in_a_fresh_python("import sys, numpy; print(*{m.split('.')[0] for m in sys.modules})")
    after = in_a_fresh_python("import sys, attnlib; print(*{m.split('.')[0] for m in sys.modules})")
    assert set(after) - set(before) - set(sys.stdlib_module_names) == {"attnlib"}


def test_public_names():
    assert attnlib.__all__ == sorted(attnlib.__all__)
    expected = "attend causal dot hardmax scaled_dot scaled_dot_product_attention"
    expected += " sigmoid_normalize softmax softmax_jacobian sparsemax"
    assert set(expected.split()) <= set(attnlib.__all__)
    assert attnlib.__version__.count(".") == 2
    assert "Examples\n--------" in attnlib.__doc__


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_function_is_documented(name):
    doc = inspect.getdoc(PUBLIC[name])
    for section in ("Parameters", "Returns", "Notes", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in doc, section
    assert ".. math::" in doc and ">>> " in doc
    assert "\nRaises\n" in doc or "with the same errors" in doc
    assert doc.splitlines()[0].endswith(".") and doc.splitlines()[1] == ""
    for parameter in inspect.signature(PUBLIC[name]).parameters:
        assert parameter in doc


@pytest.mark.parametrize("name", WORKED)
def test_every_worked_example_is_documented(name):
    doc = inspect.getdoc(WORKED[name])
    assert "\nExamples\n--------\n" in doc and ">>> " in doc
