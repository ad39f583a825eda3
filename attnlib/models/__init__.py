"""Whole models, made of the parts of the book and trained by its own gradients.

They are imported by name: `import attnlib` does not load them.
"""

from attnlib.models.characters import CharacterModel

__all__ = ["CharacterModel"]
