"""Every widget, without a browser: what it declares, keeps, draws and takes."""

import doctest
import inspect
import itertools
import json
import math
import re

import matplotlib.pyplot as plt
import pytest
import traitlets
from attention_book import dark, live

from attnlib import figures, widgets
from attnlib.palette import DARK, LIGHT
from attnlib.widgets import WIDGETS, BookWidget
from attnlib.widgets.shared import modules
from attnlib.widgets.shared.base import still
from attnlib.widgets.shared.declaration import PARTS, declared
from tests.helpers.html_pages import Page
from tests.helpers.widget_pages import widget_page_text

each = pytest.mark.parametrize("name", WIDGETS)
EVIL = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> & \"'"


def samples(name):
    return [WIDGETS[name](**sample) for sample in WIDGETS[name].samples]


@each
def test_widgets_are_public_by_class_name(name):
    public = {cls.__name__: cls for cls in WIDGETS.values()}[WIDGETS[name].__name__]
    assert getattr(widgets, public.__name__) is WIDGETS[name] is public
    assert public.__name__ in widgets.__all__ and public.script == name
    assert public.__name__ in dir(widgets)


@pytest.mark.parametrize("part", PARTS)
def test_missing_declarations_are_asked_for(part):
    name, known = next(iter(WIDGETS.items()))
    less = type("Less", (known,), {part: getattr(BookWidget, part)})
    with pytest.raises(TypeError, match=re.escape(f"Less declares no `{part}`: {PARTS[part]}")):
        declared(less, name)


def test_a_trait_without_help_is_refused():
    name, known = next(iter(WIDGETS.items()))
    bare = type("Bare", (known,), {"colour": traitlets.Unicode().tag(sync=True)})
    with pytest.raises(TypeError, match=r"Bare\.colour has no help or no type: make it"):
        declared(bare, name)


@each
def test_its_declaration_can_be_used(name):
    cls = WIDGETS[name]
    assert cls.look in ("column", "wide", "boxed") and cls.shows.endswith(".")
    moves = list(samples(name)[0].moves())
    assert moves and all(move.then or move.says for move in moves)
    assert all({*move.then, *move.before} <= set(cls.state_names()) for move in moves)


@each
def test_it_is_documented_from_its_traits(name):
    cls = WIDGETS[name]
    doc = inspect.getdoc(cls)
    for section in ("Parameters", "Examples"):
        assert doc.count(f"\n{section}\n{'-' * len(section)}\n") == 1
    assert doctest.DocTestFinder(recurse=False).find(cls, name)[0].examples
    parameters = inspect.signature(cls).parameters
    assert list(parameters) == cls.state_names()
    needed = {n for n, p in parameters.items() if p.default is inspect.Parameter.empty}
    assert needed == set(cls.class_traits(required=True))
    fresh = cls(**{n: cls.samples[0][n] for n in needed})
    for trait in set(parameters) - needed:
        assert repr(parameters[trait].default) in ("…", repr(getattr(fresh, trait)))


@each
def test_unknown_names_are_refused(name):
    with pytest.raises(TypeError, match=f"{WIDGETS[name].__name__} has no trait 'colour'; it has"):
        WIDGETS[name](colour="red")


@each
def test_a_number_is_finite(name):
    widget = samples(name)[0]
    for trait in widget.traits(sync=True, type=lambda kind: str(kind).startswith("float")):
        for value in (math.nan, math.inf):
            with pytest.raises(traitlets.TraitError):
                setattr(widget, trait, value)


@each
def test_its_output_holds_view_state_picture_and_words(name):
    cls = WIDGETS[name]
    for widget in samples(name)[:2]:
        data, _ = widget._repr_mimebundle_()
        pictures = {"image/svg+xml", "text/html"} & set(data)
        assert len(pictures) == 1
        assert set(data) == {widgets.STATE_MIME, live.VIEW, "text/plain"} | pictures
        assert data["text/plain"].startswith(f"{cls.__name__}(")
        stored = json.loads(json.dumps(data[widgets.STATE_MIME]))
        assert set(stored) == {"widget", "script", "model", "state", "links"}
        assert stored["model"].startswith(f"{cls.__name__}-") and stored["links"] == []
        assert cls(**stored["state"]).state() == stored["state"] == widget.state()
        assert len(json.dumps(stored)) < 20_000
    assert len({widget.model_name for widget in samples(name) + samples(name)}) > len(cls.samples)


@each
def test_its_picture_is_reproducible_and_in_palette(name):
    pictures = [next(iter(widget.picture().values())) for widget in samples(name)]
    assert all(a != b for a, b in itertools.combinations(pictures, 2))
    assert pictures[0] == next(iter(samples(name)[0].picture().values()))
    for picture in pictures:
        if picture.startswith("<svg"):
            assert "<metadata>" not in picture and LIGHT["page"] in picture
            colours = set(re.findall(r"#[0-9a-f]{6}\b", dark.dark_svg(picture, name)))
            assert DARK["page"] in colours <= set(DARK.values())


def test_a_pyplot_picture_is_not_shown_twice():
    class Drawn:
        @still
        def picture(self):
            return figures.lines([0, 1], {"one": [0, 1]}).figure

    before = plt.get_fignums()
    assert "<svg" in Drawn().picture()["image/svg+xml"] and plt.get_fignums() == before


def replaced(value, text):
    """A trait's value with every text in it replaced."""
    if isinstance(value, list):
        return [replaced(item, text) for item in value]
    if isinstance(value, dict):
        return {key: replaced(item, text) for key, item in value.items()}
    return text if isinstance(value, str) else value


@each
def test_no_text_becomes_markup_in_the_page(name, tmp_path):
    cls = WIDGETS[name]
    path, tags = tmp_path / "page.html", {}
    texts = [n for n in cls.state_names() if isinstance(cls.class_traits()[n], traitlets.Unicode)]
    texts += [n for n in cls.samples[0] if isinstance(cls.class_traits()[n], traitlets.List)]
    for text in ("plain", EVIL):
        traits = cls.samples[0] | {n: replaced(cls.samples[0].get(n, ""), text) for n in texts}
        data, _ = cls(**traits)._repr_mimebundle_()
        path.write_text(widget_page_text([data]), encoding="utf-8")
        tags[text] = [tag for tag, _ in Page(path).elements]
        if "text/html" in data:
            assert text in Page(path).text
    assert tags["plain"] == tags[EVIL]


@each
def test_its_script_is_self_contained(name):
    module, site = WIDGETS[name]._esm, modules.site_script(name)
    assert f'made["{name}/{name}.js"]' in module and "--query" in WIDGETS[name]._css
    for text in (module, modules.shared_script() + site):
        assert "innerHTML" not in text and "eval(" not in text
        assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_no_file_is_left_over():
    used = modules.needed(*(f"{name}/{name}.js" for name in WIDGETS))
    used = [path for path in used if not path.startswith("../")]
    there = (path for ending in ("js", "json") for path in modules.HERE.rglob(f"*.{ending}"))
    there = {path.relative_to(modules.HERE).as_posix() for path in there}
    assert {path for path in there if not path.endswith(("heights.json", "later.json"))} == set(
        used
    )
