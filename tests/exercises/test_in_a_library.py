"""The faulty programs of *Attention in a library*: what a reader has mended, and what is left."""

import textwrap

import nbformat
import numpy as np
import pytest
from attention_book.runs import without_replies_to_stubs
from pages import ROOT

from attnlib.exercises import check, find

#: Of each program what its faults are mended by: pieces of its text and what takes their place.
#: Below each mend, the code of the mistake that is left when it is the only one.
MENDS = {
    "text_loss": {(("x[-len(y) :]", "x[: len(y)]"),): None},
    "mean_loss": {
        (("losses.mean()", "losses.sum() / real.sum()"),): "unsafe(logits, y)[y != pad].mean()",
        (
            ("powers = np.exp(rows)", "rows = rows - rows.max(axis=-1, keepdims=True)"),
            ("powers / powers.sum(", "rows - np.log(np.exp(rows).sum("),
            ("axis=-1, keepdims=True)\n    chosen", "axis=-1, keepdims=True))\n    chosen"),
            ("-np.log(chosen)", "-chosen"),
        ): "np.where(y != pad, losses_of(logits, y), 0).mean()",
    },
    "learned": {
        (("X -= rate * d_X", "E[ids] -= rate * d_X"),):
            'steps_of(E, W, ids, y, rate, steps, "last")',
        (("X -= rate * d_X", "np.subtract.at(E, ids, rate * d_X)"),): None,
    },
    "causal_attention": {
        (("axis=-2", "axis=-1"),): 'attends(Q, K, V, mask="after")',
        (("A = np.exp(S)", "A = np.exp(S) * np.tri(n)"),): "attends(Q, K, V, axis=-2)",
    },
    "heads": {
        (("n_heads, n, d_head)", "n, n_heads, d_head).swapaxes(-3, -2)"),):
            'attends(*given, scale="root of d_model")',
        (("np.sqrt(d_model)", "np.sqrt(d_head)"),): "attends(*given, split=by_reshape)",
    },
    "text_vectors": {
        (("~real[:, :, None]", "~real[:, None, :]"),): "mean_of_all(outputs(X, hidden), real)",
        (("Y.mean(axis=1)", "Y.sum(axis=1) / real.sum(axis=1, keepdims=True)"),):
            "mean_of(outputs(X, queries(real)), real)",
    },
    "grouped": {
        (
            ("np.concatenate([K] * group, axis=-3)", "np.repeat(K, group, axis=-3)"),
            ("np.concatenate([V] * group, axis=-3)", "np.repeat(V, group, axis=-3)"),
        ): 'attends(Q, K, V, how="half")',
        (("S = Q @ K", "S = Q.astype(np.float64) @ K"),): "attends(Q, K, V, tiled)",
    },
    "two_endings": {
        (("P[place]", 'P[len(cache["K"])]'),): 'endings(*given, cache="shared")',
        (("cache.copy()", "{name: [*rows] for name, rows in cache.items()}"),):
            'endings(*given, place="again")',
    },
    "last_outputs": {
        (("torch.arange(n)", "(real.cumsum(1) - 1).clamp(min=0)"),):
            'outputs(X, real, P, counted, "turned")',
        (("attn_mask=hidden", "attn_mask=~hidden"),): "outputs(X, real, P, everywhere)",
    },
    "read_in_parts": {
        (
            ("p = self.dropout", "n, m = x.shape[1], K.shape[1]\n"
             "            p, seen = self.dropout, torch.ones(n, m).tril(m - n) > 0"),
            ("is_causal=True", "attn_mask=seen"),
        ): "outputs(*given, p=0.3)",
        (("self.dropout", "self.dropout if self.training else 0.0"),): 'outputs(*given, "upper")',
    },
    "key_slopes": {
        (("-torch.inf", "-1e9"),): "all_alike(Q, K, V, seen)",
        (
            ("y.backward(", "K.grad = None\n        y.backward("),
            ("K.grad)", "K.grad.clone())"),
        ): "with_nan(S, seen)",
    },
    "training_loss": {
        (("their[:, 1:]", "their[:, :-1]"),): 'mean(logits, ids, real, size, by="batches")',
        (
            ("ignore_index=-100)", 'ignore_index=-100, reduction="sum")'),
            ("torch.stack(losses).mean()", "(sum(losses) / (labels != -100).sum())"),
        ): "mean(logits, ids, real, size, shift=2)",
    },
}  # fmt: skip

