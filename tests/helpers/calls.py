"""One good call of every public function, class and method of the mathematics."""

import inspect
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

import attnlib
from attnlib import cost, efficient, gradients, networks, timing, training

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
gated = {"W_gate": draw(6, 8), "W_1": draw(6, 8) / 2, "W_2": draw(8, 6)}
encoder = attnlib.EncoderBlock.random(rng, 6, 2, 8)
decoder = attnlib.DecoderBlock.random(rng, 6, 2, 8)
stack = attnlib.DecoderOnly.random(rng, 2, 6, 2, 8)
rotary_heads = attnlib.MultiHeadAttention.random(
    rng, 6, 3, n_kv_heads=1, positions=attnlib.Rotary(convention="halves")
)
linear_heads = attnlib.MultiHeadAttention.random(rng, 6, 2, positions=attnlib.LinearBias())
table = attnlib.RelativeBias(draw(2, 5))
table_heads = attnlib.MultiHeadAttention.random(rng, 6, 2, n_kv_heads=1, positions=table)
fields = {name: getattr(heads, name) for name in ("W_Q", "W_K", "W_V", "W_O")}
drawing = {"rng": rng, "d_model": 6, "n_heads": 2}
block_drawing = drawing | {"d_ff": 8, "norm_first": True, "bias": True, "n_kv_heads": 1}
block_drawing |= {"positions": attnlib.LinearBias(), "norm": "rms", "gated": True}
qkv = {"Q": Q, "K": K, "V": V}

work = {"operations": 6.0, "bytes": 4.0, "exponentials": 2.0}
work |= {"machine": cost.Ceilings(1e9, 1e8)}

