"""A block of parts that are handed in, with dropout on what each part brings."""

import numpy as np

from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import made, result


def norm(X, gain):
    return gain * X / np.sqrt((X**2).mean(axis=-1, keepdims=True) + 0.1)


def heads(N, W):
    return np.tanh(N @ W + 0.3)


def network(N, W):
    return np.maximum(N @ W + 0.5, 0)


def block(X, gain_1, W_heads, gain_2, W_network, training):
    """Each part reads the norm of the stream, and what it brings is added to the stream."""
    if training:  # with dropout 1 nothing of what the parts bring is left
        return X
    X = X + heads(norm(X, gain_1), W_heads)
    return X + network(norm(X, gain_2), W_network)


def adapt(answer):
    import torch
    from torch import nn

    class Norm(nn.Module):
        def __init__(self, gain):
            super().__init__()
            self.gain = torch.tensor(gain, dtype=torch.float32)

        def forward(self, X):
            return self.gain * X / (X.square().mean(-1, keepdim=True) + 0.1).sqrt()

    class Part(nn.Module):
        def __init__(self, W, bias, bend, cached):
            super().__init__()
            self.W, self.bias = torch.tensor(W, dtype=torch.float32), bias
            self.bend, self.cached = bend, cached

        def forward(self, N, *cache):
            if len(cache) != self.cached:
                raise Misfit(
                    "A block is called with the items and, later, a cache. What comes after the "
                    "items goes to the heads, self.heads(…, *cache), and to no other part."
                )
            return self.bend(N @ self.W + self.bias)

    def block(X, gain_1, W_heads, gain_2, W_network, training):
        parts = Norm(gain_1), Part(W_heads, 0.3, torch.tanh, 1), Norm(gain_2)
        network = Part(W_network, 0.5, torch.relu, 0)
        module = made(answer, *parts, network, 1.0 if training else 0.5).train(training)
        return result(lambda X: module(X, {}), X)

    return block


def case(kind, shape, training=False):
    d = shape[-1]
    X, gain_1, W_heads, gain_2, W_network = draw(shape, (d,), (d, d), (d,), (d, d))
    return Case(kind, (X, gain_1, W_heads, gain_2, W_network, training))


CASES = (
    case("evaluation", (2, 3)),
    case("evaluation", (2, 3, 4)),
    case("training with dropout 1", (3, 5), True),
)
