"""What a widget's class declares about itself, and what follows from it."""

import inspect
import json
import re
from dataclasses import dataclass, field

from attnlib.widgets.shared import modules
from attnlib.widgets.shared.base import BookWidget

#: What a class has to declare -> what it is.
PARTS = {
    "samples": "a tuple of states to test it in, dicts of traits; in the first nothing overlaps",
    "shows": "a sentence that says what its picture shows, for pages that give no alternative text",
    "look": 'how it stands in the page: "column", "wide" (wider than the text) or "boxed"',
    "moves": "a method that yields a Move for everything a reader can move, choose or type",
    "numbers": "a method that returns the numbers that it says, by their names in words.json",
    "picture": "a method that draws it, decorated with `still`",
}


@dataclass(frozen=True)
class Move:
    """One way to change a widget by keyboard, and what follows in the first sample."""

    #: The control, as assistive technology calls it: ``"slider", "Temperature"``.
    role: str
    name: str
    #: The key that is pressed, such as ``"ArrowRight"``; for a text box, what is typed.
    key: str
    #: The traits that are different afterwards.
    then: dict = field(default_factory=dict)
    #: Traits to be set first, where the control is not in sight in the first sample.
    before: dict = field(default_factory=dict)
    #: Words that can be read in the widget afterwards.
    says: str = ""


def declared(cls, name):
    """Complete a widget's class by what its folder, of this name, and its traits say.

    Raises `TypeError` when a part of the declaration is missing, or a trait has no help.
    """
    for part, meaning in PARTS.items():
        if getattr(cls, part) is getattr(BookWidget, part):
            raise TypeError(f"{cls.__name__} declares no `{part}`: {meaning}.")
    traits = {trait: cls.class_traits()[trait] for trait in cls.state_names()}
    for trait, made in traits.items():
        if not (made.help and "type" in made.metadata):
            raise TypeError(
                f"{cls.__name__}.{trait} has no help or no type: make it with a function of "
                "`attnlib.widgets.shared.traits`, and say in a sentence what it is."
            )
    cls.script = name
    folder = modules.HERE / name
    cls.words, cls.heights = (
        json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for path in (folder / "words.json", folder / "heights.json")
    )
    cls._esm = modules.notebook_module(name)
    cls._css = modules.notebook_stylesheet(name)
    keyword = inspect.Parameter.KEYWORD_ONLY
    cls.__signature__ = inspect.Signature(
        [inspect.Parameter(n, keyword, default=_default(trait)) for n, trait in traits.items()]
    )
    about, *sections = re.split(r"\n\n(?=\w+\n---)", inspect.getdoc(cls), maxsplit=1)
    entries = (f"{n} : {trait.metadata['type']}\n    {trait.help}" for n, trait in traits.items())
    parameters = "\n".join(["Parameters\n----------", *entries])
    cls.__doc__ = "\n\n".join([about, parameters, *sections])


class _Long:
    """A default that is too long to be shown."""

    def __repr__(self):
        return "…"


def _default(trait):
    if trait.metadata.get("required"):
        return inspect.Parameter.empty
    return trait.default() if len(repr(trait.default())) < 60 else _Long()
