"""What a test needs to know of a built page: its elements, its identifiers, its addresses."""

from functools import cache
from html.parser import HTMLParser

#: Attributes that make the browser load something by itself, and links that a reader follows.
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}
LOADS |= {"embed": "src", "object": "data", "image": "href", "use": "href"}


class Page(HTMLParser):
    """Every start tag with its attributes, in order, and the text outside scripts."""

    def __init__(self, path):
        super().__init__()
        self.path = path
        self.elements = []
        self.words = []
        self.inside = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if not self.inside:
            self.words.append(data)

    @property
    def identifiers(self):
        return [a["id"] for _, a in self.elements if a.get("id")]

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def loaded(self):
        """Addresses of what the page loads by itself, without a click."""
        for tag, attributes in self.elements:
            if tag in LOADS and LOADS[tag] in attributes:
                yield attributes[LOADS[tag]]
            loading = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "manifest"}
            if tag == "link" and loading & set(attributes.get("rel", "").split()):
                yield attributes["href"]
            if tag == "source" and "srcset" in attributes:  # one address, which may hold a comma
                yield attributes["srcset"].split()[0]

    def followed(self):
        """Addresses behind links."""
        return [a["href"] for tag, a in self.elements if tag == "a" and "href" in a]


@cache
def pages(site):
    """All pages of a built site."""
    return [Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
