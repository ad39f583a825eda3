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
    return type("CausalHeads", (Heads,), changed)


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


class Cut(Heads):
    """No gradient comes to queries and keys."""

    def forward(self, X):
        Q, K, V = (W(X).unflatten(-1, (self.n_heads, -1)).transpose(-3, -2) for W in self.layers())
        Y = F.scaled_dot_product_attention(Q.detach(), K, V, is_causal=True)
        return self.W_O(Y.transpose(-3, -2).flatten(-2))

    def layers(self):
        return self.W_Q, self.W_K, self.W_V


class ByHeads(Cut):
    """The scores are divided by the root of the number of heads."""

    def forward(self, X):
        Q, K, V = (W(X).unflatten(-1, (self.n_heads, -1)).transpose(-3, -2) for W in self.layers())
        scale = self.n_heads**-0.5
        Y = F.scaled_dot_product_attention(Q, K, V, is_causal=True, scale=scale)
        return self.W_O(Y.transpose(-3, -2).flatten(-2))


class Block(nn.Module):
    """Right, and wrong in one step each for those that are derived from it."""

    chance = staticmethod(lambda dropout: dropout)

    def __init__(self, norm_1, heads, norm_2, network, dropout=0.0):
        super().__init__()
        self.keep(norm_1, heads, norm_2, network)
        self.drop = nn.Dropout(self.chance(dropout))

    def keep(self, *parts):
        self.norm_1, self.heads, self.norm_2, self.network = parts

    def call(self, N, *cache):
        return self.heads(N, *cache)

    def forward(self, X, *cache):
        X = X + self.drop(self.call(self.norm_1(X), *cache))
        return X + self.drop(self.network(self.norm_2(X)))


class InPlace(Block):
    def forward(self, X, *cache):
        X += self.drop(self.heads(self.norm_1(X), *cache))
        return X + self.drop(self.network(self.norm_2(X)))


class PlainList(Block):
    def keep(self, *parts):
        self.parts = [*parts]

    def forward(self, X, *cache):
        X = X + self.drop(self.parts[1](self.parts[0](X), *cache))
        return X + self.drop(self.parts[3](self.parts[2](X)))


def twice_called(self, N, *cache):
    self.heads(N, *cache)
    return self.heads(N, *cache)


def block(**changed):
    return type("Block", (Block,), changed)


def groups_by(rule):
    """Groups in which a rule on name and parameter says what decays."""

    def decay_groups(model, decay):
        named = [*model.named_parameters()]
        kinds = [[A for name, A in named if rule(name, A) == decays] for decays in (True, False)]
        return [dict(params=kinds[0], weight_decay=decay), dict(params=kinds[1], weight_decay=0.0)]

    return decay_groups


def values_alone(model, decay):
    copies = model.state_dict().values()
    return [{"params": [A], "weight_decay": decay} for A in copies][:2]


def each_clipped(model, optimizer, x, y, largest):
    value = F.cross_entropy(model.train()(x).flatten(0, -2), y.flatten())
    optimizer.zero_grad()
    value.backward()
    for A in model.parameters():
        nn.utils.clip_grad_norm_(A, largest)
    optimizer.step()
    return value.item()


class Norm(nn.Module):
    start, size = staticmethod(torch.ones), staticmethod(torch.Tensor.float)

    def __init__(self, d, epsilon=1e-5):
        super().__init__()
        self.gain, self.epsilon = nn.Parameter(self.start(d)), epsilon

    def forward(self, X):
        size = self.size(X).square().mean(-1, keepdim=True) + self.epsilon
        return self.gain * (X * size.rsqrt()).to(X.dtype)


def norm(**changed):
    return type("RMSNorm", (Norm,), {name: staticmethod(f) for name, f in changed.items()})


class WithBias(Norm):
    def __init__(self, d, epsilon=1e-5):
        super().__init__(d, epsilon)
        self.bias = nn.Parameter(torch.zeros(d))


def neighbours(X, start, base, kind=torch.float32):
    d = X.shape[-1]
    t = (start + torch.arange(X.shape[-2])).to(kind or X.dtype)
    A = t[:, None] * (base ** (-torch.arange(0, d, 2) / d)).to(kind or X.dtype)
    a, b = X[..., 0::2], X[..., 1::2]
    turned = torch.stack([a * A.cos() - b * A.sin(), a * A.sin() + b * A.cos()], -1)
    return turned.flatten(-2).to(X.dtype)


def half_angles(X, start, base):
    return neighbours(X, start, base, None)


def detached(X, start, base):
    return neighbours(X, start, base).detach()


class Grouped(nn.Module):
    """Right, and wrong in what it keeps for those that are derived from it."""

    masked = True

    def __init__(self, d, n_heads, n_kv_heads, base):
        super().__init__()
        self.sizes, self.base = (n_heads, n_kv_heads, n_kv_heads), base
        d_kv = d // n_heads * n_kv_heads
        self.W_Q, self.W_O = (nn.Linear(d, d, bias=False) for _ in "QO")
        self.W_K, self.W_V = (nn.Linear(d, d_kv, bias=False) for _ in "KV")

    def kept(self, cache, new, whole):
        cache.update(whole)

    def forward(self, X, cache=None):
        start = cache["K"].shape[-2] if cache else 0
        layers = zip((self.W_Q, self.W_K, self.W_V), self.sizes)
        Q, K, V = (W(X).unflatten(-1, (h, -1)).transpose(-3, -2) for W, h in layers)
        Q, K = neighbours(Q, start, self.base), neighbours(K, start, self.base)
        new = dict(K=K, V=V)
        if cache:
            K, V = torch.cat([cache["K"], K], -2), torch.cat([cache["V"], V], -2)
        if cache is not None:
            self.kept(cache, new, dict(K=K, V=V))
        share = self.sizes[0] // self.sizes[1]
        K, V = (A.repeat_interleave(share, -3) for A in (K, V))
        sees = torch.ones(Q.shape[-2], K.shape[-2], dtype=torch.bool)
        sees = sees.tril(start) if self.masked else sees
        Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=sees)
        return self.W_O(Y.transpose(-3, -2).flatten(-2))


