"""What a checker says, as data, as plain text and as a small box of HTML."""

from dataclasses import dataclass
from html import escape
from re import sub

HEADINGS = {
    "passed": "Passed.",
    "not attempted": "Not attempted yet.",
    "wrong": "Not right yet.",
    "error": "Stopped by an error.",
}


def with_code(html):
    """What stands between backticks, as code.

    >>> with_code("Write `x` twice.")
    'Write <code>x</code> twice.'
    """
    return sub("`([^`]+)`", r"<code>\1</code>", html)


@dataclass(frozen=True, repr=False)
class Reply:
    """The answer of a checker to one attempt: a verdict, words and the smallest case.

    Examples
    --------
    >>> reply = Reply("wrong", "The weights sum to 2.", case="w = [1. 1.]")
    >>> reply
    Not right yet. The weights sum to 2.
    <BLANKLINE>
        w = [1. 1.]
    >>> reply.passed
    False
    """

    status: str  # the verdict, a key of HEADINGS
    message: str  # the first paragraph: what is wrong, or what a right answer shows
    case: str = ""  # the smallest case, with what came back: lines whose breaks matter
    notes: tuple = ()  # sentences that follow
    about_case: str = ""  # a sentence that introduces the case
    heading: str = ""  # the first words, bold in HTML, where they are not those of HEADINGS

    @property
    def passed(self):
        """Whether the answer is right."""
        return self.status == "passed"

    @property
    def text(self):
        """The whole reply as plain text."""
        heading, message, about, case, *notes = self.pieces()
        case = "\n".join(f"    {line}".rstrip() for line in case.split("\n"))
        return "\n\n".join(filter(None, (f"{heading} {message}", about, case, *notes)))

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        heading, message, about, case, *notes = map(escape, self.pieces())
        message, about, *notes = map(with_code, (message, about, *notes))
        rows = [
            f'<div class="attn-reply attn-reply--{self.status.replace(" ", "-")}" role="status">',
            f"<p><strong>{heading}</strong> {message}</p>",
            about and f"<p>{about}</p>",
            case and f'<pre style="white-space: pre-wrap">{case}</pre>',
            *(f"<p>{note}</p>" for note in notes),
            "</div>",
        ]
        return "\n".join(filter(None, rows))

    def pieces(self):
        """Its parts without control characters, which a terminal would obey and HTML forbids."""
        heading = self.heading or HEADINGS[self.status]
        parts = (heading, self.message, self.about_case, self.case, *self.notes)
        return ["".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in p) for p in parts]
