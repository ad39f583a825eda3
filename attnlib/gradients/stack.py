"""Gradients through the decoder-only stack."""

from attnlib._boundary import checked
from attnlib.blocks import DecoderOnly
from attnlib.gradients.blocks import encoder_block_vjp
from attnlib.gradients.layers import norm_vjp
from attnlib.masks.positions import causal_and


@checked(
    d_output="(..., n_items, d_model)",
    stack=DecoderOnly,
    X="(..., n_items, d_model)",
    mask="bool (..., [n_heads], n_items, n_items)",
)
def decoder_only_vjp(d_output, stack, X, *, mask=None):
    r"""Go back from the output of a decoder-only stack to its items and all its parameters.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the output.
    stack : DecoderOnly
        The stack.
    X, mask
        The arguments of the call.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the items.
    d_stack : DecoderOnly
        Holds, for each parameter, the derivative of the loss with respect to it.

    Notes
    -----
    The blocks in reverse order.  The items before each block are kept on the way forwards, because
    its derivative depends on them, :math:`X_0 = X` and :math:`X_b = \text{block}_b(X_{b-1})`:

    .. math:: dX_{b-1} = \text{block}_b^{\,\text{vjp}}(dX_b, X_{b-1})

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> stack = DecoderOnly.random(rng, 2, d_model=4, n_heads=2)
    >>> d_X, d_stack = decoder_only_vjp(np.eye(4), stack, np.eye(4))
    >>> d_X.shape, d_stack.blocks[1].attention.W_Q.shape
    ((4, 4), (4, 4))
    """
    d_X, mask, inputs = d_output, causal_and(mask, X.shape[-2]), []
    for block in stack.blocks:
        inputs.append(X)
        X, _ = block(X, mask=mask)
    d_norm = None
    if stack.norm is not None:
        d_X, d_norm = norm_vjp(d_X, stack.norm, X)
    d_blocks = []
    for block, X in zip(reversed(stack.blocks), reversed(inputs)):
        d_X, d_block = encoder_block_vjp(d_X, block, X, mask=mask)
        d_blocks.append(d_block)
    return d_X, DecoderOnly(tuple(reversed(d_blocks)), d_norm)
