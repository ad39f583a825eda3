"""A policy for CartPole that looks back at the views of the last steps by attention."""

from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.blocks import FeedForward
from attnlib.heads import MultiHeadAttention
from attnlib.networks import _eight_bits
from attnlib.parameters import Parameters, Part

SEEN = [0, 2, 4]  # of a view: place, angle, and whether it was seen; never the speeds


def _refuse_other_views(H, **_):
    if H.shape[-1] != 5:
        raise ValueError(f"H has shape {H.shape}, expected (..., n_views, 5), as of `history`.")


class Balancer(Parameters):
    r"""Push a cart by what the last view finds in those before it.

    Parameters
    ----------
    W : array_like
        Makes an item of a view: place, angle, and whether it was seen.
    P : array_like
        A row for each step into the past, which is added to the item.
    attention : MultiHeadAttention
        What the last view asks the others with.
    feed_forward : FeedForward
        The network after it.
    u : array_like
        Makes the number to push by.

    Notes
    -----
    Only the last item, x, asks:

    .. math:: y = x + \mathrm{attention}(x, X), \qquad
              \mathrm{push} = (y + \mathrm{network}(y)) \cdot u

    Examples
    --------
    >>> import numpy as np
    >>> weights, push = Balancer.trained().look(np.zeros((16, 5)))
    >>> weights.shape
    (16,)
    """

    W: Shape("(d_view, d_model)")
    P: Shape("(n_views, d_model)")
    attention: Part(MultiHeadAttention, d_model="d_model", d_source="d_model", d_out="d_model")
    feed_forward: Part(FeedForward, d_model="d_model", d_out="d_model")
    u: Shape("(d_model, d_push)")

    def __post_init__(self):
        super().__post_init__()
        if len(self.W) != len(SEEN) or self.u.shape[1] != 1:
            raise ValueError(
                f"W has shape {self.W.shape} and u {self.u.shape}, expected ({len(SEEN)}, d_model) "
                f"and (d_model, 1)."
            )

    @classmethod
    def trained(cls):
        """Return the policy that comes with the book, its numbers rounded to eight bits."""
        return _eight_bits.read(cls, "control")

    @checked(also=_refuse_other_views, H="(..., n_views, d_history)")
    def look(self, H):
        """Look back, and choose.

        Parameters
        ----------
        H : array_like
            What `attnlib.data.cartpole.history` returns, five numbers a view.

        Returns
        -------
        weights : ndarray, shape (..., n_views)
            What the last view gave to each.
        push : ndarray, shape (...)
            Push to the right where it is positive.
        """
        X = H[..., SEEN] @ self.W + self.P
        found, weights = self.attention(X[..., -1:, :], X)
        Y = X[..., -1:, :] + found
        Y = Y + self.feed_forward(Y)
        return weights[..., 0, 0, :], (Y @ self.u)[..., 0, 0]

    def __call__(self, H):
        """Return the number to push by alone for a history ``H``: a policy to `play`."""
        return self.look(H)[1]
