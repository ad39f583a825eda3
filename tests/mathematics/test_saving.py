"""Parameters that come back: from arrays and settings, from files, as the library writes them."""

import dataclasses
import json

import numpy as np
import pytest
import safetensors.numpy
from numpy.testing import assert_array_equal

import attnlib
from attnlib import networks
from attnlib.parameters import Parameters
from tests.helpers.calls import CALLS

rng = np.random.default_rng(0)
STACK = attnlib.DecoderOnly(
    [
        attnlib.EncoderBlock(
            attnlib.MultiHeadAttention.random(
                rng, 8, 4, bias=True, n_kv_heads=2, positions=attnlib.Rotary(500.0, "halves")
            ),
            attnlib.RMSNorm(rng.normal(size=8), 1e-3),
            attnlib.GatedFeedForward.random(rng, 8, 12, activation="gelu"),
            attnlib.LayerNorm.initial(8),
            norm_first=True,
        ),
        attnlib.EncoderBlock.random(rng, 8, 2),
    ],
    attnlib.RMSNorm.initial(8),
)
TRAINED = [networks.Translator.trained(kind) for kind in ("additive", "location", "none")]
TRAINED += [networks.VisionTransformer.trained(), networks.Describer.trained()]
TRAINED += [networks.Balancer.trained(), networks.CharacterModel("so far so Ω", context=5).network]
PARTS = [
    attnlib.MultiHeadAttention.random(rng, 8, 4, positions=attnlib.LinearBias()),
    attnlib.MultiHeadAttention.random(rng, 8, 2, positions=attnlib.RelativeBias(np.ones((2, 5)))),
    attnlib.DecoderBlock.random(rng, 8, 2, norm_first=True),
    attnlib.Bilinear(np.eye(2)),
    STACK,
]
every_kind = pytest.mark.parametrize("whole", [*TRAINED, *PARTS], ids=lambda x: type(x).__name__)


def assert_equal(one, other):
    assert type(one) is type(other) and repr(one) == repr(other)
    assert one.settings() == other.settings()
    assert one.parameters().keys() == other.parameters().keys()
    for name, array in one.parameters().items():
        assert array.dtype == other.parameters()[name].dtype
        assert_array_equal(array, other.parameters()[name], err_msg=name)


@every_kind
def test_what_was_saved_is_loaded(whole, tmp_path):
    path = tmp_path / "whole.safetensors"
    whole.save(path)
    assert_equal(type(whole).load(path), whole)
    theirs = safetensors.numpy.load_file(path)
    assert theirs.keys() == whole.parameters().keys()
    for name, array in whole.parameters().items():
        assert_array_equal(theirs[name], array)


@every_kind
def test_parameters_and_settings_make_it_again(whole):
    assert_equal(type(whole).from_parameters(whole.parameters(), **whole.settings()), whole)
    json.dumps(whole.settings())


def test_a_loaded_model_computes_the_same(tmp_path):
    STACK.save(tmp_path / "stack")
    X = rng.normal(size=(3, 8))
    assert_array_equal(attnlib.DecoderOnly.load(tmp_path / "stack")(X)[0], STACK(X)[0])


def test_the_library_writes_what_is_read(tmp_path):
    path = tmp_path / "theirs"
    metadata = {"class": "Location", "settings": "{}"}
    arrays = {"W": np.eye(2, 3, dtype=np.float32), "b": np.arange(3.0)}
    safetensors.numpy.save_file(arrays, path, metadata)
    location = attnlib.Location.load(path)
    assert_array_equal(location.W, arrays["W"])
    assert location.W.dtype == np.float32 and location.b.dtype == np.float64


def test_one_setting_serves_all_parts_that_have_it():
    block = attnlib.EncoderBlock.random(rng, 8, 4, norm_first=True)
    options = {"n_heads": 4, "norm_first": True, "activation": "relu", "epsilon": 1e-5}
    assert_equal(attnlib.EncoderBlock.from_parameters(block.parameters(), **options), block)
    for name in options:  # a network with another setting would be another network
        with pytest.raises(ValueError, match=rf"settings lacks '\S*{name}'"):
            fewer = {n: x for n, x in options.items() if n != name}
            attnlib.EncoderBlock.from_parameters(block.parameters(), **fewer)
    two = attnlib.DecoderBlock.from_parameters(
        attnlib.DecoderBlock.random(rng, 8, 2).parameters(),
        **options | {"n_heads": 2, "cross_attention.n_heads": 4},
    )
    assert (two.self_attention.n_heads, two.cross_attention.n_heads) == (2, 4)


