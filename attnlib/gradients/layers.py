"""Gradients through the layers that see one row at a time."""

from attnlib import _checks
from attnlib._boundary import checked
from attnlib.blocks import feed_forward, gated_feed_forward, layer_norm, rms_norm
from attnlib.blocks.activations import activation_name
from attnlib.blocks.norm import refuse_bad_epsilon


@checked(
    also=refuse_bad_epsilon,
    d_output="(..., n, d)",
    X="(..., n, d)",
    gain="(d,)",
    bias="(d,)",
    epsilon=_checks.number,
)
def layer_norm_vjp(d_output, X, gain=None, bias=None, epsilon=1e-5):
    r"""Go back from normalised rows to the rows, the gain and the bias.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `layer_norm` returned.
    X, gain, bias, epsilon
        The arguments of `layer_norm`.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the rows.
    d_gain, d_bias : ndarray, shape (d,)
        Derivative of the loss with respect to gain and bias, also where they were left out
        and so are 1 and 0.

    Notes
    -----
    With :math:`z_c = (x_c - \mu) / \sigma` and :math:`y_c = \text{gain}_c z_c + \text{bias}_c`:

    .. math:: d\text{gain}_c = \sum_t dy_{tc} z_{tc}, \qquad d\text{bias}_c = \sum_t dy_{tc}, \qquad
              dz_c = \text{gain}_c \, dy_c

    An entry :math:`x_c` moves its own z, the mean, and sigma, by
    :math:`\partial \mu / \partial x_c = 1/d` and
    :math:`\partial \sigma / \partial x_c = (x_c - \mu) / (d \, \sigma) = z_c / d`:

    .. math:: \frac{\partial z_a}{\partial x_c}
              = \frac{1}{\sigma} \Big( \delta_{ac} - \frac{1}{d} - \frac{z_a z_c}{d} \Big)

    .. math:: dx_c = \sum_a dz_a \frac{\partial z_a}{\partial x_c}
              = \frac{1}{\sigma} \Big( dz_c - \frac{1}{d} \sum_a dz_a
              - z_c \, \frac{1}{d} \sum_a z_a \, dz_a \Big)

    So what would shift the row, or stretch it, is taken out: the output does not depend on either.

    Examples
    --------
    A row of two can only be shifted or stretched.  Nothing is left but for epsilon:

    >>> import numpy as np
    >>> d_X, d_gain, d_bias = layer_norm_vjp([[1, 0]], [[1, 5]], epsilon=1e-9)
    >>> bool(np.abs(d_X).max() < 1e-9), d_gain.round(6), d_bias
    (True, array([-1.,  0.]), array([1., 0.]))
    """
    _, back = layer_norm.with_pullback(X, gain, bias, epsilon)
    return back(d_output)


@checked(
    also=refuse_bad_epsilon,
    d_output="(..., n, d)",
    X="(..., n, d)",
    gain="(d,)",
    epsilon=_checks.number,
)
def rms_norm_vjp(d_output, X, gain=None, epsilon=1e-5):
    r"""Go back from rows of mean square 1 to the rows and the gain.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `rms_norm` returned.
    X, gain, epsilon
        The arguments of `rms_norm`.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the rows.
    d_gain : ndarray, shape (d,)
        Derivative of the loss with respect to the gain, also where it was left out and so is 1.

    Notes
    -----
    As in `layer_norm_vjp`, without the mean.  With :math:`z_c = x_c / r`, and
    :math:`\partial r / \partial x_c = z_c / d`:

    .. math:: d\text{gain}_c = \sum_t dy_{tc} z_{tc}, \qquad dz_c = \text{gain}_c \, dy_c, \qquad
              dx_c = \frac{1}{r} \Big( dz_c - z_c \, \frac{1}{d} \sum_a z_a \, dz_a \Big)

    So only what would stretch the row is taken out.

    Examples
    --------
    A derivative along the row stretches it.  Nothing is left but for epsilon:

    >>> import numpy as np
    >>> d_X, d_gain = rms_norm_vjp([[1, 7]], [[1, 7]], epsilon=1e-9)
    >>> bool(np.abs(d_X).max() < 1e-9), d_gain.round(6)
    (True, array([0.2, 9.8]))
    """
    _, back = rms_norm.with_pullback(X, gain, epsilon)
    return back(d_output)


