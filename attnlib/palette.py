"""The book's colours, written once: one colour per role, in light and in dark.

Style sheets, matplotlib's style and the formula macros are all generated from this table, so a
query is the same blue in a sentence's formula, in a figure and in a widget.  Weights have no hue:
their amount is an amount of ink.
"""

LIGHT = {
    "query": "#0b62a8",
    "key": "#b0480a",
    "value": "#0a7355",
    "ink": "#1d2126",
    "muted": "#5b626b",
    "page": "#fdfcfa",
    "panel": "#f4f2ee",
    "line": "#d9d5cd",
}

DARK = {
    "query": "#62b0f2",
    "key": "#f39a5b",
    "value": "#4fc79c",
    "ink": "#e6e3dc",
    "muted": "#a2a9b3",
    "page": "#15181d",
    "panel": "#1e2229",
    "line": "#363c45",
}

#: Formula macros: TeX name -> the role whose colour it takes.
MACROS = {"q": "query", "k": "key", "v": "value"}


def css_variables(colours):
    """CSS custom properties for one theme, as the body of a rule.

    Parameters
    ----------
    colours : dict
        `LIGHT` or `DARK`.

    Returns
    -------
    str
        One declaration for each role, such as ``--query: #0b62a8;``.

    Examples
    --------
    >>> css_variables({"query": "#0b62a8", "ink": "#1d2126"})
    '--query: #0b62a8; --ink: #1d2126;'
    """
    return " ".join(f"--{role}: {colour};" for role, colour in colours.items())


def mathjax_macros():
    r"""Formula macros for the site: the colour comes from a CSS class, so it follows the theme.

    Returns
    -------
    dict
        MathJax's ``macros`` table; ``\q{q}`` sets its argument in the query's colour.

    Examples
    --------
    >>> mathjax_macros()["q"]
    ['\\class{mjx-query}{#1}', 1]
    """
    return {name: [rf"\class{{mjx-{role}}}{{#1}}", 1] for name, role in MACROS.items()}


def notebook_macros():
    r"""The same macros as TeX definitions, for a notebook opened in JupyterLab.

    There no style sheet of ours is loaded, so the light theme's colours are written out.  They
    are named first, because a macro may not contain the sign ``#`` of a colour.

    Returns
    -------
    str
        One display formula that defines every macro.

    Examples
    --------
    >>> print(*notebook_macros().splitlines()[1:3], sep="\n")
    \definecolor{query}{RGB}{11,98,168}
    \newcommand{\q}[1]{\textcolor{query}{#1}}
    """
    lines = []
    for name, role in MACROS.items():
        red, green, blue = bytes.fromhex(LIGHT[role][1:])
        lines.append(rf"\definecolor{{{role}}}{{RGB}}{{{red},{green},{blue}}}")
        lines.append(rf"\newcommand{{\{name}}}[1]{{\textcolor{{{role}}}{{#1}}}}")
    return "\n".join(["$$", *lines, "$$"])
