"""Run what a reader wrote in PyTorch on arrays: modules get numbers by name, and give arrays."""

import inspect

import numpy as np

from attnlib.exercises import Misfit
from attnlib.exercises.engine.running import Outcome
from attnlib.exercises.engine.showing import listed
from attnlib.exercises.engine.symptoms import no_return, stub

ITEM = (
    "It returns a number of Python, from which no gradient flows back. Return the tensor itself, "
    "without .item()."
)
CUT = (
    "Look for .detach(), .data, .item(), .numpy(), torch.tensor(…) or torch.no_grad() on the way: "
    "each of them cuts the graph."
)


def written(function):
    """The function, unless it is a stub, which counts as not attempted."""
    if no_return(function) and stub(function, Outcome(None)):
        raise NotImplementedError
    return function


def made(cls, *sizes):
    """A module of these sizes."""
    from torch import nn

    if isinstance(cls, nn.Module):
        raise Misfit("This is a module already: pass the class itself, without brackets.")
    if not (isinstance(cls, type) and issubclass(cls, nn.Module)):
        raise Misfit("It should be a class derived from nn.Module.")
    if cls.forward is nn.Module.forward:
        raise NotImplementedError
    written(cls.forward)
    return cls(*sizes)


def keeps_default(cls, name, wanted):
    """Stop if a class has another default than the page for an argument of its own."""
    argument = inspect.signature(cls).parameters.get(name)
    if argument and argument.default not in (argument.empty, wanted):
        raise Misfit(
            f"The default of {name} is {argument.default}. On the page it is "
            f"{wanted:g}, and later steps rely on it.".replace("e-0", "e-")
        )


def copied(module, arrays):
    """The module with these numbers in its parameters; matrices (in, out) go into nn.Linear."""
    import torch

    linear = {n for n, part in module.named_modules() if isinstance(part, torch.nn.Linear)}
    known = dict(module.named_parameters())
    for name, A in arrays.items():
        layer, _, kind = name.rpartition(".")
        A = A.T if layer in linear and kind == "weight" else A
        if name not in known:
            own = f"its own are {listed([*known])}." if known else "and no other."
            tensor = "" if known else " A tensor alone is none: nn.Parameter(…) makes it one."
            raise Misfit(f"It has no parameter {name}{';' if known else ','} {own}{tensor}")
        if (found := tuple(known[name].shape)) != A.shape:
            raise Misfit(f"Its parameter {name} has shape {found}, and should have {A.shape}.")
        known[name].data = torch.tensor(A, dtype=torch.float32)
    if more := [name for name in known if name not in arrays]:
        of_linear = any(name.rpartition(".")[::2] in {(n, "bias") for n in linear} for name in more)
        bias = " Write bias=False." if of_linear else ""
        raise Misfit(f"It has extra parameters: {listed(more)}.{bias}")
    return module.eval()


def tensor(a):
    """An array as a new tensor, all else as it is."""
    import torch

    if not isinstance(a, np.ndarray):
        return a
    return torch.tensor(a, dtype=torch.float32 if a.dtype.kind == "f" else torch.int64)


class Later(list):
    """What is to be looked at once all cases have come out right, noted case by case."""

    def __init__(self, cases):
        super().__init__()
        self.cases = cases

    def add(self, right, look):
        """Note whether a case is right, and what is to be looked at; the last looks at all."""
        self.append(look if right else None)
        if len(self) == len(self.cases) and all(self):
            for look in self:
                look()


def result(
    function, *arguments, like=None, later=None, module=None, leaves=None, learned=True, more=None
):
    """What a function of tensors, or a module, makes of arrays; it has to be the same twice.

    ``like`` is the right function and its arguments. Where all cases agree with what it gives, the
    arguments must be as they were and the gradient has to be right: with respect to those of its
    arguments that are among ``arguments``, or parameters of the module by their names, or
    ``leaves``, name -> (what it is called, tensor), unless nothing is ``learned`` through it. Then
    ``more`` looks at what else the exercise asks.
    """
    import torch

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        found, given = [], [*map(tensor, arguments)]
        for _ in range(2):
            given = [*map(tensor, arguments)]
            found.append(function(*given))
        changed = [
            a for a, b in zip(arguments, given)
            if isinstance(a, np.ndarray) and not torch.equal(tensor(a), b)
        ]  # fmt: skip
    if not all(isinstance(a, torch.Tensor) for a in found):
        if type(found[0]) is float and like:
            later.add(agrees(found[0], like[0](*like[1:])), lambda: stop(ITEM))
        if isinstance(found[0], list | tuple | np.ndarray):
            kind = "an array of NumPy" if isinstance(found[0], np.ndarray) else "a list"
            kind = "a tuple" if type(found[0]) is tuple else kind
            raise Misfit(f"It returns {kind}, and should return one tensor.")
        return found[0]
    if any(a.isnan().any() for a in found):
        raise Misfit(
            "It returns NaN. PyTorch says nothing where one arises: 0/0, ∞/∞ as of exp(100), the "
            "root of a negative number, or softmax over scores that are all −∞, as of an item that "
            "sees nothing."
        )
    if not torch.equal(*found):
        raise Misfit(_unlike(function, arguments))
    if any(a.isinf().any() for a in found):
        raise Misfit(
            "It returns an infinite number. PyTorch says nothing where one arises: a division by "
            "0, the logarithm of 0, or a number that is too large, as exp(100) is in float32."
        )
    array = found[0].detach().double().numpy()

    def look():
        if changed:
            names = [n for n, a in _named(like) if any(a is b for b in changed)]
            raise Misfit(
                f"The result is right, but {listed(names)} is changed in place, so whoever calls "
                "it loses the original. Write X = X + …, not X += …, and assign to entries of a "
                "new tensor only."
            )
        if learned:
            learns(function, arguments, like, module or function, leaves)
        if more:
            more()

    if like:
        later.add(agrees(array, like[0](*like[1:])), look)
    return array


