"""Write the pictures of the README: python tools/readme_picture.py"""

import json
from pathlib import Path

BOOK = Path(__file__).resolve().parent.parent / "book"
#: Where a picture is written, the notebook that has it, and its cell's `id`, or none for the first.
PICTURES = {
    "cover.svg": ("index", ""),
    "model.svg": ("build_numpy", "fig-build-training"),
}


def picture(name):
    """The SVG text of a picture, and the path where it is stored."""
    notebook, cell_id = PICTURES[name]
    cells = json.loads((BOOK / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = (
        output for cell in cells if cell_id in cell["id"] for output in cell.get("outputs", [])
    )
    pictures = (output.get("data", {}).get("image/svg+xml") for output in outputs)
    return "".join(next(filter(None, pictures))), BOOK / "_assets" / name


if __name__ == "__main__":
    for name in PICTURES:
        text, target = picture(name)
        target.write_text(text, encoding="utf-8")
        print("wrote", target.name)
