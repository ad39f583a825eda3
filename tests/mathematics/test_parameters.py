"""Classes that hold parameters: what they take, draw, list, show and count, and their copies."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnlib import (
    DecoderBlock,
    DecoderOnly,
    EncoderBlock,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    MultiHeadAttention,
    RMSNorm,
)

ones = np.ones


def rng(seed=0):
    return np.random.default_rng(seed)


def attention(d_model=6, d_source=None, d_out=None, bias=False):
    """Three heads; keys of 4 and values of 5 components."""
    return MultiHeadAttention(**arrays(d_model, d_source or d_model, d_out or d_model, bias))


def arrays(d_model=6, d_source=7, d_out=11, bias=True):
    shapes = {"Q": (d_model, 12), "K": (d_source, 12), "V": (d_source, 15), "O": (15, d_out)}
    matrices = {f"W_{x}": rng().normal(size=shape) for x, shape in shapes.items()}
    biases = {f"b_{x}": rng(1).normal(size=shape[1]) for x, shape in shapes.items()}
    return matrices | {"n_heads": 3} | (biases if bias else {})


def stack():
    return DecoderOnly.random(rng(), 2, d_model=4, n_heads=2, d_ff=5)


EVERY = {
    "heads": lambda: attention(bias=True),
    "norm": lambda: LayerNorm([1, 2, 3], [4, 5, 6], 0.25),
    "network": lambda: FeedForward.random(rng(), 3, 5, activation="gelu"),
    "rms norm": lambda: RMSNorm([1, 2, 3], 0.25),
    "gated network": lambda: GatedFeedForward.random(rng(), 3, 5),
    "encoder": lambda: EncoderBlock.random(rng(), 4, 2, norm_first=True),
    "decoder": lambda: DecoderBlock.random(rng(), 4, 2, bias=True),
    "stack": stack,
}
every_class = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)

MATRICES = ["W_Q", "W_K", "W_V", "W_O"]
BIASES = ["b_Q", "b_K", "b_V", "b_O"]
NETWORK = [f"feed_forward.{x}" for x in ("W_1", "b_1", "W_2", "b_2")]


def names_of(part, names):
    return [f"{part}.{name}" for name in names]


def encoder_names(inner):
    norms = [names_of(norm, ["gain", "bias"]) for norm in ("norm_1", "norm_2")]
    return names_of("attention", inner) + norms[0] + NETWORK + norms[1]


def test_parameters_are_listed_in_field_order():
    assert list(attention().parameters()) == MATRICES
    assert list(attention(bias=True).parameters()) == MATRICES + BIASES
    assert list(LayerNorm.initial(3).parameters()) == ["gain", "bias"]
    assert list(FeedForward.random(rng(), 3).parameters()) == ["W_1", "b_1", "W_2", "b_2"]
    assert list(EVERY["encoder"]().parameters()) == encoder_names(MATRICES)
    assert list(EVERY["decoder"]().parameters()) == [
        *names_of("self_attention", MATRICES + BIASES),
        *names_of("norm_1", ["gain", "bias"]),
        *names_of("cross_attention", MATRICES + BIASES),
        *names_of("norm_2", ["gain", "bias"]),
        *NETWORK,
        *names_of("norm_3", ["gain", "bias"]),
    ]
    blocks = [names_of(f"blocks.{i}", encoder_names(MATRICES)) for i in range(2)]
    assert list(stack().parameters()) == [*blocks[0], *blocks[1], "norm.gain", "norm.bias"]
    without = DecoderOnly(stack().blocks)
    assert list(without.parameters()) == blocks[0] + blocks[1]


def test_parameters_are_the_arrays_themselves():
    whole = stack()
    result = whole.parameters()
    assert result["blocks.1.attention.W_K"] is whole.blocks[1].attention.W_K
    assert result["blocks.0.feed_forward.b_1"] is whole.blocks[0].feed_forward.b_1
    assert result["norm.bias"] is whole.norm.bias


def test_lists_become_arrays_and_settings_python_numbers():
    heads = {name: x.tolist() for name, x in arrays().items() if name != "n_heads"}
    heads = MultiHeadAttention(**heads, n_heads=np.int64(3))
    norm, network = LayerNorm([1], [2], 1), FeedForward([[1]], [2], [[3]], [4])
    for whole, count in ((heads, 8), (norm, 2), (network, 4)):
        result = whole.parameters().values()
        assert len(result) == count and all(x.dtype == np.float64 for x in result)
    assert type(heads.n_heads) is int and type(norm.epsilon) is float
    for name, array in heads.parameters().items():
        assert_array_equal(array, arrays()[name])


def test_settings_and_absent_biases_are_no_parameters():
    partly = MultiHeadAttention(**arrays() | {"b_K": None, "b_V": None})
    assert list(partly.parameters()) == [*MATRICES, "b_Q", "b_O"]
    assert partly.b_K is None and partly.n_heads == 3
    copy = partly.with_parameters(partly.parameters())
    assert copy.b_K is None and copy.b_V is None and copy.n_heads == 3


def test_parameter_counts():
    assert attention().parameter_count == 2 * 6 * 12 + 6 * 15 + 15 * 6
    a = MultiHeadAttention(**arrays())
    assert a.parameter_count == 6 * 12 + 7 * 12 + 7 * 15 + 15 * 11 + 12 + 12 + 15 + 11
    assert LayerNorm.initial(7).parameter_count == 14
    assert FeedForward.random(rng(), 3, 5).parameter_count == 2 * 3 * 5 + 5 + 3
    assert EncoderBlock.random(rng(), 4, 2, 5).parameter_count == 64 + 8 + 49 + 8
    assert EncoderBlock.random(rng(), 4, 2, 5, bias=True).parameter_count == 64 + 16 + 8 + 49 + 8
    assert DecoderBlock.random(rng(), 4, 2, 5).parameter_count == 2 * 64 + 49 + 3 * 8
    assert stack().parameter_count == 2 * (64 + 8 + 49 + 8) + 8
    assert DecoderOnly(stack().blocks).parameter_count == 2 * (64 + 8 + 49 + 8)
    assert type(stack().parameter_count) is int


@every_class
def test_a_copy_keeps_all_but_its_numbers(make):
    old = make()
    before = {name: array.copy() for name, array in old.parameters().items()}
    new = {name: 3 * array + i for i, (name, array) in enumerate(before.items())}
    copy = old.with_parameters(dict(reversed(new.items())))
    assert type(copy) is type(old) and copy is not old and repr(copy) == repr(old)
    assert list(copy.parameters()) == list(before)
    for name, array in before.items():
        assert_array_equal(copy.parameters()[name], new[name])
        assert_array_equal(old.parameters()[name], array)
        assert not np.shares_memory(copy.parameters()[name], old.parameters()[name])
    back = copy.with_parameters(before)
    for name, array in before.items():
        assert_array_equal(back.parameters()[name], array)


@every_class
def test_a_copy_takes_lists_and_integers(make):
    old = make()
    zeros = {name: np.zeros(array.shape, int).tolist() for name, array in old.parameters().items()}
    for array in old.with_parameters(zeros).parameters().values():
        assert array.dtype == np.float64 and not array.any()
    low = {name: array.astype(np.float32) for name, array in old.parameters().items()}
    for array in old.with_parameters(low).parameters().values():
        assert array.dtype == np.float32


@every_class
def test_a_copy_needs_exact_names_and_shapes(make):
    old = make()
    new, name = old.parameters(), list(old.parameters())[-1]
    less = {other: array for other, array in new.items() if other != name}
    with pytest.raises(ValueError, match=rf"new lacks \['{name}'\]\. Give"):
        old.with_parameters(less)
    with pytest.raises(ValueError, match=r"new holds unknown \['b', 'c'\]"):
        old.with_parameters(new | {"c": ones(1), "b": ones(1)})
    with pytest.raises(ValueError, match=rf"lacks \['{name}'\] and holds unknown \['other'\]"):
        old.with_parameters(less | {"other": new[name]})
    for bad in (new[name][None], new[name][:-1], 0.0):
        with pytest.raises(
            ValueError, match=rf"^{name} has shape .* the shape of the parameter that it replaces"
        ):
            old.with_parameters(new | {name: bad})
    for bad, message in ((np.nan, "nan"), (-np.inf, "-inf")):
        with pytest.raises(ValueError, match=rf"^{name} of shape .* holds {message} at index \(?0"):
            old.with_parameters(new | {name: new[name] * 0 + bad})
    for bad in (new[name] > 0, new[name] + 1j, new[name].astype(str), None):
        with pytest.raises(TypeError, match=rf"^{name} holds .* only integers and floats"):
            old.with_parameters(new | {name: bad})
    with pytest.raises(ValueError, match="new lacks"):
        old.with_parameters({})
    with pytest.raises(ValueError, match=r"new holds unknown \[3\]"):
        old.with_parameters(new | {3: ones(1)})


@every_class
def test_a_copy_needs_a_dictionary(make):
    old = make()
    for bad in (None, 5, list(old.parameters()), ones(3)):
        with pytest.raises(TypeError, match="new must be a dict"):
            old.with_parameters(bad)


def test_they_show_shapes_instead_of_numbers():
    assert repr(MultiHeadAttention(**arrays() | {"b_K": None})) == (
        "MultiHeadAttention(W_Q=(6, 12), W_K=(7, 12), W_V=(7, 15), W_O=(15, 11), n_heads=3, "
        "b_Q=(12,), b_V=(15,), b_O=(11,))"
    )
    norm = "LayerNorm(gain=(4,), bias=(4,), epsilon=1e-05)"
    heads = "MultiHeadAttention(W_Q=(4, 4), W_K=(4, 4), W_V=(4, 4), W_O=(4, 4), n_heads=2)"
    network = "FeedForward(W_1=(4, 5), b_1=(5,), W_2=(5, 4), b_2=(4,), activation='gelu')"
    assert repr(LayerNorm.initial(4)) == norm
    block = (
        f"EncoderBlock(attention={heads}, norm_1={norm}, feed_forward={network}, norm_2={norm}, "
        f"norm_first=True)"
    )
    assert repr(stack()) == f"DecoderOnly(blocks=({block}, {block}), norm={norm})"
    assert repr(DecoderOnly(stack().blocks[:1])) == f"DecoderOnly(blocks=({block},))"


@every_class
def test_fields_cannot_be_set(make):
    one = make()
    for name in (*type(one).__dataclass_fields__, "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, 1)
    assert one == one and one != make() and len({one, make(), one}) == 2
    with pytest.raises(AttributeError):
        one.parameter_count = 3


def test_a_stack_keeps_a_tuple_of_blocks():
    blocks = [EncoderBlock.random(rng(), 4, 2)]
    whole = DecoderOnly(blocks)
    blocks.append(None)
    assert isinstance(whole.blocks, tuple) and len(whole.blocks) == 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_heads": 0}, "n_heads=0 is too small.*at least 1"),
        ({"n_heads": 5}, r"W_Q has shape \(6, 12\): 12 .* n_heads=5.*divides 12"),
        ({"n_heads": 4}, r"W_V has shape \(7, 15\): 15 .* n_heads=4.*divides 15"),
        ({"W_K": ones((7, 15))}, r"W_K has shape \(7, 15\), but W_Q .*: n_heads \* d_k is 15"),
        ({"W_V": ones((6, 15))}, r"W_V has shape \(6, 15\), but W_K .*: d_source is 6 .* 7 in"),
        ({"W_O": ones((12, 11))}, r"W_O has shape \(12, 11\), but W_V .*: n_heads \* d_v is 12"),
        ({"b_Q": ones(4)}, r"b_Q has shape \(4,\), but W_Q has shape \(6, 12\)"),
        ({"b_K": ones(7)}, r"b_K has shape \(7,\), but W_Q has shape \(6, 12\)"),
        ({"b_V": ones(12)}, r"b_V has shape \(12,\), but W_V has shape \(7, 15\)"),
        ({"b_O": ones(15)}, r"b_O has shape \(15,\), but W_O has shape \(15, 11\)"),
        ({"W_Q": [[1, 2], [3]]}, "W_Q is ragged"),
    ],
)
def test_matrices_that_do_not_fit_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(**arrays() | bad)


def test_drawn_projections_keep_sizes_of_rows():
    drawn = MultiHeadAttention.random(rng(), 30, 3, d_k=50, d_v=80)
    for name, shape in [("Q", (30, 150)), ("K", (30, 150)), ("V", (30, 240)), ("O", (240, 30))]:
        W = getattr(drawn, f"W_{name}")
        assert W.shape == shape and getattr(drawn, f"b_{name}") is None
        assert abs(W.var() * shape[0] - 1) < 0.1 and abs(W.mean()) * shape[0] ** 0.5 < 0.05
        assert abs((np.abs(W) * shape[0] ** 0.5 < 1).mean() - 0.6827) < 0.03
    assert drawn.n_heads == 3
    again, other = (MultiHeadAttention.random(rng(s), 30, 3, d_k=50, d_v=80) for s in (0, 1))
    for name, W in drawn.parameters().items():
        assert_array_equal(again.parameters()[name], W)
        assert not (other.parameters()[name] == W).any()
    assert not (drawn.W_Q == drawn.W_K).any()


@pytest.mark.parametrize(
    ("options", "d_k", "d_v"),
    [({}, 4, 4), ({"d_k": 5}, 5, 4), ({"d_v": 7}, 4, 7), ({"d_k": 5, "d_v": 7}, 5, 7)],
)
def test_d_k_and_d_v_default_to_shares(options, d_k, d_v):
    drawn = MultiHeadAttention.random(rng(), 12, 3, bias=True, **options)
    assert drawn.W_Q.shape == drawn.W_K.shape == (12, 3 * d_k)
    assert drawn.W_V.shape == (12, 3 * d_v) and drawn.W_O.shape == (3 * d_v, 12)
    for bias, size in zip(BIASES, (3 * d_k, 3 * d_k, 3 * d_v, 12), strict=True):
        assert_array_equal(getattr(drawn, bias), np.zeros(size))


def test_a_drawn_network_starts_without_biases():
    drawn = FeedForward.random(rng(), 30, 200, activation="gelu")
    assert drawn.W_1.shape == (30, 200) and drawn.W_2.shape == (200, 30)
    assert abs(drawn.W_1.var() * 30 - 1) < 0.1 and abs(drawn.W_2.var() * 200 - 1) < 0.1
    assert abs(drawn.W_1.mean()) < 0.01 and abs(drawn.W_2.mean()) < 0.01
    assert_array_equal(drawn.b_1, np.zeros(200))
    assert_array_equal(drawn.b_2, np.zeros(30))
    assert drawn.activation == "gelu"
    assert FeedForward.random(rng(), 3).W_1.shape == (3, 12)
    assert FeedForward.random(rng(), 3).activation == "relu"


def test_drawn_blocks_are_made_of_drawn_parts():
    for kind in (EncoderBlock, DecoderBlock):
        block = kind.random(rng(), 6, 3)
        assert block.norm_first is False and block.feed_forward.activation == "relu"
        assert block.feed_forward.W_1.shape == (6, 24)
        assert not any(".b_Q" in name for name in block.parameters())
        block = kind.random(rng(), 6, 3, 5, norm_first=True, activation="gelu", bias=True)
        assert block.norm_first is True and block.feed_forward.activation == "gelu"
        assert block.feed_forward.W_1.shape == (6, 5)
        for name, array in block.parameters().items():
            if "norm" in name or ".b_" in name:
                assert_array_equal(array, np.full(array.shape, float(name.endswith("gain"))))
    assert block.self_attention.b_Q.shape == block.cross_attention.b_O.shape == (6,)
    assert block.self_attention.n_heads == block.cross_attention.n_heads == 3
    assert not (block.self_attention.W_Q == block.cross_attention.W_Q).any()


def test_drawn_pre_norm_stacks_end_in_a_norm():
    whole = DecoderOnly.random(rng(), 3, 6, 2)
    assert len(whole.blocks) == 3 and isinstance(whole.norm, LayerNorm)
    assert_array_equal(whole.norm.gain, ones(6))
    for block in whole.blocks:
        assert block.norm_first is True and block.feed_forward.activation == "gelu"
        assert block.feed_forward.W_1.shape == (6, 24) and block.attention.n_heads == 2
    assert not (whole.blocks[0].attention.W_Q == whole.blocks[1].attention.W_Q).any()
    whole = DecoderOnly.random(rng(), 1, 6, 2, 5, norm_first=False, activation="relu")
    assert whole.norm is None and whole.blocks[0].norm_first is False
    assert whole.blocks[0].feed_forward.W_1.shape == (6, 5)
    assert whole.blocks[0].feed_forward.activation == "relu"


def test_bad_options_of_draws_are_refused_by_name():
    for make in (EncoderBlock.random, DecoderBlock.random, MultiHeadAttention.random):
        with pytest.raises(ValueError, match=r"d_model=6: 6 comp.*n_heads=4.*divides 6"):
            make(rng(), 6, 4)
    for options in ({"d_k": 2}, {"d_v": 2}):
        with pytest.raises(ValueError, match=r"d_model=6: 6 .*n_heads=4"):
            MultiHeadAttention.random(rng(), 6, 4, **options)
    assert MultiHeadAttention.random(rng(), 6, 4, d_k=2, d_v=3).W_V.shape == (6, 12)
    for make in (EncoderBlock.random, DecoderBlock.random):
        with pytest.raises(ValueError, match="activation='tanh' is unknown"):
            make(rng(), 6, 3, activation="tanh")
        with pytest.raises(TypeError, match="norm_first must be True or False, not 1"):
            make(rng(), 6, 3, norm_first=1)
    with pytest.raises(ValueError, match="activation='tanh' is unknown"):
        FeedForward.random(rng(), 6, activation="tanh")
    with pytest.raises(ValueError, match="activation='tanh' is unknown"):
        DecoderOnly.random(rng(), 2, 6, 3, activation="tanh")
    with pytest.raises(TypeError, match="norm_first must be True or False, not 1"):
        DecoderOnly.random(rng(), 2, 6, 3, norm_first=1)


def parts(kind):
    network, norm = FeedForward.random(rng(), 6), LayerNorm.initial(6)
    if kind is EncoderBlock:
        return {"attention": attention(), "norm_1": norm, "feed_forward": network, "norm_2": norm}
    return {
        "self_attention": attention(),
        "norm_1": norm,
        "cross_attention": attention(d_source=7),
        "norm_2": norm,
        "feed_forward": network,
        "norm_3": norm,
    }


both_blocks = pytest.mark.parametrize("kind", [EncoderBlock, DecoderBlock])


@both_blocks
def test_parts_of_another_kind_are_refused_by_name(kind):
    wanted = {
        MultiHeadAttention: "a MultiHeadAttention",
        LayerNorm: "a LayerNorm or an RMSNorm",
        FeedForward: "a FeedForward or a GatedFeedForward",
    }
    for name, part in parts(kind).items():
        for bad in (None, ones((6, 6)), EncoderBlock, stack()):
            with pytest.raises(TypeError, match=f"^{name} must be {wanted[type(part)]}, not"):
                kind(**parts(kind) | {name: bad})
    assert kind(**parts(kind)).norm_first is False
    for bad in (1, 0, None, "before"):
        with pytest.raises(TypeError, match=f"norm_first must be True or False, not {bad!r}"):
            kind(**parts(kind), norm_first=bad)


@both_blocks
def test_parts_of_another_size_are_refused_by_name(kind):
    W_1, W_2, hidden = ones((6, 5)), ones((5, 6)), ones(5)
    bad = {f"{x}.gain": {x: LayerNorm.initial(8)} for x in parts(kind) if x in ("norm_2", "norm_3")}
    bad["feed_forward.W_1"] = {"feed_forward": FeedForward(ones((8, 5)), hidden, W_2, ones(6))}
    bad["feed_forward.W_2"] = {"feed_forward": FeedForward(W_1, hidden, ones((5, 8)), ones(8))}
    for name in parts(kind):
        if name.endswith("attention"):
            bad[f"{name}.W_Q"] = {name: attention(d_model=8, d_source=6, d_out=6)}
            bad[f"{name}.W_O"] = {name: attention(d_out=8)}
    for where, part in bad.items():
        message = rf"^{where} has shape .*: d_model, .* 8 .* 6 |^\w+.* but {where} .*: d_model"
        with pytest.raises(ValueError, match=message):
            kind(**parts(kind) | part)
    with pytest.raises(ValueError, match=r"norm_1\.gain has shape \(8,\), but .* 8 in one and 6"):
        kind(**parts(kind) | {"norm_1": LayerNorm.initial(8)})


def test_stacks_that_do_not_fit_are_refused():
    block = EncoderBlock.random(rng(), 6, 3)
    for bad in (None, block, "blocks", {0: block}, (block for _ in range(2))):
        with pytest.raises(TypeError, match="blocks must be a sequence of EncoderBlock, not"):
            DecoderOnly(bad)
    with pytest.raises(ValueError, match=r"blocks is empty\. Give at least one EncoderBlock"):
        DecoderOnly([])
    for bad in (None, LayerNorm.initial(6), DecoderBlock.random(rng(), 6, 3)):
        with pytest.raises(TypeError, match=r"blocks\[1\] must be an EncoderBlock, not"):
            DecoderOnly([block, bad])
    for bad in (block, ones(6), False):
        with pytest.raises(TypeError, match="norm must be a LayerNorm or an RMSNorm, not"):
            DecoderOnly([block], bad)
    with pytest.raises(
        ValueError, match=r"blocks\.1\.\S+ has shape \(8, 8\), but blocks\.0\.\S+ has"
    ):
        DecoderOnly([block, EncoderBlock.random(rng(), 8, 2)])
    with pytest.raises(ValueError, match=r"norm\.gain has shape \(8,\), but blocks\.0\.\S+ has"):
        DecoderOnly([block, block], LayerNorm.initial(8))
    assert DecoderOnly([block, block], LayerNorm.initial(6)).blocks == (block, block)
