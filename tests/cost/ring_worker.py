"""One process of the rings that `test_ring` starts: many cases in one launch, as JSON by rank."""

import itertools
import json
import os
import sys
from datetime import timedelta
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist

from attnlib import causal as causal_mask
from attnlib import scaled_dot_product_attention
from attnlib.ring import (
    attention,
    bytes_sent,
    pairs_per_step,
    ring_attention,
    shard,
    unshard,
)

#: Rows of one process; 140 is more than the queries whose scores are computed together.
ROWS = (1, 7, 140)
LAYOUTS = ("contiguous", "striped")


class Watch:
    """Writes down what the ring does while it runs: messages, work, waiting."""

    def __init__(self):
        self.events, self.bytes, self.peers, self.keys = [], 0, set(), 0
        self.send, self.add = dist.batch_isend_irecv, attention.OnlineAttention.add

    def __enter__(self):
        dist.batch_isend_irecv = self.watched_send
        watch = self

        def watched_add(self, K, V, visible):
            watch.events.append("work")
            watch.keys = max(watch.keys, K.shape[-2])
            return watch.add(self, K, V, visible)

        attention.OnlineAttention.add = watched_add
        return self

    def watched_send(self, operations):
        self.events.append("send")
        for operation in operations:
            if operation.op is dist.isend:
                self.bytes += operation.tensor.numpy().nbytes
                self.peers.add(operation.peer)
        return [Waited(message, self.events) for message in self.send(operations)]

    def __exit__(self, *error):
        dist.batch_isend_irecv, attention.OnlineAttention.add = self.send, self.add


class Waited:
    def __init__(self, message, events):
        self.message, self.events = message, events

    def wait(self):
        self.events.append("wait")
        self.message.wait()


def error_of(result, expected):
    return float(np.abs(result - expected).max() / np.abs(expected).max())


def good_case(rows, causal, layout, dtype, group=None):
    rank, world = dist.get_rank(group), dist.get_world_size(group)
    whole = np.random.default_rng(rows).normal(size=(3, 2, 3, rows * world, 5)).astype(dtype)
    own = [shard(torch.tensor(X), rank, world, layout) for X in whole]
    before = [X.clone() for X in own]
    with Watch() as watch:
        output, report = ring_attention(*own, causal=causal, layout=layout, group=group)
    mask = causal_mask(rows * world) if causal else None
    exact, _ = scaled_dot_product_attention(*whole.astype(np.float64), mask=mask)
    parts = [torch.empty_like(output) for _ in range(world)]
    dist.all_gather(parts, output, group=group)
    return {
        "case": [rows, causal, layout, dtype],
        "error": error_of(output.numpy(), shard(exact, rank, world, layout)),
        "error_together": error_of(unshard(parts, layout).numpy(), exact),
        "dtype": str(output.dtype),
        "unchanged": all(torch.equal(a, b) for a, b in zip(own, before)),
        "report": vars(report),
        "watched": {"bytes": watch.bytes, "peers": list(watch.peers), "keys": watch.keys},
        "events": watch.events,
    }


def check_case(result, rank, world, onwards):
    """What must be true of a good case; `onwards` is the process that this one sends to."""
    rows, is_causal, layout, dtype = result["case"]
    report, n, itemsize = result["report"], rows * world, np.dtype(dtype).itemsize
    near = 1e-6 if dtype == "float32" else 1e-12
    assert result["error"] < near and result["error_together"] < near, result["case"]
    assert result["dtype"] == f"torch.{dtype}" and result["unchanged"]
    size = bytes_sent(n, 3, 5, world, itemsize, batch=2)
    assert report["bytes_sent"] == size == result["watched"]["bytes"]
    assert result["watched"]["peers"] == [onwards] and result["watched"]["keys"] == rows
    assert result["events"] == ["send", "work", "wait", "wait"] * (world - 1) + ["work"]
    assert report["pairs"] == pairs_per_step(n, world, layout, is_causal)[rank].tolist()
    assert len(report["work_seconds"]) == len(report["wait_seconds"]) == world
    assert min(report["work_seconds"] + report["wait_seconds"]) >= 0
    for counted, computed in zip(report["pairs"], report["scores"]):
        assert counted <= computed <= rows * rows and (computed == 0) == (counted == 0)


