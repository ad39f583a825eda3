"""Before the ring starts, all processes agree on what they bring, or all refuse."""

import torch
import torch.distributed as dist

from attnlib import _checks
from attnlib.ring.layout import LAYOUTS


def agree(Q, K, V, causal, layout, group):
    """Check that all processes of `group` bring arrays of the same kind; otherwise all raise.

    One that raised alone would leave the others waiting, so each tells all what it has or lacks.
    """
    try:
        mine = _described(Q, K, V, causal, layout)
    except (ValueError, TypeError) as error:
        mine = error
    ranks = [None] * dist.get_world_size(group)
    dist.all_gather_object(ranks, mine, group=group)
    for rank, theirs in enumerate(ranks):
        if isinstance(theirs, Exception):
            raise type(theirs)(f"rank {rank}: {theirs}")
    for rank, theirs in enumerate(ranks):
        for what, first in ranks[0].items():
            if theirs[what] != first:
                values = f"the {what} of rank 0 is {first}, that of rank {rank} is {theirs[what]}"
                raise ValueError(f"{values}. Give all processes the same {what}.")


def _described(Q, K, V, causal, layout):
    for X, name in ((Q, "Q"), (K, "K"), (V, "V")):
        _usable(X, name)
        if (X.shape, X.dtype, X.device) != (Q.shape, Q.dtype, Q.device):
            kinds = (f"{Y.dtype} of shape {tuple(Y.shape)} on {Y.device}" for Y in (Q, X))
            values = f"Q is {next(kinds)}, {name} is {next(kinds)}"
            raise ValueError(f"{values}. Give Q, K and V one shape and type.")
    options = {"causal": _checks.boolean(causal, "causal")}
    options |= {"layout": _checks.choice(layout, "layout", LAYOUTS)}
    return {"shape": tuple(Q.shape), "dtype": str(Q.dtype), "device": Q.device.type} | options


def _usable(X, name):
    if not isinstance(X, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not {type(X).__name__}. Use torch.as_tensor.")
    if X.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"{name} holds {X.dtype}. Convert it to float32 or float64.")
    if X.ndim != 4 or 0 in X.shape:
        needed = "but needs four axes that are not empty, (batch, n_heads, n / P, d)"
        raise ValueError(f"{name} has shape {tuple(X.shape)}, {needed}.")
    if X.requires_grad:
        raise ValueError(f"{name} requires a gradient, which the ring does not give. Detach it.")
    if not torch.isfinite(X).all():
        raise ValueError(f"{name} holds NaN or infinity. Give it finite numbers.")
