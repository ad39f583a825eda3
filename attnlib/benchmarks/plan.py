"""Which measurements a run makes, and in which order."""

from dataclasses import asdict, dataclass

import numpy as np

from attnlib.benchmarks.work import ITEMSIZE, PASSES

#: What is measured where nothing else is asked for.
SWEEP = {
    "cuda": {
        "tokens": 16384,
        "width": 2048,
        "n": [512, 1024, 2048, 4096, 8192, 16384, 32768],
        "d": [64, 128],
        "dtype": ["bfloat16", "float16"],
        "repeats": 30,
        "warmup": 5,
    },
    "cpu": {
        "tokens": 4096,
        "width": 512,
        "n": [256, 512, 1024, 2048, 4096],
        "d": [64],
        "dtype": ["float32"],
        "repeats": 15,
        "warmup": 2,
    },
}

#: What --quick puts in the place of that: enough to see that everything works.
QUICK = {
    "tokens": 256,
    "width": 128,
    "n": [64, 128, 256],
    "d": [64],
    "repeats": 5,
    "warmup": 1,
}


@dataclass(frozen=True)
class Group:
    """What is measured together: the same inputs for every back end, one after the other.

    Parameters
    ----------
    n : int
        Number of queries, and of keys, in a sequence.
    batch, n_heads, d : int
        Number of sequences, of heads, and length of a key and of a value.
    dtype : str
        Name of the number type.
    causal : bool
        Whether a query attends to no later position.

    Examples
    --------
    >>> group = Group(n=512, batch=2, n_heads=4, d=64, dtype="float32", causal=True)
    >>> group.size["n_heads"], group.key("flash")
    (4, (512, 64, 'float32', True, 'flash'))
    """

    n: int
    batch: int
    n_heads: int
    d: int
    dtype: str
    causal: bool

    @property
    def size(self):
        """The fields as a dict, as `work` takes them."""
        return asdict(self)

    def key(self, backend):
        """Return what tells one row from all others."""
        return self.n, self.d, self.dtype, self.causal, backend

    def seed(self, seed):
        """Return the seed of this group's inputs, the same whichever groups came before."""
        numbers = [seed, self.n, self.d, list(ITEMSIZE).index(self.dtype), int(self.causal)]
        return int(np.random.SeedSequence(numbers).generate_state(1)[0])

    def order(self, backends, seed):
        """Return the back ends in the order in which they are measured, shuffled by the seed."""
        return [str(name) for name in np.random.default_rng(self.seed(seed)).permutation(backends)]


def groups(settings):
    """Return what a run measures, in its order.

    Parameters
    ----------
    settings : dict
        As `settings_for` makes it.

    Returns
    -------
    list of Group
        The first dtype before the second, without a mask before causal, short sequences before
        long ones.  Each has about ``tokens`` positions in all, and heads that are ``width`` wide
        together, so every group has the same number of inputs.

    Examples
    --------
    >>> settings = {"tokens": 8, "width": 4, "n": [4, 8], "d": [2], "causal": [False, True]}
    >>> [(g.n, g.batch, g.n_heads, g.causal) for g in groups(settings | {"dtype": ["float32"]})]
    [(4, 2, 2, False), (8, 1, 2, False), (4, 2, 2, True), (8, 1, 2, True)]
    """
    return [
        Group(
            n=n,
            batch=max(1, settings["tokens"] // n),
            n_heads=settings["width"] // d,
            d=d,
            dtype=dtype,
            causal=causal,
        )
        for dtype in settings["dtype"]
        for causal in settings["causal"]
        for n in settings["n"]
        for d in settings["d"]
    ]


def settings_for(device, *, quick=False, **chosen):
    """Return the settings of a run: what was chosen, and the usual for the rest.

    Parameters
    ----------
    device : {"cpu", "cuda"}
        Where attention is computed.
    quick : bool, optional
        Whether the usual is a small sweep that only shows that everything works.
    **chosen : optional
        ``n``, ``d``, ``dtype``, ``causal``, ``backends`` (lists), ``tokens``, ``width``,
        ``repeats``, ``warmup``, ``row_seconds`` (numbers).  None stands for the usual.

    Returns
    -------
    dict
        All of these, and ``quick``.

    Raises
    ------
    ValueError
        If a list names something twice, a number is too small, or ``width`` cannot be split into
        heads.

    Examples
    --------
    >>> settings_for("cpu", quick=True, n=[32])["n"], settings_for("cuda")["d"]
    ([32], [64, 128])
    """
    usual = {"causal": [False, True], "backends": list(PASSES), "row_seconds": 2.0, "quick": quick}
    settings = usual | SWEEP[device] | (QUICK if quick else {})
    settings |= {name: value for name, value in chosen.items() if value is not None}
    for name in ("n", "d", "dtype", "causal", "backends"):
        if len(set(settings[name])) != len(settings[name]):
            raise ValueError(f"{name}={settings[name]} names something twice. Name each once.")
    least = {"tokens": 1, "width": 1, "repeats": 1, "warmup": 0, "row_seconds": 0}
    for name, at_least in least.items():
        if settings[name] < at_least:
            raise ValueError(f"{name}={settings[name]} is too small. Give at least {at_least}.")
    if min(settings["n"] + settings["d"]) < 1:
        raise ValueError(f"n={settings['n']} and d={settings['d']} must all be at least 1.")
    odd = [d for d in settings["d"] if settings["width"] % d]
    if odd:
        raise ValueError(
            f"width={settings['width']} cannot be split into heads of d={odd[0]}. Give a width "
            f"that every d divides."
        )
    return settings
