"""Before the ring starts, all processes agree on what they bring, or all refuse."""

import numpy as np
import torch
import torch.distributed as dist

from attnlib.ring.layout import LAYOUTS


def agree(Q, K, V, causal, layout, group):
    """Return after all processes of `group` brought arrays of one kind; else all of them raise.

    One process that refuses alone would leave the others waiting for its message.  So each one
    writes down what it has, or what is wrong with it, and all look at all of that.

    Parameters
    ----------
    Q, K, V : Tensor, shape (batch, n_heads, n / P, d)
        What this process holds.
    causal : bool
        Whether no query may attend to a later position.
    layout : str
        ``"contiguous"`` or ``"striped"``.
    group : ProcessGroup or None
        The ring; None for all processes.

    Raises
    ------
    ValueError, TypeError
        In every process, if any of them brings something unusable, or two differ.
    """
    described = [None] * dist.get_world_size(group)
    dist.all_gather_object(described, describe(Q, K, V, causal, layout), group=group)
    for rank, mine in enumerate(described):
        if "problem" in mine:
            error = TypeError if mine["is_type"] else ValueError
            raise error(f"rank {rank}: {mine['problem']}")
    for rank, mine in enumerate(described):
        for what, first in described[0].items():
            if mine[what] != first:
                raise ValueError(
                    f"the {what} of rank 0 is {first}, that of rank {rank} is {mine[what]}. "
                    f"Give all processes the same {what}."
                )


def describe(Q, K, V, causal, layout):
    """Return what a process brings, as a dictionary, or one that says what is wrong with it."""
    try:
        for X, name in ((Q, "Q"), (K, "K"), (V, "V")):
            _usable(X, name)
            if (X.shape, X.dtype, X.device) != (Q.shape, Q.dtype, Q.device):
                raise ValueError(
                    f"Q is {_kind(Q)}, {name} is {_kind(X)}. Give Q, K and V one shape and type."
                )
        if not isinstance(causal, (bool, np.bool_)):
            raise TypeError(f"causal must be True or False, not {causal!r}.")
        if layout not in LAYOUTS:
            raise ValueError(f"layout={layout!r} is unknown. Choose contiguous or striped.")
    except (ValueError, TypeError) as error:
        return {"problem": str(error), "is_type": isinstance(error, TypeError)}
    return {
        "shape": tuple(Q.shape),
        "dtype": str(Q.dtype),
        "device": Q.device.type,
        "causal": bool(causal),
        "layout": layout,
    }


def _usable(X, name):
    """Refuse what is no finite float tensor with four axes, none of them empty."""
    if not isinstance(X, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not {type(X).__name__}. Use torch.as_tensor.")
    if X.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"{name} holds {X.dtype}. Convert it to float32 or float64.")
    if X.ndim != 4 or 0 in X.shape:
        raise ValueError(
            f"{name} has shape {tuple(X.shape)}, but needs four axes that are not empty, "
            f"(batch, n_heads, n / P, d)."
        )
    if X.requires_grad:
        raise ValueError(f"{name} asks for a gradient, which the ring has not. Detach it.")
    if not torch.isfinite(X).all():
        raise ValueError(f"{name} holds NaN or infinity. Give it finite numbers.")


def _kind(X):
    return f"{str(X.dtype).removeprefix('torch.')} of shape {tuple(X.shape)} on {X.device}"
