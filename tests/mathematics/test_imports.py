"""What `import attnlib` loads, and what each public name says about itself."""

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import attnlib
from attnlib import cost, data, efficient, examples, gradients, networks, ring, timing, training

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ["matplotlib", "ipywidgets", "torch", "anywidget", "scipy", "IPython", "traitlets"]

PARTS = {"cost": cost, "efficient": efficient, "gradients": gradients, "timing": timing}
PARTS |= {"networks": networks, "training": training}
PUBLIC = {name: getattr(attnlib, name) for name in attnlib.__all__ if name not in PARTS}
PUBLIC |= {name: getattr(gradients, name) for name in gradients.__all__}
#: By their full names.
for part in ("cost", "efficient", "timing", "networks", "training"):
    PUBLIC |= {f"{part}.{name}": getattr(PARTS[part], name) for name in PARTS[part].__all__}
FUNCTIONS = [name for name, thing in PUBLIC.items() if inspect.isfunction(thing)]
CLASSES = [name for name, thing in PUBLIC.items() if inspect.isclass(thing)]
METHODS = [
    (name, method)
    for name in CLASSES
    for method in ("random", "initial", "step", "__call__", "project", "cost")
    if method in vars(PUBLIC[name])
]
MATHEMATICS = [
    path
    for path in Path(attnlib.__file__).parent.rglob("*.py")
    if path.relative_to(ROOT / "attnlib").parts[0] not in ("widgets", "figures", "exercises")
]
WORKED = {
    name: thing
    for name, thing in vars(examples).items()
    if getattr(thing, "__module__", "") == examples.__name__ and not name.startswith("_")
}
WORKED |= {name: getattr(data, name) for name in data.__all__}

BIBLIOGRAPHY = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")


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
    after = in_a_fresh_python("import sys, attnlib; print(*sys.modules)")
    assert "attnlib.gradients" in after
    assert not {"attnlib.data", "attnlib.networks"} & {*after}
    after = {name.split(".")[0] for name in after}
    assert after - set(before) - set(sys.stdlib_module_names) == {"attnlib"}


def test_public_names():
    assert attnlib.__all__ == sorted(attnlib.__all__)
    assert len(FUNCTIONS) + len(CLASSES) == len(PUBLIC)
    for package in (attnlib.scores, attnlib.normalizers, attnlib.masks, attnlib.heads):
        assert {n: getattr(attnlib, n) for n in package.__all__}.items() <= PUBLIC.items()
    for package in (attnlib.positions, attnlib.blocks):
        assert {n: getattr(attnlib, n) for n in package.__all__}.items() <= PUBLIC.items()
    assert attnlib.__version__.count(".") == 2
    assert "Examples\n--------" in attnlib.__doc__


def sections(doc, names):
    return all(f"\n{name}\n{'-' * len(name)}\n" in doc for name in names)


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES)
def test_every_public_name_is_documented(name):
    doc = inspect.getdoc(PUBLIC[name])
    parameters = inspect.signature(PUBLIC[name]).parameters
    assert sections(doc, ["Examples"] + ["Parameters"] * bool(parameters))
    assert ">>> " in doc
    assert doc.splitlines()[0].endswith(".") and doc.splitlines()[1] == ""
    for parameter in parameters:
        assert parameter in doc


@pytest.mark.parametrize("name", PUBLIC)
def test_help_is_in_words(name):
    shown = pydoc.render_doc(PUBLIC[name], renderer=pydoc.plaintext)
    assert " at 0x" not in shown


def test_signatures_say_what_is_wanted():
    signature = inspect.signature(attnlib.MultiHeadAttention)
    assert str(signature).startswith("(W_Q: '(d_model, n_heads * d_k)', ")
    assert "n_heads: count, " in str(signature)
    assert "positions: Rotary | LinearBias | RelativeBias = None" in str(signature)
    assert str(inspect.signature(attnlib.attend)).startswith("(Q, K, V, *, score=scaled_dot, ")
    assert not attnlib.MultiHeadAttention.__dataclass_transform__["eq_default"]  # type checkers


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_every_method_is_documented(name, method):
    function = inspect.unwrap(inspect.getattr_static(PUBLIC[name], method))
    function = getattr(function, "__func__", function)
    doc = inspect.getdoc(function)
    assert doc and doc.splitlines()[0].endswith(".")
    for parameter in list(inspect.signature(function).parameters)[1:]:
        assert parameter in doc, parameter


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_are_narrow_enough_for_the_page(name):
    lines = [
        line for line in inspect.getdoc(PUBLIC[name]).splitlines() if line[:3] in (">>>", "...")
    ]
    assert max(map(len, lines)) <= 75


def test_docstrings_cite_sources_in_the_bibliography():
    years = re.findall(r"author = \{(.*?)\},.*?year = \{(\d+)\}", BIBLIOGRAPHY, re.DOTALL)
    known = {(first_author(authors), year) for authors, year in years}
    text = " ".join(path.read_text(encoding="utf-8") for path in MATHEMATICS)
    name = r"([A-ZŁ][a-zčéó]+)(?: et al\.| and\s+[A-Z]\w+)?"
    cited = set(re.findall(rf"{name}\s+(\d{{4}})\b", text))
    assert len(cited) > 12 and cited <= known, cited - known


def first_author(authors):
    """The family name of the first author of a BibTeX field, without TeX's accents."""
    accented = re.sub(r"\{\\v\{c\}\}", "č", authors.split(",")[0])
    return re.sub(r"\{\\'c\}", "ć", accented)


def test_the_index_leads_to_every_public_name(site):
    index = (site / "book" / "api.html").read_text(encoding="utf-8")
    of_the_ring = {f"ring.{name}": getattr(ring, name) for name in ring.__all__}
    for name, thing in (PUBLIC | of_the_ring).items():
        full = re.escape(name) if "." in name else rf"\w+\.{name}"
        result = re.search(rf'href="(api_\w+\.html)#(attnlib\.{full})"', index)
        assert result, name
        page = (site / "book" / result[1]).read_text(encoding="utf-8")
        assert f'id="{result[2]}"' in page
        assert re.split(r"[.:`]", inspect.getdoc(thing))[0] in index


def test_a_docstring_links_to_functions_of_other_modules(site):
    page = (site / "book" / "api_gradients.html").read_text(encoding="utf-8")
    assert 'href="api_attention.html#attnlib.attention.scaled_dot_product_attention"' in page
    assert 'href="api_transformer.html#attnlib.positions.rotary"' in page


@pytest.mark.parametrize("name", WORKED)
def test_every_worked_example_is_documented(name):
    doc = inspect.getdoc(WORKED[name])
    assert "\nExamples\n--------\n" in doc and ">>> " in doc
