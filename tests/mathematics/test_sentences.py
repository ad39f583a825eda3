"""A sentence encoder that people use: its tokens, and the model of the book's parts."""

import random
from pydoc_data.topics import topics

import numpy as np
import pytest
import tokenizers
import torch
import transformers
from numpy.testing import assert_allclose

from attnlib import _safetensors
from attnlib.data.published import MINILM
from attnlib.networks import sentences

SENTENCES = [
    "The dog bit the man.", "The man bit the dog.", "I like this film.",
    "An unlikely, tokenised sentence: 1234 of naïve words!", "Yes.",
]  # fmt: skip
ALPHABET = (
    "abc XYZ  \n\t'\".,;!?0123456789éß你好😀½²Ⅷ\u00a0\u0301_-—()[]{}<>|$+^`~"
    "ÅÄÖİΣςﬁ\u200b\x00\x1c\x85\ufffd§°€"
)


@pytest.fixture(scope="module")
def arrays():
    return _safetensors.read(MINILM.fetch())[0]


@pytest.fixture(scope="module")
def loaded(arrays):
    return sentences.load()


def test_a_thousand_texts_have_the_tokens_of_the_library(loaded):
    rng, pieces = random.Random(0), loaded[1]
    vocabulary = {token: i for i, token in enumerate(pieces.tokens)}
    model = tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100)
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = tokenizers.normalizers.BertNormalizer()
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(x, vocabulary[x]) for x in ("[CLS]", "[SEP]")]
    )
    texts = [text[i : i + 300] for text in topics.values() for i in range(0, len(text), 900)][:500]
    texts += ["".join(rng.choices(ALPHABET, k=rng.randrange(1, 120))) for _ in range(600)]
    for text in [*texts, *SENTENCES, "", "a" * 100, "a" * 101, "[CLS] hi [MASK]"]:
        assert pieces.encode(text) == theirs.encode(text).ids, text
    assert len(texts) > 1000


def test_the_encoder_is_that_of_transformers(arrays, loaded):
    encoder, pieces = loaded
    theirs = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
            intermediate_size=1536, max_position_embeddings=512, layer_norm_eps=1e-12,
            attn_implementation="eager",
        )
    ).eval()  # fmt: skip
    state = {name: torch.tensor(a) for name, a in arrays.items() if "position_ids" not in name}
    theirs.load_state_dict(state)
    for text in SENTENCES:
        ids = pieces.encode(text)
        items, weights = encoder(ids)
        with torch.no_grad():
            known = theirs(torch.tensor([ids]), output_attentions=True)
        assert_allclose(items, known.last_hidden_state[0].numpy(), atol=1e-4)
        assert len(weights) * len(weights[0]) == 72
        for ours, theirs_of_block in zip(weights, known.attentions, strict=True):
            assert_allclose(ours, theirs_of_block[0].numpy(), atol=1e-4)
        mean = known.last_hidden_state[0].mean(0).numpy()
        assert_allclose(encoder.sentences([ids])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_padding_changes_no_sentence(loaded):
    encoder, pieces = loaded
    texts = [pieces.encode(text) for text in SENTENCES]
    together = encoder.sentences(texts)
    for text, vector in zip(texts, together, strict=True):
        assert_allclose(encoder.sentences([text])[0], vector, atol=1e-5)
