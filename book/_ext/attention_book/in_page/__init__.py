"""The Python of the static page: what its scripts call, by `module.function` and JSON."""

import gc
import json
import os
import sys
from importlib import import_module

JAVASCRIPT = {"js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core"}
GIVEN = "/given/model.gguf"  # where `python.js` puts the file that a reader has chosen
DEEPEST = 300  # calls inside one another; far more, and the browser ends Python itself


def call(name, arguments):
    """Call a function of this package with arguments that are JSON; its result as JSON."""
    sys.setrecursionlimit(DEEPEST)
    module, _, function = name.partition(".")
    asked = getattr(import_module(f"{__name__}.{module}"), function)
    return json.dumps(asked(*json.loads(arguments)))


class Closed:
    """Refuses the modules by which Python would reach into JavaScript."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in JAVASCRIPT:
            raise ModuleNotFoundError(f"{name} is not in the page", name=name)


def close():
    """Take away what Pyodide gives Python of JavaScript: its modules, and all that they hold."""
    for finder in [finder for finder in sys.meta_path if hasattr(finder, "jsproxies")]:
        finder.jsproxies.clear()
        sys.meta_path.remove(finder)
    sys.meta_path.insert(0, Closed)
    for one in gc.get_objects():
        for names in (one if type(one) is dict else {}, getattr(one, "__dict__", {})):
            for name in [n for n, value in names.items() if type(value).__name__ == "JsProxy"]:
                names[name] = None
    for name in [name for name in sys.modules if name.partition(".")[0] in JAVASCRIPT]:
        del sys.modules[name]


if sys.platform == "emscripten":
    if os.path.exists(GIVEN):
        os.environ["ATTENTION_MODEL"] = GIVEN
    close()
