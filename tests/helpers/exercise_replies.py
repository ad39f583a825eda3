"""What tests of the chapters' exercises share."""

from attnlib.exercises import check, find


def as_readers_write(exercise, mistake, answer):
    """Assert that an answer, written as a reader would, gets the diagnosis of this mistake."""
    (known,) = [m for m in find(exercise).mistakes if m.name == mistake]
    assert check(exercise, answer).message == known.diagnosis
