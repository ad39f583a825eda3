"""Practice on positions: an entry, a similarity and a rotary score, with angles in radians."""

from math import cos, radians, sin

import numpy as np

from attnlib.exercises.engine.practising import Kind, Problem, short
from attnlib.positions import rotary, sinusoidal

#: Components and base -> frequencies that can be read off.
SIZES = ((4, 100), (4, 25), (4, 16), (6, 1000), (6, 64))


def _shown(x):
    """A number, or several, with at most three decimals after a minus and a zero."""
    if np.ndim(x):
        return f"[{', '.join(map(_shown, x))}]"
    return short(round(x, 3) if -1 < x < 0 else x)


def _plain(*answers):
    """Whether these lose nothing that counts when they are written so."""
    return all(x >= 0 or x <= -1 or abs(round(x, 3) - x) < 5e-4 * -x for x in answers)


def _both(angle):
    return [sin(angle), cos(angle)]


def _frequency(i, d, base):
    return round(base ** (-2 * i / d), 9)


def entry(rng):
    d, base = SIZES[rng.integers(len(SIZES))]
    i, t = int(rng.integers(1, d // 2)), int(rng.integers(2, 16))
    omega = _frequency(i, d, base)
    angle = t * omega
    if not _plain(*_both(angle)):
        return entry(rng)
    P = sinusoidal(t + 1, d, base)
    return Problem(
        question=f"Sinusoids with d = {d} and base {base}: what stands in the columns {2 * i} and "
        f"{2 * i + 1} of position {t}? Columns, pairs and positions are counted from 0.",
        answer=P[t, 2 * i : 2 * i + 2].tolist(),
        working=[
            f"The columns {2 * i} and {2 * i + 1} are pair {i}, with the frequency "
            f"`{base}^(−{2 * i}/{d}) = {short(omega)}`",
            f"At position {t} it has turned by `{t} · {short(omega)} = {short(angle)}` radians",
            f"Sine and cosine of that: `{_shown(_both(angle))}`",
        ],
        mistakes={
            "Those are exchanged: the sine is in the even column.": _both(angle)[::-1],
            "The calculator is set to degrees. Frequencies are radians a position.": _both(
                radians(angle)
            ),
            f"That is position {t - 1}, as if positions were counted from 1.": _both(angle - omega),
            f"That is position {t + 1}. Positions are counted from 0, and the angle of position t "
            "is t times the frequency.": _both(angle + omega),
            "That is pair 0, which turns by 1 radian a position.": _both(t),
            "The exponent is half of what it should be: pair i has −2i/d.": _both(
                t * base ** (-i / d)
            ),
            "The exponent is twice what it should be: pair i has −2i/d.": _both(t * omega**2),
            "The minus in the exponent is missing: later pairs turn more slowly.": _both(t / omega),
            "There is a factor 2π too many: a frequency is radians a position.": _both(
                2 * np.pi * angle
            ),
            "The sine is right. Beside it stands the cosine of the same angle.": [
                sin(angle),
                sin(angle),
            ],
        },
    )


def similarity(rng):
    base = int(rng.choice([100, 25, 16]))
    t, s = (int(n) for n in rng.choice(np.arange(1, 15), 2, replace=False))
    omega = _frequency(1, 4, base)
    k = s - t
    slow = round(k * omega, 9)
    first, second = cos(k), cos(slow)
    if not _plain(first + second):
        return similarity(rng)
    P = sinusoidal(max(t, s) + 1, 4, base)

    def added(places, factor=1.0):
        return cos(factor * places) + cos(factor * places * omega)

    return Problem(
        question=f"Sinusoids with d = 4 and base {base} have the frequencies 1 and {short(omega)}. "
        f"What is the dot product of the descriptions of the positions {t} and {s}?",
        answer=P[t] @ P[s],
        working=[
            f"Only the shift counts: `{s} − {t} = {short(float(k))}`",
            f"The hands are apart by `{short(float(k))}` and `{short(float(k))} · {short(omega)} = "
            f"{short(slow)}` radians",
            f"Their cosines add up: `{_shown(first)} + {_in_brackets(second)} = "
            f"{_shown(first + second)}`",
        ],
        mistakes={
            "The positions are added. What counts is how far apart they are.": added(t + s),
            "That is the first pair alone. Each pair adds a cosine.": first,
            "That is the second pair alone. Each pair adds a cosine.": second,
            "The calculator is set to degrees. Frequencies are radians a position.": added(
                k, radians(1)
            ),
            "That is the mean of the cosines. A dot product is their sum.": (first + second) / 2,
            "Those are sines. The angle between two hands gives its cosine.": sin(k) + sin(slow),
            "The cosines are multiplied. Each pair adds its own.": first * second,
            "The angles are added, and one cosine taken. Each pair has its own cosine.": cos(
                k + slow
            ),
        },
    )


def _in_brackets(x):
    return f"({_shown(x)})" if x < 0 else short(x)


def _turned(x, angle):
    return [x[0] * cos(angle) - x[1] * sin(angle), x[0] * sin(angle) + x[1] * cos(angle)]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def score(rng):
    base = int(rng.choice([100, 25, 16]))
    t, s = (int(n) for n in rng.choice(np.arange(1, 13), 2, replace=False))
    omega = _frequency(1, 4, base)
    q, k = (rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], 2) for _ in range(2))
    row_q, row_k = rotary([[0, 0, *q], [0, 0, *k]], [t, s], base)
    q, k = q.tolist(), k.tolist()
    angle = round((s - t) * omega, 9)
    turned = _turned(k, angle)
    if not _plain(_dot(q, turned)):
        return score(rng)
    products = " + ".join(f"{_in_brackets(a)} · {_in_brackets(b)}" for a, b in zip(q, turned))
    return Problem(
        question=f"A pair of rotary turns by {short(omega)} radians a position, counter-clockwise. "
        f"The query's two components are `{short(q)}`, and it stands at position {t}; the key's "
        f"are `{short(k)}`, at position {s}. What does the pair add to their dot product?",
        answer=row_q @ row_k,
        working=[
            f"Only the difference counts. Leave the query, and turn the key by `({s} − {t}) · "
            f"{short(omega)} = {short(angle)}`, with cosine `{_shown(cos(angle))}` and sine "
            f"`{_shown(sin(angle))}`",
            f"It becomes `{_shown(turned)}`: x cos − y sin, x sin + y cos",
            f"Times the query: `{products} = {_shown(_dot(q, turned))}`",
        ],
        mistakes={
            "Nothing is turned: that is the dot product of the items.": _dot(q, k),
            "Only the key is turned, by its own position. The query is turned by its own, "
            "too.": _dot(q, _turned(k, s * omega)),
            "Only the query is turned, by its own position. The key is turned by its own, "
            "too.": _dot(_turned(q, t * omega), k),
            "The angles are added. Both turn the same way, so the difference remains.": _dot(
                q, _turned(k, (t + s) * omega)
            ),
            "That turns the wrong way: the key comes s − t positions after the query.": _dot(
                q, _turned(k, -angle)
            ),
            "The calculator is set to degrees. Frequencies are radians a position.": _dot(
                q, _turned(k, radians(angle))
            ),
            "That is the dot product times a cosine. It is right where the two items point the "
            "same way; others have an angle of their own.": _dot(q, k) * cos(angle),
            "That turns by the difference of positions itself; multiply it by the frequency.": _dot(
                q, _turned(k, s - t)
            ),
        },
    )


RADIANS = "Set the calculator to radians. "
PRACTICE = {
    "entry": Kind(
        title="two entries of a description",
        draw=entry,
        fields=["even column", "odd column"],
        hint=RADIANS + "The frequency first, base^(−2i/d) for pair i; times the position; then "
        "the sine and the cosine.",
    ),
    "similarity": Kind(
        title="the similarity of two positions",
        draw=similarity,
        fields=["dot product"],
        hint=RADIANS + "The shift first; times each frequency; the cosines of the two angles; "
        "their sum.",
    ),
    "score": Kind(
        title="a rotary score",
        draw=score,
        fields=["what it adds"],
        hint=RADIANS + "Turn the key by s − t times the frequency, and leave the query as it is; "
        "then the dot product.",
    ),
}