#: A good call of every public function and class; every argument is spoilt in turn.
CALLS = {
    "attend": qkv | {"score": attnlib.dot, "normalize": attnlib.softmax, "mask": True},
    "scaled_dot_product_attention": qkv | {"mask": True, "bias": scores, "scale": 0.5},
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
    "MultiHeadAttention": fields
    | {"n_heads": 2, "n_kv_heads": 2, "positions": attnlib.LinearBias()}
    | {f"b_{letter}": draw(6) for letter in "QKVO"},
    "KeyValueCache": {"attention": heads},
    "sinusoidal": {"n": 3, "d_model": 6, "base": 100.0},
    "wavelengths": {"d_model": 6, "base": 100.0},
    "sinusoidal_shift": {"k": 3.0, "d_model": 6, "base": 100.0},
    "rotary": {"X": X, "positions": [0, 1, 2], "base": 100.0, "convention": "halves"},
    "Rotary": {"base": 100.0, "convention": "halves"},
    "linear_bias": {"n_q": 3, "n_k": 7, "n_heads": 2},
    "LinearBias": {},
    "relative_bias": {"table": draw(2, 5), "n_q": 3, "n_k": 7},
    "RelativeBias": {"table": draw(2, 5)},
    "layer_norm": {"X": X, "gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "LayerNorm": {"gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "rms_norm": {"X": X, "gain": draw(6), "epsilon": 1e-5},
    "RMSNorm": {"gain": draw(6), "epsilon": 1e-5},
    "relu": {"X": X},
    "gelu": {"X": X},
    "silu": {"X": X},
    "feed_forward": {"X": X} | network | {"activation": "relu"},
    "FeedForward": network | {"activation": "relu"},
    "gated_feed_forward": {"X": X} | gated | {"activation": "gelu"},
    "GatedFeedForward": gated | {"activation": "gelu"},
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
    "StackCache": {"stack": stack},
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
    "attention_vjp": {"d_output": draw(3, 4)} | qkv | {"mask": True, "bias": scores, "scale": 0.5},
    "output_query_jacobian": {"q": draw(5), "K": K, "V": V, "scale": 0.5},
    "rotary_vjp": {"d_output": X, "positions": [0, 1, 2], "base": 100.0}
    | {"convention": "neighbours"},
    "relative_bias_vjp": {"d_bias": draw(2, 3, 7), "table": draw(2, 5)},
    "projection_vjp": {"d_output": draw(3, 4), "X": X, "W": draw(6, 4)},
    "multi_head_vjp": {"d_output": X, "attention": heads, "X_Q": X, "X_KV": X, "mask": True},
    "layer_norm_vjp": {"d_output": X, "X": X} | {"gain": draw(6), "bias": draw(6), "epsilon": 1e-5},
    "rms_norm_vjp": {"d_output": X, "X": X, "gain": draw(6), "epsilon": 1e-5},
    "gated_feed_forward_vjp": {"d_output": X, "X": X} | gated | {"activation": "silu"},
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
    "training.cross_entropy": {"scores": scores, "wanted": [0, 0, 0]},
    "training.clip_by_norm": {"gradients": {"W": draw(3, 7)}, "largest": 0.5},
    "training.adam": {"p": X, "d_p": X, "mean": X, "square": X**2, "t": 2, "rate": 0.5},
    "training.rate_share": {"step": 3, "steps": 7, "warm_up": 2, "decay": True},
    "networks.CharacterModel": {"text": "so far so good", "d_model": 6, "n_heads": 2, "n_blocks": 1}
    | {"d_ff": 8, "context": 5, "seed": 3, "dtype": "float64"},
    "networks.top_k": {"scores": scores, "k": 3},
    "networks.top_p": {"scores": scores, "p": 0.5, "temperature": 0.5},
    "networks.InductionCircuit": {"characters": "abc", "context": 6},
    "networks.NGrams": {"text": "so far so good", "order": 3},
    "networks.GRU": {"W_x": draw(4, 9), "W_s": draw(3, 9), "b_x": draw(9), "b_s": draw(9)},
}
gru = networks.GRU(**CALLS["networks.GRU"])
pixels, walk = draw(4, 4), [[0, 0], [0, 1], [1, 2], [2, 0]]
one_head = attnlib.MultiHeadAttention.random(rng, 6, 1)
described = {"W_P": draw(25, 6), "P": draw(8, 6), "encoder": encoder, "norm": norm}
in_steps = replace(decoder, cross_attention=one_head, norm_first=True)
described |= {"E": draw(4, 6), "P_words": draw(4, 6), "decoder": in_steps, "norm_out": norm}
CALLS |= {
    "networks.LanguageModel": {"E": draw(4, 6), "U": draw(6, 4), "blocks": [encoder]}
    | {"characters": "abcd", "context": 5, "norm": norm},
    "networks.VisionTransformer": {"W_E": draw(4, 6), "P": draw(4, 6), "blocks": [encoder]}
    | {"norm": norm, "U": draw(6, 3), "b": draw(3)},
    "networks.SmolLM": {"E": draw(4, 6), "blocks": [encoder], "norm": attnlib.RMSNorm.initial(6)}
    | {"context": 8},
    "networks.SentenceEncoder": {"E": draw(4, 6), "P": draw(5, 6), "norm": norm}
    | {"blocks": [encoder]},
    "networks.WordPieces": {"tokens": ["[UNK]", "[CLS]", "[SEP]", "a", "##b"]},
    "networks.BytePairs": {"tokens": ["a", "b", "ab"], "merges": ["a b"], "special": ["b"]},
    "networks.Describer": described | {"U": draw(6, 4), "words": ["·", "and", "one", "two"]},
    "networks.Translator": {"E_source": draw(3, 4), "encoder": gru, "E_target": draw(5, 4)}
    | {"decoder": gru, "W_c": draw(6, 3), "U": draw(3, 5), "b": draw(5)}
    | {"source_words": ["a", "b", "c"], "target_words": ["·", "x", "y", "z", "w"]}
    | {"score": attnlib.Bilinear(draw(3, 3))},
    "networks.Balancer": {"W": draw(3, 6), "P": draw(7, 6), "attention": one_head}
    | {"feed_forward": encoder.feed_forward, "u": draw(6, 1)},
    "networks.StaticAdditive": {"a_q": draw(5), "a_k": draw(5)},
    "networks.DynamicAdditive": {"W_q": draw(5, 4), "W_k": draw(5, 4), "v": draw(4)},
    "networks.leaky_relu": {"z": X, "slope": 0.2},
    "networks.attend_edges": {"Q": draw(3, 5), "K": draw(3, 5), "V": draw(3, 4), "edges": walk},
    "networks.lead": {"logits": scores, "is_answer": np.eye(3, 7, dtype=bool).tolist()},
    "networks.looked_at": {"weights": attnlib.softmax(draw(2, 3, 4, 4))},
    "networks.rollout": {"weights": attnlib.softmax(draw(2, 3, 4, 4)), "identity": True},
    "networks.rank_correlation": {"a": draw(1, 7), "b": draw(1, 7) ** 2},
}
CALLS |= {
    "networks.looks": {"W": attnlib.softmax(draw(2, 3, 4, 4)), "x": [0, 1, 0, 1]},
    "networks.without": {"model": networks.SmolLM(**CALLS["networks.SmolLM"]), "heads": [(0, 1)]},
}
seeing = networks.VisionTransformer(**CALLS["networks.VisionTransformer"])
describing = networks.Describer(**CALLS["networks.Describer"])
translating = networks.Translator(**CALLS["networks.Translator"])
balancing = networks.Balancer(**CALLS["networks.Balancer"])
CALLS["networks.effects"] = {"model": seeing, "images": pixels, "cover": draw(4, 4)}
NORMALIZERS = ["softmax", "sparsemax", "sigmoid_normalize", "hardmax"]
for name in NORMALIZERS:
    CALLS[name] = {"scores": scores, "axis": -1, "temperature": 0.5}
for name in NORMALIZERS[:3]:
    CALLS[f"{name}_jacobian"] = {"scores": scores, "temperature": 0.5}

writer = networks.CharacterModel(**CALLS["networks.CharacterModel"])
reader = networks.SmolLM(**CALLS["networks.SmolLM"])
counter = networks.NGrams(**CALLS["networks.NGrams"])
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
    "MultiHeadAttention.random": (
        heads,
        drawing
        | {"d_k": 3, "d_v": 3, "bias": True, "n_kv_heads": 1, "positions": attnlib.LinearBias()},
    ),
    "MultiHeadAttention.with_parameters": (heads, {"new": heads.parameters()}),
    "KeyValueCache.step": (attnlib.KeyValueCache(heads), {"x": X, "mask": True}),
    "LayerNorm.initial": (norm, {"d": 6}),
    "LayerNorm.__call__": (norm, {"X": X}),
    "RMSNorm.initial": (attnlib.RMSNorm(draw(6)), {"d": 6}),
    "RMSNorm.__call__": (attnlib.RMSNorm(draw(6)), {"X": X}),
    "GatedFeedForward.random": (
        attnlib.GatedFeedForward(**gated),
        {"rng": rng, "d_model": 6, "d_ff": 8, "activation": "relu"},
    ),
    "GatedFeedForward.__call__": (attnlib.GatedFeedForward(**gated), {"X": X}),
    "FeedForward.random": (
        encoder.feed_forward,
        {"rng": rng, "d_model": 6, "d_ff": 8, "activation": "relu"},
    ),
    "FeedForward.__call__": (encoder.feed_forward, {"X": X}),
    "EncoderBlock.__call__": (
        encoder,
        {"X": X, "mask": True, "cache": attnlib.KeyValueCache(encoder.attention)},
    ),
    "EncoderBlock.random": (encoder, block_drawing),
    "DecoderBlock.__call__": (
        decoder,
        {"X": X, "memory": X, "mask": True, "memory_mask": True},
    ),
    "DecoderBlock.random": (decoder, block_drawing),
    "DecoderOnly.__call__": (
        stack,
        {"X": X, "mask": True, "cache": attnlib.StackCache(stack)},
    ),
    "DecoderOnly.random": (stack, block_drawing | {"n_blocks": 2}),
    "CharacterModel.gradients": (writer, {"x": [[0, 1, 2]], "y": [[1, 2, 3]]}),
    "CharacterModel.step": (writer, {"rate": 1e-3, "batch": 2}),
    "InductionCircuit.__call__": (
        networks.InductionCircuit("abc", 6),
        {"text": "abcab", "off": "previous"},
    ),
    "CharacterModel.learn": (
        writer,
        {"steps": 2, "rate": 1e-3, "batch": 2, "every": 1, "report": max},
    ),
    "CharacterModel.with_parameters": (writer, {"new": writer.parameters()}),
    "CharacterModel.look": (writer, {"text": "so"}),
    "CharacterModel.surprisal": (writer, {"text": "so far", "least": 2}),
    "CharacterModel.sample": (
        writer,
        {"n": 2, "temperature": 0.5, "start": "so", "k": 3, "p": 0.9},
    ),
    "GRU.step": (gru, {"x": draw(4), "s": draw(3)}),
    "GRU.__call__": (gru, {"X": draw(2, 4), "s": draw(3)}),
    "NGrams.surprisal": (counter, {"text": "good"}),
    "LanguageModel.__call__": (
        writer.network,
        {"x": [0, 1, 2], "cache": attnlib.StackCache(writer.network.stack)},
    ),
    "SmolLM.__call__": (
        reader,
        {"x": [1, 2, 3], "cache": attnlib.StackCache(reader.stack)},
    ),
    "SentenceEncoder.__call__": (
        networks.SentenceEncoder(**CALLS["networks.SentenceEncoder"]),
        {"x": [[1, 2, 3], [3, 1, 2]], "lengths": [2, 3]},
    ),
    "LanguageModel.look": (writer.network, {"text": "so"}),
    "LanguageModel.surprisal": (writer.network, {"text": "so far", "least": 2}),
    "LanguageModel.sample": (
        writer.network,
        {"n": 2, "temperature": 0.5, "start": "so", "k": 3, "p": 0.9, "rng": rng},
    ),
    "VisionTransformer.embed": (seeing, {"images": pixels}),
    "VisionTransformer.read": (seeing, {"X": draw(4, 6)}),
    "VisionTransformer.__call__": (seeing, {"images": pixels}),
    "Describer.see": (describing, {"pixels": draw(10, 20)}),
    "Describer.keys": (describing, {"memory": draw(8, 6)}),
    "Describer.values": (describing, {"memory": draw(8, 6)}),
    "Describer.step": (
        describing,
        {"words": ["·"], "keys": draw(8, 6), "values": draw(8, 6)},
    ),
    "Describer.__call__": (
        describing,
        {"keys_from": draw(10, 20), "values_from": draw(10, 20) / 2, "question": "·"},
    ),
    "Translator.encode": (translating, {"words": ["a", "c"]}),
    "Translator.step": (translating, {"word": "x", "s": draw(3), "H": draw(2, 3)}),
    "Translator.__call__": (translating, {"words": ["a", "c"]}),
    "Balancer.look": (balancing, {"H": draw(7, 5)}),
    "StaticAdditive.__call__": (
        networks.StaticAdditive(draw(5), draw(5)),
        {"Q": Q, "K": K},
    ),
    "DynamicAdditive.__call__": (
        networks.DynamicAdditive(draw(5, 4), draw(5, 4), draw(4)),
        {"Q": Q, "K": K},
    ),
}

