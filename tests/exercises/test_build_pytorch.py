"""Answers in PyTorch to *Build it in PyTorch*: modules, as readers write them, and what is said."""

import math

import pytest

from attnlib.exercises import check, find, use

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


class Embedding(nn.Module):
    def __init__(self, n_characters, d, context):
        super().__init__()
        self.E, self.P = nn.Embedding(n_characters, d), nn.Embedding(context, d)

    def forward(self, x):
        return self.E(x) + self.P(torch.arange(x.shape[-1]))


class OfTheBatch(Embedding):
    def forward(self, x):
        return self.E(x) + self.P(torch.arange(len(x)))


class WithParameter(Embedding):
    def __init__(self, n_characters, d, context):
        super().__init__(n_characters, d, context)
        self.P = nn.Parameter(torch.zeros(context, d))

    def forward(self, x):
        return self.E(x) + self.P[: x.shape[-1]]


class Turned(Embedding):
    def __init__(self, n_characters, d, context):
        super().__init__(d, n_characters, context)

    def forward(self, x):
        return self.E(x)


class Early(nn.Module):
    def __init__(self, n_characters, d, context):
        self.E = nn.Embedding(n_characters, d)

    def forward(self, x):
        return self.E(x)


class Silent(Embedding):
    def forward(self, x):
        self.E(x)


