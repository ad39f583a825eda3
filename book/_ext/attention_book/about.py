"""What each page is about, in a sentence or two, for search engines and previews of links."""

import re

from docutils import nodes

LONGEST = 160
_SENTENCE = re.compile(r".+?[.?!](?=\s|$)")


def whole_sentences(text):
    """The sentences at the start of a text that fit, the first one in any case.

    >>> whole_sentences("Why √2?  It is 1.41. And so")
    'Why √2? It is 1.41.'
    """
    first, *others = _SENTENCE.findall(" ".join(text.split())) or [text]
    for sentence in others:
        if len(first + sentence) > LONGEST:
            break
        first += sentence
    return first


def description(doctree):
    """The beginning of a page as plain text; for a chapter its question and first objective.

    None if there is no page, or no text without formulas in it.
    """
    if doctree is None:
        return None
    paragraphs = [p for p in doctree.findall(nodes.paragraph) if not p.next_node(nodes.math)]
    texts = [p.astext() for p in paragraphs]
    if len(texts) > 2 and texts[1] == "After this lesson you can":
        return whole_sentences(f"{texts[0]} {texts[1]} {texts[2].rstrip(';.')}.")
    return whole_sentences(texts[0]) if texts else None
