"""Gradients through whole blocks, and through a stack of them."""

from attnlib._boundary import checked
from attnlib.blocks import DecoderBlock, DecoderOnly, EncoderBlock


@checked(
    d_output="(..., n_items, d_model)",
    block=EncoderBlock,
    X="(..., n_items, d_model)",
    mask="bool (..., [n_heads], n_items, n_items)",
)
def encoder_block_vjp(d_output, block, X, *, mask=None):
    r"""Go back from the output of an encoder block to its items and all its parameters.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the output.
    block : EncoderBlock
        The block.
    X, mask
        The arguments of the call.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the items.
    d_block : EncoderBlock
        Holds, for each parameter, the derivative of the loss with respect to it.

    Notes
    -----
    A sum hands its derivative to both of its terms.  With the norm before,
    :math:`A = X + \text{attention}(\text{norm}_1(X))`, so what reaches X is what reaches A, plus
    what comes back through attention and norm:

    .. math:: dX = dA + \text{norm}_1^{\,\text{vjp}}(\text{attention}^{\,\text{vjp}}(dA))

    With the norm after, :math:`A = \text{norm}_1(X + \text{attention}(X))`:

    .. math:: dS = \text{norm}_1^{\,\text{vjp}}(dA), \qquad
              dX = dS + \text{attention}^{\,\text{vjp}}(dS)

    Here every derivative passes through the norm, and in a stack through the norm of every block;
    before, dA reaches X as it is.  The second half, with the network, goes back in the same way.

    Examples
    --------
    The loss is the sum of the output, which the last norm keeps at 0 whatever the items are:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> block = EncoderBlock.random(rng, d_model=4, n_heads=2)
    >>> X = np.eye(4)[:3]
    >>> d_X, d_block = encoder_block_vjp(np.ones((3, 4)), block, X)
    >>> bool(np.abs(d_X).max() < 1e-12), d_block.norm_2.bias
    (True, array([3., 3., 3., 3.]))
    """
    *_, back = block.with_pullback(X, mask=mask)
    return back(d_output)


@checked(
    d_output="(..., n_items, d_model)",
    block=DecoderBlock,
    X="(..., n_items, d_model)",
    memory="(..., n_memory, d_source)",
    mask="bool (..., [n_heads], n_items, n_items)",
    memory_mask="bool (..., [n_cross_heads], n_items, n_memory)",
)
def decoder_block_vjp(d_output, block, X, memory, *, mask=None, memory_mask=None):
    r"""Go back from the output of a decoder block to its items, the memory and all parameters.

    Parameters
    ----------
    d_output : array_like
        Derivative of the loss with respect to each entry of the output.
    block : DecoderBlock
        The block.
    X, memory, mask, memory_mask
        The arguments of the call.

    Returns
    -------
    d_X : ndarray, same shape as `X`
        Derivative of the loss with respect to each entry of the items.
    d_memory : ndarray, same shape as `memory`
        Derivative of the loss with respect to each entry of the memory: this trains the encoder.
    d_block : DecoderBlock
        Holds, for each parameter, the derivative of the loss with respect to it.

    Notes
    -----
    Three sums with three norms, each as in `encoder_block_vjp`.  In the second the derivative
    parts: through the queries it goes on to the items, and through keys and values to the memory,

    .. math:: dM = \k{dK} \, W_K^\top + \v{dV} \, W_V^\top

    Examples
    --------
    The first of three outputs depends on the first item, and on all of the memory:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> block = DecoderBlock.random(rng, d_model=4, n_heads=2)
    >>> X, memory = np.eye(4)[:3], np.eye(4)
    >>> d_first = np.eye(1, 12).reshape(3, 4)
    >>> d_X, d_memory, _ = decoder_block_vjp(d_first, block, X, memory)
    >>> np.abs(d_X).max(axis=1) > 0
    array([ True, False, False])
    >>> np.abs(d_memory).max(axis=1) > 0
    array([ True,  True,  True,  True])
    """
    *_, back = block.with_pullback(X, memory, mask=mask, memory_mask=memory_mask)
    return back(d_output)


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
    *_, back = stack.with_pullback(X, mask=mask)
    return back(d_output)
