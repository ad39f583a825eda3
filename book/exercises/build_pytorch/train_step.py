"""One step of training, done three times."""

import numpy as np

from attnlib import softmax
from attnlib.exercises import Case, Misfit
from attnlib.exercises.engine.drawing import draw

from .copying import written

STEPS = 3


def three_steps(
    W, x, y, rate, largest, *, clip=True, fresh=True, share=1.0, moves=True, late=False,
    each=False, mean=True, early=False,
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
        if moves:
            W = W - rate * gathered
        losses.append(loss()[0] if late else value)
    return np.concatenate([losses, W.ravel()])


def train_step(W, x, y, rate, largest):
    return three_steps(W, x, y, rate, largest)


def adapt(answer):
    import torch
    from torch import nn

    torch.optim.SGD([torch.zeros(1)], lr=1.0)  # the first one loads much, which takes seconds

    class Rows(nn.Module):
        """Logits of rows; in evaluation mode they are halved, so that it shows."""

        def __init__(self, W):
            super().__init__()
            self.W = nn.Parameter(torch.tensor(W, dtype=torch.float32))

        def forward(self, x):
            return x @ self.W if self.training else x @ self.W / 2

    def train_step(W, x, y, rate, largest):
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
            losses.append(value)
        return np.concatenate([losses, model.W.detach().double().numpy().ravel()])

    return train_step


W, X = draw((2, 5), (3, 2, 2))
Y = np.array([[3, 0, 1, 1, 2], [0, 2, 3, 0, 0]])
CASES = (
    Case("short gradients", (*draw((2, 3), (4, 2)), np.array([2, 0, 1, 1]), 0.5, 10.0)),
    Case("long gradients", (*draw((3, 4), (2, 5, 3)), Y, 0.5, 0.1)),
    Case("long gradients", (W, 5 * X, np.array([[4, 0], [1, 1], [2, 3]]), 0.5, 0.2)),
)
