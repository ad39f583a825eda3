"""The map of the summary: what it names is there, and its questions cover the chapters."""

import re
from importlib import import_module

import pytest
from pages import ROOT, Page, named

SUMMARY = Page.read(ROOT / "book" / "24_summary.ipynb")
MAP = re.findall(r"^- \*\*.+\*\* \(\[(\d+)\]\(.+?\)\): (`.+)$", SUMMARY.prose, re.MULTILINE)
CALLS = sorted(
    {name for _, said in MAP for name in re.findall(r"`([\w.]+)`", said)} - {"W_O", "W_2"}
)


def resolved(name):
    """What a name of the map stands for: a submodule may need an import of its own."""
    place, _, last = f"attnlib.{name}".rpartition(".")
    return getattr(import_module(place), last)


def test_the_map_has_a_row_for_each_chapter():
    assert {int(number) for number, _ in MAP} >= {*range(1, 24)}


@pytest.mark.parametrize("name", CALLS)
def test_every_call_of_the_map_exists(name):
    assert callable(resolved(name))


def test_a_call_that_does_not_exist_is_noticed():
    with pytest.raises(AttributeError):
        resolved("gradients.attention_jvp")


def test_twenty_questions_cover_the_chapters():
    asked = named(SUMMARY, "ask")
    chapters = [name.partition(".")[0] for name in asked]
    assert len(asked) == len({*asked}) == 20 and chapters.count("summary") == 3
    lessons = sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))
    lessons = [page.name for path in lessons if (page := Page(path, None)).is_lesson]
    assert chapters[:17] == lessons[:17]


def test_pytorch_scales_by_itself_and_its_two_masks_say_the_opposite():
    torch = pytest.importorskip("torch")
    attend = torch.nn.functional.scaled_dot_product_attention
    q, K = torch.randn(2, 4), torch.randn(3, 4)
    w = torch.softmax(q @ K.T / 2, dim=-1)
    assert torch.allclose(attend(q[None], K[None], torch.eye(3)[None])[0], w, atol=1e-6)
    true = torch.tensor([[True, False, False]] * 2)
    first = attend(q[None], K[None], torch.eye(3)[None], attn_mask=true)[0]
    _, others = torch.nn.MultiheadAttention(4, 1)(q, K, K, attn_mask=true)
    assert (first[:, 0] == 1).all() and (others[:, 0] == 0).all()
