"""What language models are scored with: windows of a text."""

import numpy as np

from attnlib.training import adam

__all__ = ["adam", "cut"]


def cut(ids, least, context):
    """Cut windows that overlap, so that each character from number `least` on is guessed once.

    Yields arrays of windows, 128 at most.  Of each window all but the last character are read, at
    most `context`; those with `least` others before them in the window are guessed.

    >>> [windows.tolist() for windows in cut(np.arange(6), least=2, context=3)]
    [[[0, 1, 2, 3], [2, 3, 4, 5]]]
    """
    if least > context:
        raise ValueError(f"least={least} is more than context={context}.")
    if len(ids) <= least:
        raise ValueError(f"text has {len(ids)} characters; give more than least={least}.")
    starts = np.arange(0, len(ids) - least, context - least + 1)
    whole = starts[starts + context < len(ids)]
    for i in range(0, len(whole), 128):
        yield ids[whole[i : i + 128, None] + np.arange(context + 1)]
    if len(whole) < len(starts):  # what is left is one shorter window
        yield ids[None, starts[-1] :]
