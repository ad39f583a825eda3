"""Run what a reader wrote in PyTorch on arrays: modules get numbers by name, and give arrays."""

from attnlib.exercises import Misfit
from attnlib.exercises.engine.running import Outcome
from attnlib.exercises.engine.showing import listed
from attnlib.exercises.engine.symptoms import no_return, stub


def written(function):
    """The function, unless it is a stub, which counts as not attempted."""
    if no_return(function) and stub(function, Outcome(None)):
        raise NotImplementedError
    return function


def made(cls, *sizes):
    """A module of these sizes."""
    from torch import nn

    if isinstance(cls, nn.Module):
        raise Misfit("This is a module already: hand on the class itself, without brackets.")
    if not (isinstance(cls, type) and issubclass(cls, nn.Module)):
        raise Misfit("It should be a class derived from nn.Module.")
    written(cls.forward)
    return cls(*sizes)


def copied(module, arrays):
    """The module with these numbers in its parameters; matrices (in, out) go into nn.Linear."""
    import torch

    linear = {n for n, part in module.named_modules() if isinstance(part, torch.nn.Linear)}
    known = dict(module.named_parameters())
    for name, A in arrays.items():
        layer, _, kind = name.rpartition(".")
        A = A.T if layer in linear and kind == "weight" else A
        if name not in known:
            raise Misfit(f"It has no parameter {name}; its own are {listed([*known])}.")
        if (found := tuple(known[name].shape)) != A.shape:
            raise Misfit(f"Its parameter {name} has shape {found}, and should have {A.shape}.")
        known[name].data = torch.tensor(A, dtype=torch.float32)
    if more := [name for name in known if name not in arrays]:
        bias = " Write bias=False." if any("bias" in name for name in more) else ""
        raise Misfit(f"It has parameters that nobody asked for: {listed(more)}.{bias}")
    return module.eval()


def result(function, *arguments):
    """What a function of tensors, or a module, makes of arrays; it has to be the same twice."""
    import numpy as np
    import torch

    def tensor(a):
        if not isinstance(a, np.ndarray):
            return a
        return torch.tensor(a, dtype=torch.float32 if a.dtype.kind == "f" else torch.int64)

    with torch.no_grad():
        found = [function(*map(tensor, arguments)) for _ in range(2)]
    if not all(isinstance(a, torch.Tensor) for a in found):
        return found[0]
    if any(a.isnan().any() for a in found):
        raise Misfit(
            "It returns NaN. PyTorch says nothing where one arises: 0/0, the root of a negative "
            "number, or softmax over scores that are all −∞, as of an item that sees nothing."
        )
    if not torch.equal(*(a.nan_to_num() for a in found)):
        raise Misfit(
            "In evaluation mode it gives another result each time. F.dropout is on unless it gets "
            "training=self.training; nn.Dropout knows the mode."
        )
    return found[0].double().numpy()