#: What functions return, made by nobody else.
RESULTS = {f"cost.{name}" for name in ("AttentionCost", "BlockCost", "Cost", "Growth", "Step")}
PARTS = {"cost": cost, "efficient": efficient, "gradients": gradients, "timing": timing}
PARTS |= {"networks": networks, "training": training}
PUBLIC = {name: getattr(attnlib, name) for name in attnlib.__all__ if name not in PARTS}
PUBLIC |= {name: getattr(gradients, name) for name in gradients.__all__}
for part in ("cost", "efficient", "timing", "networks", "training"):
    PUBLIC |= {f"{part}.{name}": getattr(PARTS[part], name) for name in PARTS[part].__all__}


CACHES = attnlib.KeyValueCache, attnlib.StackCache
#: More calls of methods, on objects with other settings.
VARIANTS = [
    ("EncoderBlock.__call__", encoder, {"X": X, "mask": True, "cache": None}),
    ("DecoderOnly.__call__", stack, {"X": X, "mask": True, "cache": None}),
]
for variant in (rotary_heads, linear_heads, table_heads):
    VARIANTS += [
        ("MultiHeadAttention.__call__", variant, {"X_Q": X, "X_KV": X, "mask": True}),
        ("KeyValueCache.step", attnlib.KeyValueCache(variant), {"x": X, "mask": True}),
    ]


