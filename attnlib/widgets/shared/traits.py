"""Traits of widgets: numbers, points and matrices, texts, choices, presets, and what is sealed."""

import base64
import json
import math

import numpy as np
import traitlets


def text(help, default=""):
    """A text that is part of a widget's state, with a sentence that says what it is."""
    return traitlets.Unicode(default, help=help).tag(sync=True, type="str")


class _OneOf(traitlets.Enum):
    def validate(self, obj, value):
        option = super().validate(obj, value)
        return next(known for known in self.values if known == option)  # 8 also for 8.0


def choice(help, options):
    """One of several names or whole numbers, by default the first."""
    known = list(options)
    kind = "{" + ", ".join(json.dumps(one, ensure_ascii=False) for one in known) + "}"
    return _OneOf(known, known[0], help=help).tag(sync=True, type=kind)


class _Whole(traitlets.Int):
    def validate(self, obj, value):
        return self.error(obj, value) if isinstance(value, bool) else super().validate(obj, value)


def whole(help, default, low=None, high=None):
    """A whole number between two bounds, which are allowed."""
    kind = "int" + _between(low, high)
    return _Whole(default, min=low, max=high, help=help).tag(sync=True, type=kind)


class _Finite(traitlets.Float):
    info_text = "a finite number"

    def validate(self, obj, value):
        value = super().validate(obj, value)
        return value if math.isfinite(value) else self.error(obj, value)


def real(help, default=0.0, low=None, high=None):
    """A finite number between two bounds, which are allowed."""
    kind = "float" + _between(low, high)
    bounds = {name: x for name, x in (("min", low), ("max", high)) if x is not None}
    return _Finite(default, help=help, **bounds).tag(sync=True, type=kind)


def _between(low, high):
    if low is None:
        return ""
    return f", at least {low:g}" if high is None else f", from {low:g} to {high:g}"


def switch(help, default=True):
    """Something that is on or off."""
    return traitlets.Bool(default, help=help).tag(sync=True, type="bool")


def texts(help, default):
    """A list of texts."""
    trait = traitlets.List(traitlets.Unicode(), default, help=help)
    return trait.tag(sync=True, type="list of str")


def dicts(help, **metadata):
    """A list of dictionaries."""
    trait = traitlets.List(traitlets.Dict(), help=help)
    return trait.tag(sync=True, type="list of dict", **metadata)


def presets(example):
    """Named states for buttons; the example goes into the help."""
    return dicts(f"Named states for buttons, such as ``{example}``.")


SEAL = "sealed:"


def seal(value):
    """A value of JSON as a text that gives nothing away at a glance.

    >>> seal({"answer": 4})
    'sealed:eyJhbnN3ZXIiOiA0fQ=='
    """
    plain = json.dumps(value, ensure_ascii=False).encode()
    return SEAL + base64.b64encode(plain).decode()


def unseal(value):
    """The value that was sealed; any other stays as it is.

    >>> unseal("sealed:eyJhbnN3ZXIiOiA0fQ=="), unseal(4)
    ({'answer': 4}, 4)
    """
    if not (isinstance(value, str) and value.startswith(SEAL)):
        return value
    return json.loads(base64.b64decode(value.removeprefix(SEAL)))


def sealed(trait):
    """A trait that notebooks and pages hold sealed, so that nobody reads an answer unasked.

    Python reads and sets it as it is; it is no secret, and `unseal` opens it.
    """
    keep = trait.set
    trait.set = lambda widget, value: keep(widget, unseal(value))
    return trait.tag(
        to_json=lambda value, widget: seal(value), from_json=lambda value, widget: unseal(value)
    )


class Numbers(traitlets.TraitType):
    """Finite numbers of one shape: set as any nested numbers, kept as lists of floats.

    In the shape ``None`` stands for any positive size.
    """

    def __init__(self, help, default, shape):
        self.shape = shape
        super().__init__(np.array(default, dtype=float).tolist(), help=help)
        sizes = ", ".join("n" if size is None else str(size) for size in shape)
        self.shown = f"({sizes},)" if len(shape) == 1 else f"({sizes})"
        self.tag(sync=True, type=f"array_like, shape {self.shown}")

    def validate(self, obj, value):
        try:
            array = np.array(value, dtype=float)
        except (TypeError, ValueError):
            self._refuse(obj, f"got {value!r}")
        fits = array.ndim == len(self.shape) and all(
            size and wanted in (None, size) for wanted, size in zip(self.shape, array.shape)
        )
        if not fits:
            self._refuse(obj, f"got shape {array.shape}")
        if not np.isfinite(array).all():
            self._refuse(obj, "got a value that is not finite")
        return array.tolist()

    def _refuse(self, obj, why):
        raise traitlets.TraitError(
            f"{type(obj).__name__}.{self.name} must be finite numbers of shape {self.shown}: {why}."
        )


def within(widget, name, value, limits):
    """The value, if all its numbers lie within the trait that `limits` names."""
    low, high = getattr(widget, limits)
    array = np.array(value)
    if array.min() < low or array.max() > high:
        raise traitlets.TraitError(
            f"{type(widget).__name__}.{name} must lie between {low} and {high} ({limits}), "
            f"got {value!r}."
        )
    return value
