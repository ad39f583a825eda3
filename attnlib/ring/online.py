"""Softmax over keys that come block by block; only the scores of some rows are ever written."""

import math

import torch

#: Queries whose scores are computed together.
ROWS = 128


class OnlineAttention:
    """Attention of fixed queries over keys and values that arrive in blocks.

    For each query the largest score so far, the sum of exponentials and the sum of values weighted
    by them are kept, as in `attnlib.efficient.online_softmax`, which has the formulas (Milakov and
    Gimelshein 2018).

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

    def add(self, K, V, visible):
        """Take in one block of keys and values, each of shape (..., k, d).

        `visible` says how many of its keys, from the first on, each query may attend to: a number
        that never falls from one query to the next, and is above 0 in the first block.  Returns the
        pairs of query and key that counted for one head, and the scores computed for them.
        """
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
        scores = self.Q[..., rows, :] @ K.mT
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
        """Return the answers to all queries."""
        return self.weighted / self.sum
