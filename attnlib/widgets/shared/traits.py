"""Traits of widgets: points and matrices, texts, presets."""

import numpy as np
import traitlets


def text(help, default="", **metadata):
    """A text that is part of a widget's state."""
    return traitlets.Unicode(default, help=help).tag(sync=True, **metadata)


def presets(example):
    """Named states for buttons; the example goes into the help."""
    help = f"Named states for buttons, such as ``{example}``."
    return traitlets.List(traitlets.Dict(), help=help).tag(sync=True)


class Numbers(traitlets.TraitType):
    """Finite numbers of a given shape: given as any nested numbers, kept as lists of floats.

    Parameters
    ----------
    default : array_like
        The default value.
    shape : tuple
        The shape asked for; ``None`` stands for any positive size.
    """

    def __init__(self, default, shape, **kwargs):
        self.shape = shape
        super().__init__(default_value=np.array(default, dtype=float).tolist(), **kwargs)
        self.tag(sync=True)

    def info(self):
        return f"array_like, shape {self._shape()}"

    def _shape(self):
        sizes = ", ".join("n" if size is None else str(size) for size in self.shape)
        return f"({sizes},)" if len(self.shape) == 1 else f"({sizes})"

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
            f"{type(obj).__name__}.{self.name} must be finite numbers of shape {self._shape()}: "
            f"{why}."
        )


def within(widget, name, value, limits):
    """Refuse numbers outside a range; returns them otherwise.

    Parameters
    ----------
    widget : BookWidget
        The widget, for its limits and for the message.
    name : str
        Name of the trait, for the message.
    value : nested lists of float
        What is to be checked.
    limits : str
        Name of the trait that holds the lowest and the highest number allowed.

    Raises
    ------
    traitlets.TraitError
        When a number lies outside.
    """
    low, high = getattr(widget, limits)
    array = np.array(value)
    if array.min() < low or array.max() > high:
        raise traitlets.TraitError(
            f"{type(widget).__name__}.{name} must lie between {low} and {high} ({limits}), "
            f"got {value!r}."
        )
    return value
