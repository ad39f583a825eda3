"""Models in PyTorch, equal to the book's own by test, and one loop that trains them.

They are imported by name, as nothing else in `attnlib.networks` needs PyTorch.
"""

try:
    import torch  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "This part of the book trains with PyTorch, which is not installed. `make torch` installs "
        "it; the page Run it says more.",
        name="torch",
    ) from missing
