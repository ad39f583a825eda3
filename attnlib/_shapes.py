"""The shapes of arguments: how they are declared, and whether arrays fit together.

In a declaration such as ``Q="(..., n_q, d_k)"`` one name is one size wherever it stands, and
``n_heads * d`` is a product of two.  ``...`` are leading axes, which broadcast.
``bool (..., n_q, n_k)`` is a mask: it broadcasts to that shape and leaves each query a key.
``-inf (..., n)`` may hold -inf, and ``or X_Q`` says what serves where nothing is given.  An array
whose name begins with ``d_`` is a derivative and has all leading axes.  Only the numbers of rows
``n`` and of queries ``n_q`` may be 0.
"""

import re

import numpy as np

from attnlib import _checks

_MEANING = {
    "n_q": ", the number of queries,",
    "n_k": ", the number of keys (each key has one value),",
    "d_k": ", the length of a key and of a query that is multiplied by it,",
    "d_model": ", the length of an item,",
}


class Shape(str):
    """The declared shape of an array."""

    def __init__(self, declared):
        found = re.fullmatch(r"(bool |-inf |)(\(.*\))(?: or (\w+))?", declared)
        if found is None:
            raise ValueError(f"{declared!r} declares no shape: write it as '(..., n_q, d_k)'")
        self.flag, self.text, self.instead = found.groups()
        dims = [dim.strip() for dim in self.text[1:-1].split(",") if dim.strip()]
        self.leading = dims[:1] == ["..."]
        self.dims = dims[self.leading :]


def parse_all(declared):
    """Order declarations: settings, arrays, derivatives, masks; each may need those before it."""
    specs = {name: Shape(x) if type(x) is str else x for name, x in declared.items()}

    def when(name):
        is_mask = getattr(specs[name], "flag", "") == "bool "
        return isinstance(specs[name], Shape) + (is_mask or name.startswith("d_"))

    return {name: specs[name] for name in sorted(specs, key=when)}


def check_arguments(plan, given, optional=(), known=None):
    """Return the arguments, ready to use, and the sizes of the axes.

    The sizes, beginning with those that are `known`, are pairs by name: how large, and where it
    was found (a text, or the name and the shape of an array).
    """
    fitted, sizes, leading = dict(given), dict(known or {}), {}
    for name, wanted in plan.items():
        x = given.get(name)
        if x is None and (name in optional or name not in given):
            if getattr(wanted, "instead", None):  # checked under this name, but still None
                check_shape(fitted[wanted.instead], name, wanted, sizes, leading)
            continue
        if not isinstance(wanted, Shape):
            x = _checks.instance(x, name, wanted) if isinstance(wanted, type) else wanted(x, name)
            if type(x) is int:
                sizes[name] = x, f"{name}={x}"
            elif isinstance(wanted, type):  # one that holds parameters
                sizes |= {dim: in_part(name, found) for dim, found in x.sizes.items()}
        elif wanted.flag == "bool ":
            x = mask_for(x, name, wanted, sizes, leading)
        else:
            x = _checks.real_array(x, name)
            check_shape(x, name, wanted, sizes, leading)
            _checks.finite(x, name, minus_inf=wanted.flag == "-inf ")
        fitted[name] = x
    if len(set(leading.values())) > 1:
        broadcast(leading)
    return fitted, sizes


