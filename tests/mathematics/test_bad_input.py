"""Whatever is given in the place of an argument is taken or refused by name, and nothing else."""

import inspect
import re
from copy import copy
from functools import wraps

import numpy as np
import pytest

import attnlib
from attnlib import cost, efficient, gradients, timing

rng = np.random.default_rng(0)


def draw(*shape):
    array = np.random.default_rng(sum(shape)).normal(size=shape)
    array.setflags(write=False)
    return array


scores, weights = draw(3, 7), attnlib.softmax(draw(3, 7))
Q, K, V, X = draw(3, 5), draw(7, 5), draw(7, 4), draw(3, 6)
network = {"W_1": draw(6, 8), "b_1": draw(8), "W_2": draw(8, 6), "b_2": draw(6)}
heads = attnlib.MultiHeadAttention.random(rng, 6, 2)
norm = attnlib.LayerNorm.initial(6)
encoder = attnlib.EncoderBlock.random(rng, 6, 2, 8)
decoder = attnlib.DecoderBlock.random(rng, 6, 2, 8)
stack = attnlib.DecoderOnly.random(rng, 2, 6, 2, 8)
fields = {name: getattr(heads, name) for name in ("W_Q", "W_K", "W_V", "W_O")}
drawing = {"rng": rng, "d_model": 6, "n_heads": 2}
qkv = {"Q": Q, "K": K, "V": V}

work = {"operations": 6, "bytes": 4, "machine": cost.Ceilings(1e9, 1e8), "exponentials": 2}

