"""How a process of the ring ends when something is wrong: one line, a status, none left behind."""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

#: Exit status of a launch that was refused, and of one that broke.
REFUSED, BROKEN = 2, 1


class Refused(Exception):
    """The command cannot be carried out, and every process comes to the same conclusion."""


def watch_parent(ring):
    """End this process soon after the launcher has gone, whatever it is doing.

    A launcher that is killed cannot end its processes.  `ring`, their ids, may be filled in later.
    """
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        leave("the launcher is gone, so this process ends, too. Start again.", BROKEN, ring)

    threading.Thread(target=watch, daemon=True, name="watch the launcher").start()


def leave(message, status, ring=()):
    """Say why in one line, and end at once: a normal end would wait for messages.

    Stopped processes of the ring are woken: they do not notice the launcher's SIGTERM, and it would
    wait half a minute for them.
    """
    if message:
        # The launcher looks for the cause here; torch's own `record` would add a traceback.
        about = {"message": message, "extraInfo": {"timestamp": int(time.time())}}
        file = Path(os.environ.get("TORCHELASTIC_ERROR_FILE", os.devnull))
        file.write_text(json.dumps({"message": about}), encoding="utf-8")
        sys.stdout.flush()
        sys.stderr.write(f"attnlib.ring: {message}\n")  # one write, so that lines do not mix
        sys.stderr.flush()
    for process in ring:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended already
            os.kill(process, signal.SIGCONT)
    os._exit(status)


def explain(error, rank, timeout):
    """Explain an error of a running ring in one line; None for an unexpected one."""
    text = str(error).lower()
    if isinstance(error, OSError):
        return f"rank {rank} cannot write the results: {error}. Look at the disk and at --json."
    if isinstance(error, MemoryError) or ("memory" in text and "alloc" in text):
        return f"rank {rank} has too little memory. Give a smaller -n, or start more processes."
    if "timed out" in text or "timeout" in text:
        silent = f"rank {rank} heard nothing from another process for {timeout:g} s: it is stopped"
        return f"{silent}, or slower than that. Start again, and if slow give a larger --timeout."
    if any(word in text for word in ("gloo", "nccl", "connection", "socket", "store")):
        return f"rank {rank} lost another process of the ring, which has ended. Start again."
    return None
