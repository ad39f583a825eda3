"""One row of attention after each block of its keys."""

import numpy as np

from attnlib.exercises import Case, Exercise, Mistake
from attnlib.exercises.engine.drawing import draw


def online_row(scores, values, block):
    """Keep the largest score so far and two sums; correct both when a larger score comes."""
    m, total, output = -np.inf, 0.0, np.zeros(values.shape[1])
    answers = []
    for start in range(0, len(scores), block):
        s, v = scores[start : start + block], values[start : start + block]
        new = max(m, s.max())
        if new > -np.inf:
            c, powers = np.exp(m - new), np.exp(s - new)
            m, total, output = new, c * total + powers.sum(), c * output + powers @ v
        answers.append(output / total if total > 0 else output)
    return np.array(answers)


def _blocks(scores, values, block, more=0):
    """The blocks in their order, each with so many of the next one's keys."""
    places = [slice(i, i + block + more) for i in range(0, len(scores), block)]
    return [(scores[p], values[p]) for p in places]


def _added(total, output, s, v, at, c_total, c_output):
    """Both sums, corrected, with a block whose exponentials are measured from ``at``."""
    powers = np.exp(s - at)
    return c_total * total + powers.sum(), c_output * output + powers @ v


def _corrected(c_total, c_output=None):
    """A step with other corrections, functions of the old and the new maximum."""
    c_output = c_output or c_total
    return lambda total, output, s, v, m, new: _added(
        total, output, s, v, new, c_total(m, new), c_output(m, new)
    )


def _quotient(total, output):
    return output / total if total > 0 else output


RIGHT = _corrected(lambda m, new: np.exp(m - new))


def _row(
    step=RIGHT,
    start=-np.inf,
    answer=_quotient,
    blocks=_blocks,
    takes=lambda s, new: new > -np.inf,
    largest=lambda m, s: max(m, s.max()),
):
    """online_row with another step, start, quotient, way to cut, guard or maximum."""

    def row(scores, values, block):
        m, total, output, answers = start, 0.0, np.zeros(values.shape[1]), []
        for s, v in blocks(scores, values, block):
            new = largest(m, s)
            if takes(s, new):
                total, output = step(total, output, s, v, m, new)
                m = new
            answers.append(answer(total, output))
        return np.array(answers)

    return row


def _thrown_away(total, output, s, v, m, new):
    kept = float(new == m)
    return _added(total, output, s, v, new, kept, kept)


def _new_block_corrected(total, output, s, v, m, new):
    c = np.exp(m - new)
    return tuple(c * x for x in _added(total, output, s, v, new, 1, 1))


def _from_the_old_maximum(total, output, s, v, m, new):
    c = np.exp(m - new)
    return _added(total, output, s, v, m if m > -np.inf else new, c, c)


def _measured_from_its_own(total, output, s, v, m, new):
    c = np.exp(m - new)
    return _added(total, output, s, v, s.max(), c, c)


def _divided(total, output, s, v, m, new):
    total, output = RIGHT(total, output, s, v, m, new)
    return total, output / total


def _one_maximum(shift, answer=lambda total, output: output / total):
    """Both sums measured from shift(scores, block), which never changes."""

    def row(scores, values, block):
        at = shift(scores, block)
        step = lambda total, output, s, v, m, new: _added(total, output, s, v, at, 1, 1)  # noqa: E731
        return _row(step, takes=lambda s, new: True, answer=answer)(scores, values, block)

    return row


def _each_alone(scores, values, block):
    """The answer of each block over its own keys; where it has none, that of the one before."""
    alone = [np.zeros(values.shape[1])]
    for s, v in _blocks(scores, values, block):
        alone.append(online_row(s, v, len(s))[0] if s.max() > -np.inf else alone[-1])
    return np.array(alone[1:])


def _means_so_far(scores, values, block):
    alone = _each_alone(scores, values, block)
    return np.cumsum(alone, axis=0) / np.arange(1, len(alone) + 1)[:, None]


def _zero_where(which):
    """The rows, with 0 where all scores are -inf of which(the first block, the row's own)."""

    def row(scores, values, block):
        blocks = [s for s, _ in _blocks(scores, values, block)]
        lost = [[which(blocks[0], s).max() == -np.inf] for s in blocks]
        return np.where(lost, 0, online_row(scores, values, block))

    return row


def _changed_afterwards(scores, values, block):
    """A row that is the running output itself, which goes on being added to."""
    rows = online_row(scores, values, block)
    in_the_end = _row(answer=lambda total, output: output)(scores, values, block)[-1]
    return np.where(rows.any(axis=1, keepdims=True), rows, in_the_end)


def _with_scores(changed):
    return lambda scores, values, block: online_row(changed(scores), values, block)


