"""The norm of today: each row divided by its root mean square."""

import numpy as np

from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, copied, keeps_default, made, result


def rms_norm(X, gain, epsilon):
    """Each row over the root of its mean square, times the gains."""
    return gain * X / np.sqrt((X**2).mean(axis=-1, keepdims=True) + epsilon)


def adapt(answer, right=rms_norm):
    import torch
    from torch import nn

    later = Later(CASES)

    def rms_norm(X, gain, epsilon):
        module = made(answer, len(gain), epsilon)
        start = getattr(module, "gain", None)
        keeps_default(answer, "epsilon", 1e-5)
        if isinstance(start, nn.Parameter) and start.shape == (len(gain),) and (start != 1).any():
            raise Misfit(
                "The gains do not start as ones. With torch.ones(d) the norm begins as one that "
                "only divides."
            )
        copied(module, {"gain": gain})

        def more():
            halved(copied(module, {"gain": np.ones(len(gain))}), len(gain))

        return result(module, X, like=(right, X, gain, epsilon), later=later, more=more)

    def halved(module, d):
        """Stop if a row of 300s in float16 does not become ones."""
        with torch.no_grad():
            whole = module(torch.full((1, d), 300.0))
            Y = module.half()(torch.full((1, d), 300.0, dtype=torch.float16))
        if not torch.allclose(Y.float(), whole, atol=0.01):
            raise Misfit(
                "In float32 it is right, but in float16 a row of 300s does not come out as 1s: "
                "300 squared is above 65,504, the largest float16. Compute the size in float32, "
                "with X.float(), as hint 3 says."
            )
        if Y.dtype != torch.float16:
            name = str(Y.dtype).removeprefix("torch.")
            raise Misfit(f"For X in float16 it returns {name}. Give it X's type, .to(X.dtype).")

    return rms_norm


CASES = (
    Case("one row", (np.array([[3.0, -4.0]]), np.array([1.0, 2.0]), 1e-5)),
    Case("rows", (*draw((3, 4), (4,)), 0.1)),
    Case("a batch", (*draw((2, 3, 5), (5,)), 0.01)),
    Case("a small row", (0.01 * draw((2, 3, 6), (6,))[0], draw((2, 3, 6), (6,))[1] + 1, 1e-3)),
)
