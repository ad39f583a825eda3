"""What only some parts of the package need, and how it is installed."""

from importlib.util import find_spec


def needs(extra, *modules):
    """Refuse to go on without modules that an extra of the package installs."""
    for name in modules:
        if find_spec(name) is None:
            also = " In the book's repository, `make torch`." if extra == "torch" else ""
            raise ModuleNotFoundError(
                f"{name} is not installed, which this part of attnlib needs. Install it with "
                f'pip install "attnlib[{extra}]".{also}',
                name=name,
            )
