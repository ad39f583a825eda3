"""How the site's HTML differs from Sphinx's: tags, pictures, and the markup of code."""

from pathlib import Path

from pygments.formatters import HtmlFormatter
from sphinx.writers.html5 import HTML5Translator

from attention_book import dark


class Translator(HTML5Translator):
    """Writes pages as Sphinx does, but with the book's attributes, and figures in both themes."""

    def starttag(self, node, tagname, suffix="\n", empty=False, **attributes):
        role = attributes.get("role")
        if role == "doc-biblioentry":  # ARIA 1.2 no longer has them; they are items of a list
            attributes["role"] = "listitem"
        if tagname == "p" and "ROLE" in attributes:  # a caption in the contents is no heading
            del attributes["ROLE"]
        if tagname == "a" and "current" in node.get("classes", ()):
            attributes["aria-current"] = "page"
        if tagname == "img":
            attributes |= node.get("html", {})
        return super().starttag(node, tagname, suffix, empty, **attributes)

    def visit_image(self, node):
        source = node["uri"]
        drawn = source in self.builder.images and source.endswith(".svg")
        if drawn:
            svg = Path(self.builder.srcdir, source).read_text(encoding="utf-8")
            node["html"] = {"loading": "lazy"} | dark.size(svg)
        super().visit_image(node)
        if drawn:
            self.body[-1] = dark.picture(self.body[-1], node["uri"])


#: Names, operators and brackets look like the code round them (`code.css`), two thirds of all.
PLAIN = {"n", "nb", "nn", "o", "p", "w"}


class Formatter(HtmlFormatter):
    """Marks only code that looks different: a browser lays out a long page faster with less."""

    def _get_css_classes(self, ttype):
        classes = super()._get_css_classes(ttype)
        return "" if classes in PLAIN else classes


def mark_less_code(app):
    """Write code as `Formatter` does."""
    if app.builder.format == "html":
        app.builder.highlighter.formatter = Formatter
