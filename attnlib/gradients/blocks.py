"""Gradients through whole blocks: each line of the block, read from the last to the first."""

import dataclasses

from attnlib._boundary import checked
from attnlib.blocks import DecoderBlock, EncoderBlock
from attnlib.gradients._sums import summed_to
from attnlib.gradients.heads import multi_head_vjp
from attnlib.gradients.layers import network_vjp, norm_vjp
from attnlib.masks.positions import causal_and


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

    if block.norm_first:
        N_1 = block.norm_1(X)
        A = X + block.attention(N_1, mask=mask)[0]
        N_2 = block.norm_2(A)

        d_N_2, d_network = network_vjp(d_output, block.feed_forward, N_2)
        d_A, d_norm_2 = norm_vjp(d_N_2, block.norm_2, A)
        d_A += d_output
        d_N_1, _, d_attention = multi_head_vjp(d_A, block.attention, N_1, mask=mask)
        d_X, d_norm_1 = norm_vjp(d_N_1, block.norm_1, X)
        d_X += d_A
    else:
        S_1 = X + block.attention(X, mask=mask)[0]
        A = block.norm_1(S_1)
        S_2 = A + block.feed_forward(A)

        d_S_2, d_norm_2 = norm_vjp(d_output, block.norm_2, S_2)
        d_A, d_network = network_vjp(d_S_2, block.feed_forward, A)
        d_A += d_S_2
        d_S_1, d_norm_1 = norm_vjp(d_A, block.norm_1, S_1)
        d_X, _, d_attention = multi_head_vjp(d_S_1, block.attention, X, mask=mask)
        d_X += d_S_1

    d_block = dataclasses.replace(
        block,
        attention=d_attention,
        norm_1=d_norm_1,
        feed_forward=d_network,
        norm_2=d_norm_2,
    )
    return d_X, d_block


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
    mask = causal_and(mask, X.shape[-2])

    if block.norm_first:
        N_1 = block.norm_1(X)
        A = X + block.self_attention(N_1, mask=mask)[0]
        N_2 = block.norm_2(A)
        C = A + block.cross_attention(N_2, memory, mask=memory_mask)[0]
        N_3 = block.norm_3(C)

        d_N_3, d_network = network_vjp(d_output, block.feed_forward, N_3)
        d_C, d_norm_3 = norm_vjp(d_N_3, block.norm_3, C)
        d_C += d_output
        d_N_2, d_memory, d_cross = multi_head_vjp(
            d_C, block.cross_attention, N_2, memory, mask=memory_mask
        )
        d_A, d_norm_2 = norm_vjp(d_N_2, block.norm_2, A)
        d_A += summed_to(d_C, A.shape)
        d_N_1, _, d_self = multi_head_vjp(d_A, block.self_attention, N_1, mask=mask)
        d_X, d_norm_1 = norm_vjp(d_N_1, block.norm_1, X)
        d_X += d_A
    else:
        S_1 = X + block.self_attention(X, mask=mask)[0]
        A = block.norm_1(S_1)
        S_2 = A + block.cross_attention(A, memory, mask=memory_mask)[0]
        C = block.norm_2(S_2)
        S_3 = C + block.feed_forward(C)

        d_S_3, d_norm_3 = norm_vjp(d_output, block.norm_3, S_3)
        d_C, d_network = network_vjp(d_S_3, block.feed_forward, C)
        d_C += d_S_3
        d_S_2, d_norm_2 = norm_vjp(d_C, block.norm_2, S_2)
        d_A, d_memory, d_cross = multi_head_vjp(
            d_S_2, block.cross_attention, A, memory, mask=memory_mask
        )
        d_A += summed_to(d_S_2, A.shape)
        d_S_1, d_norm_1 = norm_vjp(d_A, block.norm_1, S_1)
        d_X, _, d_self = multi_head_vjp(d_S_1, block.self_attention, X, mask=mask)
        d_X += d_S_1

    d_block = dataclasses.replace(
        block,
        self_attention=d_self,
        norm_1=d_norm_1,
        cross_attention=d_cross,
        norm_2=d_norm_2,
        feed_forward=d_network,
        norm_3=d_norm_3,
    )
    return d_X, d_memory, d_block
