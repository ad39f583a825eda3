"""Rules of a chapter's exercises: in the notebook, and in the files that check the answers."""

from pages import asked, named

from attnlib.exercises import all_exercises, all_practice, all_questions
from rules.registry import asking_lesson_rule, asking_rule, lesson_rule

#: What a lesson keeps at least; the rest may stand on the deeper page.
EXERCISES, QUESTIONS, PRACTICE = 2, 5, 1
HINTS, MISTAKES, DIAGNOSIS = 3, 4, 260
#: The mistake that a program to be mended is, as its page gives it.
AS_GIVEN = "as_given"


def of_both(page, listed, *arguments):
    """What ``listed(page, …)`` lists for a lesson and for its deeper page, one after the other."""
    return [entry for p in (page, page.deeper) if p for entry in listed(p, *arguments)]


def of_chapter(page):
    """The chapter's exercises, by their full names."""
    return {name: e for name, e in all_exercises().items() if name.startswith(page.name + ".")}


def too_few(page, function, file, least):
    """What to do where a notebook calls `ask` or `practice` less often than it should."""
    if (count := len(named(page, function))) < least:
        yield (
            f"{count} cells with {function}(…), at least {least} wanted: write them in "
            f"book/exercises/{page.chapter}/{file}.md, and show each under '## Questions' with "
            f'{function}("{page.name}.…")'
        )


@lesson_rule
def enough_questions(page):
    """Readers on their own notice what they missed only when they are asked."""
    yield from too_few(page, "ask", "questions", QUESTIONS)


@lesson_rule
def enough_practice(page):
    """Practice with new numbers is what remains when the questions are answered."""
    yield from too_few(page, "practice", "practice", PRACTICE)


@asking_lesson_rule
def questions_of_the_chapter(page):
    """Each question stands in its chapter once, or nobody answers it."""
    for function, known in (("ask", all_questions()), ("practice", all_practice())):
        written = {name for name in known if name.startswith(page.name + ".")}
        shown = of_both(page, named, function)
        for name in sorted(written - set(shown)):
            yield f'no cell has {function}("{name}"): show it, or drop it'
        for name in sorted({name for name in shown if shown.count(name) > 1}):
            yield f'{function}("{name}") stands in lesson or deeper twice: show it once'


@lesson_rule
def enough_exercises(page):
    """What a reader has not done is not learned."""
    if len(asked(page)) < EXERCISES:
        yield (
            f"{len(asked(page))} exercises, at least {EXERCISES} wanted: a text and a Python file "
            f'each in book/exercises/{page.chapter}/, and under "## Exercises" a cell with '
            f'check("{page.name}.…", …)'
        )


@asking_lesson_rule
def exercises_of_the_chapter(page):
    """Each exercise stands in its chapter once, or nobody does it."""
    shown = of_both(page, asked)
    for name in sorted(set(of_chapter(page)) - set(shown)):
        yield f'no cell has check("{name}", …): give the exercise a stub and a solution, or drop it'
    for name in sorted({name for name in shown if shown.count(name) > 1}):
        yield f'check("{name}") stands in lesson and deeper: show it once'
    for name in sorted(set(shown) - set(of_chapter(page))):
        place = name.removeprefix(page.name + ".")
        yield f"there is no exercise {name!r}: write book/exercises/{page.chapter}/{place}.md"


@asking_rule
def open_stubs(page):
    """The stored notebook must not give the answer away, and its solution must run."""
    known = of_chapter(page)
    for name, cells in asked(page).items():
        mistakes = known[name].mistakes if name in known else ()
        faulty = any(mistake.name == AS_GIVEN for mistake in mistakes)
        reply = "Not right yet" if faulty else "Not attempted yet"
        if cells.stub is None or reply not in cells.stub:
            yield (
                f"{name} has no stub that replies '{reply}': "
                "write the function with ... as its body, then check(…)"
            )
        if cells.solution is None or "Passed." not in cells.solution:
            yield f"{name} has no solution that passes: write one in a cell tagged solution"


@asking_rule
def three_hints(page):
    """A nudge, the idea, nearly the code: one hint should not give the solution away."""
    for name, cells in asked(page).items():
        if cells.hints != HINTS:
            yield (
                f"{name} has {cells.hints} hints, {HINTS} wanted: write each as "
                "<details><summary>Hint 1</summary> … </details> under its stub"
            )


@asking_lesson_rule
def known_mistakes(page):
    """A checker that only says 'wrong' teaches nothing."""
    for name, exercise in of_chapter(page).items():
        if len(exercise.mistakes) < MISTAKES:
            yield (
                f"{name} knows {len(exercise.mistakes)} mistakes, at least {MISTAKES} wanted: do "
                "it wrong in every way that you can think of, and write a diagnosis for each"
            )


@asking_lesson_rule
def plain_sentences(page):
    """Replies are read in the middle of something else: short, whole sentences."""
    for name, exercise in of_chapter(page).items():
        said = {m.name: m.diagnosis for m in exercise.mistakes}
        said |= {part: getattr(exercise, part) for part in ("task", "why", "general", "definition")}
        said |= exercise.where
        for part, text in said.items():
            if not text[0].isupper() or text[-1] not in ".?" or "  " in text:
                yield f"{name}: {part} should be sentences, from a capital letter to a full stop"
            if "hapter 0" in text:
                yield f"{name}: {part} should name chapters without a leading zero"
        for mistake in exercise.mistakes:
            if len(mistake.diagnosis) > DIAGNOSIS:
                length = f"{len(mistake.diagnosis)} characters, at most {DIAGNOSIS}"
                yield f"{name}: the diagnosis of {mistake.name} has {length}: cut it"
        if exercise.cases and not exercise.task.startswith(f"Write {exercise.signature}: "):
            yield f"{name}: the task should begin 'Write {exercise.signature}: '"
