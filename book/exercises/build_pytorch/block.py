"""A block of parts that are handed in, with dropout on what each part brings."""

import numpy as np

from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, agrees, keeps_default, made, result


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


def adapt(answer, right=block):
    import torch
    from torch import nn

    later = Later(CASES)

    class Norm(nn.Module):
        def __init__(self, gain):
            super().__init__()
            self.gain = nn.Parameter(torch.tensor(gain, dtype=torch.float32))

        def forward(self, X):
            return self.gain * X / (X.square().mean(-1, keepdim=True) + 0.1).sqrt()

    class Part(nn.Module):
        def __init__(self, W, bias, bend, cached):
            super().__init__()
            self.W, self.bias = nn.Parameter(torch.tensor(W, dtype=torch.float32)), bias
            self.bend, self.cached, self.calls, self.wanted = bend, cached, 0, ()

        def forward(self, N, *cache):
            self.calls += 1
            if [*map(type, cache)] == [tuple]:
                raise Misfit(
                    "The heads get a tuple with the cache in it. The star hands on what is in the "
                    "tuple: self.heads(…, *cache)."
                )
            if [*map(id, cache)] != [*map(id, self.wanted)] * self.cached:
                raise Misfit(
                    "A block is called with the items and, later, a cache. What comes after the "
                    "items goes to the heads, self.heads(…, *cache), and to no other part."
                )
            return self.bend(N @ self.W + self.bias)

    def block(X, gain_1, W_heads, gain_2, W_network, training):
        first, second = Norm(gain_1), Norm(gain_2)
        heads = Part(W_heads, 0.3, torch.tanh, True)
        network = Part(W_network, 0.5, torch.relu, False)
        parts = {"norm_1": first, "heads": heads, "norm_2": second, "network": network}
        keeps_default(answer, "dropout", 0.0)

        def built(dropout):
            module = made(answer, *parts.values(), dropout)
            inside = {id(part) for part in module.modules()}
            if lost := [name for name, part in parts.items() if id(part) not in inside]:
                raise Misfit(
                    f"The block has no module {lost[0]}, so nothing finds the parameters of it. "
                    f"Assign each part by itself, self.{lost[0]} = {lost[0]}; parts in a plain "
                    "list or a dict are not found."
                )
            return module.train(training)

        def run(module, *cache):
            def run(X):
                heads.wanted = network.wanted = cache
                heads.calls = network.calls = 0
                found = module(X, *cache)
                for name, part in ("heads", heads), ("network", network):
                    if part.calls > 1:
                        raise Misfit(
                            f"It calls the {name} {part.calls} times. One call is enough, and "
                            "with a cache each call adds to it."
                        )
                return found

            return run

        if training:
            found = in_training(built, run, X)
            later.add(agrees(found, X), lambda: None)
            return found
        module = built(0.5)
        leaves = {
            "gain_1": ("norm_1", first.gain),
            "W_heads": ("the heads", heads.W),
            "gain_2": ("norm_2", second.gain),
            "W_network": ("the network", network.W),
        }
        like = (right, X, gain_1, W_heads, gain_2, W_network, training)
        found = result(run(module, {}), X, like=like, later=later, leaves=leaves)
        if isinstance(found, np.ndarray):
            result(run(module), X)
        return found

    return block


def in_training(built, run, X):
    """What comes in training with dropout 1; stop where the chance is another."""
    import torch

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        module, items = built(1.0), torch.tensor(X, dtype=torch.float32)
        torch.manual_seed(0)
        found = [run(module, {})(items.clone()) for _ in range(4)]
        if not all(isinstance(a, torch.Tensor) and a.isfinite().all() for a in found):
            return result(run(module, {}), X)
        if not all(torch.equal(found[0], a) for a in found):
            raise Misfit(
                "With dropout 1 in training mode nothing should be left of what the parts bring, "
                "and something is, another part of it each time. So what drops has another chance: "
                "nn.Dropout(dropout) takes that of the argument."
            )
        other = [run(built(0.0), {})(items.clone()) for _ in range(2)]
        dropped = [torch.allclose(a, items) for a in (found[0], *other)]
        if dropped == [False, True, True]:
            raise Misfit(
                "With dropout 1 nothing is dropped, and with dropout 0 all. nn.Dropout takes the "
                "chance that a number is dropped, not that it is kept: nn.Dropout(dropout)."
            )
    return found[0].double().numpy()


def case(kind, shape, training=False):
    d = shape[-1]
    X, gain_1, W_heads, gain_2, W_network = draw(shape, (d,), (d, d), (d,), (d, d))
    return Case(kind, (X, gain_1, W_heads, gain_2, W_network, training))


CASES = (
    case("evaluation", (2, 3)),
    case("evaluation", (2, 3, 4)),
    case("training with dropout 1", (3, 5), True),
)
