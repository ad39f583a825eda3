"""What questions share: a name, text with code in it, answers that are shown when asked for."""

import re
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


def pieces(text):
    r"""Words and code by turns, words first: what is between lines of three backticks is code.

    >>> pieces("Why?\n\n```python\nx = 1\n```")
    ['Why?', 'x = 1', '']
    """
    return re.split(r"\n*^```.*\n([\s\S]*?)\n```$\n*", text, flags=re.M)


def blocks(text):
    r"""Escaped paragraphs, and blocks of code.

    >>> blocks("Why `x`?\n\n```python\nx < 1\n```")
    '<p>Why <code>x</code>?</p><pre tabindex="0"><code>x &lt; 1</code></pre>'
    """
    return "".join(
        f'<pre tabindex="0"><code>{escape(piece)}</code></pre>'
        if i % 2
        else f"<p>{inline(piece)}</p>"
        for i, piece in enumerate(pieces(text))
        if piece
    )


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
