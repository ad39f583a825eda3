"""What every public function keeps to: types of numbers, scales, batches, its arguments, errors."""

import inspect
import math
import re
from types import FunctionType

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.helpers.calls import CALLS, GOOD, NORMALIZERS, PUBLIC, RESULTS, arrays

every_call = pytest.mark.parametrize("call", GOOD, ids=lambda call: call.name)


def of_arrays(call):
    """Whether the result holds floats that come from arrays of floats."""
    holders = [*call.arguments.values(), call.owner]
    known = any(
        isinstance(x, np.ndarray | dict) or (hasattr(x, "parameters") and x.parameters())
        for x in holders
    )
    floats = [array for array in arrays(call()) if array.dtype.kind == "f"]
    return known and floats and call.name != "finite_difference"


OF_ARRAYS = [call for call in GOOD if of_arrays(call)]
every_array_call = pytest.mark.parametrize("call", OF_ARRAYS, ids=lambda call: call.name)
every_argument = pytest.mark.parametrize(
    ("call", "argument"),
    [(call, argument) for call in GOOD for argument in call.arguments],
    ids=lambda x: x if isinstance(x, str) else x.name,
)


def test_every_public_function_has_a_call():
    assert set(CALLS) == set(PUBLIC) - RESULTS
    for call in GOOD:
        parameters = {*inspect.signature(call.function).parameters} - {"activation", "self"}
        assert parameters <= {*call.arguments, "d_ff"}, call.name
        call()


# Types of numbers.


@every_array_call
def test_float32_stays_and_is_as_precise(call):
    single = call.with_arrays(np.float32)
    settings = {n: np.float64(x) for n, x in call.arguments.items() if isinstance(x, float)}
    for low, high in zip(arrays(single(**settings)), arrays(call()), strict=True):
        assert high.dtype.kind != "f" or (low.dtype, high.dtype) == (np.float32, np.float64)
        assert_allclose(low, high, rtol=1e-3, atol=1e-4)


@every_array_call
def test_one_float64_among_float32_decides(call):
    if call.name.endswith("_vjp") or isinstance(call.function, type):
        return  # each gradient, each parameter, has a type by itself
    single = call.with_arrays(np.float32)
    # A score by location asks keys for their number alone; no weight comes from values.
    silent = ("Location.__call__", "K"), ("Describer.__call__", "values_from")
    for name, x in call.arguments.items():
        if isinstance(x, np.ndarray) and (call.name, name) not in silent:
            assert np.float64 in {array.dtype.type for array in arrays(single(**{name: x}))}, name


@every_array_call
def test_lists_and_integers_become_float64(call):
    whole = {n: np.sign(x) for n, x in call.arguments.items() if isinstance(x, np.ndarray)}
    expected = arrays(call(**whole))
    for form in (np.ndarray.tolist, np.int8):
        result = arrays(call(**{name: form(x) for name, x in whole.items()}))
        for array, correct in zip(result, expected, strict=True):
            assert array.dtype == correct.dtype
            assert_array_equal(array, correct)


# Arguments and results.


@every_call
def test_arguments_are_not_changed(call):
    """All arrays of the calls are read-only, here those of blocks and masks too."""
    mask = np.array(True)
    masks = {name: mask for name in call.arguments if "mask" in name}

    def frozen(x):
        x = x.copy()
        x.setflags(write=False)
        return x

    for array in arrays(call.with_arrays(frozen)(**masks)):
        assert hasattr(call.function, "fields") or not np.shares_memory(array, mask)


@every_array_call
def test_results_are_new_arrays(call):
    if isinstance(call.function, type) or "with_parameters" in call.name:
        return  # parameters are the arrays that were handed in
    before = [x for x in call.arguments.values() if isinstance(x, np.ndarray)]
    for array in arrays(call()):
        assert array.flags.writeable
        assert not any(np.shares_memory(array, x) for x in before)


# Scales.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [100, 1e-20])
@every_array_call
def test_large_and_tiny_numbers_stay_finite(call, size, dtype):
    scaled = call.with_arrays(lambda x: (size * np.sign(x)).astype(dtype))
    for array in arrays(scaled()):
        assert array.dtype.kind != "f" or array.dtype == dtype
        assert np.isfinite(array).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_array_call
def test_results_too_large_are_refused(call, dtype):
    most = np.finfo(dtype).max
    try:
        result = call.with_arrays(lambda x: (most / 2 * np.sign(x)).astype(dtype))()
    except ValueError as error:
        assert re.search(rf"overflows? {np.dtype(dtype)}\.", str(error))
    else:
        assert all(np.isfinite(array).all() for array in arrays(result))


