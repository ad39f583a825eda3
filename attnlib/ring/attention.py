"""Attention by several processes: the keys and values travel round a ring, the queries stay."""

import time
from dataclasses import dataclass

import torch
import torch.distributed as dist

from attnlib.ring.agreement import agree
from attnlib.ring.counts import source_of_step, visible_keys
from attnlib.ring.online import OnlineAttention


@dataclass(frozen=True)
class Report:
    """What one process did in a pass round the ring.

    Parameters
    ----------
    bytes_sent : int
        Counted from the tensors as they are sent.
    pairs : tuple of int
        For each step the pairs of query and key that counted, for one head of one sequence.
    scores : tuple of int
        For each step the scores computed for them; more than `pairs`, because a row of a block of
        queries computes a few scores that are masked again.
    work_seconds, wait_seconds : tuple of float
        For each step the time spent on the block, and then waiting for the next one.
    """

    bytes_sent: int
    pairs: tuple
    scores: tuple
    work_seconds: tuple
    wait_seconds: tuple


@torch.no_grad()
def ring_attention(Q, K, V, *, causal=False, layout="contiguous", group=None):
    r"""Attend to the keys of all processes, of which each holds only one block at a time.

    All processes of the group call it together.  In each step a process sends the block of keys
    and values that it holds to the next process, receives one from the process before it, and
    meanwhile lets its own queries attend to the block that is here.

    Parameters
    ----------
    Q, K, V : Tensor, shape (batch, n_heads, n / P, d)
        This process's rows, float32 or float64, dealt out as `attnlib.ring.shard` does.
    causal : bool, optional
        True if no query may attend to a later position of the whole sequence.
    layout : str, optional
        How the rows were dealt out: ``"contiguous"`` or ``"striped"``.
    group : ProcessGroup, optional
        The processes of the ring, all if not given.

    Returns
    -------
    output : Tensor, shape (batch, n_heads, n / P, d)
        The answers to this process's queries.
    report : Report
        Bytes sent, pairs computed, and seconds.

    Raises
    ------
    ValueError
        In every process, before the first block is sent: if there is no process group, an array
        of any process has another shape, number type or option than the others, is empty, holds
        NaN or infinity, or asks for a gradient.
    TypeError
        In every process, if one brings anything but float32 or float64 tensors.
    RuntimeError
        From `torch.distributed`, if another process does not answer.

    Notes
    -----
    Each block is taken in by the running softmax of `attnlib.ring.online.OnlineAttention`, in P
    steps with P − 1 messages (Liu et al. 2024; striped: Brandon et al. 2023), so the result is that
    of one process up to rounding:

    .. math:: \v{Y} = \mathrm{softmax}\left(\frac{\q{Q} \k{K}^\top}{\sqrt{d}}\right) \v{V}

    A process holds two blocks and the scores of some rows of one block: memory grows with n / P.
    In a causal pass, work that a mask would throw away is left out, block rows at a time.

    Examples
    --------
    A ring of one process sends nothing.  The scores are equal, so the answer is the mean.

    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> Q, K = torch.zeros(1, 1, 2, 1), torch.ones(1, 1, 2, 1)
    >>> V = torch.tensor([[[[2.0], [4.0]]]])
    >>> output, report = ring_attention(Q, K, V)
    >>> output.flatten(), report.bytes_sent, report.pairs
    (tensor([3., 3.]), 0, (4,))
    >>> dist.destroy_process_group()
    """
    if not dist.is_initialized():
        raise ValueError(
            "there is no process group. Call torch.distributed.init_process_group first, in a "
            "program started by python -m torch.distributed.run."
        )
    agree(Q, K, V, causal, layout, group)
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    attention = OnlineAttention(Q)
    here = torch.stack((K, V))  # one message instead of two
    other = torch.empty_like(here) if world > 1 else None
    n, sent, steps = Q.shape[-2] * world, 0, []
    for step in range(world):
        messages = []
        if step < world - 1:
            messages, size = _pass_on(here, other, rank, world, group)
            sent += size
        start = _now(Q)
        source = source_of_step(rank, step, world)
        counted = attention.add(*here, visible_keys(n, rank, source, world, layout, causal))
        worked = _now(Q)
        for message in messages:
            message.wait()
        steps.append((*counted, worked - start, _now(Q) - worked))
        here, other = other, here
    return attention.output(), Report(sent, *zip(*steps))


def _pass_on(block, arriving, rank, world, group):
    """Start to send `block` onwards and to fill `arriving`; return the messages and the bytes."""
    send = dist.P2POp(dist.isend, block, group=group, group_peer=(rank + 1) % world)
    receive = dist.P2POp(dist.irecv, arriving, group=group, group_peer=(rank - 1) % world)
    messages = dist.batch_isend_irecv([send, receive])
    return messages, send.tensor.numel() * send.tensor.element_size()


def _now(X):
    """Return the time in seconds, after the work on the device of `X` is done."""
    if X.device.type == "cuda":
        torch.cuda.current_stream(X.device).synchronize()
    return time.perf_counter()
