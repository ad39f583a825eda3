"""How a process of the ring ends when something is wrong: one line, a status, none left behind."""

import json
import os
import signal
import sys
import threading
import time

#: Exit status of a launch that was refused, and of one that broke.
REFUSED, BROKEN = 2, 1


class Refused(Exception):
    """Something in the command is wrong, and every process finds the same."""


def watch_parent(ring, every=0.5):
    """End this process soon after the launcher has gone, whatever it is doing.

    A launcher that is killed has no time to end its processes.  They would go on by themselves.

    Parameters
    ----------
    ring : list of int
        Ids of the processes of this ring on this machine; may be filled in later.
    every : float, optional
        Seconds between two looks.
    """
    parent = os.getppid()

    def watch():
        while os.getppid() == parent:
            time.sleep(every)
        leave("the launcher is gone, so this process ends, too. Start again.", BROKEN, ring)

    threading.Thread(target=watch, daemon=True, name="watch the launcher").start()


def refuse(message, rank, patience=60):
    """Let rank 0 say what is wrong with the command, and end.

    The launcher ends all processes as soon as one has failed.  So the others wait for that, or
    rank 0 might be ended before it could speak.

    Parameters
    ----------
    message : str
        One line that names what is wrong, and the remedy.
    rank : int
        This process.
    patience : float, optional
        Seconds that the others wait at most.
    """
    if rank:
        time.sleep(patience)
    leave(message if rank == 0 else "", REFUSED)


def leave(message, status, ring=()):
    """Say why, and end this process at once.

    At once, because a normal end would first wait for messages that may never come.

    Parameters
    ----------
    message : str
        One line; nothing is said if it is empty.
    status : int
        The exit status.
    ring : sequence of int, optional
        Ids of processes to be woken.
    """
    if message:
        tell_launcher(message)
        sys.stdout.flush()
        sys.stderr.write(f"attnlib.ring: {message}\n")  # one write, so that lines do not mix
        sys.stderr.flush()
    wake(ring)
    os._exit(status)


def wake(ring):
    """Let stopped processes go on, so that they can obey when the launcher ends them.

    A stopped process does not notice SIGTERM, and the launcher waits half a minute for it.

    Parameters
    ----------
    ring : sequence of int
        Process ids.
    """
    for process in ring:
        try:
            os.kill(process, signal.SIGCONT)
        except (ProcessLookupError, PermissionError):
            pass  # it has ended already


def tell_launcher(message):
    """Write the message where torch.distributed.run looks for the cause of a failure.

    It prints many lines of its own about a failed process; with this, ours is among the last.

    Parameters
    ----------
    message : str
        One line.
    """
    path = os.environ.get("TORCHELASTIC_ERROR_FILE")
    if path:
        about = {"message": message, "extraInfo": {"timestamp": int(time.time())}}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"message": about}, file)


def explain(error, rank, timeout):
    """Say in one line what an error while the ring runs means, and what to do.

    Parameters
    ----------
    error : RuntimeError, MemoryError or OSError
        What was raised.
    rank : int
        The process in which it was raised.
    timeout : float
        How many seconds that process had patience.

    Returns
    -------
    str or None
        None if the error is none of those that can be expected.

    Examples
    --------
    >>> print(explain(RuntimeError("gloo: Timed out waiting 5000ms"), 1, 5))
    rank 1 heard nothing from another process for 5 s: it is stopped, or slower than that.
    Start again, and if it was slow give a larger --timeout.
    """
    text = str(error).lower()
    if isinstance(error, OSError):
        return f"rank {rank} cannot write the results: {error}. Look at the disk and at --json."
    if isinstance(error, MemoryError) or ("memory" in text and "alloc" in text):
        return f"rank {rank} has too little memory. Give a smaller -n, or start more processes."
    if "timed out" in text or "timeout" in text:
        return (
            f"rank {rank} heard nothing from another process for {timeout:g} s: it is stopped, or "
            f"slower than that. Start again, and if it was slow give a larger --timeout."
        )
    if any(word in text for word in ("gloo", "nccl", "connection", "socket", "store")):
        return f"rank {rank} lost another process of the ring, which has ended. Start again."
    return None
