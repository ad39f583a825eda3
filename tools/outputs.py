"""Outputs as they are committed: deterministic, and without what only a kernel could show."""

import hashlib
import json
import re

from attnlib.widgets import STATE_MIME

WIDGET = STATE_MIME
VIEW = "application/vnd.jupyter.widget-view+json"
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{9,}\b")
SVG_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
#: An id that matplotlib ends with ten digits of a salted hash: p…, m…, h…, image…, C0_1_….
SVG_ID = re.compile(r'\bid="((?:[a-z]+|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10})"')


def tags(cell):
    """The tags of a cell.

    Parameters
    ----------
    cell : NotebookNode

    Returns
    -------
    set of str
    """
    return set(cell.get("metadata", {}).get("tags", []))


def is_core_widget(output):
    """Whether an output's only rich form is the view of a live widget model.

    Parameters
    ----------
    output : NotebookNode

    Returns
    -------
    bool
    """
    mimes = set(output.get("data", {}))
    return VIEW in mimes and mimes <= {VIEW, "text/plain"}


def stable_svg(text):
    """An SVG without matplotlib's metadata (date, version) and without salted ids.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        The same drawing; its ids depend on the drawing only, so that two different figures on
        one page share none.
    """
    text = SVG_METADATA.sub("", text)
    order = {old: number for number, old in enumerate(dict.fromkeys(SVG_ID.findall(text)))}

    def renamed(name):
        return re.sub(
            r'(?<=["#])(?:[a-z]+|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10}(?=["\')])',
            lambda match: name(match[0]) if match[0] in order else match[0],
            text,
        )

    drawing = renamed(lambda old: f"{old[:-10]}{order[old]}")

    def digest(old):
        return hashlib.sha256(f"{order[old]} {drawing}".encode()).hexdigest()[:10]

    return renamed(lambda old: old[:-10] + digest(old))


def texts(output):
    """All the text of an output, without terminal colours and without pictures.

    Parameters
    ----------
    output : NotebookNode

    Returns
    -------
    str
    """
    parts = [output.get("text", ""), *output.get("traceback", [])]
    parts += [
        value if isinstance(value, str) else json.dumps(value)
        for mime, value in output.get("data", {}).items()
        if not mime.startswith("image/")
    ]
    return ANSI.sub("", "\n".join(parts))


def one_output(output, number):
    """One output in canonical form; the execution count is the cell's own."""
    output = {key: value for key, value in output.items() if key != "transient"}
    if "execution_count" in output:
        output["execution_count"] = number
    if "traceback" in output:  # frames inside libraries carry this machine's paths
        frames = output["traceback"]
        output["traceback"] = [f for f in frames if not ANSI.sub("", f).startswith("File ")]
    if "data" in output:
        output["data"] = {
            mime: stable_svg(value) if mime in ("image/svg+xml", "text/html") else value
            for mime, value in output["data"].items()
            if mime != VIEW
        }
        output["metadata"] = {
            mime: value for mime, value in output.get("metadata", {}).items() if mime != VIEW
        }
    return output


def stable_outputs(cell, number):
    """The outputs of a code cell in canonical form.

    Parameters
    ----------
    cell : NotebookNode
        A code cell; it is left as it is.
    number : int
        Its place among the code cells, 1 for the first.

    Returns
    -------
    list of dict
        Neighbouring pieces of one stream joined, live views and bare core widgets dropped.
    """
    merged = []
    for output in cell.get("outputs", []):
        if is_core_widget(output):
            continue
        output = one_output(output, number)
        last = merged[-1] if merged else {}
        if "text" in output and last.get("name") == output["name"]:
            last["text"] += output["text"]
        else:
            merged.append(output)
    return merged


def faults(cell):
    """Why the outputs of a code cell cannot be committed.

    Parameters
    ----------
    cell : NotebookNode

    Returns
    -------
    list of str
        One sentence for each fault; empty when all is well.
    """
    found = []
    outputs = cell.get("outputs", [])
    live = "live-only" in tags(cell)
    if any(map(is_core_widget, outputs)) and not live:
        found.append(
            "shows a core ipywidget, which cannot live in a page without a kernel: "
            "use a widget of attnlib.widgets, or tag the cell live-only"
        )
    if live and "nbval-ignore-output" not in tags(cell):
        found.append("is tagged live-only and must be tagged nbval-ignore-output as well")
    if addresses := sorted({a for output in outputs for a in ADDRESS.findall(texts(output))}):
        found.append(f"prints a memory address, which changes in every run: {addresses[0]}")
    stderr = [o["text"] for o in outputs if o.get("name") == "stderr"]
    if stderr and not tags(cell) & {"raises-exception", "allow-stderr"}:
        found.append(f"writes to stderr: {''.join(stderr).strip()}")
    return found
