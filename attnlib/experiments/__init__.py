"""Models in PyTorch, equal to the book's own by test, and one loop that trains them.

They are imported by name, as nothing else in `attnlib.networks` needs PyTorch.
"""

from attnlib._extras import needs

needs("torch", "torch")
