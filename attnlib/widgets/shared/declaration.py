"""What a widget's class declares about itself, and what follows from it."""

import inspect
import json
import math
import re
from dataclasses import dataclass, field

import traitlets

from attnlib.widgets.shared import modules
from attnlib.widgets.shared.base import BookWidget

#: What a class has to declare -> what it is.
PARTS = {
    "samples": "a tuple of states to test it in, dicts of traits; in the first nothing overlaps",
    "shows": "a sentence that says what its picture shows, for pages that give no alternative text",
    "look": 'how it stands in the page: "column", "wide" (wider than the text) or "boxed"',
    "moves": "a method that yields a Move for everything a reader can move, choose or type",
    "said": "a method that returns what its script says aloud after a change",
}


@dataclass(frozen=True)
class Move:
    """One way to change a widget by keyboard, and what follows in the first sample.

    Parameters
    ----------
    role, name : str
        The control, as assistive technology calls it: ``"slider", "Temperature"``.
    key : str
        The key that is pressed, such as ``"ArrowRight"``; for a text box, what is typed.
    then : dict
        The traits that are different afterwards.
    given : dict
        Traits to be set first, where the control is not in sight in the first sample.
    says : str
        Words that can be read in the widget afterwards.
    """

    role: str
    name: str
    key: str
    then: dict = field(default_factory=dict)
    given: dict = field(default_factory=dict)
    says: str = ""


def declared(cls, name):
    """Complete a widget's class by what its folder and its traits say.

    Parameters
    ----------
    cls : type
        A class derived from `BookWidget`.
    name : str
        The name of its folder.

    Raises
    ------
    TypeError
        When the class leaves out a part of its declaration, or a trait has no help.
    """
    for part, meaning in PARTS.items():
        if getattr(cls, part) is getattr(BookWidget, part):
            raise TypeError(f"{cls.__name__} declares no `{part}`: {meaning}.")
    if cls.draw is BookWidget.draw and cls.picture is BookWidget.picture:
        raise TypeError(f"{cls.__name__} has no `draw`, which makes its picture.")
    traits = {trait: cls.class_traits()[trait] for trait in cls.state_names()}
    for trait, found in traits.items():
        if not found.help:
            raise TypeError(f"{cls.__name__}.{trait} has no help: say in a sentence what it is.")
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
    entries = (f"{name} : {_type(trait)}\n    {trait.help}" for name, trait in traits.items())
    parameters = "\n".join(["Parameters\n----------", *entries])
    cls.__doc__ = "\n\n".join([about, parameters, *sections])


class _Long:
    def __repr__(self):
        return "…"


def _default(trait):
    """The default value as the signature shows it; none where the trait has to be given."""
    if trait.metadata.get("required"):
        return inspect.Parameter.empty
    value = trait.default()
    return value if len(repr(value)) < 60 else _Long()


def _type(trait):
    """The type of a trait in words.

    >>> _type(traitlets.Int(0, min=0, max=12))
    'int, from 0 to 12'
    """
    match trait:
        case traitlets.Enum():
            return "{" + ", ".join(f'"{value}"' for value in trait.values) + "}"
        case traitlets.Int() | traitlets.Float():
            name = "int" if isinstance(trait, traitlets.Int) else "float"
            ends = [x for x in (trait.min, trait.max) if x not in (None, -math.inf, math.inf)]
            return name + ("", ", at least {:g}", ", from {:g} to {:g}")[len(ends)].format(*ends)
        case traitlets.List():
            return "list of dict"
        case traitlets.Unicode():
            return "str"
    return trait.info()
