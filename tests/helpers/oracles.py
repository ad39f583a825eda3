"""What tests compare with: random cases, PyTorch's results, and whole blocks written in PyTorch."""

import numpy as np
import torch

from attnlib import (
    DecoderBlock,
    DecoderOnly,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    LinearBias,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
    Rotary,
    causal,
)

d_model, d_source, d_ff, n, m = 6, 5, 11, 4, 7


def draw(*shape, seed=0):
    """Normal numbers that nobody may change."""
    array = np.random.default_rng(seed).normal(size=shape)
    array.setflags(write=False)
    return array


def draw_mask(*shape, seed=0):
    """A random mask that leaves each query its first key."""
    mask = np.random.default_rng(seed).random(shape) < 0.5
    mask[..., 0] = True
    return mask


def qkv(batch=(), n_q=6, n_k=13, d_k=5, d_v=11, seed=0):
    """Queries, keys and values, with all sizes different."""
    rng = np.random.default_rng(seed)
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v)
    return tuple(rng.normal(size=(*batch, *shape)) for shape in shapes)


def attention_by_torch(Q, K, V, **options):
    """The output of PyTorch's attention."""
    tensors = (torch.tensor(np.asarray(x)) for x in (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(*tensors, **options).numpy()


def gradients_by_torch(function, d_output, *arrays):
    """The gradients with respect to each array."""
    tensors = [torch.tensor(np.asarray(x), requires_grad=True) for x in arrays]
    options = {"allow_unused": True, "materialize_grads": True}
    return torch.autograd.grad(function(*tensors), tensors, torch.tensor(d_output), **options)


def drawn(holder, seed=0):
    """Copy a block with random parameters."""
    rng = np.random.default_rng(seed)
    new = {name: rng.normal(0, 0.6, x.shape) for name, x in holder.parameters().items()}
    return holder.with_parameters(new)


def attention(source=d_model, bias=True, n_heads=2, d_k=3, d_v=4, n_kv_heads=None, positions=None):
    """Multi-head attention that `drawn` has still to fill."""
    n_kv = n_kv_heads or n_heads
    shapes = {"W_Q": (d_model, n_heads * d_k), "W_K": (source, n_kv * d_k)}
    shapes |= {"W_V": (source, n_kv * d_v), "W_O": (n_heads * d_v, d_model)}
    shapes |= {f"b_{x}": shapes[f"W_{x}"][1:] for x in "QKVO" if bias}
    zeros = {name: np.zeros(shape) for name, shape in shapes.items()}
    return MultiHeadAttention(**zeros, n_heads=n_heads, n_kv_heads=n_kv_heads, positions=positions)


def positions(kind, n_heads, seed=0):
    """What tells a layer of positions, by a name; a table is drawn."""
    table = np.random.default_rng(seed).normal(size=(n_heads, 5))
    return {
        "none": None,
        "neighbours": Rotary(100.0),
        "halves": Rotary(convention="halves"),
        "linear": LinearBias(),
        "table": RelativeBias(table),
    }[kind]


def norm(epsilon, kind=LayerNorm):
    vectors = [np.ones(d_model)] * (1 if kind is RMSNorm else 2)
    return kind(*vectors, epsilon)


def network(activation, kind=FeedForward):
    return kind.random(np.random.default_rng(0), d_model, d_ff, activation=activation)


def encoder(norm_first=False, activation="relu", bias=True, seed=0):
    """An encoder block whose parameters are all random, and whose norms differ in epsilon."""
    parts = attention(bias=bias), norm(0.1), network(activation), norm(0.2)
    return drawn(EncoderBlock(*parts, norm_first), seed)


def modern(norm_first=True, activation="silu", with_norm=True, seed=0):
    """A stack as `stack`, with rotary, one head of keys, norms by the mean square and gates."""
    blocks = [
        EncoderBlock(
            attention(bias=bias, d_k=4, n_kv_heads=1, positions=Rotary(convention="halves")),
            norm(0.1, RMSNorm),
            network(activation, GatedFeedForward),
            norm(0.2, RMSNorm),
            norm_first,
        )
        for bias in (True, False)
    ]
    return drawn(DecoderOnly(blocks, norm(0.4, RMSNorm) if with_norm else None), seed)


def decoder(norm_first=False, activation="relu", bias=True, source=d_source, seed=0):
    """A decoder block whose memory has rows of another length than its items."""
    parts = attention(bias=bias), norm(0.1), attention(source, bias, 3, 2, 5), norm(0.2)
    return drawn(DecoderBlock(*parts, network(activation), norm(0.3), norm_first), seed)


def stack(norm_first=True, activation="gelu", with_norm=True, seed=0):
    """Two blocks that differ in all but their shapes, with or without a norm at the end."""
    blocks = encoder(norm_first, activation), encoder(norm_first, activation, bias=False)
    return drawn(DecoderOnly(blocks, norm(0.4) if with_norm else None), seed)


def torch_norm(p, name, norm, X):
    F, gain = torch.nn.functional, p[f"{name}.gain"]
    if isinstance(norm, RMSNorm):
        return F.rms_norm(X, (d_model,), gain, norm.epsilon)
    return F.layer_norm(X, (d_model,), gain, p[f"{name}.bias"], norm.epsilon)


def torch_rotary(X, positions, base=10000.0, convention="neighbours"):
    """Turn complex numbers, one for each pair."""
    d = X.shape[-1]
    frequencies = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angles = torch.as_tensor(positions, dtype=torch.float64)[..., None] * frequencies
    if convention == "halves":
        turns = torch.complex(X[..., : d // 2], X[..., d // 2 :]) * torch.exp(1j * angles)
        return torch.cat([turns.real, turns.imag], dim=-1)
    pairs = torch.view_as_complex(X.reshape(*X.shape[:-1], d // 2, 2))
    return torch.view_as_real(pairs * torch.exp(1j * angles)).reshape(X.shape)


def torch_bias(p, name, where, n_heads, n_q, n_k):
    """What is added to the scores, with the last query at the last key."""
    shifts = torch.arange(n_k) - torch.arange(n_k - n_q, n_k)[:, None]
    if isinstance(where, RelativeBias):
        table = p[f"{name}.positions.table"]
        m = table.shape[1] // 2
        return table[:, shifts.clamp(-m, m) + m]
    slopes = torch.tensor([2.0 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]).double()
    return -slopes[:, None, None] * shifts.abs()


def torch_attention(p, name, heads, X, source, mask):
    rows, groups = {"Q": X, "K": source, "V": source}, heads.n_kv_heads or heads.n_heads
    Q, K, V = (
        (rows[x] @ p[f"{name}.W_{x}"] + p.get(f"{name}.b_{x}", 0))
        .unflatten(-1, (heads.n_heads if x == "Q" else groups, -1))
        .transpose(-2, -3)
        for x in "QKV"
    )
    n_q, n_k, where = Q.shape[-2], K.shape[-2], heads.positions
    if isinstance(where, Rotary):
        Q = torch_rotary(Q, torch.arange(n_k - n_q, n_k), where.base, where.convention)
        K = torch_rotary(K, torch.arange(n_k), where.base, where.convention)
    K, V = (x.repeat_interleave(heads.n_heads // groups, dim=-3) for x in (K, V))
    scores = torch.einsum("...ic,...jc->...ij", Q, K) / Q.shape[-1] ** 0.5
    if isinstance(where, LinearBias | RelativeBias):
        scores = scores + torch_bias(p, name, where, heads.n_heads, n_q, n_k)
    if mask is not None:
        mask = torch.tensor(mask)
        mask = mask if mask.ndim == scores.ndim else mask[..., None, :, :]
        scores = scores.masked_fill(~mask, -torch.inf)
    outputs = (scores.softmax(-1) @ V).transpose(-2, -3).flatten(-2)
    return outputs @ p[f"{name}.W_O"] + p.get(f"{name}.b_O", 0)


def torch_network(p, name, activation, X):
    activate = getattr(torch.nn.functional, activation)
    if f"{name}.W_gate" in p:
        gates = activate(X @ p[f"{name}.W_gate"])
        return gates * (X @ p[f"{name}.W_1"]) @ p[f"{name}.W_2"]
    return activate(X @ p[f"{name}.W_1"] + p[f"{name}.b_1"]) @ p[f"{name}.W_2"] + p[f"{name}.b_2"]


def torch_encoder(p, block, X, mask=None, at=""):
    def first(X):
        return torch_norm(p, f"{at}norm_1", block.norm_1, X)

    def second(X):
        return torch_norm(p, f"{at}norm_2", block.norm_2, X)

    def attend(X):
        return torch_attention(p, f"{at}attention", block.attention, X, X, mask)

    def think(X):
        return torch_network(p, f"{at}feed_forward", block.feed_forward.activation, X)

    if block.norm_first:
        A = X + attend(first(X))
        return A + think(second(A))
    A = first(X + attend(X))
    return second(A + think(A))


def torch_decoder(p, block, X, memory, mask=None, memory_mask=None):
    norms = [
        lambda X, name=name: torch_norm(p, name, getattr(block, name), X)
        for name in ("norm_1", "norm_2", "norm_3")
    ]
    mask = causal(X.shape[-2]) if mask is None else causal(X.shape[-2]) & mask
    heads, cross_heads = block.self_attention, block.cross_attention
    parts = [
        lambda X: torch_attention(p, "self_attention", heads, X, X, mask),
        lambda X: torch_attention(p, "cross_attention", cross_heads, X, memory, memory_mask),
        lambda X: torch_network(p, "feed_forward", block.feed_forward.activation, X),
    ]
    for part, norm in zip(parts, norms, strict=True):
        X = X + part(norm(X)) if block.norm_first else norm(X + part(X))
    return X


def torch_stack(p, stack, X, mask=None):
    mask = causal(X.shape[-2]) if mask is None else causal(X.shape[-2]) & mask
    for i, block in enumerate(stack.blocks):
        X = torch_encoder(p, block, X, mask, f"blocks.{i}.")
    return X if stack.norm is None else torch_norm(p, "norm", stack.norm, X)
