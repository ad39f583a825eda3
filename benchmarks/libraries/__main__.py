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
            for question, answer in ask(subject).items():
                answers[question][subject.name] = {"answer": answer} | said
                print(f"{subject.name} {said['version']}, {question}: {answer}")
    text = json.dumps(answers, indent=1, ensure_ascii=False)
    FILE.write_text(text + "\n", encoding="utf-8")


main(sys.argv[1:] or NEEDS)
