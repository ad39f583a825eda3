"""One step of training, done three times."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import Later, agrees, written

STEPS = 3


def three_steps(
    W, x, y, rate, largest, *, clip=True, fresh=True, share=1.0, moves=True, late=False,
    each=False, mean=True, early=False, skip=False,
):  # fmt: skip
    """Three losses and the matrix after them; each keyword leaves one thing out."""
    W, gathered, losses = W.copy(), np.zeros_like(W), []

    def loss():
        p = softmax(share * x @ W)
        hit = np.eye(W.shape[1])[y]
        nats = -np.log((p * hit).sum(axis=-1))
        d_logits = share * (p - hit) / (y.size if mean else 1)
        d = np.swapaxes(x.reshape(-1, len(W)), 0, 1) @ d_logits.reshape(-1, W.shape[1])
        return nats.mean() if mean else nats.sum(), d

    for _ in range(STEPS):
        value, d = loss()
        if early:
            gathered = gathered * min(1, largest / (np.linalg.norm(gathered) + 1e-6))
        gathered = d if fresh else gathered + d
        if each:
            gathered = gathered.clip(-largest, largest)
        elif clip:
            gathered = gathered * min(1, largest / (np.linalg.norm(gathered) + 1e-6))
        if moves and not (skip and np.linalg.norm(d) > largest):
            W = W - rate * gathered
        losses.append(loss()[0] if late else value)
    return np.concatenate([losses, W.ravel()])


def train_step(W, x, y, rate, largest):
    return three_steps(W, x, y, rate, largest)


#: What is said of a step with several parameters -> what is another in it.
SLIPS = {
    "With several, each parameter's gradient is shortened by itself, which changes the direction "
    "of the whole. Hand all of them to one call: clip_grad_norm_(model.parameters(), largest).": (
        {"clip": "each"},
    ),
    "With several, the lengths of their gradients are added up. The length of all together is the "
    "root of the sum of squares, as clip_grad_norm_ takes it.": ({"clip": "sum"},),
    "But only the first group of the optimizer is shortened. Take all: model.parameters().": (
        {"clip": "first group"},
    ),
    "But gradients that were there before the first call are not removed: optimizer.zero_grad() "
    "stands after backward. Before it, it makes each step begin anew.": ({"fresh": "after"},),
    "But the step is that of SGD, whatever the optimizer is. Let it take its own: "
    "optimizer.step().": ({"own": "groups"}, {"own": "first"}),
    "But targets of −100 count. padded_loss leaves these out.": ({"padded": True},),
}


def adapt(answer, right=train_step):
    import torch
    from torch import nn

    later = Later(CASES)
    for kind in torch.optim.SGD, torch.optim.AdamW:  # the first step loads much, for seconds
        A = torch.zeros(1, requires_grad=True)
        optimizer = kind([A], lr=1.0)
        A.sum().backward()
        optimizer.step()

    class Rows(nn.Module):
        """Logits of rows; in evaluation mode they are halved, so that it shows."""

        def __init__(self, W):
            super().__init__()
            self.W = nn.Parameter(torch.tensor(W, dtype=torch.float32))

        def forward(self, x):
            return x @ self.W if self.training else x @ self.W / 2

    def train_step(W, x, y, rate, largest):
        arguments = W, x, y, rate, largest
        model = Rows(W).eval()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.int64)
        losses = []
        for _ in range(STEPS):
            value = written(answer)(model, optimizer, x, y, largest)
            if value is None or value is Ellipsis:
                if torch.equal(model.W, torch.tensor(W, dtype=torch.float32)):
                    return value
                raise Misfit("It returns nothing. Return the loss as a number: loss.item().")
            if isinstance(value, torch.Tensor):
                raise Misfit(
                    "It returns a tensor, which keeps the whole graph of the step in memory. "
                    "Return the number alone, with .item()."
                )
            if isinstance(value, np.ndarray):
                raise Misfit("It returns an array. Return the number alone, with .item().")
            losses.append(value)
        found = np.concatenate([losses, model.W.detach().double().numpy().ravel()])
        later.add(agrees(found, right(*arguments)), with_more if last(arguments) else bool)
        return found

    def last(arguments):
        return arguments[-1] == CASES[-1].args[-1]

    def with_more():
        """Stop if it is wrong with several parameters, groups, an old gradient and padding."""

        def run(step, lengths, largest, adam):
            torch.manual_seed(0)
            model = Two()
            groups = [{"params": [model.E, model.U]}, {"params": [model.b], "lr": 0.02}]
            kind = torch.optim.AdamW if adam else torch.optim.SGD
            optimizer = kind(groups, lr=0.1, weight_decay=0.1)
            for A in model.parameters():
                A.grad = torch.full_like(A, 3.0) * lengths
            x, y = torch.tensor([[0, 3, 1], [2, 2, 0]]), torch.tensor([[1, 0, 2], [3, -100, -100]])
            losses = [float(step(model, optimizer, x, y, largest)) for _ in range(STEPS)]
            ends = [A.detach().flatten() for A in model.parameters()]
            return torch.cat([torch.tensor(losses), *ends])

        def same(step):
            return all(torch.allclose(run(step, *s), found[s], 1e-3, 1e-4) for s in settings)

        settings = [(1.0, 0.3, False), (1.0, 0.3, True), (0.0, 50.0, True)]
        with torch.random.fork_rng(devices=[]):
            found = {s: run(answer, *s) for s in settings}
            if same(step_with()):
                return
            for words, changed in SLIPS.items():
                if any(same(step_with(**change)) for change in changed):
                    raise Misfit(f"With one matrix it is right. {words}")
        raise Misfit(
            "With one matrix and SGD it is right. With three parameters in two groups of AdamW, "
            "old gradients at the start and targets of −100 it is not."
        )

    def step_with(*, fresh="before", clip="whole", own=False, padded=False):
        """The right step, in which one call can be another."""

        def step(model, optimizer, x, y, largest):
            model.train()
            logits, parts = model(x), [*model.parameters()]
            y = y.clamp(min=0) if padded else y
            value = nn.functional.cross_entropy(logits.flatten(0, -2), y.flatten())
            if fresh == "before":
                optimizer.zero_grad()
            value.backward()
            if clip == "each":
                for A in parts:
                    nn.utils.clip_grad_norm_(A, largest)
            elif clip == "sum":
                size = sum(A.grad.norm() for A in parts)
                for A in parts:
                    A.grad *= min(1, largest / size)
            else:
                chosen = optimizer.param_groups[0]["params"] if clip == "first group" else parts
                nn.utils.clip_grad_norm_(chosen, largest)
            if own:
                with torch.no_grad():
                    for group in optimizer.param_groups:
                        rate = group["lr"] if own == "groups" else optimizer.param_groups[0]["lr"]
                        for A in group["params"]:
                            A -= rate * A.grad
            else:
                optimizer.step()
            if fresh == "after":
                optimizer.zero_grad()
            return value.item()

        return step

    class Two(nn.Module):
        """Rows of a table times a matrix, plus a row: three parameters of different shapes."""

        def __init__(self):
            super().__init__()
            self.E, self.U = (nn.Parameter(torch.randn(4, 2)) for _ in range(2))
            self.b = nn.Parameter(torch.randn(4))

        def forward(self, x):
            logits = self.E[x] @ self.U.T + self.b
            return logits if self.training else logits / 2

    return train_step


W, X = draw((2, 5), (3, 2, 2))
Y = np.array([[3, 0, 1, 1, 2], [0, 2, 3, 0, 0]])
CASES = (
    Case("short gradients", (*draw((2, 3), (4, 2)), np.array([2, 0, 1, 1]), 0.5, 10.0)),
    Case("long gradients", (*draw((3, 4), (2, 5, 3)), Y, 0.5, 0.1)),
    Case("long gradients", (W, 5 * X, np.array([[4, 0], [1, 1], [2, 3]]), 0.5, 0.2)),
)
