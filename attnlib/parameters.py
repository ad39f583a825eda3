"""What all classes that hold parameters have in common: names, a count, a copy with other numbers.

A class is a frozen dataclass whose annotations are a table of what each field must be: the
``Shape`` of a parameter, a ``Part`` (another such class), ``Parts`` (several in a row), or a check
on a setting.
"""

import dataclasses
import functools
import inspect
import json
from typing import dataclass_transform

import numpy as np

from attnlib import _checks, _safetensors
from attnlib._boundary import Named, trusted, with_shapes
from attnlib._shapes import check_arguments, in_part, parse_all, record_size


class Part:
    """Declare a field that holds parameters itself, and what its sizes are called in the whole."""

    def __init__(self, *wanted, **sizes):
        self.wanted, self.sizes = wanted, sizes

    def __call__(self, part, name):
        return _checks.instance(part, name, *self.wanted)

    def __repr__(self):
        return " | ".join(kind.__name__ for kind in self.wanted)

    def made(self, name, arrays, settings, used):
        """Build the part of this name; None where neither arrays nor settings know of it."""
        inside = {n.removeprefix(f"{name}.") for n in arrays if n.startswith(f"{name}.")}
        kind, used_here = _setting(name, settings)
        if kind is not None:
            _checks.choice(kind, name, [cls.__name__ for cls in self.wanted])
            fitting = [cls for cls in self.wanted if cls.__name__ == kind]
        elif len(self.wanted) == 1 or not inside:
            fitting = self.wanted[:1] if inside else ()
        else:
            fitting = [cls for cls in self.wanted if cls._takes(inside)]
        if not fitting and not inside:
            return None
        if len(fitting) != 1:
            named = " or ".join(f'"{cls.__name__}"' for cls in self.wanted)
            raise ValueError(
                f"arrays does not tell what {name} is, by {sorted(inside)}. Give a setting of this "
                f"name: {named}."
            )
        used |= used_here
        return fitting[0]._made(f"{name}.", arrays, settings, used)


class Parts(Part):
    """Declare a field that holds several such parts in a row."""

    def __call__(self, parts, name):
        kinds = " or ".join(kind.__name__ for kind in self.wanted)
        if not isinstance(parts, (tuple, list)):
            raise TypeError(f"{name} must be a sequence of {kinds}, not {parts!r}.")
        if not parts:
            raise ValueError(f"{name} is empty. Give at least one {kinds}.")
        for i, part in enumerate(parts):
            super().__call__(part, f"{name}[{i}]")
        return tuple(parts)

    def __repr__(self):
        return f"sequence of {super().__repr__()}"

    def made(self, name, arrays, settings, used):
        """Build the parts ``name.0``, ``name.1``, … as far as they go."""
        found = []
        while (part := super().made(f"{name}.{len(found)}", arrays, settings, used)) is not None:
            found.append(part)
        return tuple(found) or None


def _setting(name, settings):
    """Return a setting by its full name or its last word, or None, and which of them it was."""
    for key in (name, name.rpartition(".")[2]):
        if key in settings:
            return settings[key], {key}
    return None, set()


