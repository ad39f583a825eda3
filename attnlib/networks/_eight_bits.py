"""Trained networks in eight bits a number, as the files in `trained` hold them for the page."""

import base64
import functools
import json
from pathlib import Path

import numpy as np

TRAINED = Path(__file__).with_name("trained")


def packed(network):
    """Return settings, and of each parameter its unit, its shape, whole numbers in base64.

    >>> from attnlib.scores import Location
    >>> packed(Location([[0.0, -1.27]], [1, 2]))["parameters"]["W"]
    [0.01, [1, 2], 'AIE=']
    """
    parameters = {}
    for name, array in network.parameters().items():
        unit = float(f"{abs(array).max() / 127:.6g}") or 1.0
        whole = np.clip(np.round(array / unit), -127, 127).astype(np.int8)
        parameters[name] = [unit, [*array.shape], base64.b64encode(whole.tobytes()).decode()]
    return {"settings": network.settings(), "parameters": parameters}


def unpacked(cls, stored):
    """Return the network of this class that was packed."""
    arrays = {
        name: unit * np.frombuffer(base64.b64decode(whole), dtype=np.int8).reshape(shape)
        for name, (unit, shape, whole) in stored["parameters"].items()
    }
    return cls.from_parameters(arrays, **stored["settings"])


def write(network, name):
    """Store a network as the one of this name that comes with the book."""
    stored = json.dumps(packed(network), ensure_ascii=False)
    (TRAINED / f"{name}.json").write_text(stored + "\n", encoding="utf-8")


def stored(name):
    """Return what was written under this name, which the page reads, too."""
    return json.loads((TRAINED / f"{name}.json").read_text(encoding="utf-8"))


@functools.cache
def read(cls, name):
    """Return the network of this class and name that comes with the book; nobody may change it."""
    network = unpacked(cls, stored(name))
    for array in network.parameters().values():
        array.setflags(write=False)
    return network
