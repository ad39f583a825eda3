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
#: A name that matplotlib ends with ten digits of a salted hash: p…, m…, h…, image…, C0_1_….
SVG_NAME = r"(?:[a-z]+|C[0-9a-f]+_[0-9a-f]+_)[0-9a-f]{10}"


def tags(cell):
    """The tags of a cell, as a set."""
    return set(cell.get("metadata", {}).get("tags", []))


def is_core_widget(output):
    """Whether an output's only rich form is the view of a live widget model."""
    mimes = set(output.get("data", {}))
    return VIEW in mimes and mimes <= {VIEW, "text/plain"}


def stable_svg(text):
    """An SVG without matplotlib's metadata (date, version) and without salted ids.

    The ids depend on the drawing only, so that two different figures on one page share none.
    """
    text = SVG_METADATA.sub("", text)
    names = dict.fromkeys(re.findall(rf'\bid="({SVG_NAME})"', text))
    order = {old: f"{old[:-10]}{number}" for number, old in enumerate(names)}

    def renamed(new):
        return re.sub(
            rf'(?<=["#]){SVG_NAME}(?=["\')])',
            lambda match: new(match[0]) if match[0] in order else match[0],
            text,
        )

    drawing = renamed(order.get)

    def digest(old):
        number = order[old][len(old) - 10 :]
        return old[:-10] + hashlib.sha256(f"{number} {drawing}".encode()).hexdigest()[:10]

    return renamed(digest)


def texts(output):
    """All the text of an output, without terminal colours and without pictures."""
    parts = [output.get("text", ""), *output.get("traceback", [])]
    parts += [
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for mime, value in output.get("data", {}).items()
        if not mime.startswith("image/")
    ]
    return ANSI.sub("", "\n".join(parts))


def stable_output(output, number):
    """One output in canonical form; ``number`` is its cell's place among the code cells."""
    output = {key: value for key, value in output.items() if key != "transient"}
    if "execution_count" in output:
        output["execution_count"] = number
    if "traceback" in output:  # frames inside libraries carry this machine's paths
        frames = output["traceback"]
        output["traceback"] = [f for f in frames if not ANSI.sub("", f).startswith("File ")]
    for part in {"data", "metadata"} & set(output):
        output[part] = {mime: value for mime, value in output[part].items() if mime != VIEW}
    for mime in {"image/svg+xml", "text/html"} & set(output.get("data", {})):
        output["data"][mime] = stable_svg(output["data"][mime])
    return output


def stable_outputs(cell, number):
    """The outputs of a code cell in canonical form, without bare core widgets."""
    outputs = cell.get("outputs", [])
    return [stable_output(output, number) for output in outputs if not is_core_widget(output)]


def faults(cell):
    """Why the outputs of a code cell cannot be committed, one sentence for each fault."""
    outputs = cell.get("outputs", [])
    live = "live-only" in tags(cell)
    if any(map(is_core_widget, outputs)) and not live:
        yield (
            "shows a core ipywidget, which cannot live in a page without a kernel: "
            "use a widget of attnlib.widgets, or tag the cell live-only"
        )
    if live and "nbval-ignore-output" not in tags(cell):
        yield "is tagged live-only and must be tagged nbval-ignore-output as well"
    if addresses := sorted({a for output in outputs for a in ADDRESS.findall(texts(output))}):
        yield f"prints a memory address, which changes in every run: {addresses[0]}"
    stderr = [o["text"] for o in outputs if o.get("name") == "stderr"]
    if stderr and not tags(cell) & {"raises-exception", "allow-stderr"}:
        yield f"writes to stderr: {''.join(stderr).strip()}"
