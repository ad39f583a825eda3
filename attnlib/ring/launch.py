"""Where a process stands in the ring, how many threads it uses, and how it meets the others."""

import os
import signal
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist

from attnlib.ring.guard import Refused

#: How a ring is started.  Without ``--local-addr`` the launcher looks up this machine's name, and
#: waits for minutes where no name server knows it.
COMMAND = (
    "python -m torch.distributed.run --standalone --local-addr localhost --nproc-per-node 4 "
    "-m attnlib.ring"
)


@dataclass(frozen=True)
class Place:
    """Where this process stands.

    Parameters
    ----------
    rank, world : int
        Its number in the ring, and how many processes there are.
    local_rank, local_world : int
        The same on this machine alone.
    """

    rank: int
    world: int
    local_rank: int
    local_world: int

    @property
    def alone(self):
        """Whether the whole ring is on this machine."""
        return self.world == self.local_world


def place():
    """Read from the environment where this process stands.

    Returns
    -------
    Place

    Raises
    ------
    Refused
        If the program was not started by ``torch.distributed.run``.
    """
    try:
        names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
        return Place(*(int(os.environ[name]) for name in names))
    except (KeyError, ValueError):
        raise Refused(
            f"this is one process of a ring and was started by itself. Run: {COMMAND}"
        ) from None


def thread_count(local_world, wanted=None):
    r"""Return how many threads a process uses, so that all of them together fill the machine.

    An OMP_NUM_THREADS above 1 is kept.  A 1 is not taken as a wish: torch.distributed.run itself
    sets it to 1 where it is not set, and a process cannot tell which it was.  For one thread each
    give ``--threads 1``.

    Parameters
    ----------
    local_world : int
        Processes on this machine.
    wanted : int, optional
        What the command asks for; it goes before everything.

    Returns
    -------
    int

    Notes
    -----
    .. math:: \max(1, \lfloor \text{cores} / P \rfloor)

    Examples
    --------
    >>> thread_count(4, wanted=3)
    3
    """
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if wanted:
        return wanted
    if asked.isdigit() and int(asked) > 1:
        return int(asked)
    return max(1, cores() // local_world)


def cores():
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def device_of(here):
    """Return the process's own GPU if every process on this machine can have one, else the CPU.

    Parameters
    ----------
    here : Place

    Returns
    -------
    torch.device
    """
    if dist.is_nccl_available() and torch.cuda.device_count() >= here.local_world:
        return torch.device("cuda", here.local_rank)
    return torch.device("cpu")


@contextmanager
def process_group(here, timeout):
    """Join the other processes; leave them in the end, but not after an error.

    Parameters
    ----------
    here : Place
    timeout : float
        Seconds after which a process that waits for another one gives up.

    Yields
    ------
    device : torch.device
        Where this process computes.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends also a process that waits
    device = device_of(here)
    if device.type == "cuda":
        torch.cuda.set_device(device)
    elif here.alone:
        _stay_on_this_machine()
    dist.init_process_group(
        "nccl" if device.type == "cuda" else "gloo",
        timeout=timedelta(seconds=timeout),
        device_id=device if device.type == "cuda" else None,
    )
    yield device
    dist.destroy_process_group()


def _stay_on_this_machine():
    """Use the loopback interface alone: no name of this machine has to be looked up."""
    names = [name for _, name in socket.if_nameindex() if name in ("lo", "lo0")]
    if names:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", names[0])


def process_ids(here):
    """Return the ids of all processes of the ring, if they are all on this machine.

    Parameters
    ----------
    here : Place

    Returns
    -------
    list of int
    """
    found = [None] * here.world
    dist.all_gather_object(found, os.getpid())
    return found if here.alone else []
