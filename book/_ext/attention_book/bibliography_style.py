"""A bibliography whose labels are what the text cites: the names and the year."""

from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle


def label(entry):
    """What a citation in the text says: one name, two names, or the first and "et al.".

    >>> from pybtex.database import Entry, Person
    >>> authors = [Person("Bahdanau, Dzmitry"), Person("Cho, Kyunghyun"), Person("Bengio, Yoshua")]
    >>> label(Entry("misc", {"year": "2015"}, {"author": authors}))
    'Bahdanau et al., 2015'
    >>> label(Entry("misc", {"year": "2015"}, {"author": authors[:2]}))
    'Bahdanau and Cho, 2015'
    """
    people = entry.persons.get("author") or entry.persons["editor"]
    names = [" ".join(map(str, p.rich_prelast_names + p.rich_last_names)) for p in people]
    shown = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    return f"{shown}, {entry.fields['year']}"


class NamesAndYear(BaseLabelStyle):
    """Labels by `label`; where two come out the same, sphinxcontrib-bibtex warns."""

    def format_labels(self, sorted_entries):
        return [label(entry) for entry in sorted_entries]


class Style(PlainStyle):
    """Entries as in BibTeX's plain style, sorted by author and year."""

    default_label_style = NamesAndYear


def setup(app):
    register_plugin("pybtex.style.formatting", "names_and_year", Style)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
