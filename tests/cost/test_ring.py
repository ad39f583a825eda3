"""Ring attention: equal to one process, its counts, and how it ends when something breaks."""

import contextlib
import json
import os
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
from ring_worker import check_case, check_refusal
from torch.utils._python_dispatch import TorchDispatchMode

from attnlib import causal, scaled_dot_product_attention
from attnlib.ring import bytes_sent, guard, launch, pairs_per_step, ring_attention, shard, unshard
from attnlib.ring.__main__ import main
from attnlib.ring.counts import visible_keys
from attnlib.ring.inputs import draw_rows, exact_attention, relative_error
from attnlib.ring.layout import token_positions
from attnlib.ring.online import ROWS, OnlineAttention

WORKER = str(Path(__file__).with_name("ring_worker.py"))
LAYOUTS = ("contiguous", "striped")
both_layouts = pytest.mark.parametrize("layout", LAYOUTS)
in_a_ring = st.tuples(st.integers(1, 5), st.integers(1, 6), st.sampled_from(LAYOUTS))


class Launch:
    """A ring started as a reader starts it; its processes are known by a mark of their own."""

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
        found = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if self.mark.encode() in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
        return found

    def workers(self):
        return sorted(set(self.alive()) - {self.process.pid})

    def until(self, words):
        """Read what is printed up to a line with these words; the ring is at work then."""
        said = ""
        for line in self.process.stdout:
            said += line
            if words in line:
                return
        pytest.fail(f"never said {words!r}:\n{said}")

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


def brute_force_pairs(n, world, layout, is_causal):
    home = {t: r for r in range(world) for t in token_positions(n, r, world, layout)}
    pairs = np.zeros((world, world), int)
    for query in range(n):
        for key in range(query + 1 if is_causal else n):
            pairs[home[query], (home[query] - home[key]) % world] += 1
    return pairs


@given(in_a_ring, st.booleans())
@settings(deadline=None, max_examples=60)
def test_pairs_are_those_of_a_plain_loop(ring, is_causal):
    world, rows, layout = ring
    pairs = pairs_per_step(world * rows, world, layout, is_causal)
    assert pairs.dtype.kind == "i"
    assert_array_equal(pairs, brute_force_pairs(world * rows, world, layout, is_causal))


@given(in_a_ring)
@settings(deadline=None, max_examples=60)
def test_the_keys_a_query_may_see_are_the_first_of_their_block(ring):
    world, rows, layout = ring
    n = world * rows
    for rank in range(world):
        for source in range(world):
            queries, keys = (token_positions(n, r, world, layout) for r in (rank, source))
            mask = np.arange(rows) < visible_keys(n, rank, source, world, layout, True)[:, None]
            assert_array_equal(mask, causal(n)[np.ix_(queries, keys)])


@given(in_a_ring, st.integers(1, 3), st.booleans())
@settings(deadline=None, max_examples=60)
def test_what_is_dealt_out_is_put_together_again(ring, d, as_array):
    world, rows, layout = ring
    X = np.arange(2 * world * rows * d, dtype=float).reshape(2, world * rows, d)
    shards = [shard(X if as_array else torch.tensor(X), r, world, layout) for r in range(world)]
    for rank, part in enumerate(shards):
        assert_array_equal(part, X[:, token_positions(world * rows, rank, world, layout)])
    assert_array_equal(unshard(shards, layout), X)


