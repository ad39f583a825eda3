"""Whole models, made of the parts of the book; each runs forwards in NumPy.

They are imported by name: `import attnlib` does not load them.  What trained those that come with
the book, in PyTorch, is in `attnlib.experiments`.
"""

from attnlib.networks.balancer import Balancer
from attnlib.networks.byte_pairs import BytePairs
from attnlib.networks.characters import CharacterModel
from attnlib.networks.describer import Describer
from attnlib.networks.graphs import DynamicAdditive, StaticAdditive, attend_edges, leaky_relu
from attnlib.networks.induction import InductionCircuit
from attnlib.networks.language import LanguageModel
from attnlib.networks.looking import looks, without
from attnlib.networks.ngrams import NGrams
from attnlib.networks.recurrent import GRU
from attnlib.networks.sampling import top_k, top_p
from attnlib.networks.sentences import SentenceEncoder, WordPieces
from attnlib.networks.smollm import SmolLM
from attnlib.networks.translator import Translator
from attnlib.networks.vision import (
    VisionTransformer,
    effects,
    lead,
    looked_at,
    rank_correlation,
    rollout,
)

__all__ = [
    "GRU",
    "Balancer",
    "BytePairs",
    "CharacterModel",
    "Describer",
    "DynamicAdditive",
    "InductionCircuit",
    "LanguageModel",
    "NGrams",
    "SentenceEncoder",
    "SmolLM",
    "StaticAdditive",
    "Translator",
    "VisionTransformer",
    "WordPieces",
    "attend_edges",
    "effects",
    "lead",
    "leaky_relu",
    "looked_at",
    "looks",
    "rank_correlation",
    "rollout",
    "top_k",
    "top_p",
    "without",
]