LOST = -np.inf
ROWS = {
    "maxima that rise and fall": [0.3, -1, 1.2, 2.1, -0.4, 0.8],
    "scores far below 0": [-2e9, -2e9 - 1.5, -2e9 + 1, -2e9 - 0.4],
    "scores far above 0": [1000, 1001.2, 1002, 999.5, 1001, 998, 1000.6, 1001.1],
    "a block far below the one before": [0.6, 1.1, -900, -901, -899],
    "a block far above the one before": [0.1, -0.3, 900, 901, 899],
}
#: Without a guard these end in NaN, which would hide any other mistake.
LOST_BLOCKS = {
    "a first block of -inf": [LOST, LOST, 0.4, 1.3, LOST, -0.6, 0.7],
    "a later block of -inf": [0.2, 1.5, LOST, LOST, 0.9],
}


def _cases():
    """Each row in blocks of two."""
    rows = ROWS | LOST_BLOCKS
    drawn = draw(*((len(row), i) for i, row in enumerate(rows.values(), start=2)))
    for (kind, row), values in zip(rows.items(), drawn):
        yield Case(kind, (np.array(row, dtype=float), values, 2), rare=kind in LOST_BLOCKS)


OVERFLOW = (
    "Scores are measured from a point that never changes. One that lies far above it overflows, "
    "and in a row far below it every exponential vanishes. Measure from the largest score so far, "
    "and correct both sums when it changes."
)
EXERCISE = Exercise(
    signature="online_row(scores, values, block)",
    task="Write online_row(scores, values, block): the answer of one query after each block of "
    "keys. A row holds the weighted sum of the values so far, by the softmax of their scores. "
    "Scores may be -inf; as long as all of them are, the row is 0.",
    returns="an array of shape (number of blocks, d_v)",
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
        Case("fewer keys than a block holds", (np.array([0.5, -0.7]), np.array([[1], [9.0]]), 8)),
        *_cases(),
    ),
    mistakes=(
        Mistake(
            "sum_not_corrected",
            _row(_corrected(lambda m, new: 1, lambda m, new: np.exp(m - new))),
            "The running sum is not corrected when a larger score comes, only the output is. What "
            "is above and below the line must be measured from the same maximum: multiply the sum "
            "by exp(m - new), too.",
        ),
        Mistake(
            "output_not_corrected",
            _row(_corrected(lambda m, new: np.exp(m - new), lambda m, new: 1)),
            "The running output is not corrected when a larger score comes, only the sum is. "
            "Multiply it by exp(m - new), too.",
        ),
        Mistake(
            "never_corrected",
            _row(_corrected(lambda m, new: 1)),
            "What was summed before is not corrected when a larger score comes, so the first keys "
            "weigh too much. Multiply both sums by exp(m - new), with the m from before the block: "
            "if m is overwritten first, this is exp(0).",
        ),
        Mistake(
            "correction_upside_down",
            _row(_corrected(lambda m, new: np.exp(new - m) if m > -np.inf else 1)),
            "The correction is upside down, exp(new - m). Measured from a larger maximum, what was "
            "summed before is smaller: the factor is at most 1.",
        ),
        Mistake(
            "corrected_twice",
            _row(_corrected(lambda m, new: np.exp(2 * (m - new)))),
            "What was summed before is corrected twice for each new maximum, so the first keys "
            "weigh too little. Once is enough.",
        ),
        Mistake(
            "thrown_away",
            _row(_thrown_away),
            "When a larger score comes, all keys before it are forgotten. Keep both sums, and "
            "multiply them by exp(m - new).",
        ),
        Mistake(
            "nan_from_the_first_key",
            lambda scores, values, block: np.where(
                (rows := online_row(scores, values, block)) == 0, 0, np.nan * rows
            ),
            "All is NaN from the first key on. There m is -inf: exp(m - new) is 0, but "
            "exp(new - m) and exp(s - m) are infinite, and infinity times 0 is not a number, nor "
            "is infinity over infinity. Print m, new and the exponentials of the first block.",
        ),
        Mistake(
            "nan_in_a_lost_block",
            _row(takes=lambda s, new: True, answer=lambda total, output: output / total),
            "A first block that holds only -inf leaves NaN behind: -inf minus -inf is not a "
            "number. As long as the maximum is -inf, nothing has come that could be added.",
        ),
        Mistake(
            "nothing_over_nothing",
            _row(answer=lambda total, output: np.divide(output, total)),
            "As long as no key has come, both sums are 0, and 0/0 is not a number. The row is 0 "
            "there.",
        ),
        Mistake(
            "no_row_for_a_lost_block",
            lambda scores, values, block: np.array(
                [row for row in online_row(scores, values, block) if row.any()]
            ),
            "A block without a key that counts has no row. Each block has one: `continue` passes "
            "over what comes below it, the row as well.",
        ),
        Mistake(
            "nan_replaced",
            _zero_where(lambda first, own: first),
            "After a first block of -inf all rows are 0. Is NaN replaced by 0? -inf minus -inf is "
            "not a number, and what is added to it is lost. Do not subtract a maximum of -inf.",
        ),
        Mistake(
            "zero_for_each_lost_block",
            _zero_where(lambda first, own: own),
            "The row of a later block of -inf is 0. Such a block brings nothing: its row is that "
            "of the block before.",
        ),
        Mistake(
            "row_changed_afterwards",
            _changed_afterwards,
            "The row of the first block of -inf was 0 when it was put aside. It is the running "
            "output itself, and what was added to that later stands in it: put a copy aside.",
        ),
        Mistake(
            "last_row_alone",
            lambda scores, values, block: online_row(scores, values, block)[-1],
            "This is the answer after the last block. One after each block is asked for.",
        ),
        Mistake(
            "own_maximum_of_each_block",
            _row(largest=lambda m, s: s.max()),
            "The maximum is that of the newest block, not of all keys so far. If it is smaller "
            "than before, exp(m - new) is larger than 1 and may overflow.",
        ),
        Mistake(
            "start_at_0",
            _row(start=0.0, answer=lambda total, output: output / total),
            "The maximum starts at 0, or not low enough, and never falls below. Where all scores "
            "lie far below, every exponential vanishes, and 0/0 is left. Start at -np.inf.",
        ),
        Mistake(
            "start_at_0_guarded",
            _row(start=0.0),
            "The maximum starts at 0, or not low enough, and never falls below. Where all scores "
            "lie far below, every exponential vanishes, and nothing is left. Start at -np.inf.",
        ),
        Mistake(
            "divided_at_each_block",
            _row(_divided, answer=lambda total, output: output),
            "The output is divided after each block, and the next block is added to what has been "
            "divided. Keep the sum of exponentials times values; only the row is a quotient.",
        ),
        Mistake(
            "each_block_alone",
            _each_alone,
            "Each row is the answer over its own block: what was summed before is lost. Is it "
            "overwritten? Or is m never updated, so that exp(m - new) is exp(-inf), which is 0?",
        ),
        Mistake(
            "means_of_answers",
            _means_so_far,
            "Each block is answered alone, and the mean of the answers so far is taken. A block "
            "with large scores must weigh more than one with small scores.",
        ),
        Mistake(
            "last_block_left_out",
            _row(
                blocks=lambda scores, values, block: _blocks(scores, values, block)[
                    : max(len(scores) // block, 1)
                ]
            ),
            "The last block is missing where it is shorter than the others. A loop over "
            "range(0, n, block) takes it, too.",
        ),
        Mistake(
            "first_block_only",
            _row(blocks=lambda *args: _blocks(*args)[:1]),
            "This is the answer over the first block. Go on: the loop ends too early, perhaps by a "
            "return inside it.",
        ),
        Mistake(
            "keys_in_two_blocks",
            _row(blocks=lambda *args: _blocks(*args, more=1)),
            "Blocks overlap: the first key of each is in the one before, too, and counts twice. A "
            "block is scores[start : start + block].",
        ),
        Mistake(
            "block_with_a_masked_key_skipped",
            _row(takes=lambda s, new: np.isfinite(s).all()),
            "A block with one score of -inf is passed over as a whole. Its other keys count; "
            "exp(-inf) is 0 by itself. Only a maximum of -inf needs care.",
        ),
        Mistake(
            "new_block_corrected_too",
            _row(_new_block_corrected),
            "The new block is multiplied by the correction, too. It is measured from the new "
            "maximum already: correct what was summed before, then add.",
        ),
        Mistake(
            "new_block_from_its_own_maximum",
            _row(_measured_from_its_own),
            "The new exponentials are measured from their own block's maximum. All that is summed "
            "must be measured from the same point: np.exp(s - new).",
        ),
        Mistake(
            "new_block_from_the_old_maximum",
            _row(_from_the_old_maximum),
            "The new block is measured from the old maximum, what was summed before from the new "
            "one. Measure both from the new.",
        ),
        Mistake(
            "not_divided",
            _row(answer=lambda total, output: output),
            "These are the running outputs. Each row is divided by the running sum.",
        ),
        Mistake("no_maximum", _one_maximum(lambda s, block: 0.0), OVERFLOW),
        Mistake("no_maximum_guarded", _one_maximum(lambda s, block: 0.0, _quotient), OVERFLOW),
        Mistake("maximum_of_the_first_block", _one_maximum(lambda s, b: s[:b].max()), OVERFLOW),
        Mistake(
            "masked_as_0",
            _with_scores(lambda scores: np.where(np.isinf(scores), 0.0, scores)),
            "A score of -inf is taken for 0, so masked keys are heard. Their exponential is 0, not "
            "their score.",
        ),
        Mistake(
            "means_of_values",
            _with_scores(np.zeros_like),
            "These are the means of the values so far. Each has the weight exp(score) over the sum "
            "of all.",
        ),
    ),
    definition="The last row should be the same for every size of block: it is softmax over all "
    "keys, with one division.",
    general="Print maximum, sum and output after each block. With the scores log 1, log 2, log 8, "
    "log 4, log 1 and blocks of two the sums are 1.5, 1.875 and 2. Their quotient is at each "
    "moment the answer over the keys so far.",
    why="It takes no more than one block of scores at a time and what is kept of those before: no "
    "score need be looked at twice. The last row is the answer of all at once.",
)
