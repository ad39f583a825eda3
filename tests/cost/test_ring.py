"""Ring attention: equal to one process, its counts, and how it ends when something breaks."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from ring_worker import LAYOUTS, check_case, check_refusal
from torch.utils._python_dispatch import TorchDispatchMode

from attnlib import causal, scaled_dot_product_attention
from attnlib.ring import bytes_sent, guard, options, pairs_per_step, ring_attention, shard, unshard
from attnlib.ring.__main__ import main
from attnlib.ring.attention import Report
from attnlib.ring.counts import visible_keys
from attnlib.ring.measure import results
from attnlib.ring.online import ROWS, OnlineAttention

WORKER = str(Path(__file__).with_name("ring_worker.py"))
in_a_ring = st.tuples(st.integers(1, 5), st.integers(1, 6), st.sampled_from(LAYOUTS))


class Launch:
    """A ring started as a reader starts it; its processes carry a mark."""

    def __init__(self, world, *arguments):
        self.mark = f"RING_TEST={uuid.uuid4().hex}"
        name, value = self.mark.split("=")
        options = ["--standalone", "--local-addr", "localhost", "--nproc-per-node", str(world)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "torch.distributed.run", *options, *arguments],
            env=os.environ | {name: value, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def alive(self):
        """Ids of its processes that live, the launcher among them."""
        messages = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self.mark.encode() in path.read_bytes().split(b"\0"):
                    messages.append(int(path.parent.name))
        return messages

    def workers(self):
        return sorted(set(self.alive()) - {self.process.pid})

    def until(self, words):
        """Read what is printed up to a line with these words; the ring is at work then."""
        message = ""
        for line in self.process.stdout:
            message += line
            if words in line:
                return
        pytest.fail(f"never said {words!r}:\n{message}")

    def end(self, seconds):
        """Exit status and output, once all its processes are gone; fails if that takes longer."""
        limit = time.monotonic() + seconds
        output, _ = self.process.communicate(timeout=seconds)
        while self.alive() and time.monotonic() < limit:
            time.sleep(0.1)
        assert not self.alive(), f"still alive after {seconds} s:\n{output}"
        return self.process.returncode, output


@pytest.fixture
def start():
    """`start(world, *arguments)` launches a ring; none of its processes outlives the test."""
    launched = []

    def start(*arguments):
        launched.append(Launch(*arguments))
        return launched[-1]

    yield start
    for ring in launched:
        for process in ring.alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        ring.process.stdout.close()
        ring.process.wait(10)


def said_by_the_ring(output):
    return [line for line in output.splitlines() if line.startswith("attnlib.ring:")]


@given(in_a_ring)
@settings(deadline=None, max_examples=60)
def test_dealing_out_and_gathering_undo_each_other(ring):
    world, rows, layout = ring
    n = world * rows
    X = np.arange(2.0 * n).reshape(n, 2)
    shards = [shard(X, r, world, layout) for r in range(world)]
    assert_array_equal(unshard(map(torch.tensor, shards), layout), X)
    positions = [part[:, 0].astype(int) // 2 for part in shards]
    if layout == "striped":
        assert all((at % world == r).all() for r, at in enumerate(positions))
    mask, pairs = causal(n), pairs_per_step(n, world, layout, True)
    for rank, queries in enumerate(positions):
        for step in range(world):
            source = (rank - step) % world
            seen = mask[np.ix_(queries, positions[source])]
            limits = visible_keys(n, rank, source, world, layout, True)
            assert_array_equal(np.arange(rows) < limits[:, None], seen)
            assert pairs[rank, step] == seen.sum()
    assert (pairs_per_step(n, world, layout) == rows**2).all()


def test_bytes_and_bad_sizes():
    assert bytes_sent(10, 3, 7, 5, itemsize=8, batch=11) == 4 * 2 * 2 * 3 * 7 * 8 * 11
    assert bytes_sent(10, 3, 7, 1) == 0
    for call, error, message in (
        (lambda: pairs_per_step(10, 4), ValueError, "n=10 rows cannot be .* 4.*n=8 or n=12"),
        (lambda: bytes_sent(3, 1, 1, 4), ValueError, "n=3 is fewer rows than the 4 processes"),
        (lambda: shard(np.ones((8, 1)), 4, 4), ValueError, "rank=4 is not in .* 4. Count from 0 t"),
        (lambda: shard(np.ones((8, 1)), 0, 4, "zigzag"), ValueError, "layout='zigzag' is unknown"),
        (lambda: shard(np.ones(8), 0, 4), ValueError, r"X has shape \(8,\)"),
        (lambda: shard([[1], [2]], 0, 2), TypeError, "X must be a tensor or an array, not list"),
        (
            lambda: unshard([np.ones((2, 1)), np.ones((3, 1))]),
            ValueError,
            r"2, 1\), \(3, 1",
        ),
        (lambda: unshard([]), ValueError, "shards have the shapes"),
        (lambda: pairs_per_step(8, 2, "striped", causal=1), TypeError, "causal must be True or F"),
    ):
        with pytest.raises(error, match=message):
            call()


@pytest.mark.parametrize("size", [1, 1e4])
def test_blocks_combine_in_any_order(size):
    Q, K, V = (torch.tensor(X) for X in np.random.default_rng(3).normal(size=(3, 2, 30, 5)))
    expected, _ = scaled_dot_product_attention(size * Q, K, V)
    for cuts in ([30], [1] * 30, [7, 11, 12]):
        attention = OnlineAttention(size * Q)
        for keys, values in list(zip(K.split(cuts, dim=1), V.split(cuts, dim=1)))[::-1]:
            attention.add(keys, values, np.full(30, keys.shape[1]))
        assert_allclose(attention.output(), expected, rtol=1e-9, atol=1e-12)


class Largest(TorchDispatchMode):
    """Notes the size of the largest tensor that any operation gives."""

    size = 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        self.size = max(self.size, getattr(result, "numel", int)())
        return result


@pytest.mark.parametrize("layout", LAYOUTS)
def test_few_scores_are_wasted(layout):
    m, world = 3 * ROWS, 4
    Q = torch.ones(1, m, 1)
    with Largest() as largest:
        attention = OnlineAttention(Q)
        for source in (3, 2, 1, 0):
            visible = visible_keys(m * world, 3, source, world, layout, True)
            pairs, scores = attention.add(Q, Q, visible)
            assert pairs == visible.sum()
            assert scores - pairs <= 3 * ROWS**2 / 2
    assert largest.size == ROWS * m


def test_a_ring_of_one_is_plain_attention():
    Q, K, V = torch.randn(3, 2, 3, 300, 5, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"no process group.*torch\.distributed\.run"):
        ring_attention(Q, K, V)
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        output, report = ring_attention(Q, K, V, causal=True, layout="striped")
    finally:
        dist.destroy_process_group()
    expected, _ = scaled_dot_product_attention(Q, K, V, mask=causal(300))
    assert_allclose(output, expected, atol=1e-13)
    assert report.bytes_sent == 0 and report.pairs == (300 * 301 // 2,)


def test_results_go_by_rank_then_by_step():
    """As many ranks as steps and repeats: the numbers alone say which axis is which."""
    given = options.parser().parse_args("-n 4 --heads 1 -d 3 --repeats 2 --causal".split())
    ranks = [
        {
            "output": torch.zeros(1, 1, 2, 3),
            "seconds": seconds,
            "reports": [Report(0, pairs, pairs, steps, steps[::-1]) for steps in by_repeat],
        }
        for seconds, pairs, by_repeat in (
            ([1, 5], (3, 0), [(1, 2), (3, 8)]),
            ([2, 3], (3, 4), [(5, 7), (5, 11)]),
        )
    ]
    of_layout = results({"contiguous": ranks}, given)["layouts"]["contiguous"]
    assert of_layout["seconds"] == [3, 2.5] and of_layout["slowest_seconds"] == 3.5
    assert of_layout["work_seconds"] == [[2, 5], [5, 9]]
    assert of_layout["wait_seconds"] == [[5, 2], [9, 5]]
    assert of_layout["most_pairs"] == 7


def test_several_processes_agree_with_one(start, tmp_path):
    status, output = start(4, WORKER, str(tmp_path)).end(100)
    assert status == 0, output
    ranks = [json.loads((tmp_path / f"rank{r}.json").read_text()) for r in range(4)]
    for rank, result in enumerate(ranks):
        assert len(result["good"]) == 24
        for case in [*result["good"], result["after"]]:
            check_case(case, rank, 4, onwards=(rank + 1) % 4)
        for case in result["bad"]:
            check_refusal(case, ranks[0])
    for rank, other in ((1, 3), (3, 1)):
        assert len(ranks[rank]["half"]) == 4
        for case in ranks[rank]["half"]:
            check_case(case, rank // 2, 2, onwards=other)


def test_the_command_prints_and_writes_what_it_measured(start, tmp_path):
    file = tmp_path / "ring.json"
    arguments = "-n 1200 --heads 3 -d 5 --batch 2 --causal --compare --repeats 3 --threads 1"
    ring = start(2, "-m", "attnlib.ring", *arguments.split(), "--json", str(file))
    status, output = ring.end(60)
    assert status == 0, output
    assert output.startswith("Ring of 2, cpu: n = 1200, heads = 3, d = 5, batch = 2")
    result = json.loads(file.read_text())
    assert json.loads(output.splitlines()[-1]) == result
    assert (result["world"], result["backend"], result["threads"]) == (2, "gloo", 1)
    for layout, of_layout in result["layouts"].items():
        pairs = pairs_per_step(1200, 2, layout, True)
        by_rank = pairs.sum(axis=1)
        assert of_layout["relative_error"] < 1e-6
        assert of_layout["pairs"] == of_layout["pairs_by_formula"] == pairs.tolist()
        assert of_layout["bytes_by_formula"] == bytes_sent(1200, 3, 5, 2, batch=2)
        assert of_layout["bytes_sent"] == [of_layout["bytes_by_formula"]] * 2
        assert of_layout["balance"] == pytest.approx(by_rank.mean() / by_rank.max(), rel=1e-12)
        assert 0 < max(of_layout["seconds"]) <= of_layout["slowest_seconds"]
        assert np.shape(of_layout["work_seconds"]) == np.shape(of_layout["wait_seconds"]) == (2, 2)
        assert f"{layout}: relative error" in output
    busiest = [result["layouts"][layout]["most_pairs"] for layout in LAYOUTS]
    assert result["ratio"]["pairs"] == busiest[0] / busiest[1] > 1.4
    assert "contiguous / striped: " in output


def test_unequal_rows_are_refused_once(start):
    status, output = start(2, "-m", "attnlib.ring", "-n", "4097").end(60)
    assert status != 0
    assert said_by_the_ring(output) == [
        "attnlib.ring: n=4097 rows cannot be shared evenly by 2 processes. "
        "Give a multiple of 2, say n=4096 or n=4098."
    ]
    assert output.count("Traceback") == 1  # the launcher's own
    assert output.count("traceback : n=4097 rows cannot be shared evenly") == 1


def endless(start, world, timeout):
    """A ring that works on and on; it is at work when this returns."""
    command = f"-m attnlib.ring -n 960 --heads 2 --causal --repeats 1000000 --timeout {timeout}"
    ring = start(world, *command.split())
    ring.until("Ring of")
    time.sleep(0.5)
    assert len(ring.workers()) == world
    return ring


def test_a_killed_process_ends_the_ring(start):
    for _ in range(3):  # on a busy machine the launcher may end the others before they speak
        ring = endless(start, 3, timeout=60)
        os.kill(ring.workers()[1], signal.SIGKILL)
        status, output = ring.end(25)
        message = said_by_the_ring(output)
        assert status != 0 and "SIGKILL" in output and output.count("Traceback") == 1
        assert all("lost another process of the ring, which has ended" in x for x in message)
        if message:
            break
    assert message


def test_a_stopped_process_ends_the_ring(start):
    ring = endless(start, 2, timeout=2)
    os.kill(ring.workers()[1], signal.SIGSTOP)
    status, output = ring.end(25)  # the launcher by itself waits 30 s for a stopped process
    message = said_by_the_ring(output)
    assert status != 0 and any("heard nothing from another process for 2 s" in x for x in message)
    assert all("larger --timeout" in line or "lost another" in line for line in message)


def test_a_killed_launcher_leaves_no_process(start):
    ring = endless(start, 2, timeout=60)
    os.kill(ring.workers()[1], signal.SIGSTOP)
    ring.process.kill()
    status, output = ring.end(25)
    assert status == -signal.SIGKILL
    assert "attnlib.ring: the launcher is gone" in output


REFUSED = {
    "-n 3": "n=3 is fewer rows than the 4 processes of the ring. Give at least n=4",
    "-n many": "argument -n/--n: many is not an integer of at least 1",
    "--heads 0": "argument --heads: 0 is not an integer of at least 1",
    "--seed -1": "argument --seed: -1 is not an integer of at least 0",
    "--timeout 0": "argument --timeout: 0 is not an integer of at least 1",
    "--layout zigzag": "argument --layout: invalid choice",
    "--layout striped --compare": "argument --compare: not allowed with argument --layout",
    "--heds 8": "unrecognized arguments: --heds 8",
    "--json /no/such/folder/x": "--json /no/such/folder/x cannot be written: No such file",
    "-n 12": f"this is one process of a ring and was started by itself. Run: {options.COMMAND}",
}


@pytest.mark.parametrize(
    ("arguments", "message", "rank"), [(*x, 0) for x in REFUSED.items()] + [("-n 6", "", 2)]
)
def test_rank_0_refuses_bad_options(monkeypatch, capsys, arguments, message, rank):
    def end(status):
        raise SystemExit(status)

    waited = []
    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(guard, "watch_parent", lambda ring: None)
    for name, value in {"RANK": rank, "WORLD_SIZE": 4, "TORCHELASTIC_RUN_ID": "x"}.items():
        monkeypatch.setenv(name, str(value))
    if arguments == "-n 12":
        monkeypatch.delenv("TORCHELASTIC_RUN_ID")
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    text = capsys.readouterr()
    assert ended.value.code == guard.REFUSED and text.out == ""
    if rank:
        assert waited == [60] and text.err == ""
    else:
        assert text.err.startswith(f"attnlib.ring: {message}") and text.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("gloo/x.cc:78] Timed out waiting 4000ms"), "rank 1 heard nothing .* 4 s"),
        (RuntimeError("gloo/x.cc:5] Connection closed by peer"), "rank 1 lost another process"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory"),
            "rank 1 has too little memory",
        ),
        (MemoryError(), "rank 1 has too little memory"),
        (OSError("disk full"), "rank 1 cannot write the results: disk full"),
        (RuntimeError("mat1 and mat2 shapes differ"), None),
    ],
)
def test_expected_errors_take_one_line(error, words):
    message = guard.explain(error, 1, 4)
    assert message is None if words is None else re.match(words, message) and "\n" not in message
