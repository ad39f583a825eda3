"""The wheel holds the package with its data and the exercises, no test, and needs NumPy alone."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]
EXERCISES = ("book/exercises/", "attnlib/exercises/chapters/")


def test_wheel_holds_everything_but_tests():
    packed = {f.distribution_path for f in WheelBuilder(str(ROOT)).recurse_included_files()}
    files = {
        path.relative_to(ROOT).as_posix().replace(*EXERCISES)
        for folder in ("attnlib", "book/exercises")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert packed == {name for name in files if "__pycache__" not in name and "/test_" not in name}
    assert len([name for name in packed if name.endswith((".js", ".css", ".json", ".ttf"))]) > 50
    assert "attnlib/py.typed" in packed


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Run code where nothing but the wheel and NumPy is installed; what it prints, as a value."""
    folder = tmp_path_factory.mktemp("empty")
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", folder / "site", wheel], check=True, timeout=60)
    for path in Path(numpy.__file__).parents[1].glob("numpy*"):
        (folder / "site" / path.name).symlink_to(path)

    def run(code):
        code = f"import sys; sys.path.append({str(folder / 'site')!r})\n{code}"
        empty = [sys.executable, "-I", "-S", "-W", "error", "-c", code]
        done = subprocess.run(empty, cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return ast.literal_eval(done.stdout)

    return run


def test_installed_exercises_answer(installed):
    code = """
from attnlib.exercises import all_exercises, check
print([check("query_key_value.soft_lookup", lambda q, K, V: (K @ q) @ V).message,
       sorted(all_exercises())])
"""
    message, names = installed(code)
    assert message.startswith("The raw scores are used as weights: softmax is missing.")
    texts = (ROOT / "book" / "exercises").glob("*/*.md")
    named = {f"{path.parent.name.lstrip('0123456789_')}.{path.stem}" for path in texts}
    assert set(names) == {n for n in named if not n.endswith((".practice", ".questions"))}


MISSING = """
import importlib
try:
    importlib.import_module({module!r})
except ModuleNotFoundError as error:
    print([error.name, str(error)])
"""


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [
        ("attnlib.widgets", "anywidget", "widgets"),
        ("attnlib.figures", "matplotlib", "widgets"),
        ("attnlib.experiments.vision", "torch", "torch"),
        ("attnlib.ring", "torch", "torch"),
    ],
)
def test_an_absent_extra_is_named_with_its_command(installed, module, name, extra):
    missing, message = installed(MISSING.format(module=module))
    assert missing == name and f'pip install "attnlib[{extra}]"' in message
    assert ("`make torch`" in message) == (extra == "torch")


def test_extras_are_what_the_messages_name(installed):
    told = installed("from importlib import metadata\nprint(metadata.metadata('attnlib').json)")
    assert sorted(told["provides_extra"]) == ["torch", "widgets"]
