"""Masks: which query may attend to which key.

A mask is a boolean array whose shape broadcasts to ``(..., n_q, n_k)``; True means "may attend".
Masks combine as any boolean arrays do: ``&`` allows what both allow, ``|`` what either allows.
"""

from attnlib.masks.items import from_graph, padding
from attnlib.masks.positions import causal, sliding_window

__all__ = ["causal", "padding", "sliding_window", "from_graph"]  # noqa: RUF022
