"""The loss of a model that has learned nothing."""

import math

import numpy as np  # for the answers in the text

first_loss = math.log(65)


def judge(value):
    """None if it is ln 65 to two decimals or more, else what it is."""
    value = float(value)
    if given_as(value, first_loss) or abs(value - first_loss) < 0.001:
        return None
    known = {words for number, words in NUMBERS if given_as(value, number)}
    if len(known) == 1:  # to two digits several numbers may be the same
        return known.pop()
    if value < 0:
        return NEGATIVE
    return NEAR if abs(value - first_loss) < 0.05 else GUESSES


def given_as(value, number):
    """Whether a value is this number, rounded to two digits or more, or cut after four or more.

    Near ln 65 two decimals are three digits.
    """
    if math.isclose(value, number, rel_tol=1e-6):
        return True
    least = 3 if number == first_loss else 2
    rounded = [float(f"{number:.{digits - 1}e}") for digits in range(least, 12)]
    place = 0 if not number else math.floor(math.log10(abs(number)))
    units = [10.0 ** (place - digits + 1) for digits in range(4, 12)]
    cut = [math.trunc(number / unit) * unit for unit in units]
    return any(math.isclose(value, other, rel_tol=1e-6) for other in rounded + cut)


NEGATIVE = (
    "A loss is not negative: a surprisal is minus the logarithm of a chance, which is at most 1."
)
NEAR = "That is near it, but not right to two decimals."
GUESSES = (
    "A model that knows nothing gives each of the 65 characters the same chance. How large is "
    "that, and what is minus its natural logarithm?"
)
PERPLEXITY = "That is the perplexity, the number of characters. The loss is its logarithm."
NOTHING = (
    "A loss of 0 would need a chance of 1 for every character that comes. Nothing has been learned."
)
TERM = "The logarithm is multiplied by the chance, as in an entropy. A place costs all of it."
TWICE = "That is multiplied by ln 2, which turns bits into nats. These were nats already."
NUMBERS = (
    (math.log2(65), "That is in bits. The loss is in nats: take the natural logarithm."),
    (math.log10(65), "That is the logarithm to the base 10. Nats have the natural one."),
    (math.log(64), "That would be for 64 characters. Count all 65."),
    (math.log(66), "That would be for 66 characters. There are 65."),
    (math.log(26), "That would be for 26 characters, those of the verses. Here are 65."),
    (65.0, PERPLEXITY),
    (1 / 65, "That is the chance of each character. The loss is minus its natural logarithm."),
    (
        64 / 65,
        "That is the chance of being wrong. The loss is minus the logarithm of the right chance.",
    ),
    (
        1 / 64,
        "That is the chance of each of 64 characters. There are 65, and the loss is minus the "
        "natural logarithm of the chance.",
    ),
    (
        -math.log(64 / 65),
        "That is minus the logarithm of the chance of being wrong. The right character has the "
        "chance 1/65.",
    ),
    (0.0, NOTHING),
    (2 * math.log(65), "That is twice it. Each place costs one logarithm."),
    (
        1 / math.log(65),
        "That is one divided by the loss. The loss is minus the natural logarithm of the chance.",
    ),
    (math.log(65) / 65, TERM),
    (math.log(2), "That is the loss of a fair coin, among two characters. Here are 65."),
    (math.log(65) * math.log(2), TWICE),
    (math.log(65) / 2, "That is half of it: is a root taken, or a mean with 0?"),
    (
        65 * math.log(65),
        "That is the sum over 65 places. The loss is a mean, whatever their number.",
    ),
)
