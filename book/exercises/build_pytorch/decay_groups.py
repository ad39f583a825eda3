"""Groups of parameters for the optimizer: weight decay for matrices only."""

import numpy as np

from attnlib.exercises import Case, Misfit

from .copying import listed, written


def decay_groups(axes, decay):
    """The decay of each parameter, from the number of its axes."""
    return np.where(np.array(axes) >= 2, decay, 0.0)


def adapt(answer):
    import torch
    from torch import nn

    shapes = {0: (), 1: (5,), 2: (1, 2), 3: (1, 1, 2)}

    def decay_groups(axes, decay):
        model = nn.ParameterList(nn.Parameter(torch.ones(shapes[int(n)])) for n in axes)
        groups = written(answer)(model, decay)
        if groups is None or groups is Ellipsis:
            return groups
        if not isinstance(groups, list | tuple) or not all(isinstance(g, dict) for g in groups):
            raise Misfit("It should return a list of dicts, as the optimizers of PyTorch take.")
        found = {}
        for group in groups:
            if unknown := group.keys() - {"params", "weight_decay", "lr", "betas", "eps"}:
                raise Misfit(f"AdamW does not know the key {listed(sorted(unknown))} of a group.")
            if "params" not in group:
                raise Misfit('A group has no "params".')
            for p in group["params"]:
                if not isinstance(p, nn.Parameter):
                    raise Misfit('"params" should hold parameters, not their names or pairs.')
                if id(p) in found:
                    raise Misfit("A parameter is in two groups, which AdamW refuses.")
                found[id(p)] = group.get("weight_decay", 0.01)  # which is what AdamW takes then
        if missing := [n for n, p in zip(axes, model) if id(p) not in found]:
            some = " or ".join(map(str, sorted({*map(int, missing)})))
            raise Misfit(
                f"Parameters with {some} axes are in no group, so the optimizer never moves them."
            )
        return np.array([found[id(p)] for p in model], dtype=float)

    return decay_groups


CASES = (
    Case("a matrix and a bias", (np.array([2, 1]), 0.3)),
    Case("vectors and matrices", (np.array([1, 2, 1, 2, 1, 1, 2]), 0.2)),
    Case("a single number and three axes", (np.array([2, 0, 3, 1]), 0.05)),
)
