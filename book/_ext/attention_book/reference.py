"""All widgets in the reference: the directive `attention-widgets`."""

from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from attnlib.widgets import WIDGETS


class Widgets(SphinxDirective):
    """Every widget with its traits, or with the option `summary` a line for each."""

    option_spec = {"summary": directives.flag}  # noqa: RUF012

    def run(self):
        names = [f"attnlib.widgets.{cls.__name__}" for cls in WIDGETS.values()]
        if "summary" in self.options:
            lines = [".. autosummary::", "   :nosignatures:", "", *(f"   ~{n}" for n in names)]
        else:
            lines = [".. default-role:: py:obj", *(f".. autoclass:: {n}" for n in names)]
        return self.parse_text_to_nodes("\n".join(lines))
