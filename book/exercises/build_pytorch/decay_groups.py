"""Groups of parameters for the optimizer: weight decay for matrices only."""

import numpy as np

from attnlib.exercises import Case, Misfit

from .copying import listed, written

KEYS = {"params", "weight_decay", "lr", "betas", "eps"}


def decay_groups(axes, decay):
    """The decay of each parameter, from the number of its axes."""
    return np.where(np.array(axes) >= 2, decay, 0.0)


def adapt(answer):
    import torch
    from torch import nn

    shapes = {0: [()], 1: [(5,)], 2: [(4, 3), (1, 2)], 3: [(1, 1, 2)]}

    def decay_groups(axes, decay):
        if (found := usual(decay)) is None or found is Ellipsis:
            return found
        before = [list(axes[:i]).count(n) for i, n in enumerate(axes)]
        sizes = [shapes[int(n)][k % len(shapes[int(n)])] for n, k in zip(axes, before)]
        model = nn.ParameterList(nn.Parameter(torch.ones(size)) for size in sizes)
        found = decays(model, written(answer)(model, decay), decay)
        if missing := [n for n, p in zip(axes, model) if id(p) not in found]:
            some = " or ".join(map(str, sorted({*map(int, missing)})))
            raise Misfit(
                f"Parameters with {some} axes are in no group, so the optimizer never moves them."
            )
        two = {tuple(p.shape): found[id(p)] for p in model if p.dim() == 2}
        if len({*two.values()}) > 1:
            raise Misfit(
                f"Parameters of the shapes {listed([*map(str, two)])} get different decays, though "
                "both have two axes. A.dim() counts axes, whatever their length."
            )
        return np.array([found[id(p)] for p in model], dtype=float)

    def usual(decay):
        """The decays in a model as on the page; stop where names or layers decide."""
        model = nn.Module()
        model.embed, model.U = nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)
        model.U.weight, model.P = model.embed.weight, nn.Embedding(4, 3)
        model.norm, model.W_1, model.W_2 = nn.LayerNorm(3), nn.Linear(3, 4), nn.Linear(4, 3)
        named = dict(model.named_parameters())
        before = {name: A.detach().clone() for name, A in named.items()}
        groups = written(answer)(model, decay)
        if groups is None or groups is Ellipsis:
            return groups
        found = decays(model, groups, decay)
        if changed := [name for name, A in named.items() if not torch.equal(A, before[name])]:
            raise Misfit(
                f"It changes the numbers of {listed(changed[:2])}. The optimizer does that; the "
                "groups only say what decays."
            )
        for n, axes in (1, "one axis"), (2, "two axes"):
            known = {
                name: found[id(A)] for name, A in named.items() if A.dim() == n and id(A) in found
            }
            low, high = (pick(known, key=known.get, default="") for pick in (min, max))
            if known and known[low] != known[high]:
                raise Misfit(
                    f"{high} gets the decay {known[high]:g} and {low} gets {known[low]:g}, though "
                    f"both have {axes}. Neither names nor layers tell what decays, A.dim() does."
                )
        return found

    def decays(model, groups, decay):
        """The decay of each parameter by its id, None if nothing is written yet."""
        own = {id(A) for A in model.parameters()}
        if not isinstance(groups, list | tuple) or not all(isinstance(g, dict) for g in groups):
            raise Misfit("It should return a list of dicts, as the optimizers of PyTorch take.")
        if len(groups) > 2:
            raise Misfit(
                f"It returns {len(groups)} dicts. Two are enough: what decays, and the rest."
            )
        found = {}
        for group in groups:
            if unknown := group.keys() - KEYS:
                raise Misfit(f"AdamW does not know the key {listed(sorted(unknown))} of a group.")
            if "params" not in group:
                raise Misfit('A group has no "params".')
            if group.get("weight_decay") == 0.01:
                raise Misfit(
                    'A group says "weight_decay": 0.01. What decays has the argument decay, and '
                    "all others have 0.0."
                )
            params, here = group["params"], set()
            if isinstance(params, set | frozenset):
                raise Misfit(
                    '"params" is a set, which AdamW refuses: it needs an order, as of a list.'
                )
            for p in [params] if isinstance(params, torch.Tensor) else params:
                if not isinstance(p, torch.Tensor):
                    raise Misfit('"params" should hold parameters, not their names or pairs.')
                if id(p) not in own:
                    raise Misfit(
                        '"params" holds tensors that are not the model\'s own parameters, but '
                        "copies or views of them, as .clone(), .data and state_dict() give. These "
                        "get no gradients, so the optimizer does not train the model."
                    )
                if id(p) in here:
                    raise Misfit(
                        "A matrix that two layers share is listed twice. model.parameters() has "
                        "each once."
                    )
                if id(p) in found:
                    raise Misfit("A parameter is in two groups, which AdamW refuses.")
                here.add(id(p))
                found[id(p)] = group.get("weight_decay", 0.01)  # which is what AdamW takes then
        return found

    return decay_groups


CASES = (
    Case("a matrix and a bias", (np.array([2, 1]), 0.3)),
    Case("vectors and matrices", (np.array([1, 2, 1, 2, 1, 1, 2]), 0.2)),
    Case("a single number and three axes", (np.array([2, 0, 3, 1]), 0.05)),
)
