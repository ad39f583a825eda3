"""Whole models, made of the parts of the book and trained by its own gradients.

They are imported by name: `import attnlib` does not load them.  Those that need PyTorch are in
`attnlib.models.pytorch`.
"""

from attnlib.models.characters import CharacterModel
from attnlib.models.induction import InductionCircuit
from attnlib.models.ngrams import NGrams
from attnlib.models.recurrent import GRU
from attnlib.models.sampling import top_k, top_p

__all__ = ["GRU", "CharacterModel", "InductionCircuit", "NGrams", "top_k", "top_p"]
