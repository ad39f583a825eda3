"""One row of attention, its keys taken in block by block."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw
from attnlib.exercises.engine.properties import inside


def online_row(scores, values, block):
    """Keep the largest score so far and two sums; correct both when a larger score comes."""
    m, total, output = -np.inf, 0.0, np.zeros(values.shape[1])
    for start in range(0, len(scores), block):
        s, v = scores[start : start + block], values[start : start + block]
        new = max(m, s.max())
        if new > -np.inf:
            c, powers = np.exp(m - new), np.exp(s - new)
            m, total, output = new, c * total + powers.sum(), c * output + powers @ v
    return output / total


def _blocks(scores, values, block):
    places = [slice(i, i + block) for i in range(0, len(scores), block)]
    return [(scores[p], values[p]) for p in places]


def _row(total_by=1, output_by=1, start=-np.inf, careful=True, running=True, divided=False):
    """online_row with other powers of the correction, another start, another maximum."""

    def row(scores, values, block):
        m, total, output = start, 0.0, np.zeros(values.shape[1])
        for s, v in _blocks(scores, values, block):
            new = max(m, s.max()) if running else s.max()
            if careful and new == -np.inf:
                continue
            c, powers = np.exp(m - new), np.exp(s - new)
            total = (c**total_by if total_by else 1) * total + powers.sum()
            output = (c**output_by if output_by else 1) * output + powers @ v
            if divided:
                output = output / total
            m = new
        return output / (1 if divided else total)

    return row


def _one_maximum(shift, careful=True):
    """Both sums over all keys, measured from shift(scores, block), which never changes."""

    def row(scores, values, block):
        powers = np.exp(scores - shift(scores, block))
        return powers @ values / powers.sum()

    return row


def _each_alone(combine):
    """Each block answered alone, from its own largest score; then combine(answers, sums)."""

    def row(scores, values, block):
        answers, sums = [], []
        for s, v in _blocks(scores, values, block):
            if s.max() > -np.inf:
                powers = np.exp(s - s.max())
                answers.append(powers @ v / powers.sum())
                sums.append(powers.sum())
        return combine(np.array(answers), np.array(sums)[:, None])

    return row


def _never_corrected(scores, values, block):
    return _row(total_by=0, output_by=0)(scores, values, block)


def _reset(scores, values, block):
    """Throw away what was summed whenever a larger score comes."""
    m, total, output = -np.inf, 0.0, np.zeros(values.shape[1])
    for s, v in _blocks(scores, values, block):
        if s.max() > m:
            m, total, output = s.max(), 0.0, np.zeros(values.shape[1])
        if m > -np.inf:
            powers = np.exp(s - m)
            total, output = total + powers.sum(), output + powers @ v
    return output / total


def _whole_blocks(scores, values, block):
    n = max(len(scores) // block, 1) * block
    return online_row(scores[:n], values[:n], block)


def _cut(places):
    """online_row on the keys at places(n, block), in the order that they are named."""

    def row(scores, values, block):
        kept = places(len(scores), block)
        return online_row(scores[kept], values[kept], block) if kept else np.nan * values[0]

    return row


def _new_block_corrected(scores, values, block):
    """Add the block first, then multiply everything by the correction."""
    m, total, output = -np.inf, 0.0, np.zeros(values.shape[1])
    for s, v in _blocks(scores, values, block):
        new = max(m, s.max())
        if new > -np.inf:
            c, powers = np.exp(m - new), np.exp(s - new)
            m, total, output = new, c * (total + powers.sum()), c * (output + powers @ v)
    return output / total


def _from_the_old_maximum(scores, values, block):
    """Measure a block from the maximum before it, and what was summed from the one after it."""
    m, total, output = -np.inf, 0.0, np.zeros(values.shape[1])
    for s, v in _blocks(scores, values, block):
        new = max(m, s.max())
        if new > -np.inf:
            c, powers = np.exp(m - new), np.exp(s - (m if m > -np.inf else new))
            m, total, output = new, c * total + powers.sum(), c * output + powers @ v
    return output / total


def _overlapping(scores, values, block):
    twice = [
        i for p in range(0, len(scores), block) for i in range(p, min(p + block + 1, len(scores)))
    ]
    return online_row(scores[twice], values[twice], block)


def _skipping(scores, values, block):
    clean = [p for p in range(0, len(scores), block) if np.isfinite(scores[p : p + block]).all()]
    kept = [i for p in clean for i in range(p, min(p + block, len(scores)))]
    return online_row(scores[kept], values[kept], block)


def _unfinished(scores, values, block):
    m = scores.max()
    return np.exp(scores - m) @ values


def _filled_with_zero(scores, values, block):
    return online_row(np.where(np.isinf(scores), 0.0, scores), values, block)


LOST = -np.inf
ROWS = {
    "maxima that rise and fall": [0.3, -1, 1.2, 2.1, -0.4, 0.8],
    "a first block of -inf": [LOST, LOST, 0.4, 1.3, LOST, -0.6, 0.7],
    "a later block of -inf": [0.2, 1.5, LOST, LOST, 0.9],
    "scores far below 0": [-2000, -2001.5, -1999, -2000.4],
    "scores far above 0": [1000, 1001.2, 1002, 999.5, 1001, 998, 1000.6, 1001.1],
    "a block far below the one before": [0.6, 1.1, -900, -901, -899],
    "a block far above the one before": [0.1, -0.3, 900, 901, 899],
}


def _cases():
    """Each row in blocks of two."""
    drawn = draw(*((len(row), i) for i, row in enumerate(ROWS.values(), start=2)))
    for (kind, row), values in zip(ROWS.items(), drawn):
        yield Case(kind, (np.array(row, dtype=float), values, 2))


NEVER = (
    "What was summed before is not corrected when a larger score comes. It was measured from the "
    "old maximum, so the first keys weigh too much: multiply both sums by exp(m - new)."
)
OVERFLOW = (
    "Scores are measured from a point that never changes. One that lies far above it overflows, "
    "and a row far below it becomes 0/0. Measure from the largest score so far, and correct both "
    "sums when it changes."
)
EXERCISE = Exercise(
    signature="online_row(scores, values, block)",
    task="Write online_row(scores, values, block): the answer of one query, the weighted sum of "
    "values by the softmax of its scores, with block keys taken in at a time. Scores may be "
    "-inf, even all of one block, but not all.",
    returns="an array of shape (d_v,)",
    reference=online_row,
    own=True,
    cases=(
        Case(
            "two blocks of one key, the larger score last",
            (np.log([1.0, 3.0]), np.array([[4.0], [8.0]]), 1),
        ),
        Case(
            "three blocks, the last a short one",
            (np.log([1.0, 2, 8, 4, 1]), np.array([[8.0], [4], [6], [2], [8]]), 2),
        ),
        *_cases(),
        Case("fewer keys than a block holds", (np.array([0.5, -0.7]), np.array([[1], [9.0]]), 8)),
    ),
    mistakes=(
        Mistake(
            "sum_not_corrected",
            _row(total_by=0),
            "The running sum is not corrected when a larger score comes, only the output is. What "
            "is above and below the line must be measured from the same maximum: multiply the sum "
            "by exp(m - new), too.",
        ),
        Mistake(
            "output_not_corrected",
            _row(output_by=0),
            "The running output is not corrected when a larger score comes, only the sum is. "
            "Multiply it by exp(m - new), too.",
        ),
        Mistake("never_corrected", _never_corrected, NEVER),
        Mistake(
            "correction_upside_down",
            _row(total_by=-1, output_by=-1),
            "The correction is upside down, exp(new - m). Measured from a larger maximum, what was "
            "summed before is smaller: the factor is at most 1.",
        ),
        Mistake(
            "corrected_twice",
            _row(total_by=2, output_by=2),
            "What was summed before is corrected twice for each new maximum, so the first keys "
            "weigh too little. Once is enough.",
        ),
        Mistake(
            "thrown_away",
            _reset,
            "When a larger score comes, all keys before it are forgotten. Keep both sums, and "
            "multiply them by exp(m - new).",
        ),
        Mistake(
            "nan_in_a_lost_block",
            _row(careful=False),
            "A first block that holds only -inf leaves NaN behind: -inf minus -inf is not a "
            "number. As long as the maximum is -inf, nothing has come that could be added.",
        ),
        Mistake(
            "own_maximum_of_each_block",
            _row(running=False),
            "The maximum is that of the newest block, not of all keys so far. If it is smaller "
            "than before, exp(m - new) is larger than 1 and may overflow.",
        ),
        Mistake(
            "start_at_0",
            _row(start=0.0),
            "The maximum starts at 0, so it never falls below. Where all scores lie far below 0 "
            "every exponential vanishes, and 0/0 is left. Start at -np.inf.",
        ),
        Mistake(
            "divided_at_each_block",
            _row(divided=True),
            "The output is divided after each block, and the next block is added to what has been "
            "divided. Keep the sum of exponentials times values, and divide once, at the end.",
        ),
        Mistake(
            "mean_of_answers",
            _each_alone(lambda answers, sums: answers.mean(axis=0)),
            "Each block is answered alone, and the mean of the answers is taken. A block with "
            "large scores must weigh more than one with small scores.",
        ),
        Mistake(
            "sum_of_answers",
            _each_alone(lambda answers, sums: answers.sum(axis=0)),
            "Each block is divided by a sum of its own, and the answers are added: the weights of "
            "all keys together come to more than 1. Divide once, by the sum over all keys.",
        ),
        Mistake(
            "weighted_by_their_sums",
            _each_alone(lambda answers, sums: (sums * answers).sum(axis=0) / sums.sum()),
            "The blocks are put together with sums that are each measured from another maximum. "
            "Bring them to one maximum before you add: multiply by exp(m - new).",
        ),
        Mistake(
            "last_block_left_out",
            _whole_blocks,
            "The last block is missing where it is shorter than the others. A loop over "
            "range(0, n, block) takes it, too.",
        ),
        Mistake(
            "whole_blocks_only",
            _cut(lambda n, block: [*range(n // block * block)]),
            "The last block is missing where it is shorter than the others. A loop over "
            "range(0, n, block) takes it, too.",
        ),
        Mistake(
            "last_key_left_out",
            _cut(lambda n, block: [*range(n - ((n - 1) % block == 0))]),
            "A last key that is alone in its block is missing. A loop over range(0, n, block) "
            "takes it, too.",
        ),
        Mistake(
            "first_block_only",
            _cut(lambda n, block: [*range(min(block, n))]),
            "This is the answer over the first block. Go on: the loop ends too early, perhaps by a "
            "return inside it.",
        ),
        Mistake(
            "last_block_only",
            _cut(lambda n, block: [*range((n - 1) // block * block, n)]),
            "This is the answer over the last block: what was summed before is overwritten. Add to "
            "it, after it is corrected.",
        ),
        Mistake(
            "keys_in_two_blocks",
            _overlapping,
            "Blocks overlap: the first key of each is in the one before, too, and counts twice. A "
            "block is scores[start : start + block].",
        ),
        Mistake(
            "block_with_a_masked_key_skipped",
            _skipping,
            "A block with one score of -inf is passed over as a whole. Its other keys count; "
            "exp(-inf) is 0 by itself. Only a maximum of -inf needs care.",
        ),
        Mistake(
            "new_block_corrected_too",
            _new_block_corrected,
            "The new block is multiplied by the correction, too. It is measured from the new "
            "maximum already: correct what was summed before, then add.",
        ),
        Mistake(
            "new_block_from_the_old_maximum",
            _from_the_old_maximum,
            "The new block is measured from the old maximum, what was summed before from the new "
            "one. Measure both from the new.",
        ),
        Mistake(
            "not_divided",
            _unfinished,
            "This is the running output. At the end it is divided by the running sum.",
        ),
        Mistake("no_maximum", _one_maximum(lambda s, block: 0.0), OVERFLOW),
        Mistake("maximum_of_the_first_block", _one_maximum(lambda s, b: s[:b].max()), OVERFLOW),
        Mistake(
            "masked_as_0",
            _filled_with_zero,
            "A score of -inf is taken for 0, so masked keys are heard. Their exponential is 0, not "
            "their score.",
        ),
        Mistake(
            "mean_of_values",
            lambda scores, values, block: values.mean(axis=0),
            "This is the mean of all values. Each has the weight exp(score) over the sum of all.",
        ),
        Mistake(
            "sum_returned",
            lambda scores, values, block: np.exp(scores - scores.max()).sum(),
            "This is the running sum alone. The answer is the running output over it, in the shape "
            "of one value.",
        ),
    ),
    properties=(
        inside(
            lambda scores, values, block: values[np.isfinite(scores)].min(axis=0),
            lambda scores, values, block: values[np.isfinite(scores)].max(axis=0),
            "the range of the values of keys that are not masked",
        ),
    ),
    definition="It should be the same for every size of block: for one as large as all keys it is "
    "softmax, with one division.",
    general="Print maximum, sum and output after each block. With the scores log 1, log 2, log 8, "
    "log 4, log 1 and blocks of two the sums are 1.5, 1.875 and 2. Their quotient is at each "
    "moment the answer over the keys so far.",
    why="No more than one block of scores was ever needed, and the answer is that of all at once.",
)
