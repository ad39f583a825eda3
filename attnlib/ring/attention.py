"""Attention by several processes: the keys and values travel round a ring, the queries stay."""

import math
import time
from dataclasses import dataclass

import torch
import torch.distributed as dist

from attnlib.ring.layout import visible_keys

ROWS = 128  # queries whose scores are computed together


@dataclass(frozen=True)
class Report:
    """What one process did in a pass round the ring; tuples have an entry for each step.

    ``bytes_sent`` is counted from the tensors as they are sent, ``pairs`` of query and key as they
    are scored, for one head of one sequence.  ``work_seconds`` were spent on the block that was
    here, ``wait_seconds`` then on the next one.
    """

    bytes_sent: int
    pairs: tuple
    work_seconds: tuple
    wait_seconds: tuple


def take_in(Q, K, V, visible, largest, total, weighted):
    """Let queries attend to the first `visible` keys of one more block; return the pairs scored.

    Changed in place are the largest score of each query so far, the sum of its weights and the sum
    of values weighted by them, as in `online_softmax`.
    """
    pairs = 0
    for start in range(0, len(visible), ROWS):
        rows = slice(start, start + ROWS)
        seen = torch.arange(visible[rows].max()) < torch.as_tensor(visible[rows, None])
        if seen.any():  # the keys that none of these queries may attend to are not looked at
            old, sums, outputs = (X[..., rows, :] for X in (largest, total, weighted))
            keys, values = K[..., : seen.shape[1], :], V[..., : seen.shape[1], :]
            scores = Q[..., rows, :] @ keys.mT / math.sqrt(Q.shape[-1])
            scores = scores.masked_fill(~seen, -math.inf)
            new = torch.maximum(old, scores.amax(dim=-1, keepdim=True))
            shrink, weights = (old - new).exp(), (scores - new).exp()
            sums.mul_(shrink).add_(weights.sum(dim=-1, keepdim=True))
            outputs.mul_(shrink).add_(weights @ values)
            old.copy_(new)
            pairs += int(seen.sum())
    return pairs


@torch.no_grad()
def ring_attention(Q, K, V, *, causal=False, layout="contiguous", group=None):
    """Attend to the keys of all processes, of which each holds only one block at a time.

    All processes call it together.  In each step a process sends the block of keys and values that
    it holds to the next process, receives one from the process before it, and meanwhile lets its
    own queries attend to the block that is here, with a running softmax (Liu et al. 2024).  The
    result is that of one process up to rounding, and memory grows with n / P.

    Parameters
    ----------
    Q, K, V : Tensor, shape (..., n / P, d)
        This process's rows, dealt out as `attnlib.ring.shard` does.
    causal : bool, optional
        True if no query may attend to a later position of the whole sequence.
    layout : str, optional
        How the rows were dealt out.
    group : ProcessGroup, optional
        The processes of the ring, all by default.

    Returns
    -------
    output : Tensor, shape (..., n / P, d)
        The answers to this process's queries.
    report : Report
    """
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    mine, ranks = [(tuple(X.shape), X.dtype) for X in (Q, K, V)], [None] * world
    dist.all_gather_object(ranks, (mine, causal, layout), group=group)
    if ranks != [([mine[0]] * 3, causal, layout)] * world:  # in all, so that none waits for others
        raise ValueError(f"Give Q, K, V of all processes one shape, type and layout, not {ranks}.")
    largest = Q.new_full((*Q.shape[:-1], 1), -math.inf)
    total, weighted = torch.zeros_like(largest), torch.zeros_like(Q)
    here = torch.stack((K, V))  # one message instead of two
    other = torch.empty_like(here)
    n, sent, steps = Q.shape[-2] * world, 0, []
    for step in range(world):
        messages = []
        if step < world - 1:
            send = dist.P2POp(dist.isend, here, group=group, group_peer=(rank + 1) % world)
            receive = dist.P2POp(dist.irecv, other, group=group, group_peer=(rank - 1) % world)
            messages = dist.batch_isend_irecv([send, receive])
            sent += here.nbytes
        start, source = time.perf_counter(), (rank - step) % world  # blocks come from behind
        visible = visible_keys(n, rank, source, world, layout, causal)
        pairs = take_in(Q, *here, visible, largest, total, weighted)
        worked = time.perf_counter()
        for message in messages:
            message.wait()
        steps.append((pairs, worked - start, time.perf_counter() - worked))
        here, other = other, here
    return weighted / total, Report(sent, *zip(*steps))
