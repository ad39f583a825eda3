"""Write the README's picture, a still of the query plane: python tools/readme_picture.py"""

from pathlib import Path

from attnlib import widgets

TARGET = Path(__file__).resolve().parent.parent / "book" / "_assets" / "query_plane.svg"


def picture():
    """The SVG text of the picture."""
    plane = widgets.QueryPlane(query=[-0.6, 1.4], V=[[10, 1], [2, 10], [0, 0]])
    return plane.picture()["image/svg+xml"]


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
    print("wrote", TARGET.name)
