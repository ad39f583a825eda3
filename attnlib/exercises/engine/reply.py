"""What a checker says, as plain text and as a small box of HTML."""

from dataclasses import dataclass
from html import escape

HEADINGS = {
    "passed": "Passed.",
    "not attempted": "Not attempted yet.",
    "wrong": "Not right yet.",
    "error": "Stopped by an error.",
}


@dataclass(frozen=True, repr=False)
class Reply:
    """The answer of a checker to one attempt.

    Parameters
    ----------
    status : {"passed", "not attempted", "wrong", "error"}
        The verdict.
    message : str
        The first paragraph: what was found.
    details : tuple of (tag, str)
        What follows, each piece with its tag: ``"p"`` for a paragraph, ``"pre"`` for text whose
        line breaks matter, such as an array.
    heading : str, optional
        The first words, bold in HTML; by default those that belong to the status.

    Raises
    ------
    ValueError
        If the status or a tag is not one of those named.

    Examples
    --------
    >>> reply = Reply("wrong", "The weights sum to 2.", (("pre", "w = [1. 1.]"),))
    >>> reply
    Not right yet. The weights sum to 2.
    <BLANKLINE>
        w = [1. 1.]
    >>> reply.passed
    False
    """

    status: str
    message: str
    details: tuple = ()
    heading: str = ""

    def __post_init__(self):
        if self.status not in HEADINGS:
            raise ValueError(f"status is {self.status!r}, expected one of {sorted(HEADINGS)}")
        for tag, _ in self.details:
            if tag not in ("p", "pre"):
                raise ValueError(f"a detail has the tag {tag!r}, expected 'p' or 'pre'")
        if not self.heading:
            object.__setattr__(self, "heading", HEADINGS[self.status])

    @property
    def passed(self):
        """Whether the answer is right."""
        return self.status == "passed"

    @property
    def text(self):
        """The whole reply as plain text."""
        pieces = [f"{self.heading} {self.message}"]
        for tag, piece in self.details:
            pieces.append(_indented(piece) if tag == "pre" else piece)
        return _printable("\n\n".join(pieces))

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        name = self.status.replace(" ", "-")
        rows = [
            f'<div class="attn-reply attn-reply--{name}" role="status">',
            f"<p><strong>{_safe(self.heading)}</strong> {_safe(self.message)}</p>",
        ]
        for tag, piece in self.details:
            style = ' style="white-space: pre-wrap"' if tag == "pre" else ""
            rows.append(f"<{tag}{style}>{_safe(piece)}</{tag}>")
        return "\n".join([*rows, "</div>"])


def _indented(piece):
    return "\n".join(("    " + line).rstrip() for line in piece.split("\n"))


def _printable(text):
    """Without control characters, which a terminal would obey and HTML forbids."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _safe(text):
    return escape(_printable(text), quote=True)
