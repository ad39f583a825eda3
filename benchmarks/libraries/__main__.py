"""Ask the libraries that are here, and write what they answer."""

import json
import sys
from datetime import UTC, datetime

from benchmarks.libraries import FILE, NEEDS, QUESTIONS, ask, recorded, subjects, version


def main(modules):
    """Ask each subject of these modules; keep the answers of all others."""
    answers = {question: recorded().get(question, {}) for question in QUESTIONS}
    for module in modules:
        for subject in subjects(module):
            said = {"version": version(subject.package), "date": f"{datetime.now(UTC):%Y-%m-%d}"}
            for question in QUESTIONS:
                answers[question][subject.name] = found = ask(subject, question) | said
                print(f"{subject.name} {said['version']}, {question}: {found['answer']}")
    lines = []
    for question, found in answers.items():
        rows = (f"  {line(name)}: {line(one)}" for name, one in found.items())
        lines.append(f" {line(question)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def line(thing):
    """Return JSON on a line."""
    return json.dumps(thing, ensure_ascii=False)


main(sys.argv[1:] or NEEDS)
