"""Register the rules by a decorator, and apply them to a notebook.

A rule takes a `Page` and yields what is wrong and what to do. `rule` registers one for every
notebook, `chapter_rule` for both pages of a chapter, `lesson_rule` and `deeper_rule` for one;
`asking_rule` for all pages with exercises, `asking_lesson_rule` for those but deeper pages.
"""

import difflib

#: Name -> function, in the order of their files.
RULES = {}


def rule(function):
    """Register a rule for every notebook."""
    RULES[function.__name__] = function
    return function


def only(applies):
    """A decorator that registers a rule for those pages of which ``applies(page)`` is true."""

    def register(function):
        RULES[function.__name__] = lambda page: function(page) if applies(page) else ()
        return function

    return register


chapter_rule = only(lambda page: page.number)
lesson_rule = only(lambda page: page.is_lesson)
deeper_rule = only(lambda page: page.is_deeper)
asking_rule = only(lambda page: page.number or page.is_appendix)
asking_lesson_rule = only(lambda page: page.is_lesson or page.is_appendix)


def problems(page):
    """What the rules find in a notebook.

    Parameters
    ----------
    page : Page
        Of a notebook in canonical form.

    Returns
    -------
    list of str
        One sentence for each fault, which ends in the name of the rule.
    """
    excused = page.notebook.metadata.get("attention_book", {}).get("except", {})
    sentences = []
    for name, reason in excused.items():
        if name not in RULES:
            near = difflib.get_close_matches(name, RULES, n=3, cutoff=0.4) or RULES
            sentences.append(f"there is no rule {name!r} to opt out of; near it: {', '.join(near)}")
        elif len(str(reason).split()) < 3:
            sentences.append(f"say in a sentence why this notebook opts out of {name}")
    for name, rule_ in RULES.items():
        faults = [f"{message} [{name}]" for message in rule_(page)]
        if name in excused and not faults:
            sentences.append(f"the notebook now passes {name}: remove the exception")
        elif name not in excused:
            sentences += faults
    return sentences
