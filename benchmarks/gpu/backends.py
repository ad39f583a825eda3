"""Attention in PyTorch in all its ways, each pinned so that PyTorch cannot choose another.

A back end is ``prepare(Q, K, V, causal)``: it does once what need not be timed, and returns a
function without arguments that computes the output.  Shapes are (batch, n_heads, n, d).
"""

import contextlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


def naive_attention(Q, K, V, scale=None, future=None):
    """Compute attention in three calls: four passes over an array of all pairs.

    A `scale` in a separate call, as most write it, costs two passes more, and so does `future`,
    which is True where a query may **not** attend.
    """
    scores = Q @ K.mT
    if scale is not None:
        scores.mul_(scale)
    if future is not None:
        scores.masked_fill_(future, -torch.inf)
    return torch.softmax(scores, dim=-1) @ V


def naive(Q, K, V, causal):
    """Scale the queries beforehand, once."""
    Q, future = Q * Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: naive_attention(Q, K, V, None, future)


def naive_scaled(Q, K, V, causal):
    """Scale the scores."""
    scale, future = Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: naive_attention(Q, K, V, scale, future)


def sdpa(Q, K, V, causal):
    """Call PyTorch's own attention; which kernel it takes is decided by `pinned`."""
    return lambda: scaled_dot_product_attention(Q, K, V, is_causal=causal)


def compiled(Q, K, V, causal):
    """Compile the naive way, and keep the compiler from replacing it by PyTorch's own attention.

    It recognises the pattern, and the curve would show another back end under this name.
    """
    torch.compiler.reset()  # it keeps few shapes, and beyond them runs uncompiled without a word
    options = {"pattern_matcher": False}
    function = torch.compile(naive_attention, fullgraph=True, dynamic=False, options=options)
    Q, future = Q * Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: function(Q, K, V, None, future)


def flex(Q, K, V, causal):
    """Compile PyTorch's attention, which takes its mask as a function."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch.compiler.reset()
    function = torch.compile(flex_attention, fullgraph=True, dynamic=False)
    n, blocks = Q.shape[-2], None
    if causal:
        blocks = create_block_mask(_not_later, None, None, n, n, device=str(Q.device))
    return lambda: function(Q, K, V, block_mask=blocks)


def _future(Q, causal):
    n = Q.shape[-2]
    return torch.ones(n, n, dtype=torch.bool, device=Q.device).triu_(1) if causal else None


def _not_later(batch, head, query, key):
    return key <= query


BACKENDS = {"naive": naive, "naive_scaled": naive_scaled, "compiled": compiled, "flex": flex}
BACKENDS |= dict.fromkeys(["math", "flash", "efficient", "cudnn"], sdpa)
KERNELS = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION}
KERNELS |= {"efficient": SDPBackend.EFFICIENT_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}


def pinned(name):
    """Return a context in which PyTorch may use the kernel of this back end and no other.

    It is entered once for many calls, because entering it takes as long as a short call.
    """
    return sdpa_kernel([KERNELS[name]]) if name in KERNELS else contextlib.nullcontext()
