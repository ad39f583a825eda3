"""PyTorch: its function, its layer, and FlexAttention."""

import contextlib
import inspect
import warnings
from unittest import mock

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.attention import flex_attention as flex

from benchmarks.libraries import probes
from benchmarks.libraries.probes import D, outcome, so


def tensor(x):
    """Return a tensor of booleans, or of float32."""
    x = np.array(x)
    return torch.tensor(x, dtype=torch.bool if x.dtype == bool else torch.float32)


def backward(attend, arrays, **kwargs):
    """Return the gradients of the sum of the first row of the output."""
    leaves = [tensor(x).requires_grad_() for x in arrays]
    return [
        g.numpy() for g in torch.autograd.grad(attend(*leaves, **kwargs)[..., 0, :].sum(), leaves)
    ]


def types(attend):
    """Say which types an attention takes, and whether large scores fit."""
    made = [torch.randn(1, 1, 2, 8) for _ in range(3)]
    floats = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
    kept = []
    for dtype in floats:
        y = outcome(attend, *(x.to(dtype) for x in made))
        if y is not None and y.dtype == dtype:
            kept.append(str(dtype).removeprefix("torch."))
    mixed = outcome(attend, made[0], made[1].half(), made[2])
    return (
        f"{', '.join(kept)} in and out; "
        f"{probes.integers(attend, lambda x: torch.tensor(x, dtype=torch.int32))}; "
        f"mixed types {'refused' if mixed is None else 'taken'}; "
        + probes.half(attend, lambda x: torch.tensor(x, dtype=torch.float16))
    )


class Function:
    """`torch.nn.functional.scaled_dot_product_attention`."""

    name, package = "PyTorch’s function", "torch"

    def attend(self, q, k, v, mask=None, causal=False, scale=None):
        call = self.call(causal=causal, scale=scale, mask=mask, gqa=q.shape[1] != k.shape[1])
        return call(*map(tensor, (q, k, v))).numpy()

    def call(self, mask=None, causal=False, scale=None, gqa=False):
        given = {"attn_mask": None if mask is None else tensor(mask), "enable_gqa": gqa}
        return lambda q, k, v: F.scaled_dot_product_attention(
            q, k, v, is_causal=causal, scale=scale, **given
        )

    def gradient(self, q, k, v, mask):
        return backward(self.call(mask=mask), (q, k, v))

    def axes(self):
        raw = lambda *x: F.scaled_dot_product_attention(*map(tensor, x)).numpy()  # noqa: E731
        return probes.order(raw, probes.HEADS_FIRST)

    def polarity(self):
        return f"`attn_mask`: {probes.polarity(self)}"

    def padding(self):
        is_word = np.array([[True, True, False, False], [True] * 4])
        q, k, v = np.zeros((2, 1, 2, D)), np.zeros((2, 1, D, D)), np.tile(np.eye(D), (2, 1, 1, 1))
        right = self.attend(q, k, v, mask=is_word[:, None, None])[:, 0]
        wrong = self.attend(q, k, v, mask=is_word)[:, 0]
        three = outcome(self.attend, q[:, :, :1].repeat(3, 2), k, v, mask=is_word)
        one = self.attend(q[:1], k[:1], v[:1], mask=is_word[:1])[:, 0]
        return so(
            "in `attn_mask`, of shape (b, 1, 1, n_k); of shape (b, n_k) it is right for one text, "
            "read as (n_q, n_k) where b = n_q, and else refused",
            np.allclose(one, [0.5, 0.5, 0, 0]),
            np.allclose(right[0], [0.5, 0.5, 0, 0]) and np.allclose(right[1], 0.25),
            np.allclose(wrong[:, 0], [0.5, 0.5, 0, 0]) and np.allclose(wrong[:, 1], 0.25),
            three is None,
        )

    def additive(self):
        return f"`attn_mask` of numbers: {probes.additive(self)}"

    def corner(self):
        alone = probes.corner(self)
        both = probes.shown(self, mask=np.array([[True, False, True, True]] * 2), causal=True)
        more = probes.verdict(both, both_count=[[1, 0, 0, 0]] * 2)
        seen, x = torch.ones(4, 4, dtype=torch.bool), torch.zeros(3, 1, 1, 4, D)
        ask = lambda x, **how: F.scaled_dot_product_attention(  # noqa: E731
            *x, attn_mask=seen, is_causal=True, **how
        )
        others = outcome(ask, x[:, 0]), outcome(ask, x, dropout_p=0.5)
        return so(
            f"`is_causal=True`: {alone}; together with `attn_mask` {more} on a CPU, and with three "
            "axes or dropout it is refused",
            others == (None, None),
        )

    def empty(self):
        far = np.where([[False] * 4, [True] * 4], 0, torch.finfo(torch.float32).min)
        return f"{probes.empty(self)}; if hidden by −3.4e38, {probes.empty(self, mask=far)}"

    def empty_gradient(self):
        return probes.empty_gradient(self)

    def grouping(self):
        plain = outcome(
            F.scaled_dot_product_attention, *(torch.zeros(1, h, 2, 4) for h in (4, 2, 2))
        )
        without = "refused" if plain is None else "taken"
        return f"`enable_gqa=True`: {probes.grouping(self)}; without it {without}"

    def scale(self):
        return so(f"{probes.scale(self)}; `scale=` multiplies", probes.scale_argument(self))

    def dropout(self):
        x = torch.ones(1, 1, 64, D)
        with torch.no_grad():
            y = F.scaled_dot_product_attention(x, x, x, dropout_p=0.5)
        return so(
            "`dropout_p`, on whenever it is not 0: a function does not know `eval()`",
            not torch.allclose(y, x),
        )

    def weights(self):
        y = F.scaled_dot_product_attention(*torch.zeros(3, 1, 1, 2, 4))
        return so("never", isinstance(y, torch.Tensor))

    def positions(self):
        return shuffled(self)

    def types(self):
        return types(F.scaled_dot_product_attention)


