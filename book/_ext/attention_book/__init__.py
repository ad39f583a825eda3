"""The book's own Sphinx extension: its theme, its colours, its figure numbers, its live widgets."""

import re
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError

from attention_book import (
    about,
    asked,
    dark,
    live,
    machine,
    names,
    reference,
    runs,
    terms,
    transforms,
    writer,
)
from attnlib import examples, palette
from attnlib.widgets.shared import modules

HERE = Path(__file__).parent


def configure(app, config):
    """Take formula macros from the palette and MathJax from the site; set no theme options."""
    config.html_theme_options = {}
    config.mathjax3_config = {
        "loader": {"load": ["[tex]/html"]},
        "tex": {"packages": {"[+]": ["html"]}, "macros": palette.mathjax_macros()},
        "options": {"enableMenu": False},
    }


def colours():
    """The palette as a style sheet: light, dark on request, dark where the system asks for it."""
    light = palette.css_variables(palette.LIGHT)
    night = palette.css_variables(palette.DARK)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f':root[data-theme="dark"] {{ color-scheme: dark; {night} }}\n'
        "@media (prefers-color-scheme: dark) {\n"
        f':root:not([data-theme="light"]) {{ color-scheme: dark; {night} }}\n'
        "}\n"
        "@media print {\n"
        f":root:root:root {{ color-scheme: light; {light} }}\n"
        "}\n"
    )


def write_styles(app, exception):
    """Write the colours, and the style sheets that the page needs, as one file."""
    if exception or app.builder.format != "html":
        return
    sources = [
        colours(),
        *(
            (app.srcdir / "book/_assets" / f"{name}.css").read_text(encoding="utf-8")
            for name in ("book", "code")
        ),
        modules.shared_stylesheet(),
    ]
    folder = Path(app.outdir, "_static")
    (folder / "attention.css").write_text("\n".join(sources), encoding="utf-8")
    (folder / "widgets").mkdir(exist_ok=True)
    for name in live.widgets_used(app.env):
        for file, text in {
            f"{name}.js": modules.site_script(name),
            **modules.later_scripts(name),
        }.items():
            (folder / "widgets" / file).write_text(text, encoding="utf-8")
    host = (app.srcdir / "book/_assets/live.js").read_text(encoding="utf-8")
    script = re.sub(r"^ *//.*\n", "", host + modules.shared_script(), flags=re.MULTILINE)
    (folder / "live.js").write_text(script, encoding="utf-8")


def write_python(app, exception):
    """Write the page's Python, and the licences of what it is made of."""
    if exception or app.builder.format != "html":
        return
    machine.write(Path(app.outdir, "_static", "python"))


def write_redirect(app, exception):
    """Write the site's `index.html`, which sends the reader to the cover or offers a link to it."""
    if exception or app.builder.format != "html":
        return
    cover = f"{app.config.root_doc}.html"
    title = escape(app.config.html_title)
    summary = escape(about.description(app.env.get_doctree(app.config.root_doc)) or title)
    Path(app.outdir, "index.html").write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="refresh" content="0; url={cover}">'
        f'<meta name="description" content="{summary}"><meta property="og:title" content="{title}">'
        f'<meta property="og:description" content="{summary}"><title>{title}</title></head><body>'
        f'<main><h1><a href="{cover}">{title}</a></h1></main></body></html>\n',
        encoding="utf-8",
    )


def chapter_number(docname):
    """The number in a chapter's file name, or None.

    >>> chapter_number("book/04_scaling"), chapter_number("book/index")
    (4, None)
    """
    match = re.match(r"(\d+)_", docname.rsplit("/", 1)[-1])
    return int(match.group(1)) if match else None


def number_figures_by_chapter(app, env):
    """Number figures by chapter: 4.1 is the first of chapter 4, even while chapter 3 is missing.

    A deeper page counts on from its lesson.
    """
    for docname, kinds in env.toc_fignumbers.items():
        chapter = chapter_number(docname)
        lesson = docname.removesuffix("_deeper")
        before = env.toc_fignumbers.get(lesson, {}) if lesson != docname else {}
        for kind, numbers in kinds.items():
            for position, figure in enumerate(numbers, start=1 + len(before.get(kind, ()))):
                numbers[figure] = (position,) if chapter is None else (chapter, position)
    return []


def page_context(app, pagename, templatename, context, doctree):
    """Add what the layout needs: description, scripts, the notebook to download."""
    context["description"] = about.description(doctree)
    elements = [*doctree.findall(nodes.Element)] if doctree else []
    raw = "".join(element.astext() for element in elements if isinstance(element, nodes.raw))
    tags = {name for element in elements for name in element["classes"]}
    widgets, _ = live.known(app.env).get(pagename, ([], {}))
    context["is_early"] = 'id="first-widget"' in raw
    early = live.scripts_of(widgets[:1]) if context["is_early"] else []
    context["widget_scripts"] = live.scripts_of(set(widgets))
    context["late_scripts"] = [s for s in context["widget_scripts"] if s not in early]
    context["runs_python"] = not tags.isdisjoint(
        {"tag_exercise", "tag_runs-here", "tag_notebook-only"}
    )
    context["is_review"] = 'id="practice-review"' in raw
    context["trains"] = 'class="train-here"' in raw and examples.four_verses()
    context["is_cover"] = pagename == app.config.root_doc
    context["chapter"] = chapter_number(pagename)
    source = app.env.doc2path(pagename) if pagename in app.env.all_docs else ""
    context["notebook"] = f"_sources/{pagename}.ipynb" if str(source).endswith(".ipynb") else None
    # The layout names its own scripts; Sphinx's list has the theme-less defaults.
    context["math_scripts"] = [
        js
        for js in context.get("script_files", [])
        if "mathjax" in str(getattr(js, "filename", js) or "")
        or "MathJax" in str(getattr(js, "attributes", {}).get("body", ""))
    ]


def setup(app):
    app.add_config_value("comments_config", {}, "env")  # Jupyter Book sets it for everyone
    app.add_directive("attention-answers", asked.Answers)
    app.add_directive("attention-review", asked.Review)
    app.add_directive("attention-widgets", reference.Widgets)
    app.add_html_theme("attention", str(HERE / "theme"))
    app.set_translator("html", writer.Translator)
    app.add_post_transform(transforms.KeepWithFormula)
    app.add_post_transform(transforms.NameCodeFolds)
    app.connect("config-inited", configure)
    app.connect("builder-inited", writer.mark_less_code)
    app.connect("source-read", live.replace_widgets)
    app.connect("source-read", runs.mark)
    app.connect("env-purge-doc", live.forget)
    app.connect("env-merge-info", live.merge)
    app.connect("env-get-updated", number_figures_by_chapter, priority=900)
    app.connect("missing-reference", names.link)
    app.connect("doctree-resolved", terms.explain)
    app.connect("html-page-context", page_context, priority=900)
    app.connect("build-finished", write_styles)
    app.connect("build-finished", live.write_pictures)
    app.connect("build-finished", write_python)
    app.connect("build-finished", asked.write)
    app.connect("build-finished", dark.write_dark_figures)
    app.connect("build-finished", write_redirect)
    if app.config.html_theme != "attention":
        raise ExtensionError("the book's extension goes with html_theme: attention")
    return {
        "version": "1",
        "env_version": 5,  # raise it when what is kept of a page that was read changes
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