@pytest.mark.parametrize(
    ("change", "settings", "words"),
    [
        ({"attention.W_Q": None}, {"n_heads": 2}, r"arrays lacks 'attention.W_Q', which every Mul"),
        ({}, {}, r"settings lacks 'attention.n_heads', which every MultiHeadAttention has"),
        ({"stem": np.eye(2)}, {"n_heads": 2}, r"EncoderBlock has no place for \['stem'\]"),
        ({}, {"n_heads": 2, "heads": 3}, r"EncoderBlock has no place for \['heads'\]"),
        ({}, {"n_heads": 2, "norm_1": "Norm"}, r'norm_1=.Norm. is unknown. Choose "LayerNorm" or'),
        (
            {"norm_1.bias": None, "norm_1.gains": np.ones(4)},
            {"n_heads": 2},
            "not tell what norm_1 ",
        ),
        ({}, {"n_heads": 3}, r"3"),
    ],
)
def test_what_makes_no_block_is_refused(change, settings, words):
    arrays = attnlib.EncoderBlock.random(rng, 4, 2).parameters() | change
    arrays = {name: array for name, array in arrays.items() if array is not None}
    settings = {"norm_first": False, "activation": "relu", "epsilon": 1e-5} | settings
    with pytest.raises(ValueError, match=words):
        attnlib.EncoderBlock.from_parameters(arrays, **settings)
    with pytest.raises(TypeError, match="arrays must be a dict"):
        attnlib.EncoderBlock.from_parameters([1])


def test_a_wrong_file_is_refused_in_clear_words(tmp_path):
    path = tmp_path / "model"
    STACK.save(path)
    whole = path.read_bytes()
    with pytest.raises(ValueError, match=r"holds a DecoderOnly, not a Bilinear\. Use Dec"):
        attnlib.Bilinear.load(path)
    for damaged in (b"", b"PK\x03\x04 a zip", whole[:-1], whole + b"0", whole[:40], b"\xff" * 99):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"is no file of safetensors .* or it is not whole"):
            attnlib.DecoderOnly.load(path)
    safetensors.numpy.save_file({"gain": np.ones(2)}, path)
    with pytest.raises(ValueError, match="settings lacks 'epsilon'"):
        attnlib.RMSNorm.load(path)
    assert attnlib.RMSNorm.load(path, epsilon=0.5).epsilon == 0.5
    n = int.from_bytes(whole[:8], "little")
    for old, new in ((b"F64", b"B64"), (b'"data_offsets": [0', b'"data_offsets": [8')):
        path.write_bytes(whole[: 8 + n].replace(old, new, 1) + whole[8 + n :])
        with pytest.raises(ValueError, match="is no file of safetensors"):
            attnlib.DecoderOnly.load(path)
    with pytest.raises(FileNotFoundError):
        attnlib.Bilinear.load(tmp_path / "absent")


def test_what_no_file_can_hold_is_refused_before_it_is_written(tmp_path):
    class Other(attnlib.LayerNorm):
        """Another norm."""

    block = attnlib.EncoderBlock.random(rng, 4, 2)
    other = dataclasses.replace(block, norm_1=Other(np.ones(4), np.zeros(4)))
    with pytest.raises(TypeError, match="norm_1 is a Other, of which no file knows"):
        other.save(tmp_path / "other")
    assert not (tmp_path / "other").exists()


NETWORKS = {name: vars(networks)[name] for name in networks.__all__}
SAVED = [n for n, x in NETWORKS.items() if isinstance(x, type) and issubclass(x, Parameters)]


@pytest.mark.parametrize("name", SAVED)
def test_every_network_is_saved(name, tmp_path):
    whole = NETWORKS[name](**CALLS[f"networks.{name}"])
    whole.save(tmp_path / "network")
    assert_equal(NETWORKS[name].load(tmp_path / "network"), whole)
