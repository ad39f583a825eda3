"""Does an exercise recognise its own reference answer, and each of its mistakes?"""

from .checking import examine
from .comparing import outcomes_of, recognised


def faults(exercise):
    """What is wrong with an exercise itself, as its author should hear it.

    The reference must pass, and each mistake must be refused with its own diagnosis: two that
    give the same result on all cases cannot be told apart. A mistake must not raise on every
    case, because its message alone would have to identify it, and a ``recognise`` must accept its
    own mistake, not the reference, and nothing that another one accepts.

    Parameters
    ----------
    exercise : Exercise

    Returns
    -------
    list of str
        Empty if nothing is wrong.

    Examples
    --------
    >>> from attnlib.exercises import find
    >>> faults(find("scaling.score_std"))
    []
    """
    found = []
    reply = examine(exercise, exercise.reference)
    if not reply.passed:
        found.append(f"the reference is refused: {reply.message}")
    for mistake in exercise.mistakes:
        reply = examine(exercise, mistake.answer)
        if reply.status != "wrong" or reply.message != mistake.diagnosis:
            found.append(f"{mistake.name} gets another diagnosis than its own: {reply.message}")
    if exercise.kind == "judged":
        return found
    answers = {mistake.name: mistake.answer for mistake in exercise.mistakes}
    for name, answer in (answers | {"the reference": exercise.reference}).items():
        outcomes = outcomes_of(answer, exercise.cases)
        if all(outcome.failure for outcome in outcomes):
            found.append(f"{name} raises on every case: give it one on which it returns something")
        wanted = [m.name for m in exercise.mistakes if m.recognise and m.name == name]
        claims = [m.name for m in recognised(exercise, outcomes)]
        if (wanted or name == "the reference") and claims != wanted:
            found.append(f"{name} is recognised as {claims}")
    return found
