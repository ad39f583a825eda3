"""The widgets' JavaScript and style sheets, as Jupyter and as the site need them.

Each file is an ES module.  Jupyter wants one self-contained module for each widget; the site wants
plain scripts, because a page opened from disk may not load modules.  For both, each file is
rewritten as a function that takes what the file imports and returns what it exports, so that its
names stay its own.
"""

import json
import re
from functools import cache
from graphlib import TopologicalSorter
from os.path import relpath
from pathlib import Path

from attnlib import palette

#: The folder of `shared` and of every widget; modules are named by their path from here.  Numbers
#: that `attnlib.networks` keeps are imported from there.
HERE = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(r'^import (\{[^}]*\}|\w+) from "(\.[\w./]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^\s*(?:import\b(?! ?[(.])|export\b).*", re.MULTILINE)
_LOADER = """const made = {};
const define = (name, needs, make) => {
  made[name] = make(...needs.map((need) => made[need]));
};
"""


@cache
def _module(name):
    """Names of the modules that one file imports, and the file as a call of `define`."""
    path = HERE / name
    text = path.read_text(encoding="utf-8").rstrip()
    if path.suffix == ".json":
        return [], f'define("{name}", [], () => ({{ default: {text} }}));\n'
    imports = _IMPORT.findall(text)
    needs = [relpath((path.parent / to).resolve(), HERE).replace("\\", "/") for _, to in imports]
    names = [n.replace(" as ", ": ") if n[0] == "{" else f"{{ default: {n} }}" for n, _ in imports]
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    if left := _OTHER.search(body):
        raise ValueError(
            f"{name}: cannot join `{left.group().strip()}`; write "
            '`import { a, b as c } from "./file.js"`, `import words from "./words.json"`, '
            "or `export` before a function, a const or a class."
        )
    needed = ", ".join(f'"{need}"' for need in needs)
    exported = ", ".join(_EXPORT.findall(text))
    head = f'define("{name}", [{needed}], ({", ".join(names)}) => {{'
    return needs, f"{head}\n{body}\nreturn {{ {exported} }};\n}});\n"


def needed(*names):
    """The modules that these need and they themselves, each after what it imports.

    Examples
    --------
    >>> needed("shared/parts.js")
    ['shared/core.js', 'shared/parts.js']
    """
    graph, waiting = {}, [*names]
    while waiting:
        name = waiting.pop()
        if name not in graph:
            graph[name] = _module(name)[0]
            waiting += graph[name]
    return list(TopologicalSorter(graph).static_order())


def _joined(names):
    return "".join(_module(name)[1] for name in names)


def notebook_module(widget):
    """One ES module that holds a widget and all it imports; it exports the widget's `render`."""
    main = f"{widget}/{widget}.js"
    return f'{_LOADER}{_joined(needed(main))}export default made["{main}"];\n'


def _shared():
    # What few share, in `seldom`, travels with the widgets that import it.
    return needed(*(path.relative_to(HERE).as_posix() for path in sorted(HERE.glob("shared/*.js"))))


def shared_script():
    """What all widgets share, as a plain script for the site's pages."""
    return f'"use strict";\n{{\nconst {{ define }} = AttentionBook;\n{_joined(_shared())}}}\n'


def site_script(widget):
    """A widget's own modules and style as a plain script; it goes after `shared_script`."""
    shared = _shared()
    own = [name for name in needed(f"{widget}/{widget}.js") if name not in shared]
    start = '"use strict";\n{\nconst { define, show, style } = AttentionBook;\n'
    style = f"style({json.dumps(_styles(widget))});\n"
    return f'{start}{style}{_joined(own)}show("{widget}");\n}}\n'


def later_scripts(widget):
    """What a widget of the site loads when it is asked for, as plain scripts: file name -> text."""
    start = '"use strict";\n{\nconst { define } = AttentionBook;\n'
    paths = sorted(HERE.glob(f"{widget}/later.json"))
    return {
        f"{widget}-{path.name}.js": f"{start}{_module(f'{widget}/{path.name}')[1]}}}\n"
        for path in paths
    }


def _styles(folder):
    sheets = sorted(HERE.glob(f"{folder}/*.css"))
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def shared_stylesheet():
    """What all widgets share, without the colours of `attnlib.palette`."""
    return _styles("shared")


def notebook_stylesheet(widget):
    """A widget's style sheet with the colours, which follow JupyterLab's theme."""
    light, dark = palette.css_variables(palette.LIGHT), palette.css_variables(palette.DARK)
    colours = f'.attn {{ {light} }}\n[data-jp-theme-light="false"] .attn {{ {dark} }}\n'
    return f"{colours}{shared_stylesheet()}\n{_styles(widget)}"
