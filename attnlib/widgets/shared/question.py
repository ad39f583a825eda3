"""What questions share: a name, text with code in it, answers that are shown when asked for."""

from html import escape

from attnlib.widgets.shared.base import BookWidget
from attnlib.widgets.shared.traits import text


def inline(text):
    """Escaped text with `code` between backticks.

    >>> inline("a < `b`")
    'a &lt; <code>b</code>'
    """
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


class Question(BookWidget):
    """A question of a chapter, which counts under its name how it was answered.

    Where no script runs the page shows what `asked` returns, and its answer is what `answered`
    returns, on the page of answers.
    """

    look = "boxed"
    name = text(
        "The name that it is asked by, ``chapter.question``; under it a browser counts the answers."
    )

    def asked(self):
        """What is asked, as HTML."""
        raise NotImplementedError

    def answered(self):
        """The answer with its reasons, as HTML."""
        raise NotImplementedError

    def numbers(self):
        return {}

    def announcement(self):
        return ""

    def picture(self):
        return {"text/html": f'<div class="attn-static">{self.asked()}</div>'}
