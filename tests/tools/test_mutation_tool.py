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
    changes = {change for _, _, change, _ in mutants(SOURCE)}
    assert changes == {
        "0.5 -> 1.5",
        "Q.ndim < 2 -> Q.ndim <= 2",
        "2 -> 3",
        "scale * (Q @ K.T) -> scale / (Q @ K.T)",
        "scale * (Q @ K.T) -> scale",
        "scale * (Q @ K.T) -> Q @ K.T",
        "Q @ K.T -> K.T @ Q",
        "K.T -> K",
        "(scores.sum(axis=-1), transposed(-scores)) -> (transposed(-scores), scores.sum(axis=-1))",
        "scores.sum(axis=-1) -> scores.sum()",
        "scores.sum(axis=-1) -> scores.mean(axis=-1)",
        "-1 -> 1",
        "1 -> 2",
        "transposed(-scores) -> -scores",
        "-scores -> scores",
    }


def test_axes_are_taken_for_their_neighbours():
    source = """
def f(X, W):
    a = X.sum(axis=1, keepdims=True) + np.concatenate(X, -2) + X.shape[-1]
    return max(1, a), np.einsum("ij,jk->ik", X, W)[..., None] + X.transpose(0, 1)
"""
    changes = {change for _, _, change, _ in mutants(source, only_axes=True)}
    assert changes == {
        "1 -> 0",
        "1 -> 2",
        "True -> False",
        "-2 -> 2",
        "2 -> 1",
        "2 -> 3",
        "-1 -> 1",
        "0 -> 1",
        "X.transpose(0, 1) -> X",
        "'ij,jk->ik' -> 'ji,jk->ik'",
        "'ij,jk->ik' -> 'ij,kj->ik'",
        "'ij,jk->ik' -> 'ij,jk->ki'",
        "np.einsum('ij,jk->ik', X, W)[..., None] -> np.einsum('ij,jk->ik', X, W)[..., None, :]",
        "(..., None) -> (None, ...)",
    }


def test_mutant_differs_from_source_in_one_line():
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    for line, column, change, mutant in mutants(SOURCE):
        changed = [a for a, b in zip(plain, mutant.splitlines(), strict=True) if a != b]
        assert len(changed) == 1, change
        begins = SOURCE.splitlines()[line - 1][column:]
        assert begins.lstrip("(")[0] == change.lstrip("(")[0]


@cache
def places(name):
    """Line, column and change of every mutant of a file."""
    source = (ROOT / "attnlib" / name).read_text(encoding="utf-8")
    lines = source.splitlines()
    return {
        (lines[line - 1].strip(), column, change) for line, column, change, _ in mutants(source)
    }


@pytest.mark.parametrize("entry", EQUAL, ids=lambda entry: f"{entry['file']}-{entry['change']}")
def test_listed_mutant_exists_and_has_a_reason(entry):
    assert (entry["line"], entry["column"], entry["change"]) in places(entry["file"])
    assert len(entry["because"]) > 20
