"""What questions share: text with code in it, and an answer that is folded away."""

from html import escape


def inline(text):
    """Escaped text with `code` between backticks.

    >>> inline("a < `b`")
    'a &lt; <code>b</code>'
    """
    pieces = escape(text).split("`")
    return "".join(f"<code>{p}</code>" if i % 2 else p for i, p in enumerate(pieces))


def folded(question, summary, answer):
    """The picture of a question: how it stands where no script runs."""
    return {
        "text/html": (
            f'<div class="attn-static">{question}'
            f"<details><summary>{summary}</summary>{answer}</details></div>"
        )
    }
