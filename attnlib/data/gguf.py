"""Read models from GGUF files, which hold their numbers in four or eight bits each."""

import io
import math
import struct

import numpy as np

#: Kinds of values, in the letters of `struct`; 8 is a text, 9 an array.
VALUES = "BbHhIif?__Qqd"
#: Kinds of tensors: numbers in a block, and what a block is made of.
BLOCKS = {
    0: (1, [("q", "<f4")]),
    1: (1, [("q", "<f2")]),
    3: (32, [("scale", "<f2"), ("least", "<f2"), ("q", "u1", 16)]),
    8: (32, [("scale", "<f2"), ("q", "i1", 32)]),
}


def read(content):
    """Read what a GGUF file says about its model, and its tensors.

    Parameters
    ----------
    content : bytes
        The whole file.

    Returns
    -------
    metadata : dict
        Numbers, texts and lists of them, by name.
    tensors : dict of str to ndarray of float32
        A matrix has a row for each output.

    Raises
    ------
    ValueError
        If it is no such file, or not whole, or holds numbers in another form.
    """
    metadata, tensors = {}, {}
    for _ in steps(io.BytesIO(content), metadata, tensors):
        pass
    return metadata, tensors


def steps(file, metadata, tensors):
    """Read an open file into two dicts, a tensor at a time; yield how much of it is done."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)

    def piece(length):
        if length > size - file.tell():
            raise ValueError("it ends too early")
        return file.read(length)

    def take(form):
        return struct.unpack("<" + form, piece(struct.calcsize("<" + form)))

    def text():
        return str(piece(*take("Q")), "utf-8")

    def value(kind):
        if kind == 8:
            return text()
        if kind == 9:
            kind, n = take("IQ")
            return [text() for _ in range(n)] if kind == 8 else [*take(f"{n}{VALUES[kind]}")]
        return take(VALUES[kind])[0]

    try:
        magic, version, n_tensors, n_values = take("4sIQQ")
        if magic != b"GGUF" or version != 3:
            raise ValueError(f"it begins with {magic!r}, version {version}")
        for _ in range(n_values):
            name = text()
            metadata[name] = value(*take("I"))
            yield file.tell() / size
        places = [(text(), take(f"{take('I')[0]}Q")[::-1], *take("IQ")) for _ in range(n_tensors)]
        align = metadata.get("general.alignment", 32)
        start = -(-file.tell() // align) * align
        for name, shape, kind, at in places:
            if kind not in BLOCKS:
                raise ValueError(f"{name} is of kind {kind}; kinds 0, 1, 3 and 8 can be read")
            per_block, parts = BLOCKS[kind]
            parts, count = np.dtype(parts), math.prod(shape) // per_block
            file.seek(start + at)
            blocks = np.frombuffer(piece(count * parts.itemsize), parts)
            tensors[name] = numbers(blocks).reshape(shape)
            yield file.tell() / size
    except (struct.error, LookupError, ArithmeticError, TypeError, ValueError) as wrong:
        raise ValueError(f"This is no whole GGUF file that can be read here: {wrong}.") from wrong


def numbers(blocks):
    r"""Compute the numbers of blocks that hold them in few bits.

    Notes
    -----
    In four bits, two numbers to a byte, the low halves first; in eight bits without a least one:

    .. math:: x_i = \text{scale} \cdot q_i + \text{least}

    Examples
    --------
    >>> block = np.zeros(1, BLOCKS[3][1])
    >>> block["scale"], block["least"], block["q"][0, :2] = 0.5, -1, [0x52, 0x0F]
    >>> x = numbers(block)[0]
    >>> x[:2], x[16:18]
    (array([0. , 6.5], dtype=float32), array([ 1.5, -1. ], dtype=float32))
    """
    q, names = blocks["q"], blocks.dtype.names
    if "least" in names:
        q = np.concatenate([q & 15, q >> 4], axis=1)
    x = q.astype(np.float32)
    if "scale" in names:
        x *= blocks["scale"].astype(np.float32)[:, None]
    if "least" in names:
        x += blocks["least"].astype(np.float32)[:, None]
    return x
