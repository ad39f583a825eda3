"""Write the README's picture, the first widget of the cover: python tools/readme_picture.py"""

import json
from pathlib import Path

BOOK = Path(__file__).resolve().parent.parent / "book"
TARGET = BOOK / "_assets" / "cover.svg"


def picture():
    """The SVG text of the picture."""
    cover = json.loads((BOOK / "index.ipynb").read_text(encoding="utf-8"))
    outputs = (output for cell in cover["cells"] for output in cell.get("outputs", []))
    pictures = (output.get("data", {}).get("image/svg+xml") for output in outputs)
    return "".join(next(filter(None, pictures)))


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
    print("wrote", TARGET.name)
