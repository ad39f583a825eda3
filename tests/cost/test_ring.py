"""Ring attention: equal to one process, its counts, and how it ends when a process fails."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import numpy as np
import pytest
import ring_worker
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import causal, scaled_dot_product_attention
from attnlib.ring import bytes_sent, pairs_per_step, shard, unshard
from attnlib.ring.attention import ROWS, take_in
from attnlib.ring.layout import LAYOUTS, visible_keys

in_a_ring = st.tuples(st.integers(1, 5), st.integers(1, 6), st.sampled_from(LAYOUTS))


@given(in_a_ring)
@settings(deadline=None, max_examples=60)
def test_dealing_out_and_gathering_undo_each_other(ring):
    world, rows, layout = ring
    n = world * rows
    X = torch.arange(2.0 * n).reshape(n, 2)
    shards = [shard(X, r, world, layout) for r in range(world)]
    assert_array_equal(unshard(shards, layout), X)
    positions = [part[:, 0].int().numpy() // 2 for part in shards]
    if layout == "striped":
        assert all((at % world == r).all() for r, at in enumerate(positions))
    mask, pairs = causal(n), pairs_per_step(n, world, layout, True)
    for rank, step in np.ndindex(world, world):
        source = (rank - step) % world
        seen = mask[np.ix_(positions[rank], positions[source])]
        limits = visible_keys(n, rank, source, world, layout, True)
        assert_array_equal(np.arange(rows) < limits[:, None], seen)
        assert pairs[rank, step] == seen.sum()
    assert (pairs_per_step(n, world, layout) == rows**2).all()


def test_bytes_and_what_does_not_fit():
    assert bytes_sent(10, 3, 7, 5, itemsize=8, batch=11) == 4 * 2 * 2 * 3 * 7 * 8 * 11
    assert bytes_sent(10, 3, 7, 1) == 0
    for call, message in (
        (lambda: pairs_per_step(10, 4), "n=10 .* not fit 4 processes. Give a multiple of 4 rows"),
        (lambda: shard(np.ones((8, 1)), 4, 4), "rank=4 do not fit 4 .* a rank from 0 to 3"),
        (lambda: shard(np.ones((8, 1)), 0, 4, "zigzag"), "layout='zigzag' is unknown"),
        (lambda: unshard([torch.ones(2, 1)], "zigzag"), "layout='zigzag' is unknown"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("size", [1, 1e4])
@pytest.mark.parametrize("cuts", [[30], [1] * 30, [7, 11, 12]])
def test_blocks_combine_in_any_order(size, cuts):
    Q, K, V = (torch.tensor(X) for X in np.random.default_rng(3).normal(size=(3, 2, 30, 5)))
    expected, _ = scaled_dot_product_attention(size * Q, K, V)
    largest = torch.full((2, 30, 1), -torch.inf, dtype=Q.dtype)
    total, weighted = torch.zeros_like(largest), torch.zeros_like(Q)
    for keys, values in list(zip(K.split(cuts, dim=1), V.split(cuts, dim=1)))[::-1]:
        visible = np.full(30, keys.shape[1])
        take_in(size * Q, keys, values, visible, largest, total, weighted)
    assert_allclose(weighted / total, expected, rtol=1e-9, atol=1e-12)


def test_hidden_keys_are_not_looked_at():
    m = 3 * ROWS
    Q = K = torch.ones(m, 1)
    V = torch.arange(float(m))[:, None]
    V[ROWS:] = torch.nan  # not even with weight 0
    state = torch.full((m, 1), -torch.inf), torch.zeros(m, 1), torch.zeros(m, 1)
    assert take_in(Q, K, V, np.repeat([0, 1, ROWS], ROWS), *state) == ROWS + ROWS**2
    assert state[0][:ROWS].isinf().all() and (state[1][:ROWS] == 0).all()
    mean = torch.tensor([0.0, (ROWS - 1) / 2]).repeat_interleave(ROWS)
    assert_allclose((state[2] / state[1])[ROWS:, 0], mean)


def test_several_processes_agree_with_one(tmp_path):
    torch.multiprocessing.spawn(ring_worker.run, (4, str(tmp_path)), nprocs=4)


class Launch:
    """A ring started as a reader starts it; its processes carry a mark."""

    def __init__(self, world, arguments):
        name, value = "RING_TEST", uuid.uuid4().hex
        self.mark = f"{name}={value}".encode()
        options = ["--standalone", "--local-addr", "localhost", "--nproc-per-node", str(world)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "torch.distributed.run", *options, *arguments.split()],
            env=os.environ | {name: value, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def alive(self):
        """Ids of its processes that live, the launcher among them."""
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self.mark in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def end(self, seconds):
        """Exit status and output; none of its processes is left then."""
        output, _ = self.process.communicate(timeout=seconds)
        assert not self.alive(), output
        return self.process.returncode, output


@pytest.fixture
def start():
    """`start(world, arguments)` launches a ring; none of its processes outlives the test."""
    launched = []

    def start(*arguments):
        launched.append(Launch(*arguments))
        return launched[-1]

    yield start
    for ring in launched:
        for process in ring.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        ring.process.communicate()


def test_the_command_writes_what_it_measured(start, tmp_path):
    file = tmp_path / "ring.json"
    command = f"-m attnlib.ring -n 1200 --heads 3 -d 5 --causal --repeats 3 --json {file}"
    status, output = start(2, command).end(60)
    assert status == 0, output
    for layout, found in json.loads(file.read_text())["layouts"].items():
        assert found["relative_error"] < 1e-6
        assert found["pairs"] == pairs_per_step(1200, 2, layout, True).tolist()
        assert found["bytes_sent"] == [bytes_sent(1200, 3, 5, 2)] * 2
        for rank, seconds in enumerate(found["seconds"]):
            assert 0 < max(found["work_seconds"][rank] + found["wait_seconds"][rank]) < seconds
        assert f"{layout}, by rank and step" in output
        assert str(np.array(found["pairs"])) in output


def test_unequal_rows_are_refused(start):
    status, output = start(2, "-m attnlib.ring -n 4097").end(60)
    assert status != 0 and "attnlib.ring: error: -n 4097: give a multiple of 2" in output


def test_a_process_that_fails_ends_the_ring(start):
    ring = start(3, "-m attnlib.ring -n 960 --heads 2 --causal --repeats 1000000")
    assert any("3 processes" in line for line in ring.process.stdout)  # it is at work then
    assert len(ring.alive()) == 4
    os.kill(max(ring.alive()), signal.SIGKILL)
    status, output = ring.end(60)
    assert status != 0 and "SIGKILL" in output
