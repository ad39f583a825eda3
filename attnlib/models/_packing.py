"""Parameters of trained networks in eight bits, as the JSON files in `trained` hold them."""

import base64

import numpy as np


def packed(arrays):
    """Return parameters in eight bits: name -> [unit, shape, whole numbers of it in base64].

    >>> packed({"b": np.array([0.0, -1.27])})
    {'b': [0.01, [2], 'AIE=']}
    """
    stored = {}
    for name, array in arrays.items():
        unit = float(f"{abs(array).max() / 127:.6g}") or 1.0
        whole = np.clip(np.round(array / unit), -127, 127).astype(np.int8)
        stored[name] = [unit, [*array.shape], base64.b64encode(whole.tobytes()).decode()]
    return stored


def unpacked(stored):
    """Return the arrays that were packed, by name.

    >>> unpacked({"b": [0.01, [2], "AIE="]})
    {'b': array([ 0.  , -1.27])}
    """
    return {
        name: unit * np.frombuffer(base64.b64decode(whole), dtype=np.int8).reshape(shape)
        for name, (unit, shape, whole) in stored.items()
    }
