"""A language model that people use: its file, its tokens, and the model of the book's parts."""

import random
import struct
from pydoc_data.topics import topics

import gguf as library
import numpy as np
import pytest
import tokenizers
import torch
import transformers
from numpy.testing import assert_allclose, assert_array_equal

from attnlib import StackCache
from attnlib.data import gguf
from attnlib.data.published import SMOLLM
from attnlib.networks import smollm

PROSE = "The cat sat on the mat because it was tired. 1234 + 5 = \n\n def f(x):\n    return x"
SCRIPTS = [
    "L'été, c'est ’ là 你好世界 ١½ Ⅵ 😀\u200d\n\n\t x\u00a0y\u3000z",
    "  a  b   \n\n  c\r\n", "<|im_start|>user\nHi 123<|im_end|>\n",
    "I'm we'll they've it's don't 'tis I'M", "naïve ÅÄÖ ß ﬁ ǅ a\u0301\u0300 b\u200bc", "",
]  # fmt: skip
ALPHABET = "abc XYZ  \n\t'\".,;!?0123456789éß你好😀½²Ⅷ\u00a0\u0301_-—()[]{}<>|"


@pytest.fixture(scope="module")
def path():
    return SMOLLM.fetch()


@pytest.fixture(scope="module")
def contents(path):
    return gguf.read(path.read_bytes())


@pytest.fixture(scope="module")
def model(path):
    return smollm.load()[0]


@pytest.fixture(scope="module")
def pairs(path):
    return smollm.load()[1]


def test_the_file_is_read_as_the_library_reads_it(path, contents):
    metadata, tensors = contents
    theirs = library.GGUFReader(path)
    assert {x.name for x in theirs.tensors} == tensors.keys()
    for x in theirs.tensors:
        assert_array_equal(tensors[x.name], library.dequantize(x.data, x.tensor_type), x.name)
    for name, field in theirs.fields.items():
        if not name.startswith("GGUF."):
            assert metadata[name] == field.contents()


def test_a_thousand_texts_have_the_tokens_of_the_library(contents, pairs):
    rng, tokens = random.Random(0), contents[0]["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ")) for pair in contents[0]["tokenizer.ggml.merges"]]
    theirs = tokenizers.Tokenizer(
        tokenizers.models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges)
    )
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Digits(True), tokenizers.pre_tokenizers.ByteLevel(False)]
    )
    theirs.add_special_tokens([*pairs.special])
    texts = [text[i : i + 300] for text in topics.values() for i in range(0, len(text), 900)][:500]
    texts += ["".join(rng.choices(ALPHABET, k=rng.randrange(1, 120))) for _ in range(600)]
    for text in texts + SCRIPTS:
        ids = pairs.encode(text)
        assert ids == theirs.encode(text).ids, text
        assert pairs.decode(ids) == text
    assert len(texts) > 1000


def test_the_model_is_that_of_transformers(path, model, pairs):
    theirs = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
    )
    for text in ("The capital of France is", PROSE):
        ids = pairs.encode(text)
        logits, weights = model(ids)
        with torch.no_grad():
            known = theirs(torch.tensor([ids]), output_attentions=True)
        assert_allclose(logits, known.logits[0].numpy(), atol=1e-3)
        assert len(weights) * len(weights[0]) == 270
        for ours, theirs_of_block in zip(weights, known.attentions, strict=True):
            assert_allclose(ours, theirs_of_block[0].numpy(), atol=1e-4)


def test_the_cache_changes_no_answer(model, pairs):
    ids, cache = pairs.encode(PROSE), StackCache(model.stack)
    whole, _ = model(ids)
    parts = [model(part, cache=cache)[0] for part in (ids[:7], ids[7:8], ids[8:])]
    assert_allclose(np.concatenate(parts), whole, atol=1e-3)


def test_it_knows_the_capital_of_france(model, pairs):
    logits, _ = model(pairs.encode("The capital of France is"))
    assert pairs.decode([logits[-1].argmax()]) == " Paris"


def small(kind=0, align=32, offset=0):
    """A file with one setting and one tensor of eight numbers."""
    start = b"GGUF" + struct.pack("<IQQ", 3, 1, 1)
    start += struct.pack("<Q", 17) + b"general.alignment" + struct.pack("<II", 4, align)
    start += struct.pack("<Q1sIQIQ", 1, b"t", 1, 8, kind, offset)
    return start + b"\0" * (-len(start) % 32) + struct.pack("<8f", *range(8))


def test_what_is_no_whole_file_is_refused(path):
    whole = small()
    assert_array_equal(gguf.read(whole)[1]["t"], np.arange(8))
    with path.open("rb") as file:
        start = file.read(5000)
    damaged = [b"", b"GGUF", start, b"PK" + whole[2:], *(whole[:n] for n in range(len(whole)))]
    damaged += [small(align=0), small(offset=2**63), whole[:49] + b"\x63" + whole[50:]]
    for content in damaged:
        with pytest.raises(ValueError, match="no whole GGUF file"):
            gguf.read(content)
    with pytest.raises(ValueError, match="t is of kind 12; kinds 0, 1, 3 and 8 can be read"):
        gguf.read(small(kind=12))
