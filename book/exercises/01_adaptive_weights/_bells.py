"""The bell, and the ways people get it wrong, which two exercises share."""

import numpy as np

from attnlib.exercises import Mistake


def gauss(gap, h):
    """The bell's exponent, for differences x_t - x_j and a bandwidth."""
    return -(gap**2) / (2 * h**2)


NO_SQUARE = (
    "The distance is not squared: you use |x_t - x_j|. A reading twice as far from x_t should "
    "have an exponent four times as large."
)
TWICE = (
    "The exp is taken twice: the bells go through a softmax, which takes exp of them again. "
    "The bells are already positive; divide them by their sum."
)
IGNORED = (
    "The bandwidth has no influence: the weights are the same for every bandwidth. Either a fixed "
    "number stands in its place, or it is a factor outside exp, which cancels in the division."
)
FACTOR = (
    "All your exponents are off by one and the same factor: a wrong constant under the "
    "square, or another base than e. At a distance of one bandwidth, exp should see -1/2."
)
BOX = (
    "Readings within one bandwidth all weigh the same, the others nothing: a box, not a "
    "bell. With exp the weight falls off smoothly and never ends."
)
EXPONENTS = {
    "no_square": (lambda gap, h: -abs(gap) / (2 * h**2), NO_SQUARE),
    "no_square_no_two": (lambda gap, h: -abs(gap) / h, NO_SQUARE),
    "no_square_at_all": (lambda gap, h: -abs(gap) / (2 * h), NO_SQUARE),
    "sign_lost": (
        lambda gap, h: gap**2 / (2 * h**2),
        "The minus sign in the exponent is lost, so readings far from x_t weigh more than "
        "near ones. The largest weight should be the one of x_t itself.",
    ),
    "bandwidth_not_squared": (
        lambda gap, h: -(gap**2) / (2 * h),
        "The bandwidth enters without its square. With a bandwidth of 1 that is invisible: "
        "try another one.",
    ),
    "brackets_missing": (
        lambda gap, h: -(gap**2) / 2 * h**2,
        "Brackets are missing: / 2 * h**2 divides by 2 and then multiplies by h², so a larger "
        "bandwidth gives narrower weights. Put the whole divisor, 2 * h**2, in brackets.",
    ),
    "no_two": (
        lambda gap, h: -(gap**2) / h**2,
        "The factor 2 under the squared distance is missing, so the weights fall off too "
        "fast. At a distance of one bandwidth, exp should see -1/2.",
    ),
    "neither_two_nor_square": (
        lambda gap, h: -(gap**2) / h,
        "The squared distance is divided by the bandwidth alone. Two things are missing under "
        "it: the square of the bandwidth and the factor 2.",
    ),
    "two_squared": (
        lambda gap, h: -(gap**2) / (2 * h) ** 2,
        "The square takes the 2 as well: (2 * h)**2 is 4h², not 2h². The weights fall off too "
        "slowly; only the bandwidth is squared.",
    ),
    "all_squared": (
        lambda gap, h: -((gap / 2 * h) ** 2),
        "Without brackets / 2 * h divides by 2 and multiplies by h, and then all of it is squared, "
        "the 2 as well. Square only the difference and the bandwidth; bracket the divisor.",
    ),
    "multiplied": (
        lambda gap, h: -(gap**2) * 2 * h**2,
        "The squared distance is multiplied by 2 · bandwidth² instead of divided. A larger "
        "bandwidth should let more readings count as alike.",
    ),
}


def wrong_exponents(answer):
    """A `Mistake` for each wrong exponent; ``answer(exponent)`` does the exercise with it."""
    return tuple(
        Mistake(name, answer(exponent), diagnosis)
        for name, (exponent, diagnosis) in EXPONENTS.items()
    )


def softmax_of(raw):
    """Exponentials over the sum of their row: `exp` once too often, where `raw` are bells."""
    return shares(np.exp(raw))


def shares(raw):
    """Each number over the sum of its row."""
    return raw / raw.sum(axis=-1, keepdims=True)
