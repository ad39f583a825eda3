"""Which statements of a page's cells some code needs, and which of them the page can run.

Statements are those at the top of a cell. The page cannot draw, train in PyTorch or measure times:
what uses a name of these is left out, and so is what uses a name that such a statement defines.
"""

import ast

#: What is not in the page, as modules; a name after a colon is one function of a module.
ABSENT = """
attnlib.data:python_topics attnlib.exercises:ask attnlib.exercises:practice attnlib.experiments
attnlib.figures attnlib.ring attnlib.timing:measure attnlib.timing:peak_memory
attnlib.widgets anywidget gguf ipywidgets IPython matplotlib psutil time:process_time timeit:repeat
tokenizers torch transformers
""".split()
#: What changes only how figures look: the page does nothing in its place.
LOOKS = {"use_book_style"}


def is_absent(module, name=None):
    """Whether a module, or a name in it, is not in the page.

    >>> is_absent("attnlib", "figures"), is_absent("torch.nn"), is_absent("attnlib", "softmax")
    (True, True, False)
    """
    parts = module.split(".")
    above = {".".join(parts[: i + 1]) for i in range(len(parts))}
    return not above.union({f"{module}.{name}", f"{module}:{name}"}).isdisjoint(ABSENT)


def imported(statement):
    """What the imports in a statement bind: name -> whether it is absent from the page."""
    names = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names |= {a.asname or a.name: is_absent(module, a.name) for a in node.names}
        elif isinstance(node, ast.Import):
            names |= {a.asname or a.name.split(".")[0]: is_absent(a.name) for a in node.names}
    return names


class Names(ast.NodeVisitor):
    """The names that code takes from outside (`loads`), and those that it defines (`binds`)."""

    def __init__(self, *nodes):
        self.loads, self.binds, self.shared = set(), set(), set()
        for node in nodes:
            self.visit(node)

    def visit_Name(self, node):
        (self.loads if isinstance(node.ctx, ast.Load) else self.binds).add(node.id)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        self.loads |= Names(node.target).binds

    def visit_Global(self, node):
        self.loads.update(node.names)
        self.shared.update(node.names)

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        self.binds.add(node.name)

    def visit_FunctionDef(self, node):
        self.binds.add(node.name)
        self.loads |= Names(*node.decorator_list).loads
        self._function(node.args, *node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self._function(node.args, node.body)

    def _function(self, arguments, *body):
        inside = Names(*body)
        defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d]
        own = {node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg)}
        self.loads |= inside.loads - (inside.binds - inside.shared) - own
        self.loads |= Names(*defaults).loads

    def _comprehension(self, node):
        inside = Names(*ast.iter_child_nodes(node))
        self.loads |= inside.loads - inside.binds

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def changed(statement):
    """What a statement changes in part, as `x[0] = …` and `x.append(…)` do; `rng`, if it draws."""
    nodes = [*ast.walk(statement)]
    lines = [node.value for node in nodes if isinstance(node, ast.Expr)]
    parts = [line.func for line in lines if isinstance(line, ast.Call)]
    parts += [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store)]
    roots = [node.value for node in parts if isinstance(node, ast.Subscript | ast.Attribute)]
    names = {node.id for node in roots if isinstance(node, ast.Name)}
    return names | {name for name in Names(statement).loads if name.startswith("rng")}


def mentioned(statement):
    """Every name in a statement, whatever it does with it."""
    nodes = [vars(node) for node in ast.walk(statement)]
    names = {node[key] for node in nodes for key in ("id", "name", "rest") if key in node}
    return names.union(*(node["names"] for node in nodes if "names" in node and _are_words(node)))


def _are_words(node):
    """Whether it is a statement `global` or `nonlocal`; an import has names of another kind."""
    return all(isinstance(name, str) for name in node["names"])


def parsed(source):
    """The statements of a cell; none where it cannot be read."""
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def sets_looks(statement):
    """Whether a statement only says how figures look."""
    return isinstance(statement, ast.Expr) and any(
        isinstance(node, ast.Attribute) and node.attr in LOOKS for node in ast.walk(statement)
    )


def runnable(sources):
    """For every cell in turn, its statements that the page can run.

    Returns
    -------
    list of list of ast.stmt
    """
    absent, modules, kept = set(), set(), []
    for source in sources:
        kept.append([])
        for statement in parsed(source):
            names = Names(statement)
            if sets_looks(statement) or not names.loads & absent:
                new = imported(statement)
                modules |= {*new}
                absent -= names.binds | {*new}
                absent |= {name for name, gone in new.items() if gone}
                kept[-1].append(statement)
            else:
                # A list that it fills would be empty, a generator that it draws from another.
                absent |= (names.binds - names.loads) | (changed(statement) - modules)
    return kept


def fixed(statements):
    """Names that stay what they are: each is bound by `def`, `class` or `use` alone."""
    loose, names = set(), set()
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                names.add(statement.name)
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("use"))):
                names.add(name)
            case _:
                loose |= Names(statement).binds
        loose |= changed(statement)
    return names - loose


def needed(sources, source):
    """The statements of earlier cells that some code may need, in their order.

    Imports are needed, and every statement that mentions a name that is, unless it only asserts:
    what a name is bound to may be changed by whatever mentions it. Functions and classes stay what
    they are, and whatever calls one is not needed for that.

    >>> [ast.unparse(s) for s in needed(["a = 1; b = [2]; c = 3", "a += b.pop(); print(c)"], "a")]
    ['a = 1', 'b = [2]', 'a += b.pop()']
    """
    statements = [s for cell in runnable(sources) for s in cell if not isinstance(s, ast.Assert)]
    modules = set().union(*map(imported, statements))
    wanted = set().union(*(Names(s).loads for s in parsed(source))) - modules
    stay = fixed(statements)
    chosen, size = [], -1
    while size < len(chosen):
        size = len(chosen)
        chosen = [
            s
            for s in statements
            if imported(s) or mentioned(s) & (wanted - stay) or Names(s).binds & wanted
        ]
        wanted = wanted.union(*map(mentioned, chosen)) - modules
    return chosen


def runs_here(sources):
    """For every cell, whether the page can run the whole of it, and it is more than imports."""
    return [
        len(some) == len(whole := parsed(source)) and not all(map(imported, whole))
        for source, some in zip(sources, runnable(sources))
    ]