#: A good call of every public function and class; every argument is spoilt in turn.
CALLS = {
    "attend": qkv | {"score": attnlib.dot, "normalize": attnlib.softmax, "mask": True},
    "scaled_dot_product_attention": qkv | {"mask": True, "scale": 0.5},
    "dot": {"Q": Q, "K": K},
    "scaled_dot": {"Q": Q, "K": K, "scale": 0.5},
    "dot_cost": {"n_q": 3, "n_k": 7, "d_k": 5},
    "Bilinear": {"W": draw(5, 5)},
    "Additive": {"W_q": draw(5, 4), "W_k": draw(5, 4), "v": draw(4)},
    "Location": {"W": draw(5, 9), "b": draw(9)},
    "causal": {"n_q": 3, "n_k": 7},
    "padding": {"lengths": [3, 1], "n_k": 7},
    "sliding_window": {"n_q": 3, "n_k": 7, "width": 2},
    "from_graph": {"adjacency": np.ones((3, 3)), "self_loops": True},
    "project": {"X": X, "W": draw(6, 4), "b": draw(4)},
    "split_heads": {"X": X, "n_heads": 2},
    "merge_heads": {"X": draw(2, 3, 4)},
    "MultiHeadAttention": fields | {"n_heads": 2} | {f"b_{letter}": draw(6) for letter in "QKVO"},
    "KeyValueCache": {"attention": heads},
    "sinusoidal": {"n": 3, "d_model": 6, "base": 100.0},
    "wavelengths": {"d_model": 6, "base": 100.0},
    "sinusoidal_shift": {"k": 3, "d_model": 6, "base": 100.0},
    "rotary": {"X": X, "positions": [0, 1, 2], "base": 100.0},
    "linear_bias": {"n_q": 3, "n_k": 7, "n_heads": 2},
    "layer_norm": {"X": X, "gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "LayerNorm": {"gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "relu": {"X": X},
    "gelu": {"X": X},
    "feed_forward": {"X": X} | network | {"activation": "relu"},
    "FeedForward": network | {"activation": "relu"},
    "EncoderBlock": {
        "attention": heads,
        "norm_1": norm,
        "feed_forward": encoder.feed_forward,
        "norm_2": norm,
        "norm_first": True,
    },
    "DecoderBlock": {
        "self_attention": heads,
        "norm_1": norm,
        "cross_attention": heads,
        "norm_2": norm,
        "feed_forward": encoder.feed_forward,
        "norm_3": norm,
        "norm_first": True,
    },
    "DecoderOnly": {"blocks": [encoder], "norm": norm},
    "finite_difference": {"f": np.sum, "x": draw(3)},
    "weighted_sum_vjp": {"d_output": draw(3, 4), "weights": weights, "V": V},
    "softmax_vjp": {"d_weights": draw(3, 7), "weights": weights, "temperature": 0.5},
    "sparsemax_vjp": {"d_weights": draw(3, 7), "weights": weights, "temperature": 0.5},
    "sigmoid_normalize_vjp": {"d_weights": draw(3, 7), "scores": scores, "temperature": 0.5},
    "scaled_dot_vjp": {"d_scores": scores, "Q": Q, "K": K, "scale": 0.5},
    "bilinear_vjp": {"d_scores": scores, "Q": Q, "K": K, "W": draw(5, 5)},
    "additive_vjp": {"d_scores": scores, "Q": Q, "K": K}
    | {"W_q": draw(5, 4), "W_k": draw(5, 4), "v": draw(4)},
    "location_vjp": {"d_scores": scores, "Q": Q, "K": K, "W": draw(5, 9), "b": draw(9)},
    "attention_vjp": {"d_output": draw(3, 4)} | qkv | {"mask": True, "scale": 0.5},
    "output_query_jacobian": {"q": draw(5), "K": K, "V": V, "scale": 0.5},
    "rotary_vjp": {"d_output": X, "positions": [0, 1, 2], "base": 100.0},
    "projection_vjp": {"d_output": draw(3, 4), "X": X, "W": draw(6, 4)},
    "multi_head_vjp": {"d_output": X, "attention": heads, "X_Q": X, "X_KV": X, "mask": True},
    "layer_norm_vjp": {"d_output": X, "X": X} | {"gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "feed_forward_vjp": {"d_output": X, "X": X} | network | {"activation": "gelu"},
    "encoder_block_vjp": {"d_output": X, "block": encoder, "X": X, "mask": True},
    "decoder_block_vjp": {"d_output": X, "block": decoder, "X": X, "memory": X}
    | {"mask": True, "memory_mask": True},
    "decoder_only_vjp": {"d_output": X, "stack": stack, "X": X, "mask": True},
}
CALLS |= {
    "efficient.row_blocks": qkv | {"block": 2, "mask": True, "causal": True},
    "efficient.online_softmax": qkv | {"block_q": 2, "block_k": 3, "causal": True},
    "efficient.window_attention": qkv | {"width": 2, "n_global": 1, "causal": False, "block": 2},
    "efficient.elu_plus_one": {"X": X},
    "efficient.random_features": {"rng": rng, "d_k": 5, "n_features": 4},
    "efficient.linear_attention": qkv
    | {"features": efficient.elu_plus_one, "causal": True, "block": 2},
    "efficient.grouped_heads": {"Q": draw(4, 3, 5), "K": draw(2, 7, 5), "V": draw(2, 7, 4)}
    | {"mask": True, "causal": True, "block": 2},
    "efficient.pool_heads": {"X": draw(4, 3, 5), "n_groups": 2},
    "cost.attention_cost": {"n_q": 3, "n_k": 7, "d_k": 5, "d_v": 4}
    | {"n_heads": 2, "batch": 3, "causal": True, "itemsize": 2, "passes": 6},
    "cost.block_cost": {"n": 3, "d_model": 6, "n_heads": 2, "d_ff": 8}
    | {"batch": 3, "causal": True, "itemsize": 2, "passes": 6},
    "cost.Ceilings": {"flops_per_s": 1e9, "bytes_per_s": 1e8, "exponentials_per_s": 1e7},
    "cost.roofline_time": work,
    "cost.roofline_terms": work,
    "cost.fit_exponent": {"sizes": [1, 2, 4], "times": [3.0, 6.0, 12.0], "overhead": 0.1}
    | {"resamples": 3, "confidence": 0.9, "rng": rng},
    "timing.Timing": {"seconds": [1.0, 2.0], "overhead": 0.1, "device": "cpu"},
    "timing.measure": {"f": dict, "repeats": 2, "warmup": 1, "device": "cpu"},
    "timing.peak_memory": {"f": dict, "device": "cpu", "by": "arrays"},
    "timing.machine": {},
}
NORMALIZERS = ["softmax", "sparsemax", "sigmoid_normalize", "hardmax"]
for name in NORMALIZERS:
    CALLS[name] = {"scores": scores, "axis": -1, "temperature": 0.5}
for name in NORMALIZERS[:3]:
    CALLS[f"{name}_jacobian"] = {"scores": scores, "temperature": 0.5}

#: Methods, by what they are called on.
METHODS = {
    "Bilinear.__call__": (attnlib.Bilinear(draw(5, 5)), {"Q": Q, "K": K}),
    "Bilinear.cost": (attnlib.Bilinear(draw(5, 5)), {"n_q": 3, "n_k": 7}),
    "Additive.__call__": (attnlib.Additive(draw(5, 4), draw(5, 4), draw(4)), {"Q": Q, "K": K}),
    "Additive.cost": (attnlib.Additive(draw(5, 4), draw(5, 4), draw(4)), {"n_q": 3, "n_k": 7}),
    "Location.__call__": (attnlib.Location(draw(5, 9), draw(9)), {"Q": Q, "K": K}),
    "Location.cost": (attnlib.Location(draw(5, 9), draw(9)), {"n_q": 3, "n_k": 7}),
    "MultiHeadAttention.__call__": (heads, {"X_Q": X, "X_KV": X, "mask": True}),
    "MultiHeadAttention.project": (heads, {"X_Q": X, "X_KV": X}),
    "MultiHeadAttention.random": (heads, drawing | {"d_k": 3, "d_v": 3, "bias": True}),
    "MultiHeadAttention.with_parameters": (heads, {"new": heads.parameters()}),
    "KeyValueCache.step": (attnlib.KeyValueCache(heads), {"x": X}),
    "LayerNorm.initial": (norm, {"d": 6}),
    "LayerNorm.__call__": (norm, {"X": X}),
    "FeedForward.random": (
        encoder.feed_forward,
        {"rng": rng, "d_model": 6, "d_ff": 8, "activation": "relu"},
    ),
    "FeedForward.__call__": (encoder.feed_forward, {"X": X}),
    "EncoderBlock.__call__": (encoder, {"X": X, "mask": True}),
    "EncoderBlock.random": (encoder, drawing | {"d_ff": 8, "norm_first": True, "bias": True}),
    "DecoderBlock.__call__": (
        decoder,
        {"X": X, "memory": X, "mask": True, "memory_mask": True},
    ),
    "DecoderBlock.random": (decoder, drawing | {"d_ff": 8, "norm_first": True, "bias": True}),
    "DecoderOnly.__call__": (stack, {"X": X, "mask": True}),
    "DecoderOnly.random": (stack, drawing | {"n_blocks": 2, "norm_first": True, "bias": True}),
}

JUNK = {
    "None": None,
    "text": "text",
    "an object": object(),
    "a set": {1, 2},
    "a function": len,
    "nan": np.nan,
    "inf": np.inf,
    "complex": 1j,
    "true": True,
    "minus one": -1,
    "zero": 0,
    "a half": 0.5,
    "a huge integer": 10**400,
    "an empty list": [],
    "a ragged list": [[1, 2], [3]],
    "texts": [["a", "b"]],
    "nothing": np.zeros((0, 0)),
    "no rows": np.zeros((0, 5)),
    "a cube": np.ones((2, 3, 4)),
    "a long cube": np.ones((9, 8, 7, 6)),
    "nans": np.full((3, 5), np.nan),
    "huge numbers": np.full((3, 6), 1.7e308),
    "booleans": np.zeros((3, 7), bool),
    "dates": np.array(["2020-01-01"], "datetime64[D]"),
}


#: What functions return, made by nobody else.
RESULTS = {f"cost.{name}" for name in ("AttentionCost", "BlockCost", "Cost", "Growth", "Step")}
PARTS = {"cost": cost, "efficient": efficient, "gradients": gradients, "timing": timing}
PUBLIC = {name: getattr(attnlib, name) for name in attnlib.__all__ if name not in PARTS}
PUBLIC |= {name: getattr(gradients, name) for name in gradients.__all__}
for part in ("cost", "efficient", "timing"):
    PUBLIC |= {f"{part}.{name}": getattr(PARTS[part], name) for name in PARTS[part].__all__}


def of_a_copy(thing, method):
    """The method of a new copy at each call: a cache remembers what it was given."""

    @wraps(getattr(thing, method))
    def call(**arguments):
        return getattr(copy(thing), method)(**arguments)

    return call


def spoilt():
    for name, arguments in CALLS.items():
        function = PUBLIC[name]
        yield from ((name, function, arguments, argument) for argument in arguments)
    for name, (thing, arguments) in METHODS.items():
        function = of_a_copy(thing, name.split(".")[1])
        yield from ((name, function, arguments, argument) for argument in arguments)


SPOILT = list(spoilt())


def test_every_public_function_has_a_good_call_here():
    assert set(CALLS) == set(PUBLIC) - RESULTS
    for name, function, arguments, _ in SPOILT:
        expected = [p for p in inspect.signature(function).parameters if p != "activation"]
        assert set(expected) <= set(arguments) | {"d_ff"}, name
        function(**arguments)


@pytest.mark.parametrize(
    ("name", "function", "arguments", "argument"),
    SPOILT,
    ids=[f"{name}-{argument}" for name, _, _, argument in SPOILT],
)
def test_junk_is_taken_or_refused_by_name(name, function, arguments, argument):
    """Warnings are errors in these tests, and any other error than these two is a fault.

    A good array of another shape may be refused in the name of a derivative that no longer fits,
    and a function given as an argument may fail by itself.
    """
    by_name = rf"\b{argument}\b|overflow|^d_\w+ has shape|^the result of f |^len\(\) takes"
    for what, junk in JUNK.items():
        try:
            result = function(**arguments | {argument: junk})
        except (ValueError, TypeError) as error:
            said = str(error)
            assert re.search(by_name, said), f"{what}: {said}"
        else:
            arrays = result if isinstance(result, tuple) else (result,)
            for array in arrays:
                if isinstance(array, np.ndarray):
                    assert not np.isnan(array.astype(float)).any(), what


#: What may change by itself: axes by number, `e` after one that may be empty, `b` for axes of a
#: batch in front.  All that is not here has to be refused by name.
FREE = {
    "attend Q": "0e b", "attend K": "b", "attend V": "1 b", "dot Q": "0e b", "dot K": "0 b",
    "Bilinear W": "0 1", "Additive W_q": "0", "Additive W_k": "0", "Location W": "0",
    "project X": "0e b", "split_heads X": "0e b", "merge_heads X": "0 1e 2 b",
    "MultiHeadAttention W_Q": "0", "FeedForward W_1": "0", "rotary X": "b", "layer_norm X": "0e b",
    "from_graph adjacency": "b", "feed_forward X": "0e b", "location_vjp K": "1",
    "output_query_jacobian q": "b", "output_query_jacobian K": "b",
    "output_query_jacobian V": "1 b", "rotary_vjp d_output": "b", "multi_head_vjp X_KV": "0",
    "decoder_block_vjp memory": "0", "efficient.grouped_heads Q": "1e b",
    "efficient.grouped_heads K": "b", "efficient.grouped_heads V": "2 b",
    "efficient.pool_heads X": "1e 2 b", "Location.__call__ K": "0 1 b",
    "MultiHeadAttention.__call__ X_Q": "0e b", "MultiHeadAttention.__call__ X_KV": "0 b",
    "KeyValueCache.step x": "0 b", "LayerNorm.__call__ X": "0e b", "FeedForward.__call__ X": "0e b",
    "EncoderBlock.__call__ X": "0 b", "DecoderBlock.__call__ X": "0 b",
    "DecoderBlock.__call__ memory": "0 b", "DecoderOnly.__call__ X": "0 b",
}  # fmt: skip
ALIKE = {
    "attend": ["scaled_dot_product_attention"]
    + [f"efficient.{x}" for x in ("row_blocks", "online_softmax", "window_attention")]
    + ["efficient.linear_attention"],
    "dot": ["scaled_dot", "Bilinear.__call__", "Additive.__call__"],
    "MultiHeadAttention.__call__": ["MultiHeadAttention.project"],
}
for like, names in ALIKE.items():
    for argument in "Q", "K", "V", "X_Q", "X_KV":
        if (free := FREE.get(f"{like} {argument}")) is not None:
            FREE |= {f"{name} {argument}": free for name in names}
FREE["Location.__call__ Q"] = FREE["dot Q"]
#: Functions of arrays of any shape, or of rows of any length.
ANY_SHAPE = {"relu", "gelu", "efficient.elu_plus_one", "finite_difference", *NORMALIZERS}
ANY_SHAPE |= {f"{name}_jacobian" for name in NORMALIZERS}


def reshaped(shape):
    """Other shapes, each with the code in FREE that allows it."""
    for axis, size in enumerate(shape):
        yield str(axis), (*shape[:axis], size + 1, *shape[axis + 1 :])
        if size > 1:
            yield str(axis), (*shape[:axis], 1, *shape[axis + 1 :])
        yield f"{axis}e", (*shape[:axis], 0, *shape[axis + 1 :])
    yield "never", shape[1:]
    yield "b", (1, *shape)
    yield "b", (2, *shape)


@pytest.mark.parametrize(
    ("name", "function", "arguments", "argument"),
    [
        case
        for case in SPOILT
        if isinstance(case[2][case[3]], np.ndarray) and case[0] not in ANY_SHAPE
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_another_shape_fits_or_is_refused_by_name(name, function, arguments, argument):
    allowed = FREE.get(f"{name} {argument}", "").split()
    allowed += [code[:-1] for code in allowed if code.endswith("e")]
    for code, shape in reshaped(arguments[argument].shape):
        spoilt = arguments | {argument: np.full(shape, 0.5)}
        if code in allowed:
            function(**spoilt)
            continue
        with pytest.raises(ValueError) as refused:
            function(**spoilt)
        assert re.search(rf"\b{argument}\b|^d_\w+ has shape", str(refused.value)), shape