#: What somebody may spoil in a program that is mended otherwise, and the mistake that this is.
SPOILED = {
    "text_loss": {
        ("        logits = logits - logits.max(axis=-1, keepdims=True)\n", ""):
            "unsafe(U, ids[:-1], ids[1:]).mean()",
    },
    "mean_loss": {
        ("losses.sum() / real.sum()", "losses[losses > 0].mean()"): "above_0(losses_of(logits, y))",
        ("rows.max(", "rows.min("): "losses_of(logits, y, of_smallest)[y != pad].mean()",
    },
    "learned": {
        ("error / len(ids)", "error / error.size"):
            'steps_of(E, W, ids, y, rate, steps, mean="size")',
    },
    "causal_attention": {
        ("S.max(axis=-1", "S.max(axis=-2"): 'attends(Q, K, V, mask="powers", top=-2)',
    },
    "text_vectors": {
        ("real.sum(axis=1, keepdims=True)", "real.sum(axis=1).max()"):
            "np.where(real[:, :, None], outputs(X, hidden), 0).sum(axis=1) / "
            "real.sum(axis=1).max()",
    },
    "grouped": {
        ("np.exp(S - S.max(axis=-1, keepdims=True))", "np.exp(S)"):
            "attends(Q, K, V, keep=True)",
    },
    "last_outputs": {
        ("attention(X, X, X", "attention(X - P[places], X - P[places], X"):
            'outputs(X, real, P, plain="QK")',
    },
    "training_loss": {
        ("~real", "real"): "mean(logits, ids, ~real, size)",
        ("(labels != -100)", "(labels[:, 1:] != -100)"):
            'mean(logits, ids, real, size, by="later ids")',
    },
    "read_in_parts": {
        ("X[:end] @ W[1], X[:end] @ W[2]", "X @ W[1], X @ W[2]"): "outputs(*given, ahead=True)",
        ("X[:end] @ W[2]", "X[:end] @ W[1]"): "outputs(X, W_Q, W_K, W_K, lengths)",
    },
}  # fmt: skip


def program(name):
    """The text of the faulty program, as the page gives it to the reader."""
    notebook = nbformat.read(ROOT / "book" / "in_a_library.ipynb", as_version=4)
    call = f'check("in_a_library.{name}", {name})'
    stubs = [cell.source for cell in notebook.cells if cell.source.endswith(f"\n\n\n{call}")]
    (stub,) = [s for s in stubs if s.startswith(f"def {name}(")]
    return stub.removesuffix(call).rstrip()


def test_site_shows_no_reply_to_a_program_that_nobody_has_changed():
    notebook = nbformat.read(ROOT / "book" / "in_a_library.ipynb", as_version=4)
    asking = [cell for cell in notebook.cells if 'check("in_a_library.' in cell.source]
    assert len(asking) == 2 * len(MENDS)
    for cell in asking:
        left = without_replies_to_stubs(cell.outputs)
        assert len(cell.outputs) == 1 and len(left) == ("solution" in cell.metadata.get("tags", []))


def mended(text, pieces):
    for old, new in pieces:
        assert old in text, old
        text = text.replace(old, new)
    return text


def reply(name, text):
    scope = {"np": np}
    exec(text, scope)
    return check(f"in_a_library.{name}", scope[name])


@pytest.mark.parametrize("name", MENDS)
def test_page_gives_the_program_that_the_check_knows(name):
    text, mistakes = program(name), find(f"in_a_library.{name}").mistakes
    assert 10 <= len(text.splitlines()) <= 25
    assert mistakes[0].name == "as_given"
    assert reply(name, text).message == mistakes[0].diagnosis
    beside = (ROOT / "book" / "exercises" / "in_a_library" / f"{name}.py").read_text(
        encoding="utf-8"
    )
    body = text.partition("\n")[2].partition('"""\n')[2]
    same = beside.partition("def as_given(")[2].partition("\n\n\n")[0].partition("\n")[2]
    assert textwrap.dedent(body).strip() == textwrap.dedent(same).strip()


@pytest.mark.parametrize("name", MENDS)
def test_check_says_what_is_left(name):
    text, mistakes = program(name), {m.name: m for m in find(f"in_a_library.{name}").mistakes}
    for pieces, left in MENDS[name].items():
        came = reply(name, mended(text, pieces))
        assert came.passed if left is None else came.message == mistakes[left].diagnosis
    if None not in MENDS[name].values():
        both = [piece for pieces in MENDS[name] for piece in pieces]
        assert reply(name, mended(text, both)).passed


@pytest.mark.parametrize("name", SPOILED)
def test_check_says_what_was_spoiled(name):
    text, mistakes = program(name), {m.name: m for m in find(f"in_a_library.{name}").mistakes}
    all_of_it = [pieces for pieces, left in MENDS[name].items() if left is None] or MENDS[name]
    whole = mended(text, [piece for pieces in all_of_it for piece in pieces])
    for pieces, mistake in SPOILED[name].items():
        assert reply(name, mended(whole, [pieces])).message == mistakes[mistake].diagnosis
