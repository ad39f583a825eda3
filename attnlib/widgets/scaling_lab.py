"""Random queries and keys, and what the number of components does to attention."""

import math

import numpy as np
import traitlets

from attnlib import normalizers
from attnlib.widgets.base import BookWidget, svg_picture

N_Q, N_K, LARGEST = 32, 16, 512
SCALES = {"none": lambda d: 1.0, "sqrt": lambda d: 1 / math.sqrt(d), "linear": lambda d: 1 / d}


def uniforms(seed, count):
    """Reproducible numbers in [0, 1), the same as in the page (mulberry32); shape ``(count,)``.

    Examples
    --------
    >>> uniforms(0, 2).round(6)
    array([0.266429, 0.00033 ])
    """
    with np.errstate(over="ignore"):
        state = (np.arange(1, count + 1, dtype=np.uint64) * 0x6D2B79F5 + seed).astype(np.uint32)
        t = (state ^ (state >> 15)) * (state | np.uint32(1))
        t ^= t + (t ^ (t >> 7)) * (t | np.uint32(61))
        return (t ^ (t >> 14)) / 2.0**32


def draws(distribution, seed, count):
    """Components with mean 0 and variance 1: normal, uniform or a fair sign; shape ``(count,)``.

    Examples
    --------
    >>> draws("sign", 1, 4)
    array([ 1., -1.,  1.,  1.])
    """
    if distribution == "normal":
        u, angle = uniforms(seed, 2 * count).reshape(count, 2).T
        return np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * angle)
    u = uniforms(seed, count)
    return math.sqrt(3) * (2 * u - 1) if distribution == "uniform" else np.where(u < 0.5, -1.0, 1.0)


def mean_gradient(scores):
    """Mean Frobenius norm of the softmax Jacobian over the rows of the scores.

    Examples
    --------
    >>> mean_gradient(np.array([[0.0, 0.0], [0.0, 1000.0]]))
    0.25
    """
    return float(np.linalg.norm(normalizers.softmax_jacobian(scores), axis=(1, 2)).mean())


class ScalingLab(BookWidget):
    r"""32 random queries, 16 random keys: scores, sorted weights and gradient against their size.

    Every parameter is also an attribute that can be set.  `scores`, `weights` and `gradient` are
    computed from them when they are asked for.

    Parameters
    ----------
    dimension : int
        Components of a query and a key, a power of two from 1 to 512.
    scale : {"none", "sqrt", "linear"}
        What scores are multiplied by: 1, :math:`1/\sqrt{d}` or :math:`1/d`.
    distribution : {"normal", "uniform", "sign"}
        How the components are drawn, always with mean 0 and variance 1.
    correlation : float
        From 0 (independent) to 1: how far query i equals key i mod 16.
    seed : int
        Seed of the random components: the same seed gives the same queries and keys.
    presets : list of dict
        Named states for buttons, such as ``{"label": "d = 64", "dimension": 64}``.
    title : str
        The heading over the widget.
    task : str
        One thing to find out, shown with the widget; code in backticks.

    Raises
    ------
    traitlets.TraitError
        When a value is none of these.

    Examples
    --------
    With 64 components the unscaled scores have a standard deviation of about √64 = 8.

    >>> lab = ScalingLab(dimension=64)
    >>> round(float(lab.scores.std()) / 8, 1)
    1.0
    """

    script = "scaling_lab"

    dimension = traitlets.Int(4).tag(sync=True)
    scale = traitlets.Enum(list(SCALES), default_value="none").tag(sync=True)
    distribution = traitlets.Enum(["normal", "uniform", "sign"], default_value="normal").tag(
        sync=True
    )
    correlation = traitlets.Float(0.0, min=0.0, max=1.0).tag(sync=True)
    seed = traitlets.Int(1, min=0, max=2**31 - 1).tag(sync=True)
    presets = traitlets.List(traitlets.Dict()).tag(sync=True)

    def __init__(self, **kwargs):
        kwargs.setdefault("title", "Add components, watch softmax saturate")
        super().__init__(**kwargs)

    @traitlets.validate("dimension")
    def _check(self, proposal):
        d = proposal["value"]
        if d < 1 or d > LARGEST or d & (d - 1):
            raise traitlets.TraitError(
                f"ScalingLab.dimension must be a power of two from 1 to {LARGEST}, got {d}."
            )
        return d

    def raw_scores(self, dimension):
        """Unscaled scores for any number of components, shape ``(32, 16)``."""
        components = draws(self.distribution, self.seed, LARGEST * (N_Q + N_K))
        components = components.reshape(LARGEST, N_Q + N_K).T[:, :dimension]
        noise, K = components[:N_Q], components[N_Q:]
        r = self.correlation
        Q = r * K[np.arange(N_Q) % N_K] + math.sqrt(1 - r * r) * noise
        return Q @ K.T

    def gradient_curves(self):
        """The gradient against the number of components, for every scale.

        Returns
        -------
        sizes : list of int
        curves : dict
            Name of the scale -> list of mean Frobenius norms of the softmax Jacobian.
        """
        sizes = [2**power for power in range(10)]
        raw = {d: self.raw_scores(d) for d in sizes}
        curves = {
            name: [mean_gradient(raw[d] * factor(d)) for d in sizes]
            for name, factor in SCALES.items()
        }
        return sizes, curves

    @property
    def scores(self):
        """Scaled scores, shape ``(32, 16)``."""
        return self.raw_scores(self.dimension) * SCALES[self.scale](self.dimension)

    @property
    def weights(self):
        """Softmax of each row of the scores, shape ``(32, 16)``."""
        return normalizers.softmax(self.scores)

    @property
    def gradient(self):
        """Mean Frobenius norm of the softmax Jacobian over the queries."""
        return mean_gradient(self.scores)

    @property
    def own_weight(self):
        """Mean weight of the key that a query is correlated with, key i mod 16 for query i."""
        return float(self.weights[np.arange(N_Q), np.arange(N_Q) % N_K].mean())

    def picture(self):
        from attnlib import figures

        return svg_picture(figures.scaling_lab(self))
