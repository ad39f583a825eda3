"""SmolLM2, a language model that people use, of the parts of this package and nothing else."""

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.blocks import DecoderOnly, EncoderBlock, RMSNorm, StackCache
from attnlib.data import gguf
from attnlib.data.published import SMOLLM
from attnlib.networks.byte_pairs import BytePairs
from attnlib.parameters import Parameters, Part, Parts
from attnlib.projections import project

#: Names of a block's matrices in the file -> those of the layers, which read them transposed.
MATRICES = {
    "attn_q": "attention.W_Q",
    "attn_k": "attention.W_K",
    "attn_v": "attention.W_V",
    "attn_output": "attention.W_O",
    "ffn_gate": "feed_forward.W_gate",
    "ffn_up": "feed_forward.W_1",
    "ffn_down": "feed_forward.W_2",
}
GAINS = {"attn_norm": "norm_1.gain", "ffn_norm": "norm_2.gain"}


class SmolLM(Parameters):
    r"""Tell the next token of a text from those before it.

    Parameters
    ----------
    E : array_like
        A row for each token; it also scores them at the end.
    blocks : sequence of EncoderBlock
        With rotary positions, shared keys, norms by the mean square and gates.
    norm : RMSNorm
        The norm at the end.
    context : int
        How many tokens it was trained to read at once.

    Notes
    -----
    A decoder-only stack between two uses of one matrix (Allal et al. 2025):

    .. math:: p_t = \mathrm{softmax}(\mathrm{stack}(E_x)_t \, E^\top)

    Examples
    --------
    One of the same kind, with nothing learned: nine tokens, two blocks.

    >>> import numpy as np
    >>> rng, norm = np.random.default_rng(0), RMSNorm.initial(8)
    >>> options = {"n_kv_heads": 1, "norm": "rms", "gated": True}
    >>> blocks = [EncoderBlock.random(rng, 8, 2, **options) for _ in range(2)]
    >>> model = SmolLM(rng.normal(size=(9, 8)), blocks, norm, context=16)
    >>> logits, weights = model([3, 1, 4])
    >>> logits.shape, len(weights), weights[0].shape
    ((3, 9), 2, (2, 3, 3))
    """

    E: Shape("(n_tokens, d_model)")
    blocks: Parts(EncoderBlock, d_model="d_model")
    norm: Part(RMSNorm, d="d_model")
    context: _checks.count

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "stack", DecoderOnly(self.blocks, self.norm))

    @classmethod
    def of(cls, metadata, tensors):
        """Build the model of what `gguf.read` returns."""
        known = {key.split(".", 1)[-1]: x for key, x in metadata.items()}
        arrays = {"E": tensors["token_embd.weight"], "norm.gain": tensors["output_norm.weight"]}
        for i in range(known["block_count"]):
            for name, ours in MATRICES.items():
                arrays[f"blocks.{i}.{ours}"] = tensors[f"blk.{i}.{name}.weight"].T
            for name, ours in GAINS.items():
                arrays[f"blocks.{i}.{ours}"] = tensors[f"blk.{i}.{name}.weight"]
        return cls.from_parameters(
            arrays,
            context=known["context_length"],
            n_heads=known["attention.head_count"],
            n_kv_heads=known["attention.head_count_kv"],
            positions="Rotary",
            base=known["rope.freq_base"],
            convention="neighbours",  # as llama.cpp stores queries and keys
            norm_1="RMSNorm",
            norm_2="RMSNorm",
            epsilon=known["attention.layer_norm_rms_epsilon"],
            activation="silu",
            norm_first=True,
        )

    @checked(x=_checks.integers, cache=StackCache)
    def __call__(self, x, *, cache=None):
        """Score what may follow each token.

        Parameters
        ----------
        x : array_like of int, shape (..., n)
            Tokens.
        cache : StackCache, optional
            Of this model's `stack`; x are the next tokens, and are kept in it.

        Returns
        -------
        logits : ndarray, shape (..., n, n_tokens)
        weights : tuple of ndarray, each of shape (..., n_heads, n, n_before + n)
            Those of each block.
        """
        if not x.size or x.ndim == 0 or not 0 <= x.min() <= x.max() < len(self.E):
            raise ValueError(f"x must hold tokens, numbers from 0 to {len(self.E) - 1}, not {x}.")
        H, weights = self.stack(self.E[x], cache=cache)
        return project(H, self.E.T), weights


#: What was read in this process, and what is being read.
_read, _reading = {}, []


def load():
    """Return the model and what cuts texts into its tokens; None twice where its file is not here.

    It takes seconds and 700 MB of memory, once.

    Raises
    ------
    ModelError
        If there is a file that is another one.
    """
    while read_on() < 1:
        pass
    return _read.get("model", (None, None))


def read_on():
    """Take one more step of `load`, and return how much of it is done; 1 at its end."""
    if "model" in _read:
        return 1.0
    steps = _reading.pop() if _reading else _steps()  # after an error, from the start
    share = next(steps, 1.0)
    if share < 1:
        _reading.append(steps)
    return share


def _steps():
    """Check the file, read its tensors, build the model; yield how much is done."""
    yield 0.0
    if path := SMOLLM.find():
        metadata, tensors = {}, {}
        with path.open("rb", buffering=1 << 20) as file:
            for share in gguf.steps(file, metadata, tensors):
                yield 0.95 * share
        _read["model"] = SmolLM.of(metadata, tensors), BytePairs.of(metadata)
