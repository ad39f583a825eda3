"""The Python of the static page: what its scripts call, by `module.function` and JSON."""

import json
import sys
from importlib import import_module

DEEPEST = 300  # calls inside one another; far more, and the browser ends Python itself


def call(name, arguments):
    """Call a function of this package with arguments that are JSON; its result as JSON."""
    sys.setrecursionlimit(DEEPEST)
    module, _, function = name.partition(".")
    asked = getattr(import_module(f"{__name__}.{module}"), function)
    return json.dumps(asked(*json.loads(arguments)))
