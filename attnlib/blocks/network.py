"""The feed-forward network of a block: the same small network for every row."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.blocks.activations import ACTIVATIONS, check_activation
from attnlib.parameters import Parameters, holds_parameters, keep
from attnlib.projections import project


def feed_forward(X, W_1, b_1, W_2, b_2, activation="relu"):
    r"""Send each row by itself through a network with one hidden layer.

    Parameters
    ----------
    X : array_like, shape (..., n, d_model)
        Items, one in each row.
    W_1 : array_like, shape (d_model, d_ff)
        To the hidden layer.
    b_1 : array_like, shape (d_ff,)
        Its bias.
    W_2 : array_like, shape (d_ff, d_out)
        From the hidden layer.
    b_2 : array_like, shape (d_out,)
        Its bias.
    activation : {"relu", "gelu"}, optional
        What the hidden layer does to each number.

    Returns
    -------
    ndarray, shape (..., n, d_out)
        What the network makes of each row.

    Raises
    ------
    ValueError
        If the shapes do not fit, a number is NaN or infinite, or `activation` is unknown.
    TypeError
        If an array holds anything but integers and floats.

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
    check_activation(activation)
    X, W_1, b_1, W_2, b_2 = feed_forward_arrays(X, W_1, b_1, W_2, b_2)
    return project(ACTIVATIONS[activation](project(X, W_1, b_1)), W_2, b_2)


def feed_forward_arrays(X, W_1, b_1, W_2, b_2):
    """Return the arrays of a feed-forward network, checked together."""
    W_1 = _shapes.shaped(W_1, "W_1", ("d_model", "d_ff"), "one matrix for all rows")
    why = f"W_1 has shape {W_1.shape}, one for each of its columns"
    b_1 = _shapes.shaped(b_1, "b_1", W_1.shape[1:], why)
    W_2 = _shapes.shaped(W_2, "W_2", (W_1.shape[1], "d_out"), why)
    why = f"W_2 has shape {W_2.shape}, one number for each column"
    b_2 = _shapes.shaped(b_2, "b_2", W_2.shape[1:], why)
    if X is not None:
        X = _shapes.matrix(X, "X", "(..., n, d_model)")
        _shapes.width(X, "X", len(W_1), f"W_1 has shape {W_1.shape}, one row for each")
    return X, W_1, b_1, W_2, b_2


@holds_parameters
class FeedForward(Parameters):
    r"""A feed-forward network with its learned matrices and biases.

    Parameters
    ----------
    W_1, b_1, W_2, b_2, activation
        As for `feed_forward`.

    Raises
    ------
    ValueError, TypeError
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

    W_1: np.ndarray
    b_1: np.ndarray
    W_2: np.ndarray
    b_2: np.ndarray
    activation: str = "relu"

    def __post_init__(self):
        check_activation(self.activation)
        _, W_1, b_1, W_2, b_2 = feed_forward_arrays(None, self.W_1, self.b_1, self.W_2, self.b_2)
        keep(self, W_1=W_1, b_1=b_1, W_2=W_2, b_2=b_2)

    @classmethod
    def random(cls, rng, d_model, d_ff=None, *, activation="relu"):
        """Draw a network; its biases start at 0.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of a row, before and after.
        d_ff : int, optional
            Size of the hidden layer, ``4 * d_model`` if not given.
        activation : {"relu", "gelu"}, optional
            What the hidden layer does to each number.

        Returns
        -------
        FeedForward
            The entries of each matrix are normal, with variance one over the number of its rows.

        Raises
        ------
        ValueError
            If a number is below 1, or `activation` is unknown.
        TypeError
            If a number is not an integer, or `rng` not a generator.
        """
        _checks.generator(rng)
        d_model = _checks.count(d_model, "d_model")
        d_ff = 4 * d_model if d_ff is None else _checks.count(d_ff, "d_ff")
        W_1 = rng.normal(0, d_model**-0.5, (d_model, d_ff))
        W_2 = rng.normal(0, d_ff**-0.5, (d_ff, d_model))
        return cls(W_1, np.zeros(d_ff), W_2, np.zeros(d_model), activation)

    def __call__(self, X):
        """Send each row of ``X``, shape (..., n, d_model), through the network."""
        return feed_forward(X, self.W_1, self.b_1, self.W_2, self.b_2, self.activation)