def shuffled(subject, text="none: they are in your queries and keys; a cache is yours, too"):
    """Say that an attention without a mask does not know where a key stands."""
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(1, 1, 2, D)), *rng.normal(size=(2, 1, 1, D, D))
    moved = subject.attend(q, k[:, :, ::-1].copy(), v[:, :, ::-1].copy())
    same = np.allclose(moved, subject.attend(q, k, v), atol=1e-3)
    return so(text, same)


class Flex(Function):
    """`torch.nn.attention.flex_attention.flex_attention`, not compiled."""

    name, package = "FlexAttention", "torch"

    def call(self, mask=None, causal=False, scale=None, gqa=False):
        given = {}
        if causal:
            given["block_mask"] = self.blocks(lambda b, h, i, j: i >= j)
        elif mask is not None and np.asarray(mask).dtype == bool:
            seen = tensor(mask)[0, 0] if np.ndim(mask) == 4 else tensor(mask)
            given["block_mask"] = self.blocks(lambda b, h, i, j: seen[i, j])
        elif mask is not None:
            extra = tensor(mask)[0, 0] if np.ndim(mask) == 4 else tensor(mask)
            given["score_mod"] = lambda score, b, h, i, j: score + extra[i, j]
        return lambda q, k, v: self.run(q, k, v, scale=scale, enable_gqa=gqa, **given)

    def blocks(self, rule, n_q=2, n_k=4):
        return flex.create_block_mask(rule, None, None, n_q, n_k, device="cpu")

    def run(self, *args, **kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return flex.flex_attention(*args, **kwargs)

    def axes(self):
        return probes.order(lambda *x: self.run(*map(tensor, x)).numpy(), probes.HEADS_FIRST)

    def polarity(self):
        return f"`mask_mod`: {probes.polarity(self)}"

    def padding(self):
        lengths = torch.tensor([2, 4])
        mask = flex.create_block_mask(
            lambda b, h, i, j: j < lengths[b], 2, None, 2, 4, device="cpu"
        )
        v = torch.eye(4).expand(2, 1, 4, 4)
        y = self.run(torch.zeros(2, 1, 2, 4), torch.zeros(2, 1, 4, 4), v, block_mask=mask)
        return so(
            "in `mask_mod(b, h, i, j)`, for example `j < lengths[b]`",
            np.allclose(y[0, 0, 0], [0.5, 0.5, 0, 0]) and np.allclose(y[1, 0, 0], 0.25),
        )

    def additive(self):
        return f"in `score_mod`: {probes.additive(self)}"

    def corner(self):
        return f"yours: `i >= j` is {probes.corner(self)}, as both count from 0"

    def empty(self):
        far = np.where([[False] * 4, [True] * 4], 0, -np.inf)
        return f"{probes.empty(self)}; if `score_mod` gives −∞, {probes.empty(self, mask=far)}"

    def empty_gradient(self):
        x = torch.zeros(1, 1, 2, 4, requires_grad=True)
        plain = outcome(lambda: torch.autograd.grad(self.run(x, x, x).sum(), x))
        return so("refused on a CPU, like any gradient", plain is None)

    def grouping(self):
        plain = outcome(self.run, *(torch.zeros(1, h, 2, 4) for h in (4, 2, 2)))
        without = "refused" if plain is None else "taken"
        return f"`enable_gqa=True`: {probes.grouping(self)}; without it {without}"

    def dropout(self):
        names = inspect.signature(flex.flex_attention).parameters
        return so("none", not [name for name in names if "drop" in name])

    def weights(self):
        names = inspect.signature(flex.flex_attention).parameters
        return so("never; `return_lse=True` gives log ∑ exp of each row", "return_lse" in names)

    def types(self):
        return types(self.run)


class Layer:
    """`torch.nn.MultiheadAttention`, with one head and matrices that change nothing."""

    name, package = "PyTorch’s layer", "torch"

    def layer(self, **kwargs):
        made = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True, **kwargs)
        with torch.no_grad():
            made.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
            made.out_proj.weight.copy_(torch.eye(D))
        return made

    def attend(self, q, k, v, mask=None, causal=False, scale=None, padding=None, **kwargs):
        with torch.no_grad():
            call = self.call(mask, causal, padding, **kwargs)
            return call(*map(tensor, (q, k, v))).numpy()

    def call(self, mask=None, causal=False, padding=None, **kwargs):
        mask = None if mask is None else tensor(mask).reshape(np.shape(mask)[-2:])
        given = {"key_padding_mask": None if padding is None else tensor(padding)}
        given |= {"attn_mask": mask, "is_causal": causal} | kwargs
        layer = self.layer()
        return lambda q, k, v: layer(q[:, 0], k[:, 0], v[:, 0], **given)[0][:, None]

    def gradient(self, q, k, v, mask, **kwargs):
        return backward(self.call(mask, **kwargs), (q, k, v))

    def axes(self):
        def batch_axis(**kwargs):
            layer, x = torch.nn.MultiheadAttention(D, 1, **kwargs), torch.randn(3, 3, D)
            moved = x.clone()
            moved[:, 1] += 1
            alone = torch.allclose(layer(moved, moved, moved)[0][:, 0], layer(x, x, x)[0][:, 0])
            return "(n, b, d_model)" if alone else "(b, n, d_model)"

        return f"{batch_axis()}; with `batch_first=True` {batch_axis(batch_first=True)}"

    def polarity(self):
        return f"`attn_mask`: {probes.polarity(self)}"

    def padding(self):
        padding = np.array([[False, False, True, True]])
        W = probes.shown(self, padding=padding)
        return so(
            "in `key_padding_mask`, of shape (b, n_k): True is hidden",
            np.allclose(W, [0.5, 0.5, 0, 0]),
        )

    def additive(self):
        return f"`attn_mask` of numbers: {probes.additive(self)}"

    def corner(self):
        right = ~np.tri(2, 4, 2, dtype=bool)
        lean = {"need_weights": False}
        ways = {}, lean, lean | {"padding": np.zeros((1, 4), dtype=bool)}
        seen = [
            (probes.shown(self, mask=right, causal=True, **way) > 0).sum(1).tolist() for way in ways
        ]
        probes.SHOWN.clear()
        return so(
            "`is_causal=True` alone is refused; beside `attn_mask` it is a promise: if they "
            "differ, the mask counts, but with `need_weights=False` and no padding mask the "
            "promise can, from the upper left",
            probes.corner(self) == "refused",
            seen == [[3, 4], [1, 2], [3, 4]],
        )

    def empty(self):
        hidden = np.array([[True] * 4, [False] * 4])
        lean = dict(need_weights=False)
        with_weights = probes.empty(self, mask=hidden)
        with self.setting(lean):
            without = probes.empty(self, mask=hidden)
        return f"{with_weights}; with `need_weights=False` {without}{self.fast()}"

    def fast(self):
        """What a text of padding alone gives in eval mode without gradients."""
        x, padding, lost = torch.randn(1, 3, 8), torch.ones(1, 3, dtype=bool), []
        for heads in (1, 2):
            layer = torch.nn.MultiheadAttention(8, heads, batch_first=True).eval()
            with torch.no_grad():
                y, _ = layer(x, x, x, key_padding_mask=padding, need_weights=False)
            lost.append(y.isnan().all().item())
        return so(
            ", but NaN for self-attention of two heads in `eval()` without gradients",
            lost == [False, True],
        )

    @contextlib.contextmanager
    def setting(self, kwargs):
        """Call the layer with further arguments."""
        plain = self.call
        with mock.patch.object(self, "call", lambda *a, **k: plain(*a, **(k | kwargs))):
            yield

    def empty_gradient(self):
        hidden = np.array([[True] * 4, [False] * 4])
        with_weights = probes.empty_gradient(self, mask=hidden)
        with self.setting(dict(need_weights=False)):
            without = probes.empty_gradient(self, mask=hidden)
        return f"{with_weights}; with `need_weights=False` {without}"

    def grouping(self):
        names = inspect.signature(torch.nn.MultiheadAttention).parameters
        return so(
            "none: every head has its keys", not [n for n in names if "kv" in n and "head" in n]
        )

    def scale(self):
        layer, k = (
            torch.nn.MultiheadAttention(8, 2, bias=False, batch_first=True),
            torch.zeros(1, 2, 8),
        )
        k[0, 0] = 0.5
        with torch.no_grad():
            layer.in_proj_weight.copy_(torch.eye(8).repeat(3, 1))
            W = layer(torch.ones(1, 1, 8), k, k)[1][0, 0]
        return so(
            "divided by √d of one head; no argument",
            np.isclose(W[0].log() - W[1].log(), 1, atol=1e-3),
            "scale" not in inspect.signature(torch.nn.MultiheadAttention).parameters,
        )

    def dropout(self):
        x = torch.ones(1, 64, D)
        layer = self.layer(dropout=0.5)
        kept = [torch.allclose(layer.train(mode)(x, x, x)[0], x) for mode in (True, False)]
        return so("`dropout=`, only in training mode", kept == [False, True])

    def weights(self):
        layer, x = torch.nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(1, 3, 8)
        fused = mock.Mock(side_effect=F.scaled_dot_product_attention)
        calls = []
        for need in (True, False):
            with mock.patch.object(F, "scaled_dot_product_attention", fused):
                before = fused.call_count
                W = layer(x, x, x, need_weights=need)[1]
            calls.append((fused.call_count - before, None if W is None else tuple(W.shape)))
        each = layer(x, x, x, average_attn_weights=False)[1]
        layer.dropout = 0.5
        return so(
            "by default, as the mean over heads; `average_attn_weights=False` gives each head’s; "
            "`need_weights=False` gives none and lets the fused function run; after dropout in "
            "training mode",
            calls == [(0, (1, 3, 3)), (1, None)],
            each.shape == (1, 2, 3, 3),
            not torch.allclose(layer(x, x, x)[1].sum(-1), torch.ones(1, 3)),
        )

    def positions(self):
        return shuffled(self, "none: add them to the inputs; it keeps no cache")

    def types(self):
        made = [torch.randn(1, 2, D) for _ in range(3)]
        kept = []
        for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
            y = outcome(self.layer().to(dtype), *(x.to(dtype) for x in made))
            if y is not None and y[0].dtype == dtype:
                kept.append(str(dtype).removeprefix("torch."))
        mixed = outcome(self.layer(), *(x.half() for x in made))
        return so(f"that of its matrices: {', '.join(kept)}; another is refused", mixed is None)


SUBJECTS = [Function(), Layer(), Flex()]
