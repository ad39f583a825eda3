"""A language model that people use: its file, its tokens, and the model of the book's parts."""

import random
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


@pytest.mark.parametrize("damage", [b"", b"GGUF", None, "other"])
def test_what_is_no_whole_file_is_refused(path, damage):
    with path.open("rb") as file:
        start = file.read(5000)
    content = {None: start[:1000], "other": b"PK" + start[2:]}.get(damage, damage)
    with pytest.raises(ValueError, match="no whole GGUF file"):
        gguf.read(content)