def test_striped_the_work_is_even_and_contiguous_it_is_not():
    for world in (2, 4, 8):
        m, n = 16, 16 * world
        near, dealt = (pairs_per_step(n, world, layout, True) for layout in LAYOUTS)
        assert near.sum() == dealt.sum() == n * (n + 1) // 2
        assert near.sum(axis=1).tolist() == [r * m * m + m * (m + 1) // 2 for r in range(world)]
        assert (np.triu(near, 1) == 0).all()
        assert set(dealt.flat) == {m * (m - 1) // 2, m * (m + 1) // 2}
        assert np.ptp(dealt.sum(axis=1)) == m * (world - 1)


def test_bytes_are_those_of_the_formula():
    assert bytes_sent(4096, 8, 64, 4) == 3 * 2 * 1024 * 8 * 64 * 4
    assert bytes_sent(10, 3, 7, 5, itemsize=8, batch=11) == 4 * 2 * 2 * 3 * 7 * 8 * 11
    assert bytes_sent(10, 3, 7, 1) == 0


def test_bad_sizes_are_refused_by_name():
    with pytest.raises(ValueError, match=r"n=10 rows cannot be shared evenly by 4.*n=8 or n=12"):
        pairs_per_step(10, 4)
    with pytest.raises(ValueError, match="n=3 is fewer rows than the 4 processes"):
        bytes_sent(3, 1, 1, 4)
    with pytest.raises(ValueError, match=r"rank=4 is not in a ring of 4. Count from 0 to 3"):
        shard(np.ones((8, 1)), 4, 4)
    with pytest.raises(ValueError, match=r"layout='zigzag' is unknown. Choose contiguous or str"):
        shard(np.ones((8, 1)), 0, 4, "zigzag")
    with pytest.raises(ValueError, match=r"X has shape \(8,\)"):
        shard(np.ones(8), 0, 4)
    with pytest.raises(TypeError, match="X must be a tensor or an array, not list"):
        shard([[1], [2]], 0, 2)
    with pytest.raises(ValueError, match=r"shards have the shapes \[\(2, 1\), \(3, 1\)\]"):
        unshard([np.ones((2, 1)), np.ones((3, 1))])
    with pytest.raises(ValueError, match="shards have the shapes"):
        unshard([])
    with pytest.raises(TypeError, match="causal must be True or False"):
        pairs_per_step(8, 2, "striped", causal=1)


@pytest.mark.parametrize("size", [1, 1e4])
def test_blocks_in_any_order_make_the_softmax_over_all_keys(size):
    Q, K, V = (torch.tensor(X) for X in np.random.default_rng(3).normal(size=(3, 2, 30, 5)))
    expected, _ = scaled_dot_product_attention(size * Q, K, V)
    for cuts in ([30], [1] * 30, [7, 11, 12]):
        attention = OnlineAttention(size * Q)
        for keys, values in list(zip(K.split(cuts, dim=1), V.split(cuts, dim=1)))[::-1]:
            attention.add(keys, values, np.full(30, keys.shape[1]))
        assert_allclose(attention.output(), expected, rtol=1e-9, atol=1e-12)


def test_half_a_block_costs_little_more_than_half_its_scores():
    m = 8 * ROWS
    Q = torch.zeros(1, m, 1)
    for shift, least in ((1, 0), (0, 0)):
        attention = OnlineAttention(Q)
        attention.add(Q, Q, np.ones(m, int))
        pairs, scores = attention.add(Q, Q, np.arange(m) + shift)
        assert pairs == m * (m - 1) // 2 + shift * m
        assert scores == sum(ROWS * (ROWS * (b + 1) - 1 + shift) for b in range(8))
        assert least < scores < 0.57 * m * m
    assert attention.add(Q, Q, np.zeros(m, int)) == (0, 0)


class Largest(TorchDispatchMode):
    """Notes the size of the largest tensor that any operation gives."""

    size = 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        self.size = max(self.size, getattr(result, "numel", int)())
        return result


@both_layouts
def test_no_tensor_is_larger_than_the_scores_of_some_rows_of_a_block(layout):
    m, world = 3 * ROWS + 1, 4
    with Largest() as largest:
        Q = torch.ones(1, m, 1)
        attention = OnlineAttention(Q)
        for source in (3, 2, 1, 0):
            attention.add(Q, Q, visible_keys(m * world, 3, source, world, layout, True))
    assert largest.size == ROWS * m if layout == "contiguous" else largest.size <= ROWS * m


def test_a_first_block_must_give_every_query_a_key():
    Q = torch.ones(3, 1)
    with pytest.raises(ValueError, match="visible leaves query 0 without a key"):
        OnlineAttention(Q).add(Q, Q, np.arange(3))


def test_every_layout_draws_the_same_sequence():
    sizes = {"batch": 2, "n_heads": 3, "d": 5, "dtype": "float64", "seed": 4}
    whole = draw_rows(np.arange(600), **sizes)
    assert whole.dtype == torch.float64 and len(torch.unique(whole)) == whole.numel()
    for layout in LAYOUTS:
        parts = [draw_rows(token_positions(600, r, 4, layout), **sizes) for r in range(4)]
        assert torch.equal(unshard(parts, layout), whole)
    other_seed = draw_rows(np.arange(600), **(sizes | {"seed": 5}))
    assert not torch.equal(other_seed, whole)


@pytest.mark.parametrize("is_causal", [False, True])
def test_the_exact_answer_is_exact(is_causal):
    Q, K, V = draw_rows(np.arange(300), batch=1, n_heads=2, d=5, dtype="float64")
    mask = causal(300) if is_causal else None
    expected, _ = scaled_dot_product_attention(Q, K, V, mask=mask)
    exact = exact_attention(Q, K, V, is_causal)
    assert_allclose(exact, expected, atol=1e-13)
    assert relative_error(2 * exact, exact) == 1


@pytest.fixture
def one_process():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@both_layouts
def test_a_ring_of_one_process_is_plain_attention(one_process, layout):
    Q, K, V = draw_rows(np.arange(300), batch=2, n_heads=3, d=5, dtype="float64")
    output, report = ring_attention(Q, K, V, causal=True, layout=layout)
    expected, _ = scaled_dot_product_attention(Q, K, V, mask=causal(300))
    assert_allclose(output, expected, atol=1e-13)
    assert report.bytes_sent == 0 and report.pairs == (300 * 301 // 2,)


def test_without_other_processes_there_is_no_ring():
    X = torch.ones(1, 1, 2, 1)
    with pytest.raises(ValueError, match=r"no process group.*torch\.distributed\.run"):
        ring_attention(X, X, X)


@pytest.mark.parametrize("world", [2, 4])
def test_several_processes_find_what_one_finds(start, tmp_path, world):
    status, output = start(world, WORKER, str(tmp_path)).end(100)
    assert status == 0, output
    ranks = [json.loads((tmp_path / f"rank{r}.json").read_text()) for r in range(world)]
    for rank, found in enumerate(ranks):
        assert len(found["good"]) == 24
        for case in [*found["good"], found["after"]]:
            check_case(case, rank, world, onwards=(rank + 1) % world)
        for case in found["bad"]:
            check_refusal(case, ranks[0])
    if world == 4:
        for rank, other in ((1, 3), (3, 1)):
            check_case(ranks[rank]["half"], rank // 2, 2, onwards=other)


def test_the_command_prints_and_writes_what_it_measured(start, tmp_path):
    file = tmp_path / "ring.json"
    arguments = "-n 1200 --heads 3 -d 5 --batch 2 --causal --compare --repeats 3 --threads 1"
    ring = start(2, "-m", "attnlib.ring", *arguments.split(), "--json", str(file))
    status, output = ring.end(60)
    assert status == 0, output
    assert output.startswith("Ring of 2 processes (gloo, cpu, 1 thread each): n = 1200, 3 heads")
    found = json.loads(file.read_text())
    assert json.loads(output.splitlines()[-1]) == found
    assert (found["world"], found["backend"], found["threads"]) == (2, "gloo", 1)
    for layout, of_layout in found["layouts"].items():
        pairs = pairs_per_step(1200, 2, layout, True)
        assert of_layout["relative_error"] < 1e-6
        assert of_layout["pairs"] == of_layout["pairs_by_formula"] == pairs.tolist()
        assert of_layout["bytes_by_formula"] == bytes_sent(1200, 3, 5, 2, batch=2)
        assert of_layout["bytes_sent"] == [of_layout["bytes_by_formula"]] * 2
        by_rank = pairs.sum(axis=1)
        assert of_layout["balance"] == pytest.approx(by_rank.mean() / by_rank.max(), rel=1e-12)
        assert 0 < max(of_layout["seconds"]) <= of_layout["slowest_seconds"]
        assert np.shape(of_layout["work_seconds"]) == np.shape(of_layout["wait_seconds"]) == (2, 2)
        assert f"{layout}: relative error" in output
    busiest = [pairs_per_step(1200, 2, layout, True).sum(axis=1).max() for layout in LAYOUTS]
    assert found["ratio"]["pairs"] == pytest.approx(busiest[0] / busiest[1], rel=1e-12)
    assert "contiguous / striped: " in output


def test_rows_that_cannot_be_shared_are_refused_once_and_nobody_is_left(start):
    status, output = start(4, "-m", "attnlib.ring", "-n", "4097").end(60)
    assert status != 0
    assert said_by_the_ring(output) == [
        "attnlib.ring: n=4097 rows cannot be shared evenly by 4 processes. "
        "Give a multiple of 4, say n=4096 or n=4100."
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


def test_when_a_process_is_killed_the_others_say_so_and_end(start):
    ring = endless(start, 3, timeout=60)
    os.kill(ring.workers()[1], signal.SIGKILL)
    status, output = ring.end(25)
    assert status != 0 and "SIGKILL" in output
    said = said_by_the_ring(output)
    assert said and all(
        "lost another process of the ring, which has ended" in line for line in said
    )
    assert output.count("Traceback") == 1


def test_when_a_process_is_stopped_the_others_give_up_after_the_timeout(start):
    ring = endless(start, 3, timeout=2)
    os.kill(ring.workers()[1], signal.SIGSTOP)
    status, output = ring.end(25)  # the launcher by itself waits 30 s for a stopped process
    said = said_by_the_ring(output)
    assert status != 0 and any(
        "heard nothing from another process for 2 s" in line for line in said
    )
    assert all("larger --timeout" in line or "lost another" in line for line in said)


def test_when_the_launcher_is_killed_no_process_is_left_not_even_a_stopped_one(start):
    ring = endless(start, 2, timeout=60)
    os.kill(ring.workers()[1], signal.SIGSTOP)
    ring.process.kill()
    status, output = ring.end(25)
    assert status == -signal.SIGKILL
    assert "attnlib.ring: the launcher is gone" in output


@pytest.fixture
def as_process(monkeypatch):
    """`as_process(rank, *arguments)` runs the command here; returns status and seconds waited."""

    def end(status):
        raise SystemExit(status)

    def as_process(rank, *arguments):
        waited = []
        monkeypatch.setattr(os, "_exit", end)
        monkeypatch.setattr(guard.time, "sleep", waited.append)
        monkeypatch.setattr(guard, "watch_parent", lambda ring: None)
        for name, value in {"RANK": rank, "LOCAL_RANK": rank}.items():
            monkeypatch.setenv(name, str(value))
        for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
            monkeypatch.setenv(name, "4")
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return ended.value.code, waited

    return as_process


REFUSED = {
    "-n 3": "n=3 is fewer rows than the 4 processes of the ring. Give at least n=4",
    "-n 6": "n=6 rows cannot be shared evenly by 4 processes. Give a multiple of 4",
    "-n many": "argument -n/--n: many is not an integer of at least 1",
    "--heads 0": "argument --heads: 0 is not an integer of at least 1",
    "--seed -1": "argument --seed: -1 is not an integer of at least 0",
    "--timeout 0": "argument --timeout: 0 is not seconds, at least 0.1",
    "--timeout nan": "argument --timeout: nan is not seconds",
    "--layout zigzag": "argument --layout: invalid choice",
    "--layout striped --compare": "argument --compare: not allowed with argument --layout",
    "--heds 8": "unrecognized arguments: --heds 8",
    "--json /no/such/folder/x": "--json /no/such/folder/x cannot be written: No such file",
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.items())
def test_a_bad_option_is_refused_before_any_message(as_process, capsys, arguments, message):
    assert as_process(0, *arguments.split()) == (guard.REFUSED, [])
    said = capsys.readouterr()
    assert said.err.startswith(f"attnlib.ring: {message}")
    assert said.err.count("\n") == 1 and said.out == ""


def test_only_rank_0_speaks_and_the_others_wait_until_it_has(as_process, capsys):
    assert as_process(2, "-n", "6") == (guard.REFUSED, [60])
    assert capsys.readouterr() == ("", "")


def test_a_process_started_by_itself_says_how_to_start_the_ring():
    command = [sys.executable, "-m", "attnlib.ring", "-n", "12"]
    environment = {k: v for k, v in os.environ.items() if "RANK" not in k}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == guard.REFUSED and done.stdout == ""
    assert done.stderr.startswith("attnlib.ring: this is one process of a ring")
    assert f"Run: {launch.COMMAND}\n" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("variable", "wanted", "expected"),
    [(None, None, 2), ("1", None, 2), ("5", None, 5), ("5", 1, 1), ("4,2", None, 2)],
)
def test_threads_fill_the_machine_unless_something_else_is_asked_for(
    monkeypatch, variable, wanted, expected
):
    monkeypatch.setattr(launch, "cores", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if variable:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert launch.thread_count(4, wanted) == expected
    assert launch.thread_count(16, wanted) == (1 if expected == 2 else expected)


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
    ],
)
def test_an_error_that_can_be_expected_is_said_in_one_line(error, words):
    message = guard.explain(error, 1, 4.0)
    assert words.split(" .* ")[0] in message and words.split(" .* ")[-1] in message
    assert "\n" not in message and message.count(".") >= 1


def test_an_error_that_nobody_expects_keeps_its_traceback():
    assert guard.explain(RuntimeError("mat1 and mat2 shapes differ"), 1, 4.0) is None
