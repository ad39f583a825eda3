"""The causal mask against a loop, worked numbers, PyTorch, and what must always hold."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attnlib import causal, softmax
from attnlib.examples import causal_scores


def loop(n_q, n_k):
    """Ask each pair: is the key no later than the query?"""
    mask = []
    for i in range(n_q):
        position = n_k - n_q + i  # the last query, i = n_q - 1, stands at the last key, n_k - 1
        mask.append([j <= position for j in range(n_k)])
    return mask


@pytest.mark.parametrize(("n_q", "n_k"), [(1, 1), (3, 3), (3, 7), (1, 11), (5, 7), (7, 7)])
def test_equals_a_loop_and_torch(n_q, n_k):
    mask = causal(n_q, n_k)
    assert mask.dtype == bool and mask.shape == (n_q, n_k)
    assert_array_equal(mask, loop(n_q, n_k))
    assert_array_equal(mask, torch.ones(n_q, n_k).tril(n_k - n_q).bool())


def test_as_many_keys_as_queries_unless_told():
    assert_array_equal(causal(5), causal(5, 5))
    assert_array_equal(causal(np.int64(2)), [[True, False], [True, True]])


def test_worked_numbers():
    weights = softmax(np.where(causal(3), causal_scores(), -np.inf))
    assert_array_equal(
        weights.round(6), [[1, 0, 0], [0.354344, 0.645656, 0], [0.258390, 0.426013, 0.315598]]
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(n_q=st.integers(1, 12), more=st.integers(0, 12))
def test_what_holds_for_every_causal_mask(n_q, more):
    n_k = n_q + more
    mask = causal(n_q, n_k)
    assert mask[:, 0].all() and mask[-1].all()
    assert_array_equal(mask.sum(axis=1), np.arange(more + 1, n_k + 1))
    assert_array_equal(mask, causal(n_k)[more:])  # a cache only drops the queries already answered


def test_bad_sizes_are_refused_by_name():
    with pytest.raises(ValueError, match=r"n_q=5 is larger than n_k=3.* first 2 would"):
        causal(5, 3)
    with pytest.raises(TypeError, match="n_q must be an integer"):
        causal(None)
