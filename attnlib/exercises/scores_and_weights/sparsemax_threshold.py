"""By how much sparsemax lowers every score."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake


def _threshold(kept, ordered):
    """The threshold for which so many of the largest scores, lowered by it, sum to one."""
    return (ordered[:kept].sum() - 1) / kept


def _count(ordered):
    """How many are kept: each as it comes has to stand above the threshold that includes it."""
    k = np.arange(1, len(ordered) + 1)
    return int((1 + k * ordered > np.cumsum(ordered)).sum())


def _descending(scores):
    return np.sort(scores)[::-1]


def _with(count=_count, order=_descending, threshold=_threshold):
    """The same with another way to count, to order or to make the threshold."""

    def found(scores):
        ordered = order(scores)
        return threshold(max(count(ordered), 1), ordered)

    return found


def sparsemax_threshold(scores):
    """The last candidate that lies below its score: the best k, minus one, divided by k."""
    ordered = np.sort(scores)[::-1]
    candidates = (np.cumsum(ordered) - 1) / np.arange(1, len(ordered) + 1)
    return candidates[ordered > candidates][-1]


def _loop(candidate, order=_descending, stop=True):
    """A running sum, and candidate(sum, k, n) for it, the last that lies below its score."""

    def found(scores):
        total, threshold = 0.0, 0.0
        for k, score in enumerate(order(scores), start=1):
            total += score
            if score > candidate(total, k, len(scores)):
                threshold = candidate(total, k, len(scores))
            elif stop:
                break
        return threshold

    return found


def _until_one_fails(ordered):
    """How many pass before the first that does not."""
    passes = [s > (sum(ordered[: i + 1]) - 1) / (i + 1) for i, s in enumerate(ordered)]
    return passes.index(False) if False in passes else len(passes)


def _counted(candidate, passes=np.greater):
    """All candidates at once, and the one with the number of those that pass."""

    def found(scores):
        ordered, n = _descending(scores), len(scores)
        candidates = candidate(np.cumsum(ordered), np.arange(1, n + 1), n)
        return candidates[passes(ordered, candidates).sum() - 1]

    return found


def _as_given(scores):
    return scores


def _one_last(total, k, n):
    return total / k - 1


def _by_n(total, k, n):
    return (total - 1) / n


def _undivided(total, k, n):
    return total - 1


UNSORTED = (
    "The scores are taken in the order in which they come. The sums are those of the best one, the "
    "best two, and so on: sort the scores first, the largest in front."
)
NOT_THE_RULE = (
    "Which scores are kept is decided by another rule: by their sign, or by their mean. A score is "
    "kept as long as it lies above the threshold that includes it, and that may be negative."
)
ONE_LAST = (
    "You subtract 1 after the division. The sum is to fall to one, so it is the sum that is "
    "lowered by 1, before it is divided by k: in the answer, and in the test of each score."
)
NO_ONE = (
    "The 1 is missing. Lowered by their mean the scores that are kept sum to 0; they should sum "
    "to 1: subtract 1 from the sum before you divide, in the answer and in the test of each score."
)
OTHER_NUMBER = (
    "The sum is right but divided by another number. k scores are lowered by the same τ and sum "
    "to one, so their sum minus one is k times τ: divide by k."
)
A_SCORE = (
    "This is one of the scores: the last that is kept, or the first that is not. The threshold "
    "lies between the two, where what stands above it sums to one."
)

EXERCISE = Exercise(
    signature="sparsemax_threshold(scores)",
    task="Write sparsemax_threshold(scores): for one row of scores, the τ by which sparsemax "
    "lowers all of them before it cuts at 0.",
    returns="a single number",
    reference=sparsemax_threshold,
    own=True,
    cases=(
        Case("scores that are all kept", (np.array([0.3, 0.1]),)),
        Case("a score that takes all", (np.array([3.0, 1.0]),)),
        Case("sorted scores", (np.array([0.9, 0.6, -0.5]),)),
        Case("unsorted scores", (np.array([0.2, 1.2, -1.0, 0.9]),)),
        Case("equal scores", (np.array([1.0, 0.2, 1.0]),)),
        Case("negative scores", (np.array([-3.0, -2.6, -5.0, -2.9]),)),
        Case("a single score", (np.array([0.7]),), rare=True),
    ),
    mistakes=(
        Mistake("unsorted", _with(order=_as_given), UNSORTED),
        Mistake("unsorted_until", _with(order=_as_given, count=_until_one_fails), UNSORTED),
        Mistake(
            "unsorted_without_a_stop",
            _loop(lambda total, k, n: (total - 1) / k, order=_as_given, stop=False),
            UNSORTED,
        ),
        Mistake(
            "all_kept",
            _with(count=len),
            "All scores are kept, however low, and some would come out negative. The same happens "
            "if they are sorted with the smallest in front: np.sort(scores)[::-1] starts with the "
            "best.",
        ),
        Mistake(
            "best_only",
            _with(count=lambda o: 1),
            "Only the best score is kept: this is the largest minus one. Go on: as long as the "
            "next score lies above the threshold that includes it, it takes part.",
        ),
        Mistake(
            "one_too_many",
            _with(count=lambda o: min(_count(o) + 1, len(o))),
            "One score too many is kept: it lies below the threshold that includes it, and would "
            "come out negative. The threshold that includes a score tests it; if it fails, the "
            "answer is the threshold from before it.",
        ),
        Mistake(
            "one_too_few",
            _with(count=lambda o: _count(o) - 1),
            "One score is missing among those that are kept: it lies above the threshold that "
            "includes it. Look for an index that is off by one, or for a return too early.",
        ),
        Mistake(
            "two_at_most",
            _with(count=lambda o: min(_count(o), 2)),
            "At most two scores are kept. There may be any number: go on as long as a score lies "
            "above the threshold that includes it.",
        ),
        Mistake("without_the_one", _with(threshold=lambda k, o: o[:k].sum() / k), NO_ONE),
        Mistake(
            "largest",
            lambda scores: scores.max(),
            "This is the largest score: lowered by it, nothing is left. If it came from sums, the "
            "1 is missing: subtract it from the sum before you divide, in the answer and in the "
            "test.",
        ),
        Mistake(
            "one_added",
            _with(threshold=lambda k, o: (o[:k].sum() + 1) / k),
            "You add 1 where it should be subtracted: lowered by this, the scores that are kept "
            "sum to −1.",
        ),
        Mistake("one_last", _with(threshold=lambda k, o: o[:k].sum() / k - 1), ONE_LAST),
        Mistake("one_last_in_the_test", _loop(_one_last), ONE_LAST),
        Mistake("one_last_counted", _counted(_one_last), ONE_LAST),
        Mistake("one_last_or_equal", _counted(_one_last, np.greater_equal), ONE_LAST),
        Mistake("over_n", _with(threshold=lambda k, o: (o[:k].sum() - 1) / len(o)), OTHER_NUMBER),
        Mistake("over_n_in_the_test", _loop(_by_n), OTHER_NUMBER),
        Mistake("over_n_counted", _counted(_by_n), OTHER_NUMBER),
        Mistake("not_divided_in_the_test", _loop(_undivided), OTHER_NUMBER),
        Mistake("not_divided", _with(threshold=lambda k, o: o[:k].sum() - 1), OTHER_NUMBER),
        Mistake(
            "sum_of_all",
            _with(threshold=lambda k, o: (o.sum() - 1) / k),
            "The number of scores that are kept is right, but the sum is that of all scores. Only "
            "those that are kept have a share in the one.",
        ),
        Mistake(
            "weights",
            lambda scores: np.maximum(scores - sparsemax_threshold(scores), 0),
            "These are the weights, one for each score. The threshold τ is asked for, a single "
            "number.",
        ),
        Mistake(
            "how_many",
            lambda scores: _count(_descending(scores)),
            "This is how many scores are kept. The threshold follows from it: the sum of these "
            "scores, minus one, divided by their number.",
        ),
        Mistake("positive_ones", _with(count=lambda o: (o > 0).sum()), NOT_THE_RULE),
        Mistake("above_the_mean", _with(count=lambda o: (o > o.mean()).sum()), NOT_THE_RULE),
        Mistake(
            "within_one_of_the_best",
            _with(count=lambda o: (o > o.max() - 1).sum()),
            "All scores less than 1 below the best are kept. One that is farther off never is, but "
            "nearer ones may fall out, too, when several share: test each against its threshold.",
        ),
        Mistake(
            "never_negative",
            lambda scores: max(sparsemax_threshold(scores), 0.0),
            "The threshold ends at 0, or the search for it starts there. Where the scores are low "
            "it is negative: then they are raised until they sum to one.",
        ),
        Mistake(
            "mean_of_all",
            lambda scores: scores.mean(),
            "This is the mean of all scores. What lies above it need not sum to one: print "
            "np.maximum(scores - τ, 0).",
        ),
        Mistake("last_kept", _with(threshold=lambda k, o: o[k - 1]), A_SCORE),
        Mistake("first_left_out", _with(threshold=lambda k, o: o[min(k, len(o) - 1)]), A_SCORE),
        Mistake(
            "of_softmax",
            lambda scores: np.log(np.exp(scores).sum()),
            "This is log Z, which is subtracted in softmax before exp. Here nothing is "
            "exponentiated: the scores themselves, lowered, are the weights.",
        ),
    ),
    definition="Lowered by τ and cut at 0, the scores should sum to 1.",
    general="Print np.maximum(scores - τ, 0): it should sum to 1. Then go through the best one, "
    "the best two, and so on, by hand.",
    why="Sorted once, the candidates rise until the last score that is kept, and then they fall.",
)
