"""Do something for a limited time: in a thread, or watched from inside where there are none."""

import contextvars
import ctypes
import sys
import threading
import time

PATIENCE = 2.0  # seconds for which work that is over its time is told to stop
AGAIN = 0.05  # seconds between two times that it is told


def within(limit, work):
    """Call ``work()``, and stop it when it takes longer than ``limit`` seconds.

    It is stopped by SystemExit raised inside it, because student code rarely catches it. Code that
    does is told again; what waits inside compiled code hears of it on its return.

    Returns
    -------
    in_time, stopped : bool
        Whether it ended by itself; if not, whether it could be stopped.
    """
    # WebAssembly has no threads. Only there is watching worth its price: a bare loop takes ten
    # times as long.
    return (_watched if sys.platform == "emscripten" else _in_thread)(limit, work)


def _in_thread(limit, work):
    run = contextvars.copy_context().run  # so that prints reach the cell that asked
    thread = threading.Thread(target=run, args=(work,), daemon=True)
    thread.start()
    late = True
    try:
        thread.join(limit)
        late = thread.is_alive()
    finally:  # also when the reader interrupts the cell
        stopped = stop(thread)
    return not late, stopped


def stop(thread):
    """Raise SystemExit inside a thread until it ends; False if it outlives our patience.

    Python lets a thread that is ended by it go without a word.
    """
    deadline = time.monotonic() + PATIENCE
    while thread.is_alive() and time.monotonic() < deadline:
        ident = ctypes.c_ulong(thread.ident)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(SystemExit))
        thread.join(AGAIN)
    return not thread.is_alive()


def _watched(limit, work):
    """At each jump and each call of a function Python asks whether the time is over.

    What stays deaf, or never comes back from compiled code, is ended from outside: by the page.
    """
    over = due = time.monotonic() + limit

    def look(*_):
        nonlocal due
        now = time.monotonic()
        if due < now < over + PATIENCE:
            due = now + AGAIN
            raise SystemExit

    events = sys.monitoring.events
    tool = next(n for n in range(6) if sys.monitoring.get_tool(n) is None)  # calls may be nested
    sys.monitoring.use_tool_id(tool, "attnlib")
    for event in (events.PY_START, events.JUMP):
        sys.monitoring.register_callback(tool, event, look)
    sys.monitoring.set_events(tool, events.PY_START | events.JUMP)
    try:
        contextvars.copy_context().run(work)
    except SystemExit:  # the time was over just as it ended
        pass
    finally:
        sys.monitoring.set_events(tool, 0)
        sys.monitoring.free_tool_id(tool)
    return time.monotonic() <= over, True
