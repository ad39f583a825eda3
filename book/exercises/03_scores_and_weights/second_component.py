"""Lift keys off their line, so that each can be found."""

import numpy as np

KEYS = np.arange(-2.0, 3.0)

second = KEYS**2

#: How far a gap between directions may be off half a turn.
SLACK = 1e-7

LINE = (
    "The five keys still lie on one line, though perhaps a slanting one. Along a line a score only "
    "rises or falls, so only the two ends can be best alone. The new component has to bend."
)
EDGE = (
    "No key is inside, but one lies on the straight line between two others: there its score is "
    "never more than the better of theirs, so the best it can do is tie. Bend that stretch, too."
)
INSIDE = (
    "At least one key lies inside the shape that the others span. A score is linear in the key, so "
    "at an inner point it is never the largest. Draw the five points and put a band round them."
)


def widest_gaps(heights):
    """For each point, the widest angle between neighbouring directions to the others, in radians.

    Beyond half a turn the point is a corner; half a turn is a point on an edge.
    """
    points = np.stack([KEYS, heights], axis=1)
    gaps = []
    for i, point in enumerate(points):
        away = np.delete(points, i, axis=0) - point
        angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
        gaps.append(np.diff(np.append(angles, angles[0] + 2 * np.pi)).max())
    return np.array(gaps)


def bent(heights):
    """The heights above the line from the first to the last, the largest 1; None if all are 0.

    A corner stays one when a line is taken away or the heights are stretched.
    """
    rest = heights - np.interp(KEYS, KEYS[[0, -1]], heights[[0, -1]])
    size = np.abs(rest).max()
    return rest / size if size > 1e-12 * np.abs(heights).max() else None


def judge(heights):
    """None if every key is a corner, else why not."""
    rest = bent(heights)
    if rest is None:
        return LINE
    gaps = widest_gaps(rest)
    if (gaps < np.pi - SLACK).any():
        return INSIDE
    return EDGE if (gaps < np.pi + SLACK).any() else None


def never_alone(heights):
    rest = bent(heights)
    gaps = widest_gaps(rest) if rest is not None else np.array([9.0, 0, 0, 0, 9.0])
    lost = [f"{key:.0f}" for key in KEYS[gaps < np.pi + SLACK]]
    return f"No query gives these keys the largest score alone: {', '.join(lost)}."


PROPERTIES = (never_alone,)
