"""A recurrent network: a state that reads one item after the other."""

import numpy as np

from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.parameters import Parameters


class GRU(Parameters):
    r"""Read items one after the other into a state of fixed size.

    Parameters
    ----------
    W_x : array_like
        Takes an item to both gates and the proposal, side by side.
    W_s : array_like
        Takes the state there.
    b_x, b_s : array_like
        Their biases.

    Notes
    -----
    The gated recurrent unit (Cho et al. 2014), in the form that PyTorch computes.  From an item x
    and the state s before it, with the columns of ``W_x`` and ``W_s`` cut into three:

    .. math:: r = \sigma(x W_{xr} + s W_{sr}), \qquad z = \sigma(x W_{xz} + s W_{sz})

    .. math:: n = \tanh(x W_{xn} + r \cdot s W_{sn}), \qquad s' = (1 - z) \, n + z \, s

    plus biases.  A gate z near 1 keeps a number of the state, a gate near 0 replaces it.

    Examples
    --------
    Without any input the proposal is 0 and z is one half, so the state fades by half a step.

    >>> import numpy as np
    >>> gru = GRU(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros(3), np.zeros(3))
    >>> gru.step([5], [8])
    array([4.])
    >>> gru([[5], [5]], [8])
    array([[4.],
           [2.]])
    """

    W_x: Shape("(d_x, d_gates)")
    W_s: Shape("(d_s, d_gates)")
    b_x: Shape("(d_gates,)")
    b_s: Shape("(d_gates,)")

    def __post_init__(self):
        super().__post_init__()
        if self.W_x.shape[1] != 3 * len(self.W_s):
            raise ValueError(
                f"W_x has shape {self.W_x.shape} and W_s {self.W_s.shape}: for a state of "
                f"{len(self.W_s)} numbers both need {3 * len(self.W_s)} columns, for two gates and "
                "a proposal."
            )

    @checked(x="(d_x,)", s="(d_s,)")
    def step(self, x, s):
        """Return the state after an item ``x``, when it was ``s`` before."""
        x_r, x_z, x_n = np.split(x @ self.W_x + self.b_x, 3)
        s_r, s_z, s_n = np.split(s @ self.W_s + self.b_s, 3)
        r, z = _sigmoid(x_r + s_r), _sigmoid(x_z + s_z)
        return (1 - z) * np.tanh(x_n + r * s_n) + z * s

    @checked(X="(n, d_x)", s="(d_s,)")
    def __call__(self, X, s=None):
        """Return the states after each item of ``X``, shape (n, d_s); they begin at ``s``, or 0."""
        s, states = np.zeros_like(self.W_s[:, 0]) if s is None else s, []
        for x in X:
            s = self.step(x, s)
            states.append(s)
        return np.array(states).reshape(len(X), len(s))


def _sigmoid(x):
    return (1 + np.tanh(x / 2)) / 2
