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
        (np.log([1.0, 3.0]), [[4.0], [8.0]], 1),
    ),
    Case(
        "three blocks, the last a short one",
        (np.log([1.0, 2, 8, 4, 1]), [[8.0], [4], [6], [2], [8]], 2),
    ),
    Case("fewer keys than a block holds", ([0.5, -0.7], [[1], [9.0]], 8)),
    *cases(),
)


def divided(total, output):
    return output / total


def undivided(total, output):
    return output


def divided_if_any(total, output):
    return output / total if total > 0 else output


def unchanged(difference):
    return 1


def upside_down(difference):
    return np.exp(-difference) if difference > -np.inf else 1


def summed(
    scores,
    values,
    block,
    *,
    m=-np.inf,
    largest=max,
    total_by=np.exp,
    output_by=np.exp,
    measured=lambda s, m, new: np.exp(s - new),
    guarded=True,
    answer=divided_if_any,
    goes_on=undivided,
):
    """online_row with one step or another done otherwise."""
    total, output, answers = 0.0, np.zeros(values.shape[1]), []
    for start in range(0, len(scores), block):
        s, v = scores[start : start + block], values[start : start + block]
        new = largest(m, s.max())
        if new > -np.inf or not guarded:
            powers = measured(s, m, new)
            total = total_by(m - new) * total + powers.sum()
            output = output_by(m - new) * output + powers @ v
            m = new
        answers.append(answer(total, output))
        output = goes_on(total, output)
    return np.array(answers)
