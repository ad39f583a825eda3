"""What each process of the rings that `test_ring` starts does, and asserts."""

import itertools
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
import torch
import torch.distributed as dist

from attnlib import causal as causal_mask
from attnlib import scaled_dot_product_attention
from attnlib.ring import attention, bytes_sent, pairs_per_step, ring_attention, shard, unshard
from attnlib.ring.layout import LAYOUTS

#: Rows of one process; 140 is more than the queries whose scores are computed together.
ROWS = (1, 7, 140)


@contextmanager
def watched():
    """Yield a list of what the ring does: bytes and peer of what is sent, work, waiting."""
    events, send, take_in = [], dist.batch_isend_irecv, attention.take_in

    def watched_send(operations):
        sent = [operation for operation in operations if operation.op is dist.isend]
        events.extend((operation.tensor.nbytes, operation.peer) for operation in sent)
        return [Waited(message, events) for message in send(operations)]

    def watched_work(Q, K, *rest):
        events.append(("work", K.shape[-2]))
        return take_in(Q, K, *rest)

    with (
        mock.patch.object(dist, "batch_isend_irecv", watched_send),
        mock.patch.object(attention, "take_in", watched_work),
    ):
        yield events


class Waited:
    """A message that tells when it is waited for."""

    def __init__(self, message, events):
        self.message, self.events = message, events

    def wait(self):
        self.events.append("wait")
        self.message.wait()


def check(rows, causal, layout, dtype, group=None, onwards=None):
    """The ring gives what one process gives; `onwards` is the process that this one sends to."""
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    whole = np.random.default_rng(rows).normal(size=(3, 2, 3, rows * world, 5)).astype(dtype)
    own = [shard(torch.tensor(X), rank, world, layout) for X in whole]
    before = [X.clone() for X in own]
    with watched() as events:
        output, report = ring_attention(*own, causal=causal, layout=layout, group=group)
    mask = causal_mask(rows * world) if causal else None
    exact, _ = scaled_dot_product_attention(*whole.astype(np.float64), mask=mask)
    parts = [torch.empty_like(output) for _ in range(world)]
    dist.all_gather(parts, output, group=group)
    error = np.abs(unshard(parts, layout).numpy() - exact).max() / np.abs(exact).max()
    assert error < (1e-6 if dtype == "float32" else 1e-12)
    assert torch.equal(output, parts[rank]) and str(output.dtype) == f"torch.{dtype}"
    assert all(map(torch.equal, own, before))
    assert report.pairs == tuple(pairs_per_step(rows * world, world, layout, causal)[rank])
    assert len(report.work_seconds) == len(report.wait_seconds) == world
    assert min(report.work_seconds + report.wait_seconds) >= 0
    assert report.bytes_sent == bytes_sent(rows * world, 3, 5, world, output.itemsize, batch=2)
    onwards = (rank + 1) % world if onwards is None else onwards
    step = [(report.bytes_sent // (world - 1), onwards), ("work", rows), "wait", "wait"]
    assert events == step * (world - 1) + [("work", rows)]


#: What rank 1 alone brings.
DIFFERENT = (
    {"Q": torch.ones(1, 2, 5, 3), "K": torch.ones(1, 2, 5, 3), "V": torch.ones(1, 2, 5, 3)},
    {"K": torch.ones(1, 2, 5, 3)},
    {"V": torch.ones(1, 2, 4, 3, dtype=torch.float64)},
    {"K": np.ones((1, 2, 4, 3))},
    {"causal": False},
    {"layout": "contiguous"},
)


def check_refusal(different):
    """Every process refuses, and nothing was sent."""
    given = {x: torch.ones(1, 2, 4, 3) for x in "QKV"} | {"causal": True, "layout": "striped"}
    given |= different if dist.get_rank() == 1 else {}
    with watched() as events, pytest.raises(ValueError, match="one shape, type and layout, not"):
        ring_attention(**given)
    assert events == []


def run(rank, world, folder):
    """One process: rings of all, what they refuse, and a ring of ranks 1 and 3."""
    store = dist.FileStore(f"{folder}/store", world)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world)
    for case in itertools.product(ROWS, (False, True), LAYOUTS, ("float32", "float64")):
        check(*case)
    for different in DIFFERENT:
        check_refusal(different)
    check(7, True, "striped", "float64")
    group = dist.new_group([1, 3])
    if rank in (1, 3):
        for rows, layout in itertools.product((7, 140), LAYOUTS):
            check(rows, True, layout, "float64", group, onwards=4 - rank)
    dist.destroy_process_group()
