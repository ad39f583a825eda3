"""Softmax over keys that come block by block: a running maximum, a running sum, a running output.

The scores of one block of rows are all that is ever written down.
"""

import math

import torch

#: Queries whose scores are computed together.
ROWS = 128


class OnlineAttention:
    r"""Attention of fixed queries over keys and values that arrive in blocks.

    Parameters
    ----------
    Q : Tensor, shape (..., m, d)
        The queries.

    Notes
    -----
    For each query the largest score so far m, the sum of exponentials l and the sum of values
    weighted by them o are kept, all relative to m, as in `attnlib.efficient.online_softmax`
    (Milakov and Gimelshein 2018).  A block with the scores s and the values V makes of them

    .. math:: m' = \max(m, \max_j s_j), \quad
              l' = l \, e^{m - m'} + \sum_j e^{s_j - m'}, \quad
              o' = o \, e^{m - m'} + \sum_j e^{s_j - m'} \v{v_j}

    and in the end the output is o / l.

    Examples
    --------
    Two keys with the scores 0 and log 3, one after the other: weights 1/4 and 3/4.

    >>> attention = OnlineAttention(torch.ones(1, 1))
    >>> for key, value in ((0.0, 4.0), (math.log(3), 8.0)):
    ...     counted = attention.add(torch.tensor([[key]]), torch.tensor([[value]]), [1])
    >>> attention.output()
    tensor([[7.]])
    """

    def __init__(self, Q):
        self.Q = Q / math.sqrt(Q.shape[-1])
        self.maximum = Q.new_full((*Q.shape[:-1], 1), -math.inf)
        self.sum = Q.new_zeros((*Q.shape[:-1], 1))
        self.weighted = torch.zeros_like(Q)
        self.begun = False

    def add(self, K, V, visible):
        """Take in one block of keys and values.

        Parameters
        ----------
        K, V : Tensor, shape (..., k, d)
            The block.
        visible : sequence of int, length m
            How many of the block's keys, from the first on, each query may attend to.  It never
            falls from one query to the next.

        Returns
        -------
        pairs : int
            Pairs of query and key that counted, for one head.
        scores : int
            Scores that were computed for them, those that were masked again among them.

        Raises
        ------
        ValueError
            If the first block leaves a query without a key; a later block may.
        """
        if not self.begun and visible[0] == 0:
            raise ValueError("visible leaves query 0 without a key. Begin with its own block.")
        self.begun = True
        pairs = scores = 0
        for start in range(0, len(visible), ROWS):
            limits = visible[start : start + ROWS]
            most = int(limits[-1])
            if most:  # the keys that none of these queries may attend to are not looked at
                rows = slice(start, start + len(limits))
                pairs += self._add_rows(rows, K[..., :most, :], V[..., :most, :], limits)
                scores += len(limits) * most
        return pairs, scores

    def _add_rows(self, rows, K, V, limits):
        """Take in a block for some queries, of which the last sees all of it; return the pairs."""
        least = int(limits[0])
        scores = self.Q[..., rows, :] @ K.transpose(-1, -2)
        masked = torch.arange(least, K.shape[-2]) >= torch.as_tensor(limits)[:, None]
        scores[..., least:].masked_fill_(masked.to(K.device), -math.inf)

        maximum = torch.maximum(self.maximum[..., rows, :], scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(self.maximum[..., rows, :] - maximum)
        weights = scores.sub_(maximum).exp_()
        self.maximum[..., rows, :] = maximum
        self.sum[..., rows, :] *= shrink
        self.sum[..., rows, :] += weights.sum(dim=-1, keepdim=True)
        self.weighted[..., rows, :] *= shrink
        self.weighted[..., rows, :] += weights @ V
        return len(limits) * K.shape[-2] - int(masked.sum())

    def output(self):
        """Return the answers to all queries, shape (..., m, d)."""
        return self.weighted / self.sum
