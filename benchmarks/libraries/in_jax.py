"""JAX: `jax.nn.dot_product_attention`."""

import inspect

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.libraries import probes
from benchmarks.libraries.probes import D, outcome, so

jax.config.update("jax_platforms", "cpu")


def array(x):
    """Return an array of booleans, or of float32."""
    return jnp.asarray(x, None if np.asarray(x).dtype == bool else jnp.float32)


class Function:
    """A function on arrays ``(b, n, h, d)``."""

    name, package = "JAX", "jax"
    function = staticmethod(jax.nn.dot_product_attention)

    def call(self, mask=None, bias=None, causal=False, scale=None):
        given = {name: array(x) for name, x in (("mask", mask), ("bias", bias)) if x is not None}
        return lambda q, k, v: self.function(q, k, v, is_causal=causal, scale=scale, **given)

    def attend(self, q, k, v, **kwargs):
        turned = (array(x).swapaxes(1, 2) for x in (q, k, v))
        return np.asarray(self.call(**kwargs)(*turned)).swapaxes(1, 2)

    def gradient(self, q, k, v, **kwargs):
        turned = [array(x).swapaxes(1, 2) for x in (q, k, v)]
        return jax.grad(lambda *x: self.call(**kwargs)(*x)[:, 0].sum(), (0, 1, 2))(*turned)

    def axes(self):
        raw = lambda *x: np.asarray(self.function(*map(array, x)))  # noqa: E731
        return probes.order(raw, probes.HEADS_FIRST)

    def polarity(self):
        plain = probes.polarity(self)
        biased = probes.shown(self, bias=np.tile([True, True, False, False], (1, 1, 2, 1)))
        e = np.exp([1, 1, 0, 0])
        said = probes.verdict(
            biased, is_added_as_the_number_1=e / e.sum(), takes_part=[0.5, 0.5, 0, 0]
        )
        return f"`mask`: {plain}; in `bias` True {said}"

    def padding(self):
        mask = np.array([[True, True, False, False]])[:, None, None]
        x, v = jnp.zeros((1, 2, 1, D)), jnp.eye(D)[None, :, None]
        lengths = self.lengths(x, jnp.zeros((1, D, 1, D)), v)
        W = probes.shown(self, mask=mask)
        text = "in `mask`, of shape (b, 1, 1, n_k)"
        if lengths is not None:
            text += ", or by `key_value_seq_lengths`"
            W = np.stack([W, lengths])
        if probes.misread(self):
            text += "; of shape (b, n_k) it is read as (n_q, n_k) where b = n_q"
        return so(text, np.allclose(W, [0.5, 0.5, 0, 0]))

    def lengths(self, *x):
        names = inspect.signature(self.function).parameters
        if "key_value_seq_lengths" not in names:
            return None
        return self.function(*x, key_value_seq_lengths=jnp.array([2]))[0, :, 0]

    def additive(self):
        return f"`bias`: {probes.additive(self, 'bias')}; in `mask`: {probes.additive(self)}"

    def corner(self):
        return f"`is_causal=True`: {probes.corner(self)}"

    def empty(self):
        bias = np.where([[False] * 4, [True] * 4], 0, -np.inf)[None, None]
        plain, infinite = probes.empty(self), probes.empty(self, "bias", bias)
        return f"{plain}; if `bias` is −∞, {infinite}"

    def empty_gradient(self):
        bias = np.where([[False] * 4, [True] * 4], 0, -np.inf)[None, None]
        infinite = probes.empty_gradient(self, "bias", bias)
        return f"{probes.empty_gradient(self)}; if `bias` is −∞, {infinite}"

    def grouping(self):
        return f"without an argument: {probes.grouping(self)}"

    def scale(self):
        return so(f"{probes.scale(self)}; `scale=` multiplies", probes.scale_argument(self))

    def dropout(self):
        names = inspect.signature(self.function).parameters
        return so("none", not [name for name in names if "drop" in name])

    def weights(self):
        names = inspect.signature(self.function).parameters
        y = self.function(*jnp.zeros((3, 1, 2, 1, 4)))
        more = "; `return_residual=True` gives log ∑ exp of each row"
        return so("never" + more * ("return_residual" in names), hasattr(y, "shape"))

    def positions(self):
        rng = np.random.default_rng(2)
        q, k, v = rng.normal(size=(1, 1, 2, D)), *rng.normal(size=(2, 1, 1, D, D))
        moved = self.attend(q, k[:, :, ::-1], v[:, :, ::-1])
        return so(
            "none: they are in your queries and keys; a cache is yours, too",
            np.allclose(moved, self.attend(q, k, v), atol=1e-3),
        )

    def types(self):
        made = np.random.default_rng(0).normal(size=(3, 1, 2, 1, 8))
        kept = []
        for name in ("float16", "bfloat16", "float32"):
            y = outcome(self.function, *(jnp.asarray(x, name) for x in made))
            if y is not None and y.dtype == name:
                kept.append(name)
        q, k, v = (jnp.asarray(x, jnp.float32) for x in made)
        mixed = outcome(self.function, q, k.astype(jnp.float16), v)

        def attend(q, k, v):
            return self.function(*(x.swapaxes(1, 2) for x in (q, k, v))).swapaxes(1, 2)

        return (
            f"{', '.join(kept)} in and out; "
            f"{probes.integers(attend, lambda x: jnp.asarray(x, jnp.int32))}; "
            f"mixed types {'refused' if mixed is None else 'taken'}; "
            + probes.half(attend, lambda x: jnp.asarray(x, jnp.float16))
        )


SUBJECTS = [Function()]
