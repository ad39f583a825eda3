"""All tests, as CI runs them: `make test`. Some of them: `make test TIER="mathematics notebooks"`.

mathematics   functions and what they cost
exercises     exercises, widgets, notebooks' form and tools, without a browser
site          the site, built and opened in a browser
lab           JupyterLab
notebooks     every notebook run and compared with what is stored

Before a release, as no part of everything:

processors    notebooks and mathematics as other processors compute (`tools/processors.py`)
"""

import argparse
import sys

import processors
from pages import NOTEBOOKS
from stages import NBVAL, PYTEST, PYTHON, close, run

EVERYTHING = ["tests", "attnlib", "benchmarks", "tools", "book/_ext"]
#: Tier -> the marker expression that selects it; each test is in exactly one of them.
MARKERS = {
    "mathematics": "mathematics",
    "exercises": "exercises",
    "site": "(browser or site) and not lab",
    "lab": "lab",
}
STAGES = {tier: [*PYTEST, "-m", markers, *EVERYTHING] for tier, markers in MARKERS.items()}
STAGES["notebooks"] = [*PYTEST, *NBVAL, *map(str, NOTEBOOKS[::-1])]
ALL = {
    "style": [*PYTHON, "ruff", "check", "."],
    "layout": [*PYTHON, "ruff", "format", "--check", "."],
    "notebooks, functions, exercises, widgets, site, JupyterLab": [
        *STAGES["notebooks"],
        *EVERYTHING,
    ],
}


def main(arguments=None):
    """Run the command line; return the exit code."""
    how = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=how)
    parser.add_argument("tier", nargs="*", help="one or more of these; without any, everything")
    tiers = parser.parse_args(arguments).tier
    known = [*STAGES, "processors"]
    if unknown := [tier for tier in tiers if tier not in known]:
        parser.error(f"no such tier: {', '.join(unknown)}; there are {', '.join(known)}")
    stages = {tier: STAGES[tier] for tier in tiers if tier in STAGES}
    if not tiers:
        stages = ALL
    results = [run(heading, command) for heading, command in stages.items()]
    if "processors" in tiers:
        results += processors.results()
    return close(results)


if __name__ == "__main__":
    sys.exit(main())