# Batches.


#: Axes that may change alone: by number, `e` after one that may be empty, `b` for axes of a batch
#: in front.  Every other change has to be refused by name.
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
    "rms_norm X": "0e b", "RMSNorm gain": "0", "RMSNorm.__call__ X": "0e b",
    "gated_feed_forward X": "0e b", "gated_feed_forward W_2": "1", "GatedFeedForward W_2": "1",
    "GatedFeedForward.__call__ X": "0e b", "KeyValueCache.step x": "0 b",
    "LayerNorm.__call__ X": "0e b", "FeedForward.__call__ X": "0e b",
    "EncoderBlock.__call__ X": "0 b", "DecoderBlock.__call__ X": "0 b",
    "DecoderBlock.__call__ memory": "0 b", "DecoderOnly.__call__ X": "0 b",
    "networks.SmolLM E": "0", "networks.GRU W_x": "0", "networks.VisionTransformer W_E": "0",
    "networks.VisionTransformer P": "0", "networks.Describer W_P": "0", "networks.Describer P": "0",
    "networks.Describer P_words": "0", "networks.Balancer P": "0", "networks.effects images": "b",
    "networks.StaticAdditive a_q": "0", "networks.StaticAdditive a_k": "0",
    "networks.DynamicAdditive W_q": "0", "networks.DynamicAdditive W_k": "0",
    "networks.attend_edges V": "1", "networks.rank_correlation a": "b",
    "networks.rank_correlation b": "b", "VisionTransformer.embed images": "b",
    "VisionTransformer.__call__ images": "b", "VisionTransformer.read X": "0 b",
    "Describer.see pixels": "b", "Describer.keys memory": "0 b", "Describer.values memory": "0 b",
    "Translator.step H": "0", "Balancer.look H": "b",
    "GRU.__call__ X": "0e", "training.cross_entropy scores": "1",
}  # fmt: skip
ALIKE = {
    "attend": ["scaled_dot_product_attention"]
    + [f"efficient.{x}" for x in ("row_blocks", "online_softmax", "window_attention")]
    + ["efficient.linear_attention"],
    "dot": ["scaled_dot"]
    + [f"{x}.__call__" for x in ("Bilinear", "Additive")]
    + [f"{x}Additive.__call__" for x in ("Static", "Dynamic")],
    "MultiHeadAttention.__call__": ["MultiHeadAttention.project"],
}
for like, names in ALIKE.items():
    for argument in "Q", "K", "V", "X_Q", "X_KV":
        if (free := FREE.get(f"{like} {argument}")) is not None:
            FREE |= {f"{name} {argument}": free for name in names}
FREE["Location.__call__ Q"] = FREE["dot Q"]
FREE["scaled_dot_product_attention Q"] = FREE["scaled_dot_product_attention bias"] = "b"
FREE |= {f"{name} table": "0" for name in ("relative_bias", "RelativeBias")}
FREE["relative_bias_vjp d_bias"] = "1e 2"
#: Functions of arrays of any shape, or of rows of any length.
ANY_SHAPE = {"relu", "gelu", "silu", "efficient.elu_plus_one", "finite_difference", *NORMALIZERS}
ANY_SHAPE |= {"networks.top_k", "networks.top_p", "networks.leaky_relu"}
#: Functions whose axes in front may be any, and methods that return the blocks' axis in front.
ANY_LEADING = {"networks.looked_at", "networks.rollout", "networks.rank_correlation"}
BLOCKS_FIRST = {"VisionTransformer.read", "VisionTransformer.__call__"}
ANY_SHAPE |= {f"{name}_jacobian" for name in NORMALIZERS}


def batched_arguments(call):
    """Arguments that may have a batch in front, each alone and all together."""
    names = [n for n in call.arguments if "b" in FREE.get(f"{call.name} {n}", "")]
    if call.name in ANY_SHAPE and call.name in PUBLIC and "f" not in call.arguments:
        names = [n for n, x in call.arguments.items() if isinstance(x, np.ndarray)]
    if call.name in BLOCKS_FIRST:
        names = []
    return [[name] for name in names] + [names] * (len(names) > 1)


@pytest.mark.parametrize(
    ("call", "names"),
    [(call, names) for call in GOOD for names in batched_arguments(call)],
    ids=lambda x: x.name if hasattr(x, "name") else "-".join(x),
)
def test_each_item_of_a_batch_is_answered_alone(call, names):
    one = {name: call.arguments[name] for name in names}
    two = {name: x[..., ::-1] / 2 for name, x in one.items()}
    both = arrays(call(**{name: np.stack([one[name], two[name]]) for name in names}))
    for i, alone in enumerate([one, two]):
        for array, correct in zip(both, arrays(call(**alone)), strict=True):
            array = array if array.ndim == correct.ndim else array[i]
            assert array.shape == correct.shape
            assert_allclose(array, correct, rtol=1e-12, atol=1e-12)


