"""Attention by several processes: the keys and values travel round a ring, the queries stay."""

import time
from dataclasses import dataclass

import torch
import torch.distributed as dist

from attnlib.ring.agreement import agree
from attnlib.ring.counts import visible_keys
from attnlib.ring.online import OnlineAttention


@dataclass(frozen=True)
class Report:
    """What one process did in a pass round the ring; tuples have an entry for each step.

    Parameters
    ----------
    bytes_sent : int
        Counted from the tensors as they are sent.
    pairs, scores : tuple of int
        Pairs of query and key that counted, for one head of one sequence, and the scores computed
        for them: a few more, which are masked again.
    work_seconds, wait_seconds : tuple of float
        The time spent on the block, and then waiting for the next one.
    """

    bytes_sent: int
    pairs: tuple
    scores: tuple
    work_seconds: tuple
    wait_seconds: tuple


@torch.no_grad()
def ring_attention(Q, K, V, *, causal=False, layout="contiguous", group=None):
    r"""Attend to the keys of all processes, of which each holds only one block at a time.

    All processes call it together.  In each step a process sends the block of keys and values that
    it holds to the next process, receives one from the process before it, and meanwhile lets its
    own queries attend to the block that is here.

    Parameters
    ----------
    Q, K, V : Tensor, shape (batch, n_heads, n / P, d)
        This process's rows, float32 or float64, dealt out as `attnlib.ring.shard` does.
    causal : bool, optional
        True if no query may attend to a later position of the whole sequence.
    layout : str, optional
        How the rows were dealt out: ``"contiguous"`` or ``"striped"``.
    group : ProcessGroup, optional
        The processes of the ring, all by default.

    Returns
    -------
    output : Tensor, shape (batch, n_heads, n / P, d)
        The answers to this process's queries.
    report : Report

    Raises
    ------
    ValueError, TypeError
        In every process, before the first block is sent: if there is no process group, what one
        process brings differs from the others, is no tensor of float32 or float64, is empty, holds
        NaN or infinity, or asks for a gradient.

    Notes
    -----
    Each block is taken in by a running softmax, in P steps with P − 1 messages (Liu et al. 2024;
    striped: Brandon et al. 2023), so the result is that of one process up to rounding:

    .. math:: \v{Y} = \mathrm{softmax}\left(\frac{\q{Q} \k{K}^\top}{\sqrt{d}}\right) \v{V}

    A process holds two blocks and the scores of some rows: memory grows with n / P.

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
        remedy = "Call torch.distributed.init_process_group first, in a program started by"
        raise ValueError(f"there is no process group. {remedy} python -m torch.distributed.run.")
    agree(Q, K, V, causal, layout, group)
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    attention = OnlineAttention(Q)
    here = torch.stack((K, V))  # one message instead of two
    other = torch.empty_like(here) if world > 1 else None
    n, sent, steps = Q.shape[-2] * world, 0, []
    for step in range(world):
        messages = []
        if step < world - 1:
            send = dist.P2POp(dist.isend, here, group=group, group_peer=(rank + 1) % world)
            receive = dist.P2POp(dist.irecv, other, group=group, group_peer=(rank - 1) % world)
            messages = dist.batch_isend_irecv([send, receive])
            sent += send.tensor.nbytes
        start, source = _now(Q), (rank - step) % world  # blocks come from behind
        counted = attention.add(*here, visible_keys(n, rank, source, world, layout, causal))
        worked = _now(Q)
        for message in messages:
            message.wait()
        steps.append((*counted, worked - start, _now(Q) - worked))
        here, other = other, here
    return attention.output(), Report(sent, *zip(*steps))


def _now(X):
    if X.device.type == "cuda":
        torch.cuda.current_stream(X.device).synchronize()
    return time.perf_counter()
