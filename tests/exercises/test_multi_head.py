"""Chapter 6's exercises: references against attnlib's layer and against least squares."""

import numpy as np
import pytest

from attnlib import MultiHeadAttention, merge_heads, split_heads
from attnlib.exercises import find


def reference_and_arguments(name):
    exercise = find(f"multi_head.{name}")
    return [(exercise.reference, case.args) for case in exercise.cases]


def test_split_and_parts_equal_attnlib():
    for split, (X, n_heads) in reference_and_arguments("split"):
        assert (split(X, n_heads) == split_heads(X, n_heads)).all()
    for parts, (Y, W_O) in reference_and_arguments("parts"):
        np.testing.assert_allclose(parts(Y, W_O).sum(axis=0), merge_heads(Y) @ W_O)


def test_multi_head_equals_the_layer():
    for multi_head, args in reference_and_arguments("multi_head"):
        X_Q, X_KV, *matrices, n_heads = args
        expected, _ = MultiHeadAttention(*matrices, n_heads=n_heads)(X_Q, X_KV)
        np.testing.assert_allclose(multi_head(*args), expected, atol=1e-12)


def test_parameters_equal_those_of_a_layer():
    for parameters, sizes in reference_and_arguments("parameters"):
        layer = MultiHeadAttention.random(np.random.default_rng(0), *sizes)
        assert parameters(*sizes) == layer.parameter_count


def test_left_over_equals_least_squares():
    for left_over, (A,) in reference_and_arguments("left_over"):
        wanted = np.eye(A.shape[1])  # independent values of variance 1
        readout = np.linalg.lstsq(A.T, wanted, rcond=None)[0]
        error = ((A.T @ readout - wanted) ** 2).sum() / len(wanted)
        assert left_over(A) == pytest.approx(error, abs=1e-12)
