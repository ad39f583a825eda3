"""The book's words, read from Markdown.

A file is sections under ``#`` or ``##``. A section is paragraphs and then items: lines that begin
with ``-`` or ``1.``, mostly ``- key: text``. A line that begins with two spaces continues its item,
and with two spaces and ``-`` it is the reply to it. A paragraph between fences, lines that begin
with three backticks, is code and kept as it is.
"""

import re
from dataclasses import dataclass, field

FENCE = "```"


class Malformed(ValueError):
    """A text that cannot be read; the message has the file, the line, and what was expected."""


@dataclass
class Line:
    """A heading, a paragraph or an item, and where it begins."""

    path: object
    number: int
    text: str
    reply: str = ""

    def expected(self, form):
        """The error for a line that has another form than this one."""
        place = f"{'/'.join(self.path.parts[-2:])}, line {self.number}"
        return Malformed(f"{place}: expected {form}, got {self.text!r}")

    def match(self, pattern, form):
        """The groups of a pattern that the whole text has to match; ``form`` describes it."""
        if matched := re.fullmatch(pattern, self.text):
            return matched.groups()
        raise self.expected(form)


@dataclass
class Section:
    """A heading, the paragraphs under it, and its items: bullets and numbered steps."""

    heading: Line
    paragraphs: list = field(default_factory=list)
    bullets: list = field(default_factory=list)
    steps: list = field(default_factory=list)

    @property
    def text(self):
        """The paragraphs as one text; there has to be one, and it begins with words."""
        if not self.paragraphs or self.paragraphs[0].text.startswith(FENCE):
            raise self.heading.expected("a paragraph below the heading")
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)

    def settings(self, required, optional=()):
        """The bullets ``- key: text`` with one of these keys, and a list of the other bullets."""
        settings, others = {}, []
        for bullet in self.bullets:
            key, _, text = bullet.text.partition(": ")
            if text and key in (*required, *optional):
                if key in settings:
                    raise bullet.expected(f"'{key}' once")
                settings[key] = text
            else:
                others.append(bullet)
        for key in required:
            if key not in settings:
                raise self.heading.expected(f"'- {key}: …' below the heading")
        return settings, others


def _code(opening, lines):
    """A block of code with its fences; its lines are taken out of the numbered lines."""
    code = [opening.text]
    for _, text in lines:
        code.append(text.rstrip())
        if code[-1] == FENCE:
            return "\n".join(code)
    raise opening.expected(f"a line '{FENCE}' below, where the code ends")


def sections(path):
    """The sections of a Markdown file; text before the first heading is Malformed."""
    sections, last = [], None
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    for number, text in lines:
        line = Line(path, number, text.strip())
        if not line.text:
            last = None
        elif heading := re.fullmatch(r"##? (.+)", text):
            line.text, last = heading[1], None
            if any(section.heading.text == line.text for section in sections):
                raise line.expected("a heading that is not in the file yet")
            sections.append(Section(line))
        elif not sections:
            raise line.expected("a heading, '# …'")
        elif item := re.fullmatch(r"(-|\d+\.) (.+)", text):
            line.text, last = item[2], line
            (sections[-1].bullets if item[1] == "-" else sections[-1].steps).append(line)
        elif last is None or line.text.startswith(FENCE):
            if sections[-1].bullets or sections[-1].steps:
                raise line.expected("an item, '- …', or an indented line that continues one")
            sections[-1].paragraphs.append(line)
            last = line
            if line.text.startswith(FENCE):
                line.text, last = _code(line, lines), None
        elif text.startswith("  - "):
            last.reply = line.text[2:]
        elif last.reply:
            last.reply += f" {line.text}"
        else:
            last.text += f" {line.text}"
    return sections
