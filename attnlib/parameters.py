"""What all classes that hold parameters have in common: names, a count, a copy with other numbers.

A class is a frozen dataclass.  A field is an array (a parameter), another such class, a tuple of
them, None, or a setting such as a number of heads.
"""

import dataclasses

import numpy as np

from attnlib import _shapes


class Parameters:
    """Base of the classes that hold parameters."""

    def parameters(self):
        """List the parameters by name.

        Returns
        -------
        dict of str to ndarray
            A parameter of a part has the part's name in front: ``"attention.W_Q"``.
        """
        found = {}
        for name, part in self._fields():
            if isinstance(part, np.ndarray):
                found[name] = part
            elif isinstance(part, Parameters):
                found |= {f"{name}.{inner}": array for inner, array in part.parameters().items()}
        return found

    def with_parameters(self, new):
        """Copy this object with other numbers in its parameters.

        Parameters
        ----------
        new : dict of str to array_like
            An array for each name in `parameters`, of the same shape.

        Returns
        -------
        object of the same class

        Raises
        ------
        ValueError
            If a name is missing or unknown, a shape differs, or a number is NaN or infinite.
        TypeError
            If `new` is not a dict, or an array holds anything but integers and floats.
        """
        old = self.parameters()
        if not isinstance(new, dict):
            raise TypeError(f"new must be a dict of arrays by name, not {new!r}.")
        if set(new) != set(old):
            missing = sorted(set(old) - set(new))
            unknown = sorted(set(new) - set(old), key=str)
            raise ValueError(
                f"new lacks {missing} and holds unknown {unknown}. "
                f"Give one array for each name in parameters()."
            )
        new = {
            name: _shapes.shaped(array, name, old[name].shape, "as the parameter it replaces")
            for name, array in new.items()
        }
        return self._replaced(new, "")

    @property
    def parameter_count(self):
        """Number of numbers that training may change."""
        return sum(array.size for array in self.parameters().values())

    def _fields(self):
        """Give name and content of each field; the parts of a tuple have a number as name."""
        for field in dataclasses.fields(self):
            part = getattr(self, field.name)
            if isinstance(part, tuple):
                yield from ((f"{field.name}.{i}", inner) for i, inner in enumerate(part))
            else:
                yield field.name, part

    def _replaced(self, new, prefix):
        """Copy this object with the arrays that `new` has under `prefix` and a parameter's name."""

        def other(name, part):
            if isinstance(part, Parameters):
                return part._replaced(new, f"{prefix}{name}.")
            if isinstance(part, tuple):
                return tuple(other(f"{name}.{i}", inner) for i, inner in enumerate(part))
            return new.get(prefix + name, part)

        fields = (field.name for field in dataclasses.fields(self))
        return dataclasses.replace(
            self, **{name: other(name, getattr(self, name)) for name in fields}
        )

    def __repr__(self):
        """Show the shape of each array instead of its numbers."""
        shown = []
        for field in dataclasses.fields(self):
            part = getattr(self, field.name)
            if part is not None:
                what = f"{part.shape}" if isinstance(part, np.ndarray) else repr(part)
                shown.append(f"{field.name}={what}")
        return f"{type(self).__name__}({', '.join(shown)})"


def holds_parameters(cls):
    """Make `cls` a frozen dataclass that is compared by identity, as arrays cannot be by value."""
    return dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)


def keep(holder, **fields):
    """Set fields of a frozen dataclass, for its ``__post_init__``."""
    for name, content in fields.items():
        object.__setattr__(holder, name, content)
