"""Names in docstrings: `softmax` leads to the function, whatever module it is in."""

from sphinx.util.nodes import make_refnode


def full_name(name, objects):
    """The one public object of attnlib that has this name within its module, or None.

    >>> full_name("softmax", ["attnlib.scores.dot", "attnlib.normalizers.softmax"])
    'attnlib.normalizers.softmax'
    >>> full_name("Head.step", ["attnlib.heads.Head", "attnlib.heads.Head.step"])
    'attnlib.heads.Head.step'
    >>> full_name("Q", ["attnlib.scores.dot"])
    """
    public = [full for full in objects if full.startswith("attnlib.") and full.count(".") > 1]
    matches = [full for full in public if full.split(".", 2)[2] == name]
    return matches[0] if len(matches) == 1 else None


def link(app, env, node, contnode):
    """Resolve a name outside the docstring's own module, the only one where Sphinx looks."""
    if node.get("refdomain") != "py":
        return None
    objects = env.domains["py"].objects
    full = full_name(node["reftarget"], objects)
    if full is None:
        return None
    entry = objects[full]
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode, full)
