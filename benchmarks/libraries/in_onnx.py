"""ONNX's operator Attention, by its reference implementation and by ONNX Runtime on a CPU."""

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

from benchmarks.libraries import probes
from benchmarks.libraries.probes import D, outcome, so

#: The newest version of the operator that both implement.
OPSET = 24
INPUTS = ["Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"]
OUTPUTS = ["Y", "present_key", "present_value", "qk_matmul_output"]


def array(x):
    x = np.asarray(x)
    return x if x.dtype in (bool, np.int64, np.float16) else x.astype(np.float32)


class Operator:
    """The operator, run by one of both."""

    def __init__(self, name, package, run):
        self.name, self.package, self.run_model = name, package, run

    def run(self, outputs=1, attributes=None, **inputs):
        """Return the operator's outputs for inputs of these names."""
        inputs = {name: array(x) for name, x in inputs.items()}
        last = max(map(INPUTS.index, inputs))
        names = [name if name in inputs else "" for name in INPUTS[: last + 1]]
        node = helper.make_node("Attention", names, OUTPUTS[:outputs], **(attributes or {}))

        def info(name, x, shape):
            kind = helper.np_dtype_to_tensor_dtype(x.dtype)
            return helper.make_tensor_value_info(name, kind, shape)

        graph = helper.make_graph(
            [node],
            "attention",
            [info(name, x, x.shape) for name, x in inputs.items()],
            [info(name, inputs["Q"], None) for name in OUTPUTS[:outputs]],
        )
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=11)
        found = self.run_model(made, inputs)
        return found[0] if outputs == 1 else found

    def attend(self, q, k, v, mask=None, causal=False, scale=None, lengths=None):
        more = {"attn_mask": mask, "nonpad_kv_seqlen": lengths}
        inputs = {name: x for name, x in more.items() if x is not None}
        attributes = {"is_causal": int(causal)} | ({} if scale is None else {"scale": scale})
        return self.run(Q=q, K=k, V=v, attributes=attributes, **inputs)

    def axes(self):
        right = probes.order(lambda *x: self.run(Q=x[0], K=x[1], V=x[2]), probes.HEADS_FIRST)
        q, k = np.zeros((2, 3, 8)), np.zeros((2, 5, 8))
        heads = {"q_num_heads": 2, "kv_num_heads": 2}
        flat = self.run(Q=q, K=k, V=k, attributes=heads)
        return so(f"{right}; or (b, n, h·d) with `q_num_heads`", flat.shape == (2, 3, 8))

    def polarity(self):
        return f"`attn_mask`: {probes.polarity(self)}"

    def padding(self):
        mask = np.tile([True, True, False, False], (1, 1, 2, 1))
        parts = [probes.shown(self, mask=mask)]
        text = "in `attn_mask`, which is brought to (b, h, n_q, n_k)"
        by_length = probes.shown(self, lengths=np.array([2], dtype=np.int64))
        if by_length is not None and np.allclose(by_length, [0.5, 0.5, 0, 0]):
            text += ", or by `nonpad_kv_seqlen`"
        return so(text, np.allclose(parts, [0.5, 0.5, 0, 0]))

    def additive(self):
        return f"`attn_mask` of numbers: {probes.additive(self)}"

    def corner(self):
        q, k = np.zeros((1, 1, 2, D)), np.zeros((1, 1, 2, D))
        past, v = np.zeros((1, 1, 2, D)), np.eye(D)[None, None]
        y = outcome(
            self.run,
            outputs=3,
            attributes={"is_causal": 1},
            Q=q,
            K=k,
            V=v[:, :, 2:],
            past_key=past,
            past_value=v[:, :, :2],
        )
        counts = None if y is None else (y[0][0, 0] > 0).sum(axis=1)
        cached = probes.verdict(counts, upper_left=[1, 2], lower_right=[3, 4])
        return f"`is_causal=1`: {probes.corner(self)}; with `past_key` {cached}"

    def empty(self):
        far = np.where([[[[False] * 4, [True] * 4]]], 0, np.finfo(np.float32).min)
        return f"{probes.empty(self)}; if hidden by −3.4e38, {probes.empty(self, mask=far)}"

    def empty_gradient(self):
        return "not asked: the operator runs a model, it does not train it"

    def grouping(self):
        return f"by the shapes: {probes.grouping(self)}"

    def scale(self):
        return so(f"{probes.scale(self)}; `scale` multiplies", probes.scale_argument(self))

    def dropout(self):
        names = onnx.defs.get_schema("Attention", OPSET).attributes
        return so("none", not [name for name in names if "drop" in name])

    def weights(self):
        q, v = np.zeros((1, 1, 2, D)), np.eye(D)[None, None]
        attributes = {"qk_matmul_output_mode": 3}
        W = outcome(self.run, outputs=4, attributes=attributes, Q=q, K=np.zeros_like(v), V=v)
        if W is None:
            W = outcome(self.run_without_cache, q, v, attributes)
        found = W is not None and np.allclose(W[-1], 0.25)
        return so("output `qk_matmul_output` with `qk_matmul_output_mode=3`", found)

    def run_without_cache(self, q, v, attributes):
        past = np.zeros((1, 1, 2, D))
        return self.run(
            outputs=4,
            attributes=attributes,
            Q=q,
            K=np.zeros_like(v)[:, :, 2:],
            V=v[:, :, 2:],
            past_key=past,
            past_value=v[:, :, :2],
        )

    def positions(self):
        q, k = np.zeros((1, 1, 2, D)), np.zeros((1, 1, 2, D))
        past = np.zeros((1, 1, 2, D))
        y = self.run(outputs=3, Q=q, K=k, V=k, past_key=past, past_value=past)
        return so(
            "none in the operator (RotaryEmbedding is one of its own); it appends to `past_key`",
            y[1].shape == (1, 1, 4, D) and onnx.defs.has("RotaryEmbedding"),
        )

    def types(self):
        made = np.random.default_rng(0).normal(size=(3, 1, 1, 2, 8))
        half = outcome(self.run, **dict(zip("QKV", made.astype(np.float16))))
        kept = ["float32"] + ["float16"] * (half is not None)
        said = ""
        if half is not None:
            attend = lambda q, k, v: self.run(Q=q, K=k, V=v)  # noqa: E731
            said = "; " + probes.half(attend, lambda x: x.astype(np.float16))
        names = onnx.defs.get_schema("Attention", OPSET).attributes
        more = "; `softmax_precision` asks for another type"
        text = f"{', '.join(kept)} tried, in and out{said}{more}"
        return so(text, "softmax_precision" in names)


def by_reference(model, inputs):
    return ReferenceEvaluator(model).run(None, inputs)


def by_runtime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers)
    return session.run(None, inputs)


SUBJECTS = [
    Operator("ONNX (reference)", "onnx", by_reference),
    Operator("ONNX Runtime", "onnxruntime", by_runtime),
]
