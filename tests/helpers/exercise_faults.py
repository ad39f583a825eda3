"""Does an exercise recognise its own reference answer, and each of its mistakes?"""

from attnlib.exercises import examine
from attnlib.exercises.engine.attempt import Attempt, Trial
from attnlib.exercises.engine.running import call


def trusted_attempt(exercise, function):
    """The attempt that a reference, or a known mistake, would be."""
    wanted = [Trial(exercise, c, call(exercise.reference, c.args)) for c in exercise.cases]
    trials = [Trial(exercise, w.case, call(function, w.case.args), w) for w in wanted]
    return Attempt(exercise, function, trials)


def faults(exercise):
    """What is wrong with an exercise itself, as its author should hear it.

    The reference must pass, and each mistake must be refused with its own diagnosis: two that
    give the same result on all cases cannot be told apart. A mistake must not raise on every
    case, because its message alone would have to identify it, and a ``recognise`` must accept its
    own mistake, not the reference, and nothing that another one accepts.
    """
    faults_ = []
    reply = examine(exercise, exercise.reference)
    if not reply.passed:
        faults_.append(f"the reference is refused: {reply.message}")
    for mistake in exercise.mistakes:
        reply = examine(exercise, mistake.answer)
        if reply.status != "wrong" or reply.message != mistake.diagnosis:
            faults_.append(f"{mistake.name} gets another diagnosis than its own: {reply.message}")
    if exercise.judge:
        return faults_
    answers = {mistake.name: mistake.answer for mistake in exercise.mistakes}
    for name, answer in (answers | {"the reference": exercise.reference}).items():
        attempt = trusted_attempt(exercise, answer)
        if all(trial.outcome.failure for trial in attempt.trials):
            faults_.append(f"{name} raises on every case: add one on which it returns something")
        wanted = [m.name for m in exercise.mistakes if m.recognise and m.name == name]
        claims = [mistake.name for mistake in attempt.recognised()]
        if (wanted or name == "the reference") and claims != wanted:
            faults_.append(f"{name} is recognised as {claims}")
    return faults_
