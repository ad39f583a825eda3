"""Read models from GGUF files, which hold their numbers in four or eight bits each."""

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
    content : bytes-like
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
    at = 0

    def take(form):
        nonlocal at
        at += struct.calcsize("<" + form)
        return struct.unpack_from("<" + form, content, at - struct.calcsize("<" + form))

    def text():
        return str(take(f"{take('Q')[0]}s")[0], "utf-8")

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
        metadata = {text(): value(*take("I")) for _ in range(n_values)}
        places = [(text(), take(f"{take('I')[0]}Q")[::-1], *take("IQ")) for _ in range(n_tensors)]
        step = metadata.get("general.alignment", 32)
        start = -(-at // step) * step
        tensors = {name: tensor(content, start + at, *how) for name, *how, at in places}
    except (struct.error, UnicodeDecodeError, KeyError, IndexError, ValueError) as wrong:
        raise ValueError(f"this is no whole GGUF file that can be read here: {wrong}") from wrong
    return metadata, tensors


def tensor(content, start, shape, kind):
    """Read a tensor that begins at a byte, as float32."""
    per_block, parts = BLOCKS[kind]
    count = int(np.prod(shape)) // per_block
    return numbers(np.frombuffer(content, parts, count, start)).reshape(shape)


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
