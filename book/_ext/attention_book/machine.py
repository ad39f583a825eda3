"""The page's Python as three scripts: what `python.js` loads at a reader's first click.

Pyodide's runtime, NumPy and the book's own code. Each is a classic script that hands over its files
as gzip in base64, because a page that is opened from a folder may load scripts and nothing else; a
server that compresses takes the base64 off again. What no page needs is left out here.
"""

import base64
import gzip
import io
import json
import re
import struct
import zipfile
from pathlib import Path

import attnlib
from attention_book.in_page.slicing import is_absent

VENDOR = Path(__file__).parents[2] / "_assets" / "vendor" / "pyodide"
COMPILED = VENDOR / "compiled.zip"  # by `tools/vendor.py`, with the page's own Python
PACKAGE = Path(attnlib.__file__).parent

#: Of the standard library: tools, servers, mail and web, other systems, most encodings.
LEFT_OUT = """
_aix_support _markupbase _osx_support _pydatetime _pydecimal _pyio aifc argparse
asyncio/proactor_events asyncio/windows_events asyncio/windows_utils bdb cProfile cgi cgitb chunk
cmd colorsys concurrent/futures/process configparser crypt ctypes/_aix ctypes/macholib
ctypes/wintypes curses dbm distutils doctest email/_header_value_parser email/contentmanager
email/headerregistry email/mime ensurepip filecmp fileinput ftplib getopt gettext html/parser http
idlelib imaplib imghdr json/tool lib2to3 logging/config logging/handlers mailbox mailcap
modulefinder msilib multiprocessing netrc nntplib optparse pdb pickletools pipes plistlib poplib
profile pstats pyclbr pydoc pydoc_data sched smtplib sndhdr socketserver sqlite3 ssl sunau symtable
tabnanny tarfile telnetlib test tkinter tomllib trace turtle unittest urllib/error urllib/request
urllib/response urllib/robotparser uu uuid venv wave webbrowser wsgiref xdrlib xml xmlrpc
zipapp zoneinfo
""".split()
ENCODINGS = """__init__ aliases ascii cp1252 cp437 idna latin_1 raw_unicode_escape unicode_escape
utf_16 utf_32 utf_8""".split()
#: Of NumPy: what compiles, documents and tests, and names that are kept for old programs.
NUMPY_LEFT_OUT = """
_core/_[^m][a-z_]*_tests _core/include _core/lib _pyinstaller core/[a-z] distutils doc f2py
lib/recfunctions linalg/lapack_lite ma/mrecords ma/testutils ma/timer_comparison polynomial
random/_examples random/lib testing typing
""".split()


def library_sources():
    """Python's library by paths, without what is left out."""
    gone = "|".join(map(re.escape, LEFT_OUT))
    pattern = re.compile(rf"({gone})(\.py$|/)|encodings/(?!({'|'.join(ENCODINGS)})\.)|.*(/|\.txt)$")
    with zipfile.ZipFile(VENDOR / "python_stdlib.zip") as source:
        return {name: source.read(name) for name in source.namelist() if not pattern.match(name)}


def numpy_sources():
    """NumPy by paths, Python and compiled C, without what is left out."""
    pattern = re.compile(rf"numpy/({'|'.join(NUMPY_LEFT_OUT)})|.*/tests/")
    (wheel,) = VENDOR.glob("numpy-*.whl")
    with zipfile.ZipFile(wheel) as source:
        return {
            name: source.read(name)
            for name in source.namelist()
            if name.endswith((".py", ".so")) and not pattern.match(name)
        }


def compiled(files):
    """The files, with what was compiled in the place of its source."""
    with zipfile.ZipFile(COMPILED) as archive:
        known = {name: archive.read(name) for name in archive.namelist()}
    return {
        **{name: data for name, data in files.items() if f"{name}c" not in known},
        **{f"{name}c": known[f"{name}c"] for name in files if f"{name}c" in known},
    }


def runtime():
    """The files of Pyodide by their names; its list of packages is empty."""
    files = {n: (VENDOR / n).read_bytes() for n in ("pyodide.asm.js", "pyodide.asm.wasm")}
    script = (VENDOR / "pyodide.js").read_bytes()
    lock = json.loads((VENDOR / "pyodide-lock.json").read_text()) | {"packages": {}}
    library = io.BytesIO()
    with zipfile.ZipFile(library, "w") as archive:  # packed once, with everything else
        for name, data in compiled(library_sources()).items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return files | {
        "pyodide.js": script.replace(b"//# sourceMappingURL=pyodide.js.map", b""),
        "pyodide-lock.json": json.dumps(lock).encode(),
        "python_stdlib.zip": library.getvalue(),
    }


def numpy():
    """The files of NumPy by their paths."""
    return compiled(numpy_sources())


def book():
    """The book's own files by their paths: `attnlib`, its exercises, and what runs cells."""
    top = PACKAGE.parent
    ours = {
        path.relative_to(top).as_posix(): path
        for path in PACKAGE.rglob("*.*")
        if path.suffix in (".py", ".json")
        and not is_absent(".".join(path.relative_to(top).with_suffix("").parts))
        and not path.name.startswith("test_")
    }
    texts = top / "book" / "exercises"
    absent = {  # what needs PyTorch is asked in the notebook alone
        path.with_suffix("")
        for path in texts.rglob("*.md")
        if re.search(r"^- needs: ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    ours |= {
        path.relative_to(top).as_posix(): path
        for path in texts.rglob("*.*")
        if path.stem not in ("questions", "practice")
        and path.suffix in (".py", ".md")
        and path.with_suffix("") not in absent
    }
    here = Path(__file__).parent
    ours |= {path.relative_to(here).as_posix(): path for path in here.glob("in_page/*.py")}
    return {name: ours[name].read_bytes() for name in sorted(ours)}


def packed(files):
    """Files as one: the length of an index, the index as JSON, their bytes."""
    index = json.dumps([[name, len(data)] for name, data in files.items()]).encode()
    return struct.pack("<I", len(index)) + index + b"".join(files.values())


def script(name, files):
    """A script that hands files over to `python.js`."""
    data = gzip.compress(packed(files), 9, mtime=0)
    return f'AttentionPython.take("{name}", "{base64.b64encode(data).decode()}");\n'


def write(folder):
    """Write the three scripts; their sizes in bytes by name."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for name, files in (("runtime", runtime), ("numpy", numpy), ("book", book)):
        text = script(name, files())
        (folder / f"{name}.js").write_text(text, encoding="ascii")
        sizes[name] = len(text)
    return sizes