class Stub(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        ...

    def forward(self, *given): ...


class Heads(nn.Module):
    """Right, and wrong in one step each for those that are derived from it."""

    bias, hidden, low, dim, dropout = False, 1, -math.inf, -1, 0.0

    def __init__(self, d, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in "QKVO":
            setattr(self, f"W_{name}", nn.Linear(d, d, bias=self.bias))

    def forward(self, X):
        layers = self.W_Q, self.W_K, self.W_V
        Q, K, V = (W(X).unflatten(-1, (self.n_heads, -1)).transpose(-3, -2) for W in layers)
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        later = torch.ones_like(scores, dtype=torch.bool).triu(self.hidden)
        weights = scores.masked_fill(later, self.low).softmax(self.dim)
        weights = F.dropout(weights, self.dropout)
        return self.W_O((weights @ V).transpose(-3, -2).flatten(-2))


def heads(**changed):
    return type("CausalHeads", (Heads,), {"forward": Heads.forward, **changed})


class Unbatched(Heads):
    def forward(self, X):
        batch, n, d = X.shape
        return self.W_O(self.W_Q(X).view(batch, n, d))


def twice_softmax(logits, y):
    return F.cross_entropy(logits.softmax(-1).flatten(0, -2), y.flatten())


def unflattened(logits, y):
    return F.cross_entropy(logits, y)


def one_group(model, decay):
    return [{"params": model.parameters(), "weight_decay": decay}]


def matrices_alone(model, decay):
    return [{"params": [A for A in model.parameters() if A.dim() > 1], "weight_decay": decay}]


def named(model, decay):
    return [{"params": [name for name, _ in model.named_parameters()], "weight_decay": decay}]


def step(order, ending=torch.Tensor.item, mode=nn.Module.train):
    """A training step whose calls come in an order: loss, zero, backward, clip, step."""

    def train_step(model, optimizer, x, y, largest):
        mode(model)
        for call in order:
            if call == "l":
                logits = model(x)
                value = F.cross_entropy(logits.flatten(0, -2), y.flatten())
            elif call == "z":
                optimizer.zero_grad()
            elif call == "b":
                value.backward()
            elif call == "c":
                nn.utils.clip_grad_norm_(model.parameters(), largest)
            elif call == "s":
                optimizer.step()
        return ending(value)

    return train_step


class Weight(nn.Module):
    def __init__(self, d, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, X):
        return self.weight * X


def halves(X, start, base):
    d = X.shape[-1]
    t = start + torch.arange(X.shape[-2])
    A = torch.cat([t[:, None] * base ** (-torch.arange(0, d, 2) / d)] * 2, -1)
    other = torch.cat([-X[..., d // 2 :], X[..., : d // 2]], -1)
    return X * A.cos() + other * A.sin()


class NoCache(nn.Module):
    def __init__(self, d, n_heads, n_kv_heads, base):
        super().__init__()
        d_kv = d // n_heads * n_kv_heads
        self.W_Q, self.W_O = (nn.Linear(d, d, bias=False) for _ in "QO")
        self.W_K, self.W_V = (nn.Linear(d, d_kv, bias=False) for _ in "KV")

    def forward(self, X, cache=None):
        return self.W_O(self.W_Q(X))


REPLIES = [
    ("embedding", OfTheBatch, "in line 2 of forward: return self.E(x) + self.P(torch.arange(len"),
    ("embedding", OfTheBatch, "Two shapes do not fit together"),
    ("embedding", WithParameter, "It has no parameter P.weight; its own are P and E.weight."),
    ("embedding", Turned, "Its parameter E.weight has shape (2, 4), and should have (4, 2)."),
    ("embedding", Early, "has to be super().__init__()"),
    ("embedding", Silent, "None came back. The return"),
    ("embedding", lambda x, E, P: E[x], "It should be a class derived from nn.Module."),
    ("embedding", Embedding(3, 2, 4), "hand on the class itself, without brackets"),
    ("causal_heads", heads(bias=True), "W_K.bias, W_V.bias and W_O.bias. Write bias=False."),
    ("causal_heads", heads(hidden=0), "It returns NaN."),
    ("causal_heads", heads(hidden=2), "Each item sees one that comes after it."),
    ("causal_heads", heads(low=0.0), "keeps some weight"),
    ("causal_heads", heads(dim=-2), "Softmax runs over the queries."),
    ("causal_heads", heads(dropout=0.5), "In evaluation mode it gives another result each time."),
    ("causal_heads", Unbatched, "Not every input has that many axes"),
    ("padded_loss", twice_softmax, "Softmax is applied twice."),
    ("padded_loss", unflattened, "flatten all axes of the logits but the last"),
    ("decay_groups", one_group, "All parameters decay"),
    ("decay_groups", matrices_alone, "Parameters with 1 axes are in no group"),
    ("decay_groups", named, '"params" should hold parameters'),
    ("train_step", step("lbcs"), "Old gradients are not removed"),
    ("train_step", step("lzbsc"), "The gradient is not shortened."),
    ("train_step", step("lbzcs"), "The numbers never change."),
    ("train_step", step("lcbs"), "Two calls are missing or in the wrong place"),
    ("train_step", step("lzbcs", mode=nn.Module.eval), "The model is in evaluation mode"),
    ("train_step", step("lzbcs", ending=lambda value: value), "It returns a tensor"),
    ("train_step", step("lzbcs", ending=lambda value: None), "It returns nothing."),
    ("rms_norm", Weight, "It has no parameter gain"),
    ("rotary", halves, "The pairs are i and i + d/2"),
    ("grouped_heads", NoCache, 'it should hold "K" and "V"'),
    ("renamed", lambda tensors: tensors, "The class has no token_embd.weight"),
    ("renamed", lambda tensors: [*tensors], "It should return a dict"),
]


@pytest.mark.parametrize("name, answer, words", REPLIES)
def test_what_is_said_of_a_module(name, answer, words):
    reply = check(f"build_pytorch.{name}", answer)
    assert not reply.passed and words in reply.text, reply.text


def test_right_modules_pass_and_are_handed_on():
    for name, answer in [("embedding", Embedding), ("causal_heads", heads())]:
        assert check(f"build_pytorch.{name}", answer).passed
        assert use(f"build_pytorch.{name}", answer, Stub) is answer
    assert check("build_pytorch.train_step", step("zlbcs")).passed


@pytest.mark.parametrize(
    "name", ["embedding", "causal_heads", "block", "rms_norm", "grouped_heads"]
)
def test_a_stub_of_a_class_is_not_attempted(name):
    assert check(f"build_pytorch.{name}", Stub).status == "not attempted"


@pytest.mark.parametrize("name", ["padded_loss", "decay_groups", "train_step", "rotary", "renamed"])
def test_a_stub_of_a_function_is_not_attempted(name):
    space = {}
    exec(f"def stub({', '.join('abcde'[: find_arguments(name)])}): ...", space)
    assert check(f"build_pytorch.{name}", space["stub"]).status == "not attempted"


def find_arguments(name):
    """How many arguments a reader's function has, where the check's has others."""
    known = {"decay_groups": 2, "train_step": 5, "renamed": 1}
    return known.get(name) or len(find(f"build_pytorch.{name}").parameters)
