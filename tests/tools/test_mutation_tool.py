"""The tool that breaks the mathematics on purpose, and its list of harmless mutants."""

import ast
import json
from functools import cache
from pathlib import Path

import pytest
from mutation import mutants

ROOT = Path(__file__).resolve().parents[2]
EQUAL = json.loads((ROOT / "tools" / "mutants_equal.json").read_text(encoding="utf-8"))
SOURCE = '''
"""A note: 1 - 2."""

def f(Q, K, scale=0.5):
    """Another: -1."""
    if Q.ndim < 2:
        raise ValueError("1 - 2" + str(1 - 2))
    scores = scale * (Q @ K.T)
    return scores.sum(axis=-1), transposed(-scores)
'''


def test_each_expression_is_changed_once():
    changed = {after for *_, after, _ in mutants(SOURCE)}
    assert changed == {
        "def f(Q, K, scale=1.5):",
        "if Q.ndim <= 2:",
        "if Q.ndim < 3:",
        "scores = scale / (Q @ K.T)",
        "scores = scale",
        "scores = Q @ K.T",
        "scores = scale * (K.T @ Q)",
        "scores = scale * (Q @ K)",
        "return (transposed(-scores), scores.sum(axis=-1))",
        "return (scores.sum(), transposed(-scores))",
        "return (scores.mean(axis=-1), transposed(-scores))",
        "return (scores.sum(axis=1), transposed(-scores))",
        "return (scores.sum(axis=-2), transposed(-scores))",
        "return (scores.sum(axis=-1), -scores)",
        "return (scores.sum(axis=-1), transposed(scores))",
    }


def test_axes_are_taken_for_their_neighbours():
    source = """
def f(X, W):
    a = X.sum(axis=1, keepdims=True)
    b = np.concatenate(X, -2) + max(1, a)
    c = X.shape[-1]
    d = np.einsum('ij,jk->ik', X, W)[..., None]
    return X.transpose(0, 1)
"""
    changed = {after for *_, after, _ in mutants(source, only_axes=True)}
    assert changed == {
        "a = X.sum(axis=0, keepdims=True)",
        "a = X.sum(axis=2, keepdims=True)",
        "a = X.sum(axis=1, keepdims=False)",
        "b = np.concatenate(X, 2) + max(1, a)",
        "b = np.concatenate(X, -1) + max(1, a)",
        "b = np.concatenate(X, -3) + max(1, a)",
        "c = X.shape[1]",
        "c = X.shape[-2]",
        "d = np.einsum('ji,jk->ik', X, W)[..., None]",
        "d = np.einsum('ij,kj->ik', X, W)[..., None]",
        "d = np.einsum('ij,jk->ki', X, W)[..., None]",
        "d = np.einsum('ij,jk->ik', X, W)[..., None, :]",
        "d = np.einsum('ij,jk->ik', X, W)[None, ...]",
        "return X",
        "return X.transpose(0, 0)",
        "return X.transpose(0, 2)",
        "return X.transpose(1, 1)",
    }


def test_mutant_differs_from_source_in_one_line():
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    for line, function, before, after, mutant in mutants(SOURCE):
        pairs = [(a, b) for a, b in zip(plain, mutant.splitlines(), strict=True) if a != b]
        assert [(a.strip(), b.strip()) for a, b in pairs] == [(before, after)]
        assert function == "f"
        assert SOURCE.splitlines()[line - 1].strip().split()[0] == before.split()[0]


def test_mutant_says_which_function_it_changes():
    source = "A = 1\n\nclass C:\n    def f(self, a=2):\n        def g():\n            return 3\n"
    places = [(line, function, before) for line, function, before, *_ in mutants(source)]
    assert places == [(1, "", "A = 1"), (4, "C.f", "def f(self, a=2):"), (6, "C.f.g", "return 3")]


@cache
def changes(name):
    """Function, line before and line after of every mutant of a file."""
    source = (ROOT / "attnlib" / name).read_text(encoding="utf-8")
    return {tuple(change) for _, *change, _ in mutants(source)}


@pytest.mark.parametrize("entry", EQUAL, ids=lambda entry: f"{entry['file']}-{entry['after']}")
def test_listed_mutant_exists_and_has_a_reason(entry):
    assert (entry["function"], entry["before"], entry["after"]) in changes(entry["file"])
    assert len(entry["because"]) > 20
