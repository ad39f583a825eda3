"""Trait types for points and matrices: given as any nested numbers, kept as plain lists."""

import numpy as np
import traitlets


class Numbers(traitlets.TraitType):
    """Finite numbers of a given shape, as nested lists of floats.

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
        shape = ", ".join("n" if size is None else str(size) for size in self.shape)
        comma = "," if len(self.shape) == 1 else ""
        raise traitlets.TraitError(
            f"{type(obj).__name__}.{self.name} must be finite numbers of shape ({shape}{comma}): "
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