@dataclass_transform(frozen_default=True, eq_default=False)
class Parameters:
    """Base of the classes that hold parameters; instances are equal only to themselves."""

    def __init_subclass__(cls):
        cls.__annotations__ = {
            name: Named(wanted) if inspect.isfunction(wanted) else wanted
            for name, wanted in cls.__annotations__.items()
        }
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
        for name, part in self._numbered(fitted):
            if isinstance(part, Parameters):
                for own, whole in fields[name.split(".")[0]].type.sizes.items():
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
        for name, part in self._numbered():
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
            wrong = {"lacks": missing, "holds unknown": unknown}
            said = " and ".join(f"{what} {names}" for what, names in wrong.items() if names)
            raise ValueError(f"new {said}. Give one array for each name in parameters().")
        new = dict(new)
        for name, array in old.items():
            new[name] = _checks.numbers(new[name], name)
            if new[name].shape != array.shape:
                raise ValueError(
                    f"{name} has shape {new[name].shape}, expected {array.shape}: the shape of the "
                    f"parameter that it replaces."
                )
        return self._replaced(new, "")

    def settings(self):
        """List what is no parameter, by name: with the parameters it makes the object again.

        Returns
        -------
        dict
            Numbers, words, truth values and tuples of these, a setting of a part with the part's
            name in front: ``"attention.n_heads"``.  Where a part may be of several classes, or be
            missing, its own name stands for its class: ``"attention.positions": "Rotary"``.
        """
        found = {}
        for field in dataclasses.fields(self):
            content, spec = getattr(self, field.name), field.type
            if isinstance(spec, Part):
                for name, part in self._numbered({field.name: content}):
                    if part is not None:
                        if type(part) not in spec.wanted:
                            raise TypeError(
                                f"{name} is a {type(part).__name__}, of which no file knows how it "
                                f"is made. Use one of {spec!r}."
                            )
                        if len(spec.wanted) > 1 or field.default is None:
                            found[name] = type(part).__name__
                        found |= {f"{name}.{n}": x for n, x in part.settings().items()}
            elif not isinstance(spec, str) and content is not None:
                found[field.name] = content
        return found

    @classmethod
    def from_parameters(cls, arrays, **settings):
        """Make an object of its parameters and settings.

        Parameters
        ----------
        arrays : dict of str to array_like
            The parameters by name, as `parameters` lists them.
        **settings
            As `settings` lists them, all of them.  A setting without a part's name holds for every
            part that has one of its own name: ``n_heads=4``.  A part without parameters, such as
            `Rotary`, is there only if a setting of its name says so.

        Returns
        -------
        object of this class

        Examples
        --------
        >>> from attnlib import EncoderBlock
        >>> block = EncoderBlock.random(np.random.default_rng(0), d_model=4, n_heads=2)
        >>> arrays = block.parameters()
        >>> again = EncoderBlock.from_parameters(arrays, **block.settings())
        >>> again.settings() == block.settings()
        True
        >>> options = {"norm_first": False, "activation": "relu", "epsilon": 1e-5}
        >>> again = EncoderBlock.from_parameters(arrays, n_heads=2, **options)
        >>> again.settings() == block.settings()
        True
        """
        if not isinstance(arrays, dict):
            raise TypeError(f"arrays must be a dict of arrays by name, not {arrays!r}.")
        used = set()
        made = cls._made("", arrays, settings, used)
        if unknown := sorted({*arrays, *settings} - used, key=str):
            raise ValueError(f"{cls.__name__} has no place for {unknown}. Leave them out.")
        return made

    @classmethod
    def _made(cls, prefix, arrays, settings, used):
        """Build an object of what stands under `prefix`, and note in `used` what that was."""
        fields = {}
        for field in dataclasses.fields(cls):
            name, spec = prefix + field.name, field.type
            if isinstance(spec, Part):
                content = spec.made(name, arrays, settings, used)
            elif isinstance(spec, str):
                content = arrays.get(name)
                used |= {name} & {*arrays}
            else:
                content, found = _setting(name, settings)
                used |= found
            if content is not None:
                fields[field.name] = content
            elif field.default is not None:  # a default is for those who write, not for who reads
                kind = "arrays" if isinstance(spec, Part | str) else "settings"
                raise ValueError(f"{kind} lacks {name!r}, which every {cls.__name__} has.")
        return cls(**fields)

    @classmethod
    def _takes(cls, names):
        """Tell whether parameters of these names can be those of an object of this class."""
        fields = {f.name: f for f in dataclasses.fields(cls) if isinstance(f.type, Part | str)}
        needed = {n for n, field in fields.items() if field.default is dataclasses.MISSING}
        return needed <= {name.split(".")[0] for name in names} <= fields.keys()

    def save(self, path):
        """Write parameters and settings to a file, in the format safetensors.

        Parameters
        ----------
        path : str or Path
            Where; a file that is there is replaced.
        """
        metadata = {"class": type(self).__name__, "settings": json.dumps(self.settings())}
        _safetensors.write(path, self.parameters(), metadata)

    @classmethod
    def load(cls, path, **settings):
        """Make an object of what `save` wrote, or of another file of safetensors.

        Parameters
        ----------
        path : str or Path
            The file.
        **settings
            As for `from_parameters`, of a file that holds none.

        Returns
        -------
        object of this class

        Raises
        ------
        ValueError
            If the file is damaged, or holds something else.
        """
        arrays, metadata = _safetensors.read(path)
        kind = metadata.get("class", cls.__name__)
        if kind != cls.__name__:
            raise ValueError(f"{path} holds a {kind}, not a {cls.__name__}. Use {kind}.load.")
        return cls.from_parameters(arrays, **json.loads(metadata.get("settings", "{}")), **settings)

    @property
    def parameter_count(self):
        """Number of numbers that training may change."""
        return sum(array.size for array in self.parameters().values())

    def _numbered(self, fields=None):
        """Yield name and content of each field; the parts of a tuple are numbered."""
        if fields is None:
            fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        for name, part in fields.items():
            if isinstance(part, tuple):
                yield from ((f"{name}.{i}", inner) for i, inner in enumerate(part))
            else:
                yield name, part

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
