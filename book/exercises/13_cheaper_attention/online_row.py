"""One row of attention after each block of its keys."""

import numpy as np

from attnlib.exercises import Case
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


def blocks(scores, values, block, more=0):
    """The blocks in their order, each with this many keys of the next."""
    places = [slice(i, i + block + more) for i in range(0, len(scores), block)]
    return [(scores[p], values[p]) for p in places]


def added(total, output, s, v, at, c_total, c_output):
    """Both sums, corrected, with a block whose exponentials are measured from ``at``."""
    powers = np.exp(s - at)
    return c_total * total + powers.sum(), c_output * output + powers @ v


def corrected(c_total, c_output=None):
    """A step with other corrections, functions of the old and the new maximum."""
    c_output = c_output or c_total
    return lambda total, output, s, v, m, new: added(
        total, output, s, v, new, c_total(m, new), c_output(m, new)
    )


def quotient(total, output):
    return output / total if total > 0 else output


RIGHT = corrected(lambda m, new: np.exp(m - new))


def row(
    step=RIGHT,
    start=-np.inf,
    answer=quotient,
    more=0,
    takes=lambda s, new: new > -np.inf,
    largest=lambda m, s: max(m, s.max()),
):
    """online_row with another step, start, quotient, overlap, guard or maximum."""

    def row(scores, values, block):
        m, total, output, answers = start, 0.0, np.zeros(values.shape[1]), []
        for s, v in blocks(scores, values, block, more):
            new = largest(m, s)
            if takes(s, new):
                total, output = step(total, output, s, v, m, new)
                m = new
            answers.append(answer(total, output))
        return np.array(answers)

    return row


def thrown_away(total, output, s, v, m, new):
    kept = float(new == m)
    return added(total, output, s, v, new, kept, kept)


def new_block_corrected(total, output, s, v, m, new):
    c = np.exp(m - new)
    return tuple(c * x for x in added(total, output, s, v, new, 1, 1))


def from_the_old_maximum(total, output, s, v, m, new):
    c = np.exp(m - new)
    return added(total, output, s, v, m if m > -np.inf else new, c, c)


def measured_from_its_own(total, output, s, v, m, new):
    c = np.exp(m - new)
    return added(total, output, s, v, s.max(), c, c)


def divided(total, output, s, v, m, new):
    total, output = RIGHT(total, output, s, v, m, new)
    return total, output / total


def one_maximum(shift, answer=lambda total, output: output / total):
    """Both sums measured from shift(scores, block), which never changes."""

    def constant(scores, values, block):
        at = shift(scores, block)
        step = lambda total, output, s, v, m, new: added(total, output, s, v, at, 1, 1)  # noqa: E731
        return row(step, takes=lambda s, new: True, answer=answer)(scores, values, block)

    return constant


def each_alone(scores, values, block):
    """The answer of each block over its own keys; where it has none, that of the one before."""
    alone = [np.zeros(values.shape[1])]
    for s, v in blocks(scores, values, block):
        alone.append(online_row(s, v, len(s))[0] if s.max() > -np.inf else alone[-1])
    return np.array(alone[1:])


def means_so_far(scores, values, block):
    alone = each_alone(scores, values, block)
    return np.cumsum(alone, axis=0) / np.arange(1, len(alone) + 1)[:, None]


def zero_where(which):
    """The rows, with 0 where all scores are -inf of which(the first block, the row's own)."""

    def row(scores, values, block):
        parts = [s for s, _ in blocks(scores, values, block)]
        lost = [[which(parts[0], s).max() == -np.inf] for s in parts]
        return np.where(lost, 0, online_row(scores, values, block))

    return row


def changed_afterwards(scores, values, block):
    """A row that is the running output itself, which goes on being added to."""
    rows = online_row(scores, values, block)
    in_the_end = row(answer=lambda total, output: output)(scores, values, block)[-1]
    return np.where(rows.any(axis=1, keepdims=True), rows, in_the_end)


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


def cases():
    """Each row in blocks of two."""
    rows = ROWS | LOST_BLOCKS
    drawn = draw(*((len(row), i) for i, row in enumerate(rows.values(), start=2)))
    for (kind, row), values in zip(rows.items(), drawn):
        yield Case(kind, (np.array(row, dtype=float), values, 2), rare=kind in LOST_BLOCKS)


CASES = (
    Case(
        "two blocks of one key, the larger score last",
        (np.log([1.0, 3.0]), np.array([[4.0], [8.0]]), 1),
    ),
    Case(
        "three blocks, the last a short one",
        (np.log([1.0, 2, 8, 4, 1]), np.array([[8.0], [4], [6], [2], [8]]), 2),
    ),
    Case("fewer keys than a block holds", (np.array([0.5, -0.7]), np.array([[1], [9.0]]), 8)),
    *cases(),
)