def bad_case(name, spoil, expected):
    """What every process says when rank 1 alone brings something bad."""
    arguments = {x: torch.ones(1, 2, 4, 3) for x in "QKV"} | {"causal": True, "layout": "striped"}
    if dist.get_rank() == 1:
        arguments |= spoil
    with Watch() as watch:
        try:
            Q, K, V = (arguments.pop(x) for x in "QKV")
            ring_attention(Q, K, V, **arguments)
            message = None
        except (ValueError, TypeError) as error:
            message = f"{type(error).__name__}: {error}"
    return {"case": name, "message": message, "expected": expected, "events": watch.events}


def check_refusal(case, of_rank_0):
    """Every process says the same, and nothing was sent."""
    kind = "TypeError: " if case["case"] in TYPE_ERRORS else "ValueError: "
    assert case["message"].startswith(kind + case["expected"])
    assert case in of_rank_0["bad"] and len(of_rank_0["bad"]) == len(BAD)
    assert case["events"] == []


def all_of_shape(*shape, dtype=torch.float32):
    return {x: torch.ones(*shape, dtype=dtype) for x in "QKV"}


#: What rank 1 brings, and what every process then says.
BAD = {
    "shape": (all_of_shape(1, 2, 5, 3), "the shape of rank 0 is (1, 2, 4, 3), that of rank 1 is ("),
    "dtype": (
        all_of_shape(1, 2, 4, 3, dtype=torch.float64),
        "the dtype of rank 0 is torch.float32, that of rank 1 is torch.float64.",
    ),
    "axes": (all_of_shape(2, 4, 3), "rank 1: Q has shape (2, 4, 3), but needs four axes"),
    "empty": (all_of_shape(1, 2, 0, 3), "rank 1: Q has shape (1, 2, 0, 3), but needs four axes"),
    "half": (
        all_of_shape(1, 2, 4, 3, dtype=torch.float16),
        "rank 1: Q holds torch.float16. Convert it",
    ),
    "keys": (
        {"K": torch.ones(1, 2, 5, 3)},
        "rank 1: Q is torch.float32 of shape (1, 2, 4, 3) on cpu, K is torch.float32 of shape (1,",
    ),
    "nan": ({"V": torch.full((1, 2, 4, 3), torch.nan)}, "rank 1: V holds NaN or infinity. Give"),
    "infinite": ({"Q": torch.full((1, 2, 4, 3), torch.inf)}, "rank 1: Q holds NaN or infinity."),
    "array": ({"K": np.ones((1, 2, 4, 3))}, "rank 1: K must be a tensor, not ndarray"),
    "gradient": (
        {"Q": torch.ones(1, 2, 4, 3, requires_grad=True)},
        "rank 1: Q requires a gradient, which the ring does not give. Detach it.",
    ),
    "causal": ({"causal": False}, "the causal of rank 0 is True, that of rank 1 is False."),
    "causal type": ({"causal": 1}, "rank 1: causal must be True or False, not 1."),
    "layout": ({"layout": "contiguous"}, "the layout of rank 0 is striped, that of rank 1 is con"),
    "unknown layout": ({"layout": "zigzag"}, "rank 1: layout='zigzag' is unknown. Choose"),
}
TYPE_ERRORS = ("half", "array", "causal type")


def in_half_of_the_ring():
    """Ranks 1 and 3 of four are a ring by themselves."""
    group = dist.new_group([1, 3])
    cases = itertools.product((7, 140), (True,), LAYOUTS, ("float64",))
    return [good_case(*case, group) for case in cases] if dist.get_rank() in (1, 3) else None


def main():
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    cases = itertools.product(ROWS, (False, True), LAYOUTS, ("float32", "float64"))
    result = {"good": [good_case(*case) for case in cases]}
    result["bad"] = [bad_case(name, *bad) for name, bad in BAD.items()]
    result["after"] = good_case(7, True, "striped", "float64")
    result["half"] = in_half_of_the_ring()
    path = Path(sys.argv[1], f"rank{dist.get_rank()}.json")
    path.write_text(json.dumps(result | {"pid": os.getpid()}), encoding="utf-8")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
