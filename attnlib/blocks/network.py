"""The feed-forward network of a block: the same small network for every row."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._pullbacks import differentiable, gathered
from attnlib._shapes import Shape
from attnlib.blocks.activations import ACTIVATIONS, activation_name
from attnlib.parameters import Parameters
from attnlib.projections import projection_vjp


@differentiable(
    X="(..., n, d_model)",
    W_1="(d_model, d_ff)",
    b_1="(d_ff,)",
    W_2="(d_ff, d_out)",
    b_2="(d_out,)",
    activation=activation_name,
)
def feed_forward(X, W_1, b_1, W_2, b_2, activation="relu"):
    r"""Send each row by itself through a network with one hidden layer.

    Parameters
    ----------
    X : array_like
        Items, one in each row.
    W_1 : array_like
        To the hidden layer.
    b_1 : array_like
        Its bias.
    W_2 : array_like
        From the hidden layer.
    b_2 : array_like
        Its bias.
    activation : {"relu", "gelu", "silu"}, optional
        What the hidden layer does to each number.

    Returns
    -------
    ndarray, shape (..., n, d_out)
        What the network makes of each row.

    Notes
    -----
    The same network at every position (Vaswani et al. 2017):

    .. math:: Y = \mathrm{activation}(X W_1 + b_1) \, W_2 + b_2

    Examples
    --------
    Two hidden units, x and −x; relu keeps one of them, and their sum is the absolute value.

    >>> feed_forward([[3], [-4]], [[1, -1]], [0, 0], [[1], [1]], [0])
    array([[3.],
           [4.]])
    """
    H, back_to_Z = ACTIVATIONS[activation].with_pullback(X @ W_1 + b_1)
    Y = H @ W_2 + b_2

    def back(d_Y):
        d_H, d_W_2, d_b_2 = projection_vjp(d_Y, H, W_2)
        d_X, d_W_1, d_b_1 = projection_vjp(back_to_Z(d_H), X, W_1)
        return d_X, d_W_1, d_b_1, d_W_2, d_b_2

    return Y, back


class FeedForward(Parameters):
    r"""A feed-forward network with its learned matrices and biases.

    Parameters
    ----------
    W_1, b_1, W_2, b_2, activation
        As for `feed_forward`.

    Notes
    -----
    Called with X, shape (..., n, d_model), it returns `feed_forward` of it:

    .. math:: Y = \mathrm{activation}(X W_1 + b_1) \, W_2 + b_2

    Examples
    --------
    >>> network = FeedForward([[1, -1]], [0, 0], [[1], [1]], [0])
    >>> network([[3], [-4]])
    array([[3.],
           [4.]])
    """

    W_1: Shape("(d_model, d_ff)")
    b_1: Shape("(d_ff,)")
    W_2: Shape("(d_ff, d_out)")
    b_2: Shape("(d_out,)")
    activation: activation_name = "relu"

    @classmethod
    @checked(
        rng=_checks.generator,
        d_model=_checks.count,
        d_ff=_checks.count,
        activation=activation_name,
    )
    def random(cls, rng, d_model, d_ff=None, *, activation="relu"):
        """Draw a network; its biases start at 0.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of a row, before and after.
        d_ff : int, optional
            Size of the hidden layer, ``4 * d_model`` by default.
        activation : {"relu", "gelu", "silu"}, optional
            What the hidden layer does to each number.

        Returns
        -------
        FeedForward
            The entries of each matrix are normal, with variance one over the number of its rows.
        """
        d_ff = 4 * d_model if d_ff is None else d_ff
        W_1 = rng.normal(0, d_model**-0.5, (d_model, d_ff))
        W_2 = rng.normal(0, d_ff**-0.5, (d_ff, d_model))
        return cls(W_1, np.zeros(d_ff), W_2, np.zeros(d_model), activation)

    @differentiable(X="(..., n, d_model)")
    def __call__(self, X):
        """Send each row of ``X``, shape (..., n, d_model), through the network."""
        own = self.W_1, self.b_1, self.W_2, self.b_2, self.activation
        Y, back = feed_forward.with_pullback(X, *own)
        return gathered(self, ("W_1", "b_1", "W_2", "b_2"), Y, back)

    with_pullback = __call__.with_pullback


@differentiable(
    X="(..., n, d_model)",
    W_gate="(d_model, d_ff)",
    W_1="(d_model, d_ff)",
    W_2="(d_ff, d_out)",
    activation=activation_name,
)
def gated_feed_forward(X, W_gate, W_1, W_2, activation="silu"):
    r"""Send each row by itself through a hidden layer whose units are opened by a second one.

    Parameters
    ----------
    X : array_like
        Items, one in each row.
    W_gate : array_like
        To the gates: how far each hidden unit opens.
    W_1 : array_like
        To the hidden layer.
    W_2 : array_like
        From the hidden layer.
    activation : {"relu", "gelu", "silu"}, optional
        What is done to each gate.

    Returns
    -------
    ndarray, shape (..., n, d_out)
        What the network makes of each row.

    Notes
    -----
    A gated linear unit (Shazeer 2020; with silu it is called SwiGLU, with gelu GEGLU).  ∘
    multiplies entry by entry, and there are no biases:

    .. math:: Y = \big(\mathrm{activation}(X W_{gate}) \circ X W_1 \big) \, W_2

    Examples
    --------
    One unit.  The gate 3 opens it by relu(3), and 3 · 20 goes out; the gate −4 keeps it shut.

    >>> gated_feed_forward([[3], [-4]], [[1]], [[20]], [[1]], "relu")
    array([[180.],
           [  0.]])
    """
    G, back_to_Z = ACTIVATIONS[activation].with_pullback(X @ W_gate)
    U = X @ W_1
    Y = (G * U) @ W_2

    def back(d_Y):
        d_H, d_W_2, _ = projection_vjp(d_Y, G * U, W_2)
        d_by_gate, d_W_gate, _ = projection_vjp(back_to_Z(d_H * U), X, W_gate)
        d_by_unit, d_W_1, _ = projection_vjp(d_H * G, X, W_1)
        return d_by_gate + d_by_unit, d_W_gate, d_W_1, d_W_2

    return Y, back


class GatedFeedForward(Parameters):
    r"""A gated feed-forward network with its learned matrices.

    Parameters
    ----------
    W_gate, W_1, W_2, activation
        As for `gated_feed_forward`.

    Notes
    -----
    Called with X, shape (..., n, d_model), it returns `gated_feed_forward` of it.  A block takes it
    where it takes a `FeedForward`:

    .. math:: Y = \big(\mathrm{activation}(X W_{gate}) \circ X W_1 \big) \, W_2

    Examples
    --------
    >>> network = GatedFeedForward([[1]], [[20]], [[1]], activation="relu")
    >>> network([[3]])
    array([[180.]])
    """

    W_gate: Shape("(d_model, d_ff)")
    W_1: Shape("(d_model, d_ff)")
    W_2: Shape("(d_ff, d_out)")
    activation: activation_name = "silu"

    @classmethod
    @checked(
        rng=_checks.generator,
        d_model=_checks.count,
        d_ff=_checks.count,
        activation=activation_name,
    )
    def random(cls, rng, d_model, d_ff=None, *, activation="silu"):
        """Draw a network.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of a row, before and after.
        d_ff : int, optional
            Size of the hidden layer, two thirds of ``4 * d_model`` by default: so three matrices
            have as many numbers as the two of a `FeedForward`.
        activation : {"relu", "gelu", "silu"}, optional
            What is done to each gate.

        Returns
        -------
        GatedFeedForward
            The entries of each matrix are normal, with variance one over the number of its rows.
        """
        d_ff = round(8 * d_model / 3) if d_ff is None else d_ff
        W_gate, W_1 = rng.normal(0, d_model**-0.5, (2, d_model, d_ff))
        return cls(W_gate, W_1, rng.normal(0, d_ff**-0.5, (d_ff, d_model)), activation)

    @differentiable(X="(..., n, d_model)")
    def __call__(self, X):
        """Send each row of ``X``, shape (..., n, d_model), through the network."""
        own = self.W_gate, self.W_1, self.W_2, self.activation
        Y, back = gated_feed_forward.with_pullback(X, *own)
        return gathered(self, ("W_gate", "W_1", "W_2"), Y, back)

    with_pullback = __call__.with_pullback


NETWORKS = FeedForward, GatedFeedForward
