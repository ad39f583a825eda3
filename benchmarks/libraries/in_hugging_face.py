"""Hugging Face's transformers: a small Llama, and a small GPT-2 where positions are added."""

import logging
import os
import tempfile
from functools import partial
from types import SimpleNamespace
from unittest import mock

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import torch
from torch.nn import functional as F
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.models.llama.modeling_llama import eager_attention_forward
from transformers.utils.logging import disable_progress_bar

from benchmarks.libraries import probes
from benchmarks.libraries.in_pytorch import tensor
from benchmarks.libraries.probes import so

IDS = torch.tensor([[3, 4, 5]])
LEFT, IS_WORD = torch.tensor([[0, 0, 3, 4, 5]]), torch.tensor([[0, 0, 1, 1, 1]])


class Model:
    """A model of two layers with four heads, two of keys and values, in eval mode."""

    package = "transformers"

    def __init__(self, name, implementation):
        self.name, self.implementation = name, implementation

    def model(self, **kwargs):
        torch.manual_seed(0)
        sizes = dict(vocab_size=11, hidden_size=16, intermediate_size=24, num_hidden_layers=2)
        heads = dict(num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32)
        how = dict(attn_implementation=self.implementation)
        return LlamaForCausalLM(LlamaConfig(**sizes, **heads, **how, **kwargs)).eval()

    def gpt(self):
        torch.manual_seed(0)
        sizes = dict(vocab_size=11, n_embd=16, n_layer=2, n_head=4, n_positions=32)
        ends = dict(bos_token_id=0, eos_token_id=0, attn_implementation=self.implementation)
        return GPT2LMHeadModel(GPT2Config(**sizes, **ends)).eval()

    def inside(self, q, k, v, mask=None, scaling=None, **kwargs):
        """Call the function that each layer calls, with queries, keys and values."""
        function = ALL_ATTENTION_FUNCTIONS.get_interface(
            self.implementation, eager_attention_forward
        )
        module = SimpleNamespace(
            num_key_value_groups=q.shape[1] // k.shape[1], training=False, is_causal=False
        )
        scaling = q.shape[-1] ** -0.5 if scaling is None else scaling
        return function(module, q, k, v, mask, scaling=scaling, **kwargs)

    def attend(self, q, k, v, scale=None):
        y, _ = self.inside(*map(tensor, (q, k, v)), scaling=scale)
        return y.transpose(1, 2).numpy()

    def axes(self):
        y, _ = self.inside(torch.zeros(2, 4, 3, 8), *torch.zeros(2, 2, 4, 5, 8))
        right = probes.order(lambda *x: self.attend(*x), probes.HEADS_FIRST)
        return so(
            "the model takes token ids, (b, n); in each layer (b, h, n, d) go in and "
            "(b, n, h, d) come out",
            right == "(b, h, n, d)" and y.shape == (2, 3, 4, 8),
        )

    @torch.no_grad()
    def logits(self, model, ids, mask=None, **kwargs):
        """Return the logits of the last three tokens."""
        return model(ids, attention_mask=mask, **kwargs).logits[:, -3:]

    def same(self, *args, **kwargs):
        """Whether a padded text has the logits of the text alone."""
        model = self.model()
        return torch.allclose(
            self.logits(model, *args, **kwargs), self.logits(model, IDS), atol=1e-5
        )

    def polarity(self):
        return so(
            "`attention_mask`: True or 1 takes part",
            self.same(LEFT, IS_WORD) and self.same(LEFT, IS_WORD.bool()),
            not self.same(LEFT, 1 - IS_WORD),
        )

    def padding(self):
        return so(
            "in `attention_mask`, of shape (b, n), 1 for a word; without it padding is words, too",
            self.same(LEFT, IS_WORD) and not self.same(LEFT),
        )

    def additive(self):
        seen = (IS_WORD.bool() & torch.ones(5, 5, dtype=torch.bool).tril()).clone()
        seen[:2, 0] = True
        whole = torch.where(seen, 0.0, -torch.inf)[None, None]
        half = torch.tensor([[0.0, 0, 1, 1, 1]])
        return so(
            "`attention_mask` of shape (b, 1, n_q, n_k) is added, and must hold the causal mask "
            "as well; of shape (b, n) 0.0 and 1.0 are read as truth",
            self.same(LEFT, whole) and self.same(LEFT, half),
        )

    @torch.no_grad()
    def corner(self):
        model, more = self.model(), torch.tensor([[6, 7]])
        after = model(more, cache=model(IDS, use_cache=True).cache).logits
        whole = model(torch.cat([IDS, more], 1)).logits[:, -2:]
        return so("lower right: new tokens see the cache", torch.allclose(after, whole, atol=1e-5))

    def empty(self):
        model, none = self.model(), torch.zeros(1, 5, dtype=torch.long)
        rows = self.logits(model, LEFT, IS_WORD)
        with torch.no_grad():
            whole = model(LEFT, attention_mask=none).logits
            padded = model(LEFT, attention_mask=IS_WORD).logits
        return so(
            "finite: padding before a text has logits, and they mean nothing",
            rows.isfinite().all() and whole.isfinite().all() and padded.isfinite().all(),
        )

    @torch.no_grad()
    def loss(self, ids, labels, mask=None):
        return self.model()(ids, attention_mask=mask, labels=torch.tensor([labels])).loss

    def empty_gradient(self):
        model = self.model()
        model(LEFT, attention_mask=IS_WORD).logits[:, :2].sum().backward()
        found = torch.cat([p.grad.ravel() for p in model.parameters() if p.grad is not None])
        alone = self.loss(IDS, [3, 4, 5])
        labels = [-100, -100, 3, 4, 5], [-100, -100, -100, 4, 5]
        first, none = (torch.isclose(self.loss(LEFT, x, IS_WORD), alone, atol=1e-5) for x in labels)
        return so(
            "finite, and not 0; a label of −100 leaves padding out of the loss, but the first word "
            "is predicted from padding, and needs −100 as well",
            found.isfinite().all() and found.abs().max() > 0,
            none and not first,
        )

    def grouping(self):
        return f"`num_key_value_heads`: {probes.grouping(self)}"

    def scale(self):
        attention = self.model().model.layers[0].self_attn
        return so(
            "divided by √d of one head; no argument of the call",
            np.isclose(attention.scaling, attention.head_dim**-0.5),
            probes.scale_argument(self),
        )

    def dropout(self):
        model = self.model(attention_dropout=0.5)
        same = []
        for mode in (True, False):
            model.train(mode)
            same.append(torch.allclose(self.logits(model, IDS), self.logits(model, IDS)))
        fresh = LlamaForCausalLM(model.config).training
        return so(
            "`attention_dropout`, only in training mode; a model made of a config is in "
            "training mode, one that `from_pretrained` loads is not",
            same == [False, True] and fresh and self.loaded_in_eval(),
        )

    def loaded_in_eval(self):
        disable_progress_bar()
        with tempfile.TemporaryDirectory() as folder:
            self.model().save_pretrained(folder)
            return not LlamaForCausalLM.from_pretrained(folder).training

    def weights(self):
        logging.getLogger("transformers").setLevel(logging.ERROR)
        found = self.model()(IDS, output_attentions=True).attentions
        if not found:
            return "none: `output_attentions=True` gives an empty tuple and a warning"
        return so(
            "`output_attentions=True`: one array (b, h, n_q, n_k) a layer",
            len(found) == 2 and found[0].shape == (1, 4, 3, 3),
        )

    def positions(self):
        gpt, counted = self.gpt(), (IS_WORD.cumsum(-1) - 1).clamp(min=0)
        alone = self.logits(gpt, IDS)
        shifted = self.logits(gpt, LEFT, IS_WORD)
        mended = self.logits(gpt, LEFT, IS_WORD, position_ids=counted)
        return so(
            "counted over padding, too, if `position_ids` are not given: Llama’s rotary ones do "
            "not mind, GPT-2’s added ones do; after a cache they go on; `generate()` gives them",
            self.generates(gpt),
            self.same(LEFT, IS_WORD) and not torch.allclose(alone, shifted, atol=1e-3),
            torch.allclose(alone, mended, atol=1e-5),
            not self.corner().startswith("no longer"),
        )

    def generates(self, gpt):
        """Whether `generate` writes after padding with the logits of the text alone."""
        made = dict(max_new_tokens=3, do_sample=False, output_logits=True, pad_token_id=0)
        alone, padded = (
            gpt.generate(x, attention_mask=m, return_dict_in_generate=True, **made).logits
            for x, m in ((IDS, torch.ones_like(IDS)), (LEFT, IS_WORD))
        )
        return all(map(partial(torch.allclose, atol=1e-5), alone, padded))

    def types(self):
        kinds = []
        plain = F.softmax

        def softmax(x, *args, dtype=None, **kwargs):
            kinds.append(dtype or x.dtype)
            return plain(x, *args, dtype=dtype, **kwargs)

        q = torch.zeros(1, 4, 2, 8, dtype=torch.bfloat16)
        with mock.patch.object(F, "softmax", softmax):
            y, _ = self.inside(q, q[:, :2], q[:, :2])
        kept = y.dtype == torch.bfloat16
        runs = "softmax in float32, the rest in the model’s type; "
        whose = "as PyTorch’s function; "
        to_half = lambda x: torch.tensor(x, dtype=torch.float16)  # noqa: E731
        said = probes.half(lambda *x: self.inside(*x)[0], to_half)
        return so((runs if kinds == [torch.float32] else whose) + said, kept)


SUBJECTS = [
    Model("Hugging Face (sdpa)", "sdpa"),
    Model("Hugging Face (eager)", "eager"),
]