class OwnCache(Grouped):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.cache = {}

    def forward(self, X, cache=None):
        return super().forward(X, self.cache if cache is None else cache)


def grouped(**changed):
    return type("GroupedHeads", (Grouped,), changed)


def first_kept(self, cache, new, whole):
    for name, A in whole.items():
        cache.setdefault(name, A)


PARTS = dict(
    q="heads.W_Q.weight", k="heads.W_K.weight", v="heads.W_V.weight", output="heads.W_O.weight"
)


def renaming(up="network.W_1.weight", down="network.W_2.weight", end=lambda A: A):
    parts = {f"attn_{name}": ours for name, ours in PARTS.items()}
    parts |= {"attn_norm": "norm_1.gain", "ffn_norm": "norm_2.gain", "ffn_up": up, "ffn_down": down}
    parts["ffn_gate"] = "network.W_gate.weight"

    def renamed(tensors):
        E = tensors["token_embd.weight"]
        state = {"embed.weight": E, "U.weight": E, "norm.gain": tensors["output_norm.weight"]}
        for name, A in tensors.items():
            if name.startswith("blk."):
                _, i, part, _ = name.split(".")
                state[f"blocks.{i}.{parts[part]}"] = A
        return {name: end(A) for name, A in state.items()}

    return renamed


REPLIES = [
    ("causal_heads", Cut, "no gradient reaches W_Q.weight"),
    ("causal_heads", ByHeads, "root of the number of heads"),
    ("block", InPlace, "X is changed in place"),
    ("block", PlainList, "The block has no module norm_1"),
    ("block", block(call=lambda self, N, *cache: self.heads(N, cache)), "The heads get a tuple"),
    ("block", block(call=twice_called), "It calls the heads 2 times."),
    ("block", block(chance=staticmethod(lambda dropout: 0.1)), "another chance"),
    ("block", block(chance=staticmethod(lambda dropout: 1 - dropout)), "with dropout 0 all"),
    (
        "padded_loss",
        lambda logits, y: F.cross_entropy(logits.flatten(0, -2), y.flatten()).item(),
        "without .item()",
    ),
    (
        "padded_loss",
        lambda logits, y: F.cross_entropy(logits.detach().flatten(0, -2), y.flatten()),
        "no gradient flows back",
    ),
    (
        "padded_loss",
        lambda logits, y: F.nll_loss(logits.softmax(-1).log().flatten(0, -2), y.flatten()),
        "an infinite number",
    ),
    ("decay_groups", groups_by(lambda name, A: "bias" not in name), "A.dim() does"),
    ("decay_groups", values_alone, "not the model's own parameters"),
    ("train_step", each_clipped, "shortened by itself"),
    ("train_step", step("lbcsz"), "that were there before the first call"),
    ("train_step", step("lzbcss"), "Is optimizer.step() called twice"),
    ("rms_norm", norm(start=torch.zeros), "The gains do not start as ones."),
    ("rms_norm", norm(size=lambda X: X), "a row of 300s does not come out as 1s"),
    ("rms_norm", norm(size=lambda X: X.float().detach()), "the gradient that reaches X is not"),
    ("rms_norm", WithBias, "It has extra parameters: bias."),
    ("rotary", half_angles, "for X in bfloat16 at place 1001"),
    ("rotary", detached, "no gradient flows back"),
    ("grouped_heads", grouped(masked=False), "There is no mask"),
    (
        "grouped_heads",
        grouped(kept=lambda self, cache, new, whole: cache.update(new)),
        "keeps only the newest piece",
    ),
    ("grouped_heads", grouped(kept=first_kept), "as with setdefault"),
    ("grouped_heads", OwnCache, "something is kept from one call to the next"),
    ("renamed", renaming(end=lambda A: A.numpy()), "load_state_dict takes tensors"),
    (
        "renamed",
        renaming("network.W_2.weight", "network.W_1.weight"),
        "It holds the file's blk.0.ffn_down.weight.",
    ),
    ("embedding", OfTheBatch, "in line 2 of forward: return self.E(x) + self.P(torch.arange(len"),
    ("embedding", OfTheBatch, "Two shapes do not fit together"),
    ("embedding", WithParameter, "It has no parameter P.weight; its own are P and E.weight."),
    ("embedding", Turned, "Its parameter E.weight has shape (2, 4), and should have (4, 2)."),
    ("embedding", Early, "has to be super().__init__()"),
    ("embedding", Silent, "None came back. The return"),
    ("embedding", lambda x, E, P: E[x], "It should be a class derived from nn.Module."),
    ("embedding", Embedding(3, 2, 4), "pass the class itself, without brackets"),
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
    others = [
        ("block", Block),
        ("rms_norm", Norm),
        ("rotary", neighbours),
        ("train_step", step("zlbcs")),
    ]
    others += [("grouped_heads", Grouped), ("renamed", renaming())]
    others += [("decay_groups", groups_by(lambda name, A: A.dim() > 1))]
    for name, answer in others:
        reply = check(f"build_pytorch.{name}", answer)
        assert reply.passed, reply.text


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
