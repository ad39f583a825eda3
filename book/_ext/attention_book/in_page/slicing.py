"""Which statements of a page's cells some code needs, and which of them the page can run.

Statements are those at the top of a cell. The page cannot draw, train in PyTorch or measure times:
what uses a name of these is left out, and so is what uses a name that such a statement defines.
"""

import ast
import builtins

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
        self.binds.add(node.name)
        self.loads |= Names(*node.decorator_list, *node.bases, *node.keywords).loads
        own = set()  # what a class binds is not seen from its methods
        for statement in node.body:
            inside = Names(statement)
            is_method = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
            self.loads |= inside.loads - (set() if is_method else own)
            self.shared |= inside.shared
            own |= inside.binds

    def visit_FunctionDef(self, node):
        self.binds.add(node.name)
        self.loads |= Names(*node.decorator_list, *filter(None, [node.returns])).loads
        self._function(node.args, *node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self._function(node.args, node.body)

    def _function(self, arguments, *body):
        inside = Names(*body)
        defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d]
        given = [node for node in ast.walk(arguments) if isinstance(node, ast.arg)]
        own = {node.arg for node in given}
        self.loads |= inside.loads - (inside.binds - inside.shared) - own
        self.loads |= Names(*defaults, *(g.annotation for g in given if g.annotation)).loads
        self.shared |= inside.shared

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
    """Every name outside a function that a statement uses, binds or changes."""
    names = Names(statement)
    return names.loads | names.binds


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
    """Names that stay what they are: bound by `def`, `class`, `use` or a constant alone.

    A function or class that changes what stands outside of it is none of them, nor is one that
    uses such a one.
    """
    loose, names = set(), set()
    modules = set().union(*map(imported, statements))
    inside = {s.name: Names(s) for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)}
    for statement in statements:
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                names.add(statement.name)
                outside = Names(statement)
                if outside.shared or changed(statement) & outside.loads - modules:
                    loose |= {statement.name, *outside.shared}
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("use")) | ast.Constant()):
                names.add(name)
            case ast.Assign([ast.Tuple()], ast.Tuple(values)) if all(
                isinstance(value, ast.Constant) for value in values
            ):
                names |= Names(statement).binds
            case _:
                loose |= Names(statement).binds
        loose |= changed(statement)
    while users := {name for name in {*inside} - loose if inside[name].loads & loose & {*inside}}:
        loose |= users
    return names - loose


def needed(sources, source):
    """The statements of earlier cells that some code may need, in their order.

    Imports are needed, and every statement that mentions a name that is, unless it only asserts:
    what a name is bound to may be changed by whatever mentions it. Functions and classes stay what
    they are, and whatever calls one is not needed for that.

    >>> [ast.unparse(s) for s in needed(["a = 1; b = [2]; c = 3", "a += b.pop(); print(c)"], "a")]
    ['a = 1', 'b = [2]', 'a += b.pop()']

    A name inside a function is its own, and a function of Python's is nobody's.

    >>> len(needed(["a = 1", "def f():\\n    a = 2; print(a)", "print(3)"], "f()"))
    1
    """
    statements = [s for cell in runnable(sources) for s in cell if not isinstance(s, ast.Assert)]
    bound = set().union(*(Names(s).binds for s in statements))
    modules = set().union({*dir(builtins)} - bound, *map(imported, statements))
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
