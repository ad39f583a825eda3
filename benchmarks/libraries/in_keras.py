"""Keras on JAX: `keras.layers.MultiHeadAttention`, and the function of `keras.ops`."""

import inspect
import os

os.environ["KERAS_BACKEND"] = "jax"

import keras
import numpy as np

from benchmarks.libraries import in_jax, probes
from benchmarks.libraries.in_jax import array
from benchmarks.libraries.probes import D, outcome, so


class Function(in_jax.Function):
    """`keras.ops.dot_product_attention`."""

    name, package = "Keras’ function", "keras"
    function = staticmethod(keras.ops.dot_product_attention)


class Layer(in_jax.Function):
    """`keras.layers.MultiHeadAttention`, with one head and matrices that change nothing."""

    name, package = "Keras’ layer", "keras"

    def layer(self, **kwargs):
        made = keras.layers.MultiHeadAttention(1, D, use_bias=False, **kwargs)
        made.build((1, 2, D), (1, 4, D), (1, 4, D))
        for weights in made.weights:
            if "kernel" in weights.path:
                weights.assign(np.eye(D).reshape(weights.shape))
        return made

    def call(self, mask=None, causal=False, scale=None, **kwargs):
        mask = None if mask is None else array(mask)
        mask = mask[:, 0] if mask is not None and mask.ndim == 4 else mask
        layer = self.layer()
        given = dict(attention_mask=mask, use_causal_mask=causal) | kwargs
        return lambda q, k, v: layer(q[:, :, 0], v[:, :, 0], key=k[:, :, 0], **given)[:, :, None]

    def axes(self):
        layer, x = self.layer(), np.random.default_rng(0).normal(size=(3, 3, D)).astype(np.float32)
        moved = x + np.array([0, 1, 0])[:, None, None].astype(np.float32)
        alone = np.allclose(layer(moved, moved)[0], layer(x, x)[0], atol=1e-5)
        order = list(inspect.signature(layer.call).parameters)[:3]
        return so(
            "(b, n, d_model); the arguments are query, value, key, in this order",
            alone and order == ["query", "value", "key"],
        )

    def polarity(self):
        return f"`attention_mask`: {probes.polarity(self)}"

    def padding(self):
        row = np.array([[True, True, False, False]])
        parts = [
            probes.shown(self, mask=row[:, None]),
            probes.shown(self, key_mask=row),
            probes.shown(self, value_mask=row),
        ]
        return so(
            "in `attention_mask`, of shape (b, 1, n_k), or in `key_mask` or `value_mask`, of shape "
            "(b, n_k): True takes part; an embedding with `mask_zero=True` sends them along",
            np.allclose(parts, [0.5, 0.5, 0, 0]) and self.sent(),
        )

    def sent(self):
        embedding = keras.layers.Embedding(3, D, mask_zero=True)
        x = embedding(np.array([[1, 2, 0, 0]]))
        _, W = self.layer()(x, x, return_attention_scores=True)
        return np.allclose(W[0, 0, 0, 2:], 0) and not np.allclose(W[0, 0, 0, :2], 0)

    def additive(self):
        added = probes.shown(self, mask=np.where([[[True, True, False, False]] * 2], 0, -np.inf))
        turned = np.allclose(added, [0, 0, 0.5, 0.5])
        return so(f"none: numbers are {probes.additive(self)}, so 0 hides and −∞ does not", turned)

    def corner(self):
        return f"`use_causal_mask=True`: {probes.corner(self)}"

    def empty(self):
        none = np.array([[[False] * 4, [True] * 4]])
        zeros = np.zeros((1, 2, D), np.float32), np.eye(D, dtype=np.float32)[None]
        y, _ = self.layer()(*zeros, attention_mask=none, return_attention_scores=True)
        asked = probes.verdict(np.asarray(y)[0, 0], zeros=[0.0] * 4, the_mean=[0.25] * 4)
        return f"{probes.empty(self)}; with `return_attention_scores=True` {asked}"

    def empty_gradient(self):
        return probes.empty_gradient(self)

    def grouping(self):
        made = keras.layers.GroupQueryAttention(D, 4, 2, use_bias=False)
        made.build((1, 2, 16), (1, 3, D), (1, 3, D))
        for weights in made.weights:
            weights.assign(np.zeros(weights.shape))
        # Values: the first head of values makes ones, the second twos; each head keeps its own.
        value, out = made.weights[2], made.weights[3]
        kernel = np.zeros(value.shape)
        kernel[0, 0], kernel[0, 1] = 1.0, 2.0
        value.assign(kernel)
        merge = np.zeros(out.shape)
        merge[range(4), 0, range(4)] = 1.0
        out.assign(merge)
        y = made(np.zeros((1, 2, 16)), np.ones((1, 3, D)))[0, 0, :4]
        found = probes.verdict(np.asarray(y), consecutive=[1, 1, 2, 2], interleaved=[1, 2, 1, 2])
        return f"none; `GroupQueryAttention` has them: {found}"

    def scale(self):
        names = inspect.signature(keras.layers.MultiHeadAttention.__init__).parameters
        return so(f"{probes.scale(self)} of one head; no argument", "scale" not in names)

    def dropout(self):
        layer, x = self.layer(dropout=0.5), np.ones((1, 64, D), np.float32)
        kept = [np.allclose(layer(x, x, training=mode), x) for mode in (True, False, None)]
        return so(
            "`dropout=`, only with `training=True`: a plain call drops nothing",
            kept == [False, True, True],
        )

    def weights(self):
        x = np.ones((1, 64, D), np.float32)
        _, W = self.layer()(x, x, return_attention_scores=True)
        _, dropped = self.layer(dropout=0.5)(x, x, return_attention_scores=True, training=True)
        after = not np.allclose(np.asarray(dropped).sum(-1), 1)
        return so(
            "`return_attention_scores=True`: weights of each head, "
            f"{'after' if after else 'before'} dropout",
            W.shape == (1, 1, 64, 64) and np.allclose(W, 1 / 64),
        )

    def positions(self):
        said = super().positions()
        return said.replace(
            "they are in your queries and keys; a cache is yours, too",
            "add them to the inputs; it keeps no cache",
        )

    def types(self):
        kept = []
        for name in ("float16", "bfloat16", "float32"):
            x = np.ones((1, 2, D), np.float32)
            y = outcome(self.layer(dtype=name), x, x)
            if y is not None and y.dtype == name:
                kept.append(name)
        return so(
            f"that of its `dtype`, to which inputs are brought: {', '.join(kept)}", len(kept) == 3
        )


SUBJECTS = [Layer(), Function()]
