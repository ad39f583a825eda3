"""Models in PyTorch, equal to the book's own by test, and one loop that trains them.

Each chapter has a file: models made of `layers`, which `training.train` trains.  Where it has a
function `record`, ``python -m attnlib.experiments NAME`` stores what the book ships.
"""

from attnlib._extras import needs

needs("torch", "torch")
