"""Timers against a clock, a GPU and a machine made up for the test, and memory that is known."""

import subprocess
import sys
import time
import tracemalloc
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import attnlib
from attnlib.timing import Timing, measure, peak_memory

MB = 10**6


def failing(error):
    return lambda *arguments, **options: (_ for _ in ()).throw(error)


def giving(result):
    return lambda *arguments, **options: result


class Clock:
    """A clock that goes on while it is read, and when it is told to."""

    def __init__(self):
        self.now, self.readings, self.interrupted_at = 1000.0, 0, None

    def perf_counter(self):
        self.readings += 1
        read = self.now
        self.now += 90 if self.readings == self.interrupted_at else 0.5
        return read

    def work(self, *seconds):
        """A function whose calls take these times, one after the other, and what is left."""
        left = list(seconds)
        return lambda: setattr(self, "now", self.now + left.pop(0)), left


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(time, "perf_counter", clock.perf_counter)
    return clock


def test_calls_are_timed_after_the_warm_up(clock):
    work, left = clock.work(100, 200, 5, 1, 4, 2, 3)
    timing = measure(work, repeats=5, warmup=2)
    assert_array_equal(timing.seconds, [5.5, 1.5, 4.5, 2.5, 3.5])
    assert left == [] and timing.repeats == 5 and isinstance(timing, Timing)
    assert (timing.p50, timing.overhead, timing.device) == (3.5, 0.5, "cpu")
    timing = measure(clock.work(7)[0], repeats=1, warmup=0)
    assert timing.seconds.tolist() == [7.5] and timing.p20 == timing.p50 == timing.p80 == 7.5


def test_defaults_are_3_warm_up_and_20_calls(clock):
    work, left = clock.work(*range(40))
    assert_array_equal(measure(work).seconds, np.arange(3, 23) + 0.5)
    assert left == list(range(23, 40))


@pytest.mark.parametrize(("repeats", "calls"), [(1, 9), (9, 9), (30, 30)])
def test_the_overhead_is_a_median_of_empty_calls(clock, repeats, calls):
    clock.interrupted_at = 2 * repeats + 5
    timing = measure(lambda: None, repeats=repeats)
    assert clock.readings == 2 * (repeats + calls)
    assert timing.seconds.tolist() == [0.5] * repeats and timing.overhead == 0.5


def test_quantiles():
    """Of eleven calls the third, the sixth and the ninth; of six the second and the fifth."""
    timing = Timing(np.random.default_rng(0).permutation(11), 0, "cpu")
    assert (timing.p20, timing.p50, timing.p80, timing.repeats) == (2, 5, 8, 11)
    timing = Timing([50, 20, 40, 10, 30, 60], 0.5, "cuda")
    assert (timing.p20, timing.p50, timing.p80, timing.repeats) == (20, 35, 50, 6)
    assert (timing.overhead, timing.device) == (0.5, "cuda")
    timing = Timing(np.arange(6, dtype=np.float32), np.float32(0.5), "cpu")
    assert timing.seconds.dtype == np.float32 and Timing([0], 0, "cpu").seconds.dtype == float
    assert {type(q) for q in (timing.p20, timing.p50, timing.p80)} == {float}
    assert timing != Timing(timing.seconds, 0.5, "cpu") and len({timing, timing}) == 1
    with pytest.raises(AttributeError, match="cannot assign"):
        timing.overhead = 0


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_a_quantile_bounds_its_share_of_calls(seconds):
    timing = Timing(seconds, 0, "cpu")
    assert min(seconds) <= timing.p20 <= timing.p50 <= timing.p80 <= max(seconds)
    for share, quantile in ((0.2, timing.p20), (0.5, timing.p50), (0.8, timing.p80)):
        assert sum(t <= quantile for t in seconds) >= share * len(seconds) - 1e-9, share