class Call(NamedTuple):
    """A function or a class, or a method of `owner`, and arguments that it takes."""

    name: str
    function: callable
    arguments: dict
    owner: object = None

    def __call__(self, **changed):
        """Call it with these arguments instead of some of its own."""
        if self.owner is None:
            return self.function(**self.arguments | changed)
        # Copies, because a cache remembers its items.
        arguments = {
            name: copy(x) if isinstance(x, CACHES) else x for name, x in self.arguments.items()
        }
        return self.function(copy(self.owner), **arguments | changed)

    def with_arrays(self, change):
        """The same call with every array of floats changed, in blocks too."""
        owner = changed(self.owner, change)
        arguments = {name: changed(x, change) for name, x in self.arguments.items()}
        for name, x in self.arguments.items():
            if isinstance(x, CACHES):  # that of the owner
                part = "attention" if isinstance(x, attnlib.KeyValueCache) else "stack"
                arguments[name] = type(x)(getattr(owner, part, owner))
        return self._replace(arguments=arguments, owner=owner)


def changed(x, change):
    """An argument whose arrays of floats, or whose parameters, have gone through `change`."""
    if isinstance(x, np.ndarray):
        return change(x)
    if isinstance(x, list):
        return [changed(part, change) for part in x]
    if isinstance(x, dict):
        return {name: changed(a, change) for name, a in x.items()}
    if isinstance(x, attnlib.KeyValueCache):
        return attnlib.KeyValueCache(changed(x.attention, change))
    if hasattr(x, "with_parameters"):
        return x.with_parameters({name: change(a) for name, a in x.parameters().items()})
    return x


def arrays(result):
    """All arrays in a result: it may be one, or a block, or a tuple of these."""
    if isinstance(result, tuple):
        return [array for part in result for array in arrays(part)]
    if hasattr(result, "parameters"):
        return list(result.parameters().values())
    return [result] if isinstance(result, np.ndarray) else []


GOOD = [Call(name, PUBLIC[name], arguments) for name, arguments in CALLS.items()]
for name, owner, arguments in [(name, *both) for name, both in METHODS.items()] + VARIANTS:
    # `random` and `initial` belong to the class, the others to its objects.
    method = getattr(type(owner), name.split(".")[1])
    GOOD.append(Call(name, method, arguments, None if inspect.ismethod(method) else owner))
for variant in (rotary_heads, linear_heads, table_heads):
    arguments = {"d_output": X, "attention": variant, "X_Q": X, "X_KV": X, "mask": True}
    GOOD.append(Call("multi_head_vjp", gradients.multi_head_vjp, arguments))
