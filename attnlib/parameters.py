"""What all classes that hold parameters have in common: names, a count, a copy with other numbers.

A class is a frozen dataclass whose annotations are a table of what each field must be: the
``Shape`` of a parameter, a ``Part`` (another such class), or a check on a setting.
"""

import dataclasses
import functools

import numpy as np

from attnlib import _checks
from attnlib._boundary import trusted, with_shapes
from attnlib._shapes import check_arguments, in_part, parse_all, record_size


class Part:
    """Declare a field that holds parameters itself, and what its sizes are called in the whole."""

    def __init__(self, *wanted, **sizes):
        self.wanted, self.sizes = wanted, sizes

    def __call__(self, part, name):
        return _checks.instance(part, name, *self.wanted)


class Parameters:
    """Base of the classes that hold parameters; instances are equal only to themselves."""

    def __init_subclass__(cls):
        dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
        declared = {field.name: field.type for field in dataclasses.fields(cls)}
        cls.__doc__ = with_shapes(cls.__doc__, declared)

    def __post_init__(self):
        if not trusted():
            for name, content in self._fit()[0].items():
                object.__setattr__(self, name, content)

    @functools.cached_property
    def sizes(self):
        """The sizes of all arrays by name, each with where it was read."""
        return self._fit()[1]

    def _declared(self):
        """Return what each field must be, by name."""
        return {field.name: field.type for field in dataclasses.fields(self)}

    def _fit(self):
        """Return the fields, ready to use, and the sizes."""
        fields = {field.name: field for field in dataclasses.fields(self)}
        plan = parse_all(self._declared())
        optional = {name for name, field in fields.items() if field.default is None}
        fitted, sizes = check_arguments(
            plan, {name: getattr(self, name) for name in fields}, optional
        )
        for name, part in fitted.items():
            if isinstance(part, Parameters):
                for own, whole in fields[name].type.sizes.items():
                    if own in part.sizes:
                        record_size(whole, in_part(name, part.sizes[own]), sizes)
        return fitted, sizes

    def parameters(self):
        """List the parameters by name.

        Returns
        -------
        dict of str to ndarray
            A parameter of a part has the part's name in front: ``"attention.W_Q"``.
        """
        arrays = {}
        for name, part in self._fields():
            if isinstance(part, np.ndarray):
                arrays[name] = part
            elif isinstance(part, Parameters):
                arrays |= {f"{name}.{inner}": array for inner, array in part.parameters().items()}
        return arrays

    def with_parameters(self, new):
        """Copy this object with other numbers in its parameters.

        Parameters
        ----------
        new : dict of str to array_like
            An array for each name in `parameters`, of the same shape.

        Returns
        -------
        object of the same class
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
        new = dict(new)
        for name, array in old.items():
            new[name] = _checks.numbers(new[name], name)
            if new[name].shape != array.shape:
                raise ValueError(
                    f"{name} has shape {new[name].shape}, expected {array.shape}: the shape of the "
                    f"parameter that it replaces."
                )
        return self._replaced(new, "")

    @property
    def parameter_count(self):
        """Number of numbers that training may change."""
        return sum(array.size for array in self.parameters().values())

    def _fields(self):
        """Yield name and content of each field; the parts of a tuple are numbered."""
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