BAD = [
    (Timing, "seconds", [], ValueError, r"has shape \(0,\).* one row of times.*Give one number"),
    (Timing, "seconds", [[1.0]], ValueError, r"has shape \(1, 1\) "),
    (Timing, "seconds", [1, -1e-9], ValueError, ".* none of them negative"),
    (Timing, "seconds", [1, np.inf], ValueError, r"of shape \(2,\) holds inf at index 1"),
    (Timing, "overhead", -1e-9, ValueError, r"=-1e-09 is negative\. Give a time in seconds"),
    (Timing, "overhead", np.nan, ValueError, "=nan is not finite"),
    (Timing, "device", "tpu", ValueError, r"='tpu' is unknown\. Choose \"cpu\" or \"cuda\"\."),
    (measure, "f", 3, TypeError, r"must be a function, not 3\. Wrap the call: lambda"),
    (measure, "repeats", 0, ValueError, r"=0 is too small\. Give .* at least 1"),
    (measure, "warmup", -1, ValueError, r"=-1 is too small\. Give .* at least 0"),
    (measure, "device", ["cpu"], ValueError, r"=\['cpu'\] is unknown\. Choose"),
    (peak_memory, "f", 3, TypeError, r"must be a function, not 3\. Wrap the call: lambda"),
    (peak_memory, "by", "torch", ValueError, r"='torch' .*Choose \"arrays\" or \"process\"\."),
]


@pytest.mark.parametrize(("function", "name", "bad", "error", "message"), BAD)
def test_bad_input_is_refused_before_any_call(function, name, bad, error, message):
    calls, good = [], {"seconds": [1.0], "overhead": 0, "device": "cpu"}
    good = good if function is Timing else {"f": lambda: calls.append(1)}
    with pytest.raises(error, match=f"^{name} ?{message}"):
        function(**good | {name: bad})
    assert not calls and not tracemalloc.is_tracing()


class Gpu:
    """What PyTorch offers for measuring, on a simulated clock; calls are recorded."""

    int8 = "int8"

    def __init__(self, available=True):
        self.now, self.log, self.waited = 0.0, [], False
        self.allocated = self.peak = 700 * MB
        self.cuda = SimpleNamespace(
            Event=lambda enable_timing=False: Event(self, enable_timing),
            is_available=lambda: available,
            max_memory_allocated=lambda: self.log.append("peak") or self.peak,
            memory_allocated=lambda: self.allocated,
            reset_peak_memory_stats=self.reset,
            synchronize=lambda: self.log.append("wait") or setattr(self, "waited", True),
        )

    def reset(self):
        self.log.append("reset")
        self.peak = self.allocated

    def hold(self, size):
        self.allocated += size
        self.peak = max(self.peak, self.allocated)

    def empty(self, size, dtype, device):
        assert (size, dtype, device) == (256 * 2**20, "int8", "cuda")
        return SimpleNamespace(zero_=lambda: self.do("flush", 1000))

    def do(self, what, seconds):
        self.log.append(what)
        self.now, self.waited = self.now + seconds, False


class Event:
    """A moment on the GPU, which is known only after waiting for it."""

    def __init__(self, gpu, enable_timing):
        assert enable_timing
        self.gpu = gpu

    def record(self):
        self.moment = self.gpu.now
        self.gpu.do("event", 0.25)

    def elapsed_time(self, end):
        assert self.gpu.waited
        return 1000 * (end.moment - self.moment)  # milliseconds


def test_gpu_events_time_calls_with_cold_caches(monkeypatch):
    gpu = Gpu()
    monkeypatch.setitem(sys.modules, "torch", gpu)
    durations = [100, 200, 5, 1, 4]
    options = {"repeats": 3, "warmup": 2, "device": "cuda"}
    timing = measure(lambda: gpu.do("work", durations.pop(0)), **options)
    assert_allclose(timing.seconds, [5.25, 1.25, 4.25], rtol=1e-12)
    assert (timing.overhead, timing.device, durations) == (0.25, "cuda", [])
    call = ["flush", "event", "work", "event"]
    nothing = ["flush", "event", "event"]
    log = ["work", "work", "wait", *call * 3, "wait", "wait", *nothing * 9, "wait"]
    assert gpu.log == log


@pytest.mark.parametrize("ask", [measure, peak_memory])
def test_without_a_gpu_nothing_is_called(monkeypatch, ask):
    for torch, why in ((Gpu(available=False), "no GPU"), (None, "needs torch.*not installed")):
        monkeypatch.setitem(sys.modules, "torch", torch)
        with pytest.raises(ValueError, match=rf"device=\"cuda\".*{why}.*\. \w+"):
            ask(failing(AssertionError("called")), device="cuda")


def test_gpu_memory_is_the_peak_above_before(monkeypatch):
    gpu = Gpu()
    monkeypatch.setitem(sys.modules, "torch", gpu)

    def work():
        gpu.do("work", 1)
        for megabytes in (5, 7, -9):
            gpu.hold(megabytes * MB)

    gpu.hold(90 * MB)
    gpu.hold(-90 * MB)
    assert peak_memory(work, device="cuda") == 12 * MB
    assert gpu.log == ["wait", "reset", "work", "wait", "peak"]
    assert peak_memory(lambda: gpu.hold(-MB), device="cuda") == 0


