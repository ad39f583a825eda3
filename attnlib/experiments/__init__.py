"""Models in PyTorch, equal to the book's own by test, and one loop that trains them.

Each chapter has a file: models made of `layers`, which `training.train` trains.  Where it has a
function `record`, ``python -m attnlib.experiments NAME`` stores what the book ships.
"""

try:
    import torch  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "This part of the book trains with PyTorch, which is not installed. `make torch` installs "
        "it; the page Run it says more.",
        name="torch",
    ) from missing
