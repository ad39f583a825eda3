"""The shapes of arguments: how they are declared, and whether arrays fit together.

In a declaration such as ``Q="(..., n_q, d_k)"`` a name is the same size wherever it occurs, and
``n_heads * d`` is a product of two.  ``...`` are leading axes, which broadcast.
``bool (..., n_q, n_k)`` is a mask: it broadcasts to that shape and leaves each query a key.  With
``[n_heads]`` before the last two it may have that axis, and gets it where it is for a batch.  A
size ``n_before + n_new`` is a sum, in which what is unknown is 0.
``-inf (..., n)`` may hold -inf, and ``or X_Q`` names what replaces a missing array.  An array
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
        match = re.fullmatch(r"(bool |-inf |)(\(.*\))(?: or (\w+))?", declared)
        if match is None:
            raise ValueError(f"{declared!r} declares no shape: write it as '(..., n_q, d_k)'")
        self.flag, self.text, self.instead = match.groups()
        dims = [dim.strip() for dim in self.text[1:-1].split(",") if dim.strip()]
        self.leading = dims[:1] == ["..."]
        self.heads = "".join(dim.strip("[]") for dim in dims if dim[0] == "[")
        self.dims = [dim for dim in dims[self.leading :] if dim[0] != "["]


def parse_all(declared):
    """Order declarations: settings, arrays, derivatives, masks; each may need those before it."""
    specs = {name: Shape(x) if type(x) is str else x for name, x in declared.items()}

    def stage(name):
        is_mask = getattr(specs[name], "flag", "") == "bool "
        return isinstance(specs[name], Shape) + (is_mask or name.startswith("d_"))

    return {name: specs[name] for name in sorted(specs, key=stage)}


def check_arguments(plan, arguments, optional=(), known=None):
    """Return the arguments, ready to use, and the sizes of the axes.

    The sizes, beginning with those that are `known`, are pairs by name: how large, and where it
    was read (a text, or the name and the shape of an array).
    """
    fitted, sizes, leading = dict(arguments), dict(known or {}), {}
    for name, wanted in plan.items():
        x = arguments.get(name)
        if x is None and (name in optional or name not in arguments):
            if getattr(wanted, "instead", None):  # checked under this name, but still None
                check_shape(fitted[wanted.instead], name, wanted, sizes, leading)
            continue
        if not isinstance(wanted, Shape):
            x = _checks.instance(x, name, wanted) if isinstance(wanted, type) else wanted(x, name)
            if type(x) is int:
                sizes[name] = x, f"{name}={x}"
            elif type(x) is tuple and isinstance(x[0], str):
                sizes[f"n_{name}"] = len(x), f"{name} has {len(x)} words"
            elif isinstance(wanted, type):  # one that holds parameters
                sizes |= {dim: in_part(name, pair) for dim, pair in x.sizes.items()}
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
    """Refuse `array` unless it has the `wanted` shape; record the sizes of its axes."""
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


def record_size(dim, pair, sizes):
    """Keep the size of `dim`, with where it was read, or refuse it if another size is known."""
    known = sizes.setdefault(dim, pair)
    if known[0] != pair[0]:
        raise ValueError(
            f"{describe(pair)}, but {describe(known)}: {dim}{_MEANING.get(dim, '')} is {pair[0]} "
            f"in one and {known[0]} in the other. Make them equal."
        )
    if " * " in dim:
        factor, rest = dim.split(" * ")
        if factor in sizes:
            size = equal_shares(pair[0], sizes[factor][0], describe(pair), factor)
            record_size(rest, (size, pair[1]), sizes)


def in_part(part, pair):
    """Say that a size was read from an array of `part`."""
    size, where = pair
    return size, f"{part}.{where}" if isinstance(where, str) else (f"{part}.{where[0]}", where[1])


def describe(pair):
    """Say for an error where a size was read."""
    _, where = pair
    return where if isinstance(where, str) else has_shape(*where)


def has_shape(name, shape):
    """Write the shape of an argument, for an error."""
    return f"{name} has shape {shape}"


def broadcast(leading):
    """Broadcast the leading axes of several arrays, a dict from name to axes."""
    try:
        return np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{name} has {shape}" for name, shape in leading.items())
        raise ValueError(
            f"the leading axes do not broadcast: {shapes}. Make them equal, or 1 where one array "
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
    terms = [dim.split(" + ") for dim in wanted.dims]
    rows_and_columns = [sum(sizes[x][0] for x in dims if x in sizes) for dims in terms]
    shape = (*broadcast(leading), *rows_and_columns)
    try:
        everywhere = np.broadcast_to(mask, shape)
    except ValueError:
        if wanted.heads in sizes and has_heads(mask, shape, sizes[wanted.heads][0]):
            refuse_lost(~mask.any(axis=-1), name)
            return mask
        n_heads = sizes.get(wanted.heads, ())[:1]
        heads = f", nor with heads to {(*shape[:-2], *n_heads, *shape[-2:])}" if n_heads else ""
        raise ValueError(
            f"{name} has shape {mask.shape}, which does not broadcast to {shape}, the shape "
            f"{wanted.text}{heads}. A mask of keys alone, (batch, n_k), becomes {name}[:, None, :]."
        ) from None
    refuse_lost(~everywhere.any(axis=-1), name)
    return mask[..., None, :, :] if wanted.heads and mask.ndim > 2 else mask


def has_heads(mask, shape, n_heads):
    """Tell whether a mask would broadcast to a shape without its axis for the heads."""
    if mask.ndim < 3 or (mask.shape[-3] != n_heads and (mask.ndim == 3 or mask.shape[-3] != 1)):
        return False
    try:
        np.broadcast_to(mask[..., 0, :, :], shape)
    except ValueError:
        return False
    return True


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


def equal_shares(size, n_shares, whole, what="n_heads", of="components"):
    """Divide `size` into equal shares, or raise an error that begins with the text `whole`."""
    if size % n_shares:
        raise ValueError(
            f"{whole}: {size} {of} cannot be shared out equally to {what}={n_shares}. "
            f"Choose a number that divides {size}."
        )
    return size // n_shares
