"""The words of the glossary in the chapters: each shows its sentence where it first occurs."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

GLOSSARY = "book/glossary"
#: Text that is something else already, or that names the word and explains it itself.
NOT_IN = (nodes.reference, nodes.title, nodes.strong, nodes.emphasis, nodes.literal, nodes.math,
          nodes.table, nodes.caption, addnodes.pending_xref)  # fmt: skip


#: Phrases in which a word of the glossary means something else, on every page; and what a page says
#: of its own.
OTHERWISE = ("arrow key", "memory bandwidth", "orthogonal projection")
OTHERWISE_HERE = re.compile(r"<!-- otherwise: (.+?) -->")


def pattern(words):
    """What finds any of some words, the longest first, with its plural.

    >>> find = pattern(["mask", "causal mask", "query"])
    >>> [match[0] for match in find.finditer("Causal masks are masks; queries ask.")]
    ['Causal masks', 'masks', 'queries']
    >>> find.search("Causal masks")[1]
    'Causal mask'
    """
    stems = (re.escape(w) for w in sorted(words, key=len, reverse=True))
    found = "|".join(re.sub("y$", "(?:y|ie(?=s))", stem) for stem in stems)
    return re.compile(rf"(?<![\w-])({found})s?(?![\w-])", re.IGNORECASE)


def sentences(env):
    """Every word of the glossary -> its identifier there, and its sentence as plain text."""
    if GLOSSARY not in env.found_docs:
        return {}
    found = {}
    for item in env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
        sentence = item.next_node(nodes.definition).next_node(nodes.paragraph).astext()
        for term in item.findall(nodes.term):
            found[term.astext().lower()] = (term["ids"][0], " ".join(sentence.split()))
    return found


def explain(app, doctree, docname):
    """Link each word of the glossary where a chapter first uses it.

    Not in its head, nor after it has been set in bold, where the text itself says what it means.
    """
    if not re.match(r"book/\d", docname) or not (words := sentences(app.env)):
        return
    raw = "".join(node.astext() for node in doctree.findall(nodes.raw))
    find, seen = pattern([*words, *OTHERWISE, *OTHERWISE_HERE.findall(raw)]), set()
    for text in [*doctree.findall(nodes.Text)]:
        around = [*ancestors(text)]
        bold, elsewhere = holds(around, nodes.strong), holds(around, NOT_IN)
        if not holds(around, nodes.paragraph) or (not bold and (elsewhere or in_head(around))):
            continue
        pieces, at = [], 0
        for match in find.finditer(text):
            word = re.sub("ie$", "y", match[1].lower())
            place, sentence = words.get(word, (None, None))
            if not place or sentence in seen:
                continue
            seen.add(sentence)
            if not bold:
                inside = nodes.inline("", match[0])
                link = make_refnode(app.builder, docname, GLOSSARY, place, inside, sentence)
                link["classes"].append("term")
                pieces += [nodes.Text(text[at : match.start()]), link]
                at = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[at:])])


def ancestors(node):
    """The elements round a node, from the inside."""
    while node := node.parent:
        yield node


def holds(elements, kinds):
    """Whether one of some elements is of these kinds."""
    return any(isinstance(element, kinds) for element in elements)


def in_head(around):
    """Whether these are the ancestors of something above a page's first section."""
    return sum(isinstance(element, nodes.section) for element in around) < 2