# Bad arguments.


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


@every_argument
def test_junk_is_taken_or_refused_by_name(call, argument):
    """Warnings are errors in these tests, and any other error than these two is a fault.

    A good array of another shape may be refused in the name of a derivative that no longer fits,
    and a function among the arguments may fail by itself.
    """
    by_name = rf"\b{argument}\b|overflow|^d_\w+ has shape|^the result of f |^len\(\) takes"
    for kind, junk in JUNK.items():
        try:
            result = call(**{argument: junk})
        except (ValueError, TypeError) as error:
            assert re.search(by_name, str(error)), f"{kind}: {error}"
        else:
            for array in arrays(result):
                assert not np.isnan(array.astype(float)).any(), kind


#: Kind of argument -> what it may not be, the error and how its message goes on after the name.
BAD = {
    "array": [
        ([[["a"]], [1j], [[True]], "text"], TypeError, "holds .* only integers and floats"),
        ([[[1, 2], [3]]], ValueError, "is ragged"),
    ],
    "number": [
        (["1", True, [1.0], 1j], TypeError, "must be one real number"),
        ([np.nan, np.inf, -np.inf, 10**400], ValueError, "=.* is not finite"),
    ],
    "count": [
        (["1", True, 1.5, [1], math.nan], TypeError, "must be an integer, not "),
        ([-5], ValueError, "=-5 is too small"),
        ([2**80], ValueError, rf"={2**80} is too large"),
    ],
    "flag": [([None, "yes", 1, [True]], TypeError, "must be True or False, not ")],
    "function": [([None, "dot", 1, np.ones(3)], TypeError, "must be a function, not ")],
    "generator": [
        ([0, np.random, np.random.RandomState(0)], TypeError, "must be a NumPy generator, ")
    ],
    "object": [([(1.0, 1.0), "H200", {}], TypeError, "must be (an? [A-Z][A-Za-z]*( or )?)+, not ")],
}
KINDS = {np.ndarray: "array", float: "number", int: "count", bool: "flag"}
KINDS |= {np.random.Generator: "generator", FunctionType: "function"}
#: The least that a count may be, where it is not 1.
LEAST = {"n_global": 0, "warmup": 0, "passes": 4, "seed": 0, "step": 0, "warm_up": 0}


def kind_of(argument, x):
    if argument in ("mask", "memory_mask", "adjacency", "axis"):
        return None
    return KINDS.get(type(x), "object" if type(x).__module__.startswith("attnlib") else None)


@every_argument
def test_bad_arguments_are_refused_in_these_words(call, argument):
    x = call.arguments[argument]
    kind = kind_of(argument, x)
    for bad, error, words in BAD.get(kind, []):
        for junk in bad:
            with pytest.raises(error, match=f"^{argument} ?{words}"):
                call(**{argument: junk})
    if kind == "count":
        bad = LEAST.get(argument, 1) - 1
        with pytest.raises(ValueError, match=rf"^{argument}={bad} is too small\. .* {bad + 1}\.$"):
            call(**{argument: bad})
    if kind == "array":
        for bad in (np.nan, np.inf):
            spoilt = x.copy()
            spoilt[(-1,) * x.ndim] = bad
            index = ", ".join(str(size - 1) for size in x.shape)
            with pytest.raises(
                ValueError, match=rf"^{argument} .* holds {bad} at index \(?{index}"
            ):
                call(**{argument: spoilt})


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
    ("call", "argument"),
    [
        (call, name)
        for call in GOOD
        for name, x in call.arguments.items()
        if isinstance(x, np.ndarray) and call.name not in ANY_SHAPE | ANY_LEADING
    ],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_other_shapes_fit_or_are_refused_by_name(call, argument):
    allowed = FREE.get(f"{call.name} {argument}", "").split()
    allowed += [code[:-1] for code in allowed if code.endswith("e")]
    for code, shape in reshaped(call.arguments[argument].shape):
        array = np.full(shape, 0.5)
        if code in allowed:
            call(**{argument: array})
            continue
        with pytest.raises(ValueError) as refusal:
            call(**{argument: array})
        assert re.search(rf"\b{argument}\b|^d_\w+ has shape", str(refusal.value)), shape
