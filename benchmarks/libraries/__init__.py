"""What libraries of attention do, each asked small decisive questions.

    python -m benchmarks.libraries             asks the libraries that are installed here
    python -m benchmarks.libraries jax keras   asks these alone

It writes ``book/data/libraries.json``: an answer to each question from each subject, with the
version that gave it and the day.  Answers of libraries that are not here stay as they were.  The
book needs none of them but PyTorch; what others need is in `NEEDS`.
"""

import importlib
import json
from importlib import metadata
from pathlib import Path

from benchmarks.libraries import probes

FILE = Path(__file__).resolve().parents[2] / "book" / "data" / "libraries.json"

#: The questions, in the order of the page.
QUESTIONS = [
    "axes",
    "polarity",
    "padding",
    "additive",
    "corner",
    "empty",
    "empty_gradient",
    "grouping",
    "scale",
    "dropout",
    "weights",
    "positions",
    "types",
]

#: Module here -> the packages that it needs.
NEEDS = {
    "pytorch": ["torch"],
    "hugging_face": ["transformers", "torch"],
    "jax": ["jax"],
    "keras": ["keras", "jax"],
    "onnx": ["onnx", "onnxruntime"],
}


def version(package):
    """Return the version of a package that is installed here, without a build's name, or None."""
    try:
        return metadata.version(package).partition("+")[0]
    except metadata.PackageNotFoundError:
        return None


def subjects(module):
    """Return what a module of this folder can ask here: an empty list if a package is missing."""
    if not all(map(version, NEEDS[module])):
        return []
    return importlib.import_module(f"benchmarks.libraries.in_{module}").SUBJECTS


def ask(subject, question):
    """Return the answer, and the first weights that were seen for it, if any (None is NaN)."""
    probes.SHOWN.clear()
    probes.REASONS.clear()
    said = {"answer": getattr(subject, question)()}
    if probes.SHOWN:
        rows = probes.SHOWN[0].tolist()
        said["weights"] = [[None if w != w else round(w, 3) for w in row] for row in rows]
    if probes.REASONS:
        said["refusals"] = [*dict.fromkeys(probes.REASONS)]
    return said


def recorded():
    """Return what is written: question -> subject -> answer, version, date, weights, refusals."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