@checked(
    d_output="(..., n, d_out)",
    X="(..., n, d_model)",
    W_1="(d_model, d_ff)",
    b_1="(d_ff,)",
    W_2="(d_ff, d_out)",
    b_2="(d_out,)",
    activation=activation_name,
)
def feed_forward_vjp(d_output, X, W_1, b_1, W_2, b_2, activation="relu"):
    r"""Go back through the feed-forward network to its rows, matrices and biases.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `feed_forward` returned.
    X, W_1, b_1, W_2, b_2, activation
        The arguments of `feed_forward`.

    Returns
    -------
    d_X, d_W_1, d_b_1, d_W_2, d_b_2 : ndarray, same shapes as the arrays
        Derivative of the loss with respect to each entry.

    Notes
    -----
    With :math:`Z = X W_1 + b_1`, :math:`H = \mathrm{activation}(Z)` and :math:`Y = H W_2 + b_2`,
    from the right, where ∘ multiplies entry by entry:

    .. math:: dW_2 = H^\top dY, \quad db_2 = \mathbf{1}^\top dY, \quad
              dZ = (dY \, W_2^\top) \circ \mathrm{activation}'(Z)

    .. math:: dW_1 = X^\top dZ, \quad db_1 = \mathbf{1}^\top dZ, \quad dX = dZ \, W_1^\top

    .. math:: \mathrm{relu}'(z) = [z > 0], \qquad
              \mathrm{gelu}'(z) = \Phi(z) + z \, \varphi(z), \qquad
              \varphi(z) = \frac{1}{\sqrt{2\pi}} e^{-z^2/2}

    .. math:: \mathrm{silu}'(z) = \sigma(z) \, (1 + z \, \sigma(-z))

    A unit that relu has cut off passes nothing back.  At exactly 0 relu has a corner; as in
    PyTorch its slope there is 0.

    Examples
    --------
    Units x and −x: for x = 3 the second is cut off, so the slope of the sum is 1.

    >>> W_1, W_2 = [[1, -1]], [[1], [1]]
    >>> d_X, *_ = feed_forward_vjp([[1]], [[3]], W_1, [0, 0], W_2, [0])
    >>> d_X
    array([[1.]])
    """
    _, back = feed_forward.with_pullback(X, W_1, b_1, W_2, b_2, activation)
    return back(d_output)


@checked(
    d_output="(..., n, d_out)",
    X="(..., n, d_model)",
    W_gate="(d_model, d_ff)",
    W_1="(d_model, d_ff)",
    W_2="(d_ff, d_out)",
    activation=activation_name,
)
def gated_feed_forward_vjp(d_output, X, W_gate, W_1, W_2, activation="silu"):
    r"""Go back through the gated feed-forward network to its rows and matrices.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of what `gated_feed_forward` returned.
    X, W_gate, W_1, W_2, activation
        The arguments of `gated_feed_forward`.

    Returns
    -------
    d_X, d_W_gate, d_W_1, d_W_2 : ndarray, same shapes as the arrays
        Derivative of the loss with respect to each entry.

    Notes
    -----
    With :math:`Z = X W_{gate}`, :math:`G = \mathrm{activation}(Z)`, :math:`U = X W_1` and
    :math:`Y = (G \circ U) W_2`, from the right; :math:`\mathrm{activation}'` is in
    `feed_forward_vjp`.  Each factor gets the derivative times the other one:

    .. math:: dW_2 = (G \circ U)^\top dY, \quad dH = dY \, W_2^\top, \quad
              dU = dH \circ G, \quad dZ = dH \circ U \circ \mathrm{activation}'(Z)

    .. math:: dW_{gate} = X^\top dZ, \quad dW_1 = X^\top dU, \quad
              dX = dZ \, W_{gate}^\top + dU \, W_1^\top

    Examples
    --------
    One unit with relu, open by 3: y = relu(x) · 20 x = 20 x², and its slope at 3 is 120.

    >>> W = [[1]], [[20]], [[1]]
    >>> d_X, *_ = gated_feed_forward_vjp([[1]], [[3]], *W, "relu")
    >>> d_X
    array([[120.]])
    """
    _, back = gated_feed_forward.with_pullback(X, W_gate, W_1, W_2, activation)
    return back(d_output)