@pytest.fixture(autouse=True)
def nothing_is_traced_afterwards():
    yield
    tracemalloc.stop()


def array(megabytes):
    return np.ones(megabytes * MB, np.int8)


def several():
    first = array(3)
    second = array(5)
    del first
    return second, array(1)


HELD = [
    (several, 8),
    (lambda: array(4), 4),
    (lambda: [array(2) for _ in range(5)], 10),
    (lambda: [len(array(2)) for _ in range(5)], 2),
    (lambda: None, 0),
]


@pytest.mark.parametrize(("function", "megabytes"), HELD)
def test_memory_of_arrays_is_the_peak(function, megabytes):
    assert 0 <= peak_memory(function) - megabytes * MB < 2000
    assert np.ptp([peak_memory(function) for _ in range(4)]) < 2000


def test_what_was_held_before_does_not_count():
    before = array(20)
    assert 0 <= peak_memory(lambda: (array(1), before)) - MB < 2000
    tracemalloc.start()
    held = [array(20)]
    assert 0 <= peak_memory(lambda: held.clear() or array(1)) < 2000


@pytest.mark.parametrize(("before", "peak", "expected"), [(500, 400, 0), (400, 500, 100)])
def test_memory_is_never_negative(monkeypatch, tmp_path, before, peak, expected):
    """The system counts in units of 1024 bytes, and forgets its peak when it is told 5."""
    (tmp_path / "status").write_text(f"VmHWM:\t {peak} kB\nVmRSS:\t {before} kB\n")
    (tmp_path / "reset").touch()
    monkeypatch.setattr("attnlib.timing.memory._STATUS", tmp_path / "status")
    monkeypatch.setattr("attnlib.timing.memory._RESET_PEAK", tmp_path / "reset")
    assert peak_memory(list, by="process") == 1024 * expected
    assert (tmp_path / "reset").read_text() == "5"
    traced = iter([(before, before), (0, peak)])
    monkeypatch.setattr(tracemalloc, "get_traced_memory", traced.__next__)
    assert peak_memory(list) == expected


@pytest.mark.parametrize("by", ["arrays", "process"])
def test_what_the_function_returns_is_let_go(by):
    kept = []
    peak_memory(lambda: kept.append(weakref.ref(result := array(3))) or result, by=by)
    assert kept[0]() is None


@pytest.mark.parametrize("running", [False, True])
def test_tracing_is_left_as_it_was(running):
    if running:
        tracemalloc.start()
    for _ in range(2):
        assert 0 <= peak_memory(lambda: array(3)) - 3 * MB < 2000
        assert tracemalloc.is_tracing() == running
        with pytest.raises(ZeroDivisionError):
            peak_memory(lambda: 1 / 0)
        assert tracemalloc.is_tracing() == running


@pytest.mark.parametrize("lost", ["_STATUS", "_RESET_PEAK"])
def test_process_size_needs_a_system_that_tells(monkeypatch, lost):
    monkeypatch.setattr(f"attnlib.timing.memory.{lost}", "/nowhere/at/all")
    with pytest.raises(ValueError, match=r"by=\"process\" needs Linux\. Choose by=\"arrays\""):
        peak_memory(list, by="process")


FRESH = """
import sys
import numpy as np
from attnlib.timing import machine, measure, peak_memory
machine(), measure(list, repeats=2), peak_memory(list)
assert not {"torch", "scipy", "matplotlib"} & set(sys.modules)
ones = lambda: np.ones(10**7)
print(peak_memory(ones, by="process"), peak_memory(ones))
import torch
ones = lambda: torch.ones(2 * 10**7)
print(peak_memory(ones, by="process"), peak_memory(ones))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the size of a process")
def test_the_process_grows_with_arrays_and_tensors():
    """In a new process, which has freed no memory yet and has loaded nothing large."""
    folder = Path(attnlib.__file__).parent.parent
    command = [sys.executable, "-c", FRESH]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    by_process, by_arrays, torch_by_process, torch_by_arrays = map(int, done.stdout.split())
    assert_allclose([by_process, torch_by_process], 80 * MB, rtol=0.2)
    assert abs(by_arrays - 80 * MB) < 2000 and torch_by_arrays < MB
