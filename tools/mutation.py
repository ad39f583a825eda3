"""Mutants of a source file: the same code with one thing changed, which some test should notice.

Changed are signs, factors, powers, products, transposes, axes (to each neighbour, and where a new
one stands), comparisons, conditions, small numbers, the order of what is returned, arguments passed
on by name, and declared shapes.
Docstrings and messages stay.
"""

import ast
import copy
import re
from collections import Counter

SWAPPED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SWAPPED_NAMES = {"maximum": "minimum", "minimum": "maximum", "sum": "mean", "mean": "sum"}
SWAPPED_NAMES |= {"sin": "cos", "cos": "sin", "any": "all", "all": "any"}
#: Arguments that a mutant forgets to pass on.
PASSED_ON = ["mask", "scale", "temperature", "axis", "norm_first", "n_heads"]
#: Functions that only rearrange or sum: a mutant leaves them out.
REARRANGING = ["transposed", "swapaxes", "moveaxis", "summed_to", "split_heads", "merge_heads"]
REARRANGING += ["transpose", "abs", "sqrt", "exp", "tanh", "reversed"]
#: Functions and methods whose numbers without a name are axes.
ALONG = ["sum", "mean", "any", "all", "max", "min", "argmax", "cumsum", "softmax", "concatenate"]
ALONG += ["cat", "stack", "take_along_axis", "einsum", "flatten"]
TRANSPOSING = ["swapaxes", "moveaxis", "transpose"]
ALONG += TRANSPOSING


def mutants(source, only_axes=False):
    """All mutants of a Python source.

    Parameters
    ----------
    source : str
        The file's text.
    only_axes : bool, optional
        Whether to change axes alone: an axis taken for another, a transpose, a new axis.

    Yields
    ------
    line : int
        Where the changed expression begins.
    function : str
        What it stands in, such as ``"MultiHeadAttention.project"``; empty at the top of the file.
    before, after : str
        The line of code that is changed, written as `ast.unparse` does.
    mutant : str
        The changed text.

    Examples
    --------
    >>> for line, function, before, after, _ in mutants("def f(a, b):\\n    return a - b\\n"):
    ...     print(f"{line} {function}: {before} -> {after}")
    2 f: return a - b -> return a + b
    """
    tree = ast.parse(source)
    plain, quiet, free = ast.unparse(tree).splitlines(), in_messages(tree), free_sizes(tree)
    axes, functions = axes_in(tree), functions_in(tree)
    for node in ast.walk(tree):
        if id(node) in quiet and not is_shape(node):
            continue
        if only_axes and id(node) not in axes:
            continue
        others = other_axes(node, axes[id(node)]) if id(node) in axes else ()
        for changed in (*changes(node), *others):
            if not all(size.search(changed.value) for size in free.get(id(node), ())):
                continue
            other = Replace(node, changed).visit(copy.copy(tree))
            text = ast.unparse(ast.fix_missing_locations(other))
            for before, after in zip(plain, text.splitlines(), strict=True):
                if before != after:
                    place = node.lineno, functions[id(node)]
                    yield *place, before.strip(), after.strip(), text


class Replace(ast.NodeTransformer):
    """Replace one node by another, in a tree whose lists are copied on the way."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        if node is self.old:
            return self.new
        lists = {name: list(x) for name, x in ast.iter_fields(node) if isinstance(x, list)}
        return self.generic_visit(with_field(node, **lists))


def changes(node):
    """What a mutant puts instead of `node`."""
    if isinstance(node, (ast.BinOp, ast.BoolOp)):
        if type(node.op) in SWAPPED:
            yield with_field(node, op=SWAPPED[type(node.op)]())
        if isinstance(node.op, (ast.Mult, ast.Div, ast.Pow)):
            yield node.left
        if isinstance(node.op, ast.Mult):
            yield node.right
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        yield with_field(node, ops=[SWAPPED[type(node.ops[0])](), *node.ops[1:]])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not, ast.Invert)):
        yield node.operand
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield with_field(node, left=node.right, right=node.left)
    if isinstance(node, (ast.If, ast.IfExp)) and not isinstance(
        node.test, (ast.Compare, ast.UnaryOp)
    ):
        yield with_field(node, test=ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield ast.Constant(node.value + 1)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield node.value
    if isinstance(node, ast.AugAssign) and type(node.op) in SWAPPED:
        yield with_field(node, op=SWAPPED[type(node.op)]())
    if is_shape(node):
        yield from (ast.Constant(text) for text in other_shapes(node.value))
    if isinstance(node, ast.Call):
        yield from changed_calls(node)
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        yield from swapped_neighbours(node)


def changed_calls(node):
    """Calls without one of their named arguments, of a similar function, or left out."""
    for i, keyword in enumerate(node.keywords):
        if is_declaration(node) or keyword.arg in PASSED_ON:
            yield with_field(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])
    name = getattr(node.func, "attr", getattr(node.func, "id", None))
    if name in SWAPPED_NAMES:
        key = "attr" if isinstance(node.func, ast.Attribute) else "id"
        yield with_field(node, func=with_field(node.func, **{key: SWAPPED_NAMES[name]}))
    if name in REARRANGING and node.args:
        of_array = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != "np"
        yield node.func.value if of_array else node.args[0]


def axes_in(tree):
    """The nodes that name an axis, transpose or insert one: id -> whether a minus stands before."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None)
            found += [k.value for k in node.keywords if re.match("axis|keepdim|dim$", k.arg or "")]
            found += [x for x in node.args if name in ALONG and is_axis(x)]
            found += [node] if name in TRANSPOSING else []
        elif isinstance(node, ast.Subscript):
            if getattr(node.value, "attr", None) == "shape" and is_axis(node.slice):
                found += [node.slice]
            if re.search("None[,)]", ast.unparse(node.slice)):
                found += [node, node.slice]
        elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
            found += [node]
    axes = {id(node): False for node in found}
    for node in [inner for x in found if is_axis(x) for inner in ast.walk(x)]:
        axes.setdefault(id(node), False)
        if isinstance(node, ast.UnaryOp):
            axes[id(node.operand)] = True
    return axes