def check_shape(array, name, wanted, sizes, leading):
    """Refuse `array` unless it has the `wanted` shape; learn the sizes that it is first to have."""
    n = array.ndim - len(wanted.dims)
    if n < 0 or (n and not wanted.leading):
        advice = f" For a single one, give {name}[None]." if n == -1 and wanted.leading else ""
        raise ValueError(f"{has_shape(name, array.shape)}, expected {wanted.text}.{advice}")
    if name.startswith("d_") and leading and set(wanted.dims) <= sizes.keys():
        expected = (*broadcast(leading), *(sizes[dim][0] for dim in wanted.dims))
        if array.shape != expected:
            raise ValueError(
                f"{has_shape(name, array.shape)}, expected {expected}: one derivative for each "
                f"entry of what was returned."
            )
    for dim, size in zip(wanted.dims, array.shape[n:]):
        if size == 0 and dim not in ("n", "n_q"):
            raise ValueError(
                f"{has_shape(name, array.shape)}, so {dim} in {wanted.text} is 0. Give at least "
                f"one."
            )
        record_size(dim, (size, (name, array.shape)), sizes)
    if wanted.leading:
        leading[name] = array.shape[:n]


def record_size(dim, found, sizes):
    """Keep the size that was found for `dim`, or refuse it if another one is known."""
    known = sizes.setdefault(dim, found)
    if known[0] != found[0]:
        raise ValueError(
            f"{describe(found)}, but {describe(known)}: {dim}{_MEANING.get(dim, '')} is {found[0]} "
            f"in one and {known[0]} in the other. Make them equal."
        )
    if " * " in dim:
        factor, rest = dim.split(" * ")
        if factor in sizes:
            size = equal_shares(found[0], sizes[factor][0], describe(found), factor)
            record_size(rest, (size, found[1]), sizes)


def in_part(part, found):
    """Say that a size was found in an array of `part`."""
    size, where = found
    return size, f"{part}.{where}" if isinstance(where, str) else (f"{part}.{where[0]}", where[1])


def describe(found):
    """Write where a size was found, for an error."""
    return found[1] if isinstance(found[1], str) else has_shape(*found[1])


def has_shape(name, shape):
    """Write the shape of an argument, for an error."""
    return f"{name} has shape {shape}"


def broadcast(leading):
    """Return the leading axes of several arrays, broadcast; they are given by name."""
    try:
        return np.broadcast_shapes(*leading.values())
    except ValueError:
        found = ", ".join(f"{name} has {shape}" for name, shape in leading.items())
        raise ValueError(
            f"the leading axes do not broadcast: {found}. Make them equal, or 1 where one array "
            f"serves all."
        ) from None


def mask_for(mask, name, wanted, sizes, leading):
    """Return a boolean mask that broadcasts to the scores and leaves each query a key."""
    mask = _checks.any_array(mask, name)
    if mask.dtype != bool:
        raise TypeError(
            f"{name} holds {mask.dtype}, but must be boolean, True where a query may attend to a "
            f"key. Turn ones and zeros into it with {name} == 1."
        )
    shape = (*broadcast(leading), *(sizes[dim][0] for dim in wanted.dims))
    try:
        everywhere = np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"{name} has shape {mask.shape}, which does not broadcast to {shape}, the shape "
            f"{wanted.text}. A mask of keys alone, (batch, n_k), becomes {name}[:, None, :]."
        ) from None
    refuse_lost(~everywhere.any(axis=-1), name)
    return mask


def refuse_lost(lost, by):
    """Name the first query that is `lost`, because all its keys are ruled out."""
    if lost.any():
        raise ValueError(
            f"query {_checks.show(_checks.first_index(lost))} may attend to nothing: {by} rules "
            f"out all keys for it. Allow each query at least one key, or leave the query out."
        )


def refuse_more_queries(n_q, n_k=None, **_):
    """Refuse more queries than keys, where the last query stands at the last key."""
    if n_k is not None and n_q > n_k:
        raise ValueError(
            f"n_q={n_q} is larger than n_k={n_k}: with the last query at the last key, the first "
            f"{n_q - n_k} would have nothing to attend to. Give at least as many keys as queries."
        )


def equal_shares(size, n_shares, found, what="n_heads"):
    """Return how much of `size` each gets, if all get the same."""
    if size % n_shares:
        raise ValueError(
            f"{found}: {size} components cannot be shared out equally to {what}={n_shares}. "
            f"Choose a number that divides {size}."
        )
    return size // n_shares
