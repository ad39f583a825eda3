"""Practice on adaptive weights: weights that look, the filter's output, a running average."""

from math import exp

import numpy as np

from attnlib import softmax
from attnlib.exercises.engine.practising import Kind, Problem, short

ORDER = ["first", "second", "third"]


def filtered(x, h):
    """Outputs and weights of the adaptive filter, by `attnlib`."""
    weights = softmax(-((x[:, None] - x) ** 2) / (2 * h**2))
    return weights @ x, weights


def bells_in_steps(x, t, h):
    """The bells round reading t, and the steps that lead to them."""
    bells = [exp(-((x[t] - b) ** 2) / (2 * h**2)) for b in x]
    shown = [
        f"`exp(−{short(abs(x[t] - b))}² / {short(2 * h**2)}) = {short(bell)}`"
        for b, bell in zip(x, bells)
    ]
    return bells, [
        f"Bells `exp(−difference² / 2h²)`: {', '.join(shown)}",
        f"Their sum: `{short(sum(bells))}`",
    ]


def drawn(rng):
    """Three readings, a place among them and a bandwidth."""
    x = rng.choice(np.arange(0, 3.5, 0.5), 3, replace=False)
    return x, rng.integers(3), rng.choice([0.5, 1.0, 1.5])


def other_bells(x, t, h):
    """Bells as people get them wrong, where they differ from the right ones: reply -> bells."""
    away = np.abs(x - x[t])
    found = {
        "You left out the 2: divide by 2h².": np.exp(-(away**2) / h**2),
        "You did not square the bandwidth: divide by 2h², not by 2h.": np.exp(-(away**2) / (2 * h)),
        "You did not square the differences.": np.exp(-away / (2 * h**2)),
        "You left out the bandwidth: divide by 2h², not by 2.": np.exp(-(away**2) / 2),
    }
    right = np.exp(-(away**2) / (2 * h**2))
    return {said: bells for said, bells in found.items() if not np.allclose(bells, right)}


def weights(rng):
    x, t, h = drawn(rng)
    bells, working = bells_in_steps(x, t, h)
    found = [bell / sum(bells) for bell in bells]
    wrong = {said: other / other.sum() for said, other in other_bells(x, t, h).items()}
    return Problem(
        question=f"The readings are `{short(x)}`, the bandwidth is `h = {short(h)}`. What are the "
        f"weights in the output at the {ORDER[t]} reading?",
        answer=filtered(x, h)[1][t],
        working=[*working, f"Each bell over the sum: `{short(found)}`"],
        mistakes=wrong
        | {
            "Those are the bells. Divide each by their sum.": bells,
            "Those are equal weights, as with a very large bandwidth.": np.full(3, 1 / 3),
            "Those are the weights in another output: compare with the reading asked for.": (
                filtered(x, h)[1][t - 1]
            ),
            "You gave distant readings the large weights; those alike should get them.": (
                1 / np.array(bells) / (1 / np.array(bells)).sum()
            ),
        },
    )


def output(rng):
    x, t, h = drawn(rng)
    bells, working = bells_in_steps(x, t, h)
    found = [bell / sum(bells) for bell in bells]
    products = " + ".join(f"{short(w)} · {short(b)}" for w, b in zip(found, x))
    result = sum(w * b for w, b in zip(found, x))
    wrong = {said: other @ x / other.sum() for said, other in other_bells(x, t, h).items()}
    return Problem(
        question=f"The readings are `{short(x)}`, the bandwidth is `h = {short(h)}`. What is the "
        f"adaptive filter's output at the {ORDER[t]} reading?",
        answer=filtered(x, h)[0][t],
        working=[
            *working,
            f"Weights, each bell over the sum: `{short(found)}`",
            f"Each reading times its weight: `{products} = {short(result)}`",
        ],
        mistakes=wrong
        | {
            "You did not divide the bells by their sum, so the weights do not sum to one.": (
                np.array(bells) @ x
            ),
            "That is the plain mean: a filter whose weights do not look.": x.mean(),
            "That is the reading itself. The others have a share, too.": x[t],
        },
    )


def running_average(rng):
    x = rng.choice(np.arange(1, 10), 3, replace=False)
    a = rng.choice([0.1, 0.2, 0.25, 0.4])
    state, working = 0.0, []
    for reading in x:
        before, state = state, (1 - a) * state + a * reading
        working.append(
            f"`{short(1 - a)} · {short(before)} + {short(a)} · {short(float(reading))} "
            f"= {short(state)}`"
        )
    after = a * (1 - a) ** np.arange(3)[::-1]
    return Problem(
        question=f"A running average with `a = {short(a)}` begins at 0 and takes in the readings "
        f"`{short(x.astype(float))}`, one after another. Where does it stand then?",
        answer=after @ x,
        working=working,
        mistakes={
            "You exchanged the factors: the new reading should enter with a, the old state with "
            "1 − a.": (1 - a) * a ** np.arange(3)[::-1] @ x,
            "That is the mean of the readings. A running average gives late ones more weight.": (
                x.mean()
            ),
            "You began at the first reading; it should begin at 0.": after @ x
            + (1 - a) ** 3 * x[0],
            "You stopped too early: the last reading is still to come.": after[1:] @ x[:2],
            "You gave the first reading the largest weight; the last one should have it.": (
                after[::-1] @ x
            ),
            "You only added: at each step the old state is multiplied by 1 − a.": a * x.sum(),
        },
    )


PRACTICE = {
    "weights": Kind(
        title="weights that look",
        draw=weights,
        fields=["w₁", "w₂", "w₃"],
        hint="Take the difference of each reading from the one asked for, then the bell of each, "
        "then divide by their sum.",
    ),
    "output": Kind(
        title="the adaptive filter, one output",
        draw=output,
        tolerance=0.012,
        hint="Bells first, then weights that sum to one, then each reading times its weight.",
    ),
    "running_average": Kind(
        title="a running average",
        draw=running_average,
        hint="Three updates: what is there times 1 − a, plus a times the new reading.",
    ),
}