def functions_in(tree, name=""):
    """The function or class that each node stands in: id -> its name, with those around it."""
    functions = {}
    for node in ast.iter_child_nodes(tree):
        own = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        inner = f"{name}.{node.name}".lstrip(".") if own else name
        functions |= {id(node): inner} | functions_in(node, inner)
    return functions


def is_axis(node):
    """Whether an argument or index is a written axis, several, or the axes of an `einsum`."""
    return re.fullmatch(r"-?\d|\((-?\d, )+-?\d\)|'[a-z,]+->[a-z]+'", ast.unparse(node))


def other_axes(node, negated):
    """What a mutant puts instead of a node that names an axis, besides what `changes` does."""
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > negated:
        yield ast.Constant(node.value - 1)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):  # of einsum
        for pair in re.finditer(r"(\w)(?=(\w))", node.value):
            swapped, rest = pair[2] + pair[1], node.value[pair.end() + 1 :]
            yield ast.Constant(node.value[: pair.start()] + swapped + rest)
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "(..., None)":
        yield with_field(node, slice=with_field(node.slice, elts=[*node.slice.elts, ast.Slice()]))


def is_declaration(node):
    """Tell whether `node` declares what a function takes; a mutant leaves an argument unchecked."""
    return getattr(node.func, "id", None) == "checked"


def is_shape(node):
    """Tell whether `node` is the declared shape of an array, such as ``"(..., n_q, d_k)"``."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"(bool |-inf )?\([\w.*, ]*\)( or \w+)?", node.value) is not None
    )


def free_sizes(tree):
    """Sizes that a declaration names once, so that they agree with nothing: node -> patterns."""
    once_named = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and is_declaration(call):
            shapes = [k.value for k in call.keywords if is_shape(k.value)]
            sizes = Counter(re.findall(r"[a-z]\w*(?=[,)])", " ".join(s.value for s in shapes)))
            once = [re.compile(rf"\b{size}\b") for size, count in sizes.items() if count == 1]
            once_named |= {id(s): [size for size in once if size.search(s.value)] for s in shapes}
    return once_named


def other_shapes(declared):
    """Declare the same shape with one size that has to agree with nothing, or without a batch."""
    for size in re.finditer(r"(?<![\w.])[a-z]\w*(?=[,)])", declared.split(" or ")[0]):
        yield f"{declared[: size.start()]}other{declared[size.end() :]}"
    # A mask broadcasts to the leading axes of the others, whatever its own declaration says.
    if "..., " in declared and not declared.startswith("bool"):
        yield declared.replace("..., ", "")


def swapped_neighbours(node):
    """The tuple, such as an index or what is returned, with two neighbours in the other order."""
    for i in range(len(node.elts) - 1):
        elements = list(node.elts)
        if {"...", ":"} == {ast.unparse(element) for element in elements[i : i + 2]}:
            continue  # an index that means the same
        elements[i], elements[i + 1] = elements[i + 1], elements[i]
        yield with_field(node, elts=elements)


def with_field(node, **fields):
    """A copy of `node`, not of what it holds, with other fields."""
    new = copy.copy(node)
    for name, content in fields.items():
        setattr(new, name, content)
    return new


def in_messages(tree):
    """The nodes that belong to messages and annotations, not to what is computed, by their id."""
    quiet = (ast.Raise, ast.JoinedStr, ast.AnnAssign)
    return {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, quiet) or is_note(outer)
        for inner in ast.walk(outer)
    }


def is_note(node):
    """Whether `node` is a list of public names, or a test of classes."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "isinstance"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id == "__all__"
    return False
