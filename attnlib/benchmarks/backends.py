"""Attention in PyTorch in all its ways, each pinned so that no other can take its place."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention


@dataclass(frozen=True)
class Backend:
    """One way to compute attention.

    Parameters
    ----------
    prepare : callable
        ``prepare(Q, K, V, causal)`` does once what need not be timed, and returns a function
        without arguments that computes the output.  Shapes are (batch, n_heads, n, d).
    kernel : torch.nn.attention.SDPBackend, optional
        The only kernel that PyTorch may choose.

    Examples
    --------
    >>> Q = K = torch.ones(1, 1, 2, 1)
    >>> V = torch.tensor([[[[1.0], [3.0]]]])
    >>> math = BACKENDS["math"]
    >>> with math.pinned():
    ...     math.prepare(Q, K, V, False)().flatten().tolist()
    [2.0, 2.0]
    """

    prepare: Callable
    kernel: SDPBackend | None = None

    def pinned(self):
        """Return a context in which PyTorch may use this kernel and no other.

        It is entered once round many calls, because entering it takes as long as a short call.
        """
        return sdpa_kernel([self.kernel]) if self.kernel else contextlib.nullcontext()


def naive_attention(Q, K, V, future=None):
    """Compute attention in three calls, with the scale already in the queries.

    Parameters
    ----------
    Q : torch.Tensor, shape (batch, n_heads, n, d)
        Queries, divided by the root of d.
    K, V : torch.Tensor, shape (batch, n_heads, n, d)
        Keys and values.
    future : torch.Tensor of bool, shape (n, n), optional
        True where a query may **not** attend, as PyTorch's ``masked_fill_`` wants it.

    Returns
    -------
    torch.Tensor, shape (batch, n_heads, n, d)
        Without `future` an array of all pairs is passed over four times: scores written, read,
        weights written, read.  With it two more: scores read and written.

    Examples
    --------
    >>> one, V = torch.ones(1, 1, 2, 1), torch.tensor([[[[1.0], [3.0]]]])
    >>> naive_attention(one, one, V).flatten().tolist()
    [2.0, 2.0]
    """
    scores = Q @ K.transpose(-2, -1)
    if future is not None:
        scores.masked_fill_(future, -torch.inf)
    return torch.softmax(scores, dim=-1) @ V


def scaled_attention(Q, K, V, scale, future=None):
    """Compute attention as most people write it, with a call for the scale.

    Parameters
    ----------
    Q, K, V, future
        As for `naive_attention`, but `Q` is not yet divided.
    scale : float
        One over the root of d.

    Returns
    -------
    torch.Tensor, shape (batch, n_heads, n, d)
        The scale reads and writes all scores once more: six passes, eight with `future`.

    Examples
    --------
    >>> one, V = torch.ones(1, 1, 2, 1), torch.tensor([[[[1.0], [3.0]]]])
    >>> scaled_attention(one, one, V, 1.0).flatten().tolist()
    [2.0, 2.0]
    """
    scores = Q @ K.transpose(-2, -1)
    scores.mul_(scale)
    if future is not None:
        scores.masked_fill_(future, -torch.inf)
    return torch.softmax(scores, dim=-1) @ V


def _naive(Q, K, V, causal):
    Q, future = Q * Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: naive_attention(Q, K, V, future)


def _naive_scaled(Q, K, V, causal):
    scale, future = Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: scaled_attention(Q, K, V, scale, future)


def _future(Q, causal):
    """Return where a query may not attend, or None."""
    n = Q.shape[-2]
    return torch.ones(n, n, dtype=torch.bool, device=Q.device).triu_(1) if causal else None


def _pinned(Q, K, V, causal):
    return lambda: scaled_dot_product_attention(Q, K, V, is_causal=causal)


def _compiled(Q, K, V, causal):
    """Compile the naive way; the compiler may not swap it for a kernel that somebody wrote.

    It knows attention by its pattern and would put PyTorch's own function there: the curve would
    then show another back end under this name.
    """
    torch.compiler.reset()  # it keeps few shapes, and then runs uncompiled without a word
    compiled = torch.compile(
        naive_attention, fullgraph=True, dynamic=False, options={"pattern_matcher": False}
    )
    Q, future = Q * Q.shape[-1] ** -0.5, _future(Q, causal)
    return lambda: compiled(Q, K, V, future)


def _flex(Q, K, V, causal):
    """Compile PyTorch's attention with a mask given as a function."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch.compiler.reset()
    compiled = torch.compile(flex_attention, fullgraph=True, dynamic=False)
    blocks = None
    if causal:
        n = Q.shape[-2]
        blocks = create_block_mask(_not_later, None, None, n, n, device=str(Q.device))
    return lambda: compiled(Q, K, V, block_mask=blocks)


def _not_later(batch, head, query, key):
    return key <= query


#: Every back end by its name.
BACKENDS = {
    "naive": Backend(_naive),
    "naive_scaled": Backend(_naive_scaled),
    "math": Backend(_pinned, SDPBackend.MATH),
    "flash": Backend(_pinned, SDPBackend.FLASH_ATTENTION),
    "efficient": Backend(_pinned, SDPBackend.EFFICIENT_ATTENTION),
    "cudnn": Backend(_pinned, SDPBackend.CUDNN_ATTENTION),
    "compiled": Backend(_compiled),
    "flex": Backend(_flex),
}
