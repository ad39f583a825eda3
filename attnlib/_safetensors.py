"""Arrays by name in one file, in the format safetensors.

Eight bytes with the length of a header, the header in JSON, then the numbers of all arrays.  The
library of that name writes and reads the same files; the Python of the page cannot have it.
"""

import json
import math
from pathlib import Path

import numpy as np

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I8": "<i1", "I32": "<i4", "I64": "<i8"}
CODES = {np.dtype(kind): code for code, kind in TYPES.items()}


def write(path, arrays, metadata):
    """Write arrays by name, and texts by name beside them."""
    header, end = {"__metadata__": metadata}, 0
    for name, array in arrays.items():
        place = [end, end := end + array.nbytes]
        header[name] = {
            "dtype": CODES[array.dtype],
            "shape": array.shape,
            "data_offsets": place,
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    numbers = [a.astype(TYPES[CODES[a.dtype]]).tobytes() for a in arrays.values()]
    Path(path).write_bytes(b"".join([len(text).to_bytes(8, "little"), text, *numbers]))


def read(path):
    """Return arrays by name, and texts by name; refuse a file that is not whole."""
    content = Path(path).read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    body, arrays, end = content[start:], {}, 0
    try:
        header = json.loads(content[8:start])
        metadata = header.pop("__metadata__", {})
        for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
            kind, shape = np.dtype(TYPES[entry["dtype"]]), entry["shape"]
            if entry["data_offsets"] != [end, end := end + math.prod(shape) * kind.itemsize]:
                raise ValueError(f"{name} has no place of its own")
            place = body[slice(*entry["data_offsets"])]
            arrays[name] = np.frombuffer(place, kind).reshape(shape).copy()
        if start + end != len(content):
            raise ValueError(f"{len(content)} bytes instead of {start + end}")
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise ValueError(
            f"{path} is no file of safetensors with numbers of {', '.join(TYPES)}, or it is not "
            f"whole: {wrong}. Give one that `save` wrote, or save it again."
        ) from wrong
    return arrays, metadata
