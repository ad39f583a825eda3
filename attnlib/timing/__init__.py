"""Honest timers: how long a call takes, how much memory it needs, and on what machine.

Nothing here loads more than NumPy and the standard library until a GPU is asked for.
"""

from attnlib.timing.clock import Timing, measure
from attnlib.timing.hardware import machine
from attnlib.timing.memory import peak_memory

__all__ = ["Timing", "machine", "measure", "peak_memory"]
