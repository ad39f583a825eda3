"""Moves the start of every training by a few roundings, as another processor moves its steps.

Python imports this file by its name where `tools/moved` is on PYTHONPATH, and with MOVED_STARTS it
acts: both only in ``make test TIER=processors``.  A number moves by an amount that depends on the
number alone, so that two trainings that are to agree begin alike.
"""

import ast
import importlib.util
import os
import sys
import weakref

import numpy as np

#: The largest relative move of a number in single and in double precision.
SINGLE, DOUBLE = 1e-6, 1e-15


def moved(x, share=None):
    """Floating-point numbers of NumPy or PyTorch, each moved relative to its size."""
    share = share or (SINGLE if x.itemsize < 8 else DOUBLE)
    if isinstance(x, np.ndarray):
        return (x * (1 + share * np.sin(1e4 * x))).astype(x.dtype)
    return x * (1 + share * (1e4 * x).sin()) if x.is_floating_point() else x


def optimizers(module):
    """PyTorch's optimizers move what they are given."""
    begin = module.Optimizer.__init__

    def __init__(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        for group in self.param_groups:
            for p in group["params"]:
                p.data.copy_(moved(p.data))

    module.Optimizer.__init__ = __init__


def first_steps(module):
    """Adam in NumPy moves a parameter before its first step."""
    step = module.adam

    def adam(p, d, mean, square, t, rate):
        return step(moved(p) if t == 1 else p, d, mean, square, t, rate)

    module.adam = adam


def searches(module):
    """A search for four factors sees moved numbers."""
    search = module.by_reward
    module.by_reward = lambda numbers, *args, **kwargs: search(
        lambda H: moved(numbers(H), SINGLE), *args, **kwargs
    )


def stored(module):
    """The trained networks that come with the book."""
    unpacked = module.unpacked

    def unpacked_and_moved(cls, stored):
        network = unpacked(cls, stored)
        arrays = network.parameters()
        return network.with_parameters({name: moved(arrays[name], SINGLE) for name in arrays})

    module.unpacked = unpacked_and_moved


class Steps(ast.NodeTransformer):
    """In a cell, `W -= rate * step` and `W.data -= rate * step` move W before its first step."""

    def visit_AugAssign(self, node):
        """Put a call before the statement where it is a step of a training."""
        names = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
        target = node.target
        if isinstance(target, ast.Attribute) and target.attr == "data":
            target = target.value
        rates = any(name.endswith(("rate", "rates")) for name in names)
        if not (isinstance(node.op, ast.Sub) and rates and isinstance(target, ast.Name)):
            return node
        call = ast.parse(f"__import__('sitecustomize').once({target.id})").body[0]
        return [ast.copy_location(ast.fix_missing_locations(call), node), node]


_seen = weakref.WeakValueDictionary()


def once(x):
    """Move an array in its place, unless it has been moved."""
    if _seen.get(id(x)) is not x and (isinstance(x, np.ndarray) or hasattr(x, "data")):
        _seen[id(x)] = x
        data = x if isinstance(x, np.ndarray) else x.data
        data[...] = moved(data)


def cells(module):
    """Every kernel reads its cells through `Steps`."""
    begin = module.InteractiveShell.__init__

    def __init__(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        self.ast_transformers.append(Steps())

    module.InteractiveShell.__init__ = __init__


AFTER = {
    "torch.optim.optimizer": optimizers,
    "attnlib.networks.characters": first_steps,
    "attnlib.data.cartpole": searches,
    "attnlib.networks._eight_bits": stored,
    "IPython.core.interactiveshell": cells,
}


class Finder:
    """Changes a module of `AFTER` when it has been imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Find the module as Python would, and add its change to the end of its execution."""
        if name not in AFTER:
            return None
        change = AFTER.pop(name)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


if "MOVED_STARTS" in os.environ:
    sys.meta_path.insert(0, Finder)
