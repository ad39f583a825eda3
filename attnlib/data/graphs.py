"""A graph that was observed: a karate club that split in two."""

from typing import NamedTuple

import numpy as np


class Graph(NamedTuple):
    """People who know one another, and the group that each belongs to.

    Examples
    --------
    >>> edges, group = karate_club()
    >>> edges.shape, group.shape
    ((78, 2), (34,))
    """

    edges: np.ndarray
    """Pairs of nodes, shape (n_edges, 2), each pair once."""
    group: np.ndarray
    """The group of each node, a number from 0, shape (n,)."""

    @property
    def adjacency(self):
        """The symmetric matrix of truth values that is true where two nodes know each other."""
        n = len(self.group)
        A = np.zeros((n, n), dtype=bool)
        A[tuple(self.edges.T)] = True
        return A | A.T


_FRIENDS = """
0: 1 2 3 4 5 6 7 8 10 11 12 13 17 19 21 31; 1: 2 3 7 13 17 19 21 30; 2: 3 7 8 9 13 27 28 32; 3:
7 12 13; 4: 6 10; 5: 6 10 16; 6: 16; 8: 30 32 33; 9: 33; 13: 33; 14: 32 33; 15: 32 33; 18: 32
33; 19: 33; 20: 32 33; 22: 32 33; 23: 25 27 29 32 33; 24: 25 27 31; 25: 31; 26: 29 33; 27: 33;
28: 31 33; 29: 32 33; 30: 32 33; 31: 32 33; 32: 33
"""
_WITH_THE_TEACHER = (*range(9), 10, 11, 12, 13, 16, 17, 19, 21)


def karate_club():
    """Say who met whom outside of a karate club, and which side each took when it split in two.

    Returns
    -------
    Graph
        34 members and 78 pairs.  Group 0 went with the teacher, who is node 0, group 1 with the
        club's officers, whose president is node 33.

    Notes
    -----
    Observed and published by Zachary (1977); numbered from 0, as in networkx, whose groups these
    are.

    Examples
    --------
    >>> club = karate_club()
    >>> club.adjacency.sum(axis=1)[[0, 33]], np.bincount(club.group)
    (array([16, 17]), array([17, 17]))
    """
    lists = (part.split(":") for part in _FRIENDS.split(";"))
    edges = np.array([(int(i), int(j)) for i, known in lists for j in known.split()])
    group = np.ones(34, dtype=int)
    group[[*_WITH_THE_TEACHER]] = 0
    for array in (edges, group):
        array.setflags(write=False)
    return Graph(edges, group)