def stop(why):
    raise Misfit(why)


def agrees(found, wanted):
    """Whether two arrays have one shape and nearly the same numbers."""
    return np.shape(found) == np.shape(wanted) and np.allclose(found, wanted, 1e-4, 1e-4)


def _named(like):
    return list(zip(inspect.signature(like[0]).parameters, like[1:]))


def _unlike(function, arguments):
    """Why two calls gave different results: chance, or something that is kept."""
    import torch

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        found = []
        for _ in range(2):
            torch.manual_seed(0)
            found.append(function(*map(tensor, arguments)))
    if not torch.equal(*found):
        return (
            "Called again with the same input, it gives another result: something is kept from "
            "one call to the next, and is not handed in."
        )
    return (
        "In evaluation mode it gives another result each time. F.dropout is on unless it gets "
        "training=self.training; nn.Dropout knows the mode."
    )


def learns(function, arguments, like, module=None, leaves=None):
    """Stop if the gradient is not that of the right function, taken as a difference."""
    import torch

    right, *args = like
    given = [*map(tensor, arguments)]
    known = dict(module.named_parameters()) if isinstance(module, torch.nn.Module) else {}
    linear = {part.weight for part in _linear(module)}
    leaves, place = dict(leaves or {}), {}
    for at, (name, A) in enumerate(_named(like)):
        if not (isinstance(A, np.ndarray) and A.dtype.kind == "f"):
            continue
        for i, a in enumerate(arguments):
            if a is A:
                given[i].requires_grad_()
                leaves[name] = (name, given[i])
                given[i] = given[i] * 1  # so that it may not be taken for a leaf
        for full in (name, f"{name}.weight"):
            if full in known:
                leaves[name] = (full, known[full])
        if name in leaves:
            place[name] = at
    for called, leaf in leaves.values():
        if not leaf.requires_grad:
            raise Misfit(f"{called} has requires_grad=False, so it never learns.")
    with torch.enable_grad():
        try:
            out = function(*given)
            if not out.requires_grad:
                raise Misfit(f"The result is right, but no gradient flows back from it. {CUT}")
            G = np.cos(1.0 + np.arange(out.numel())).reshape(out.shape)
            loss = (out * torch.tensor(G, dtype=out.dtype)).sum()
            d = torch.autograd.grad(loss, [leaf for _, leaf in leaves.values()], allow_unused=True)
        except RuntimeError as error:
            if isinstance(error, Misfit):
                raise
            what = str(error).split("\n")[0].split(". ")[0].split(": ")[0].rstrip(".")
            raise Misfit(
                f"The result is right, but backward fails: {what}. Stay with tensors, and change "
                "none in place that an earlier step has used."
            ) from None
    for (called, _), slope in zip(leaves.values(), d):
        if slope is None:
            raise Misfit(f"The result is right, but no gradient reaches {called}. {CUT}")
    for (name, (called, leaf)), slope in zip(leaves.items(), d):
        slope = (slope.T if leaf in linear else slope).double().numpy()
        A, h = args[place[name]], 1e-6
        v = np.sin(2.0 + 3 * np.arange(A.size)).reshape(A.shape)
        above, below = (
            right(*args[: place[name]], A + step * v, *args[place[name] + 1 :]) for step in (h, -h)
        )
        gap = abs(((above - below) * G).sum() / (2 * h) - (slope * v).sum())
        if gap > 3e-3 * np.abs(slope * v).sum() + 3e-4:
            raise Misfit(
                f"The result is right, but the gradient that reaches {called} is not: part of it "
                f"is lost. {CUT}"
            )


def _linear(module):
    from torch import nn

    parts = module.modules() if isinstance(module, nn.Module) else ()
    return [part for part in parts if isinstance(part, nn.Linear)]
