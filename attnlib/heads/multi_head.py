"""Multi-head attention: project, attend in every head, merge, project."""

import numpy as np

from attnlib import _checks, _shapes
from attnlib.attention import scaled_dot_product_attention
from attnlib.heads.split import for_heads, merge_heads, split_heads
from attnlib.parameters import Parameters, holds_parameters, keep
from attnlib.projections import project


@holds_parameters
class MultiHeadAttention(Parameters):
    r"""Attend with several heads, each to queries, keys and values projected for it.

    Parameters
    ----------
    W_Q : array_like, shape (d_model, n_heads * d_k)
        Makes the queries of all heads, side by side.
    W_K : array_like, shape (d_source, n_heads * d_k)
        Makes the keys.  ``d_source`` is ``d_model`` in self-attention.
    W_V : array_like, shape (d_source, n_heads * d_v)
        Makes the values.
    W_O : array_like, shape (n_heads * d_v, d_out)
        Makes one output of the heads' outputs, side by side.
    n_heads : int
        Number of heads.
    b_Q, b_K, b_V, b_O : array_like, optional
        Biases, each as long as its matrix has columns; nothing where not given.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a number is NaN or infinite.
    TypeError
        If an array holds anything but integers and floats, or `n_heads` is not an integer.

    Notes
    -----
    With ``H`` heads (Vaswani et al. 2017), each with its columns of the projections:

    .. math:: \q{Q_h} = X_Q W_{Q,h} \qquad \k{K_h} = X_{KV} W_{K,h} \qquad \v{V_h} = X_{KV} W_{V,h}

    .. math:: \v{Y} = [\v{Y_1}, \dots, \v{Y_H}] \, W_O = \sum_h \v{Y_h} \, W_{O,h}, \qquad
              \v{Y_h} = \mathrm{softmax}\left(\frac{\q{Q_h} \k{K_h}^\top}{\sqrt{d_k}}\right) \v{V_h}

    The sum says that heads do not mix before the output: each writes its own part of it.

    Examples
    --------
    Two heads that each copy one component.  The items tie in every score, so all get the mean.

    >>> zero, one = np.zeros((2, 2)), np.eye(2)
    >>> attention = MultiHeadAttention(zero, zero, one, one, n_heads=2)
    >>> output, weights = attention([[1, 10], [3, 30]])
    >>> output
    array([[ 2., 20.],
           [ 2., 20.]])
    >>> weights.shape, attention.parameter_count
    ((2, 2, 2), 16)
    """

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    n_heads: int
    b_Q: np.ndarray | None = None
    b_K: np.ndarray | None = None
    b_V: np.ndarray | None = None
    b_O: np.ndarray | None = None

    def __post_init__(self):
        n_heads = _checks.count(self.n_heads, "n_heads")
        W_Q = _shapes.shaped(
            self.W_Q, "W_Q", ("d_model", "n_heads * d_k"), "one column a component"
        )
        _shapes.same_heads(W_Q.shape[1], n_heads, f"W_Q has shape {W_Q.shape}")
        why = f"W_Q has shape {W_Q.shape}, and a key is as long as a query"
        W_K = _shapes.shaped(self.W_K, "W_K", ("d_source", W_Q.shape[1]), why)
        why = f"W_K has shape {W_K.shape}, and keys and values have one source"
        W_V = _shapes.shaped(self.W_V, "W_V", (W_K.shape[0], "n_heads * d_v"), why)
        _shapes.same_heads(W_V.shape[1], n_heads, f"W_V has shape {W_V.shape}")
        why = f"W_V has shape {W_V.shape}, one row for each of its columns"
        W_O = _shapes.shaped(self.W_O, "W_O", (W_V.shape[1], "d_out"), why)
        keep(self, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, n_heads=n_heads)
        for letter in "QKVO":
            W, b = getattr(self, f"W_{letter}"), getattr(self, f"b_{letter}")
            if b is not None:
                why = f"W_{letter} has shape {W.shape}, one number for each column"
                keep(self, **{f"b_{letter}": _shapes.shaped(b, f"b_{letter}", W.shape[1:], why)})

    @classmethod
    def random(cls, rng, d_model, n_heads, d_k=None, d_v=None, *, bias=False):
        """Draw projections that keep the size of what they project.

        Parameters
        ----------
        rng : numpy.random.Generator
            Where the numbers come from.
        d_model : int
            Length of an item, and of an output.
        n_heads : int
            Number of heads.
        d_k, d_v : int, optional
            Length of a key and of a value of one head, ``d_model / n_heads`` if not given.
        bias : bool, optional
            Whether to have biases; they start at 0.

        Returns
        -------
        MultiHeadAttention
            The entries of each matrix are normal, with variance one over the number of its rows.

        Raises
        ------
        ValueError
            If a number is below 1, or `n_heads` does not divide `d_model` where it has to.
        TypeError
            If a number is not an integer, or `rng` not a generator.
        """
        _checks.generator(rng)
        bias = _checks.boolean(bias, "bias")
        d_model, n_heads = _checks.count(d_model, "d_model"), _checks.count(n_heads, "n_heads")
        if d_k is None or d_v is None:
            share = _shapes.same_heads(d_model, n_heads, f"d_model={d_model}")
        d_k = share if d_k is None else _checks.count(d_k, "d_k")
        d_v = share if d_v is None else _checks.count(d_v, "d_v")
        shapes = {
            "Q": (d_model, n_heads * d_k),
            "K": (d_model, n_heads * d_k),
            "V": (d_model, n_heads * d_v),
            "O": (n_heads * d_v, d_model),
        }
        matrices = {f"W_{x}": rng.normal(0, s[0] ** -0.5, s) for x, s in shapes.items()}
        biases = {f"b_{x}": np.zeros(s[1]) for x, s in shapes.items()} if bias else {}
        return cls(**matrices, n_heads=n_heads, **biases)

    def project(self, X_Q, X_KV=None):
        """Make queries of ``X_Q`` and keys and values of ``X_KV``, one matrix of each a head.

        Returns
        -------
        Q : ndarray, shape (..., n_heads, n_q, d_k)
        K : ndarray, shape (..., n_heads, n_k, d_k)
        V : ndarray, shape (..., n_heads, n_k, d_v)
        """
        X_Q = _source(X_Q, "X_Q", self.W_Q, "W_Q")
        X_KV = _source(X_Q if X_KV is None else X_KV, "X_KV", self.W_K, "W_K")
        _shapes.not_empty(X_KV, "X_KV", "keys")
        _shapes.leading_axes(X_Q=X_Q, X_KV=X_KV)
        Q, K = project(X_Q, self.W_Q, self.b_Q), project(X_KV, self.W_K, self.b_K)
        V = project(X_KV, self.W_V, self.b_V)
        return tuple(split_heads(X, self.n_heads) for X in (Q, K, V))

    def __call__(self, X_Q, X_KV=None, *, mask=None):
        """Answer each row of ``X_Q`` from the rows of ``X_KV``.

        Parameters
        ----------
        X_Q : array_like, shape (..., n_q, d_model)
            The items that ask.
        X_KV : array_like, shape (..., n_k, d_source), optional
            The items that are asked; ``X_Q`` itself if not given (self-attention).
        mask : array_like of bool, optional
            True where a query may attend to a key, the same for all heads.  Its shape broadcasts
            to (..., n_q, n_k): there is no axis for the heads.

        Returns
        -------
        output : ndarray, shape (..., n_q, d_out)
            One answer for each query.
        weights : ndarray, shape (..., n_heads, n_q, n_k)
            How much each key counted for each query in each head; rows sum to one.

        Raises
        ------
        ValueError, TypeError
            As for `scaled_dot_product_attention`.
        """
        Q, K, V = self.project(X_Q, X_KV)
        outputs, weights = scaled_dot_product_attention(Q, K, V, mask=for_heads(mask, Q, K))
        return project(merge_heads(outputs), self.W_O, self.b_O), weights


def _source(X, name, W, W_name):
    """Return `X` as a matrix of items that `W` can project."""
    X = _shapes.matrix(X, name, "(..., n, d)")
    _shapes.width(X, name, W.shape[0], f"{W_name} has shape {W.shape}, one row for each")
    return X
