"""Numbers as a reader types them, and what they are worth: what `answers.js` does in a page."""

import json
import math
import re
from pathlib import Path

WORDS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
LONGEST = 100  # characters
_SPACE = "[ \t\u00a0\u2009\u202f]"
_TOKEN = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|\*\*|[-+*/()]|sqrt|pi|e"
_WRITTEN = {
    "[\u2212\u2013]": "-",
    "[\u00b7\u00d7\u22c5]": "*",
    "\u00f7": "/",
    r"\^": "**",
    "\u221a": "sqrt",
    "\u03c0": "pi",
}


def parse_number(text):
    """What a number or a little arithmetic is worth, NaN for everything else.

    There are + - * / ** ( ), sqrt, e and pi, also as · × − √ π, ^ for a power, and a comma for the
    point. Nothing of it is run as Python.

    >>> [parse_number(text) for text in ("9*13", "2,5", "−1/4", "2√2", "two")]
    [117.0, 2.5, -0.25, nan, nan]
    """
    if len(text) > LONGEST:
        return math.nan
    plain = re.sub(_SPACE, " ", text)
    for sign, known in _WRITTEN.items():
        plain = re.sub(sign, known, plain)
    if "." not in plain:
        plain = re.sub(",(?=[0-9])", ".", plain)
    tokens = re.findall(_TOKEN, plain)
    if "".join(tokens) != plain.replace(" ", ""):
        return math.nan
    try:
        return _Reading(tokens).all()
    except (ValueError, ArithmeticError, IndexError):
        return math.nan


class _Reading:
    """Arithmetic read from left to right; each method reads what its name says."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def take(self, *wanted):
        if self.tokens[self.at : self.at + 1] and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]

    def all(self):
        value = self.sum()
        return value if self.at == len(self.tokens) else math.nan

    def sum(self):
        value = self.product()
        while sign := self.take("+", "-"):
            value = _sure(value + self.product() if sign == "+" else value - self.product())
        return value

    def product(self):
        value = self.signed()
        while sign := self.take("*", "/"):
            value = _sure(value * self.signed() if sign == "*" else value / self.signed())
        return value

    def signed(self):
        sign = self.take("+", "-")
        if not sign:
            return self.power()
        return -self.power() if sign == "-" else self.power()

    def power(self):
        base = self.atom()
        return _sure(math.pow(base, self.signed())) if self.take("**") else base

    def atom(self):
        if self.take("sqrt"):
            return _sure(math.sqrt(self.atom()))
        if self.take("e"):
            return math.e
        if self.take("pi"):
            return math.pi
        if not self.take("("):
            self.at += 1
            return _sure(float(self.tokens[self.at - 1]))
        value = self.sum()
        return value if self.take(")") else _sure(math.nan)


def _sure(value):
    if not math.isfinite(value):
        raise ArithmeticError
    return value


def _unit(value):
    """One unit in the last place of a number as it is written: 0.01 of 0.87, 10 of 120."""
    digits, power = f"{value:.11e}".split("e")
    return 10.0 ** (int(power) - len(re.sub(r"\.?0*$", "", digits.replace("-", ""))[2:]))


def _is_rounded(value, right, tolerance):
    """Whether a number was cut, or rounded too early.

    It is off by less than a unit in its last place, or by a few tolerances, and by a twentieth at
    most. One whole number is not another, rounded.
    """
    off = abs(value - right)
    if off > abs(right) / 20:
        return False
    if float(right).is_integer():
        return not float(value).is_integer() and off <= 3 * tolerance
    return off < _unit(value) * (1 - 1e-6) or off <= 3 * tolerance


def judge(typed, answer, tolerance, mistakes):
    """What is said of numbers that were typed.

    A known mistake comes first where it is met exactly; else, where an answer that is right but for
    its form is no farther away, that is said.

    Parameters
    ----------
    typed, answer : list of float
    tolerance : float
    mistakes : list of dict
        Each with a list as `value`, a `reply`, and perhaps its own `tolerance`.

    Returns
    -------
    right : bool
    reply : str or None
        To a mistake that is known or made everywhere.

    Examples
    --------
    >>> judge([87], [0.87], 0.005, [])[1]
    'Almost: this is right up to a factor of 100. A half is 0.5 or 50 %: see which of the two is asked for.'
    """  # noqa: E501

    def all_are(holds, numbers):
        return all(map(holds, typed, numbers))

    def near(x, number, most=tolerance):
        return abs(x - number) <= most

    def meets(x, number):
        return near(x, number, 1e-9 * max(1, abs(number)))

    def scaled(factor):
        def holds(x, number):
            most = min(tolerance, abs(number) / 20) + 1e-9 * abs(number)
            return near(factor * x, number, most)

        return holds

    def rounded(x, number):
        return near(x, number) or _is_rounded(x, number, tolerance)

    def far(numbers):
        return max(abs(x - number) for x, number in zip(typed, numbers))

    if all_are(near, answer):
        return True, None
    for mistake in mistakes:
        if all_are(meets, mistake["value"]):
            return False, f"Not yet. {mistake['reply']}"
    shares, percents = all(abs(a) < 1 for a in answer), all(1 < abs(a) <= 100 for a in answer)
    if (percents and all_are(scaled(100), answer)) or (shares and all_are(scaled(0.01), answer)):
        return False, WORDS["factor"]
    known = None
    for mistake in reversed(mistakes):
        most = mistake.get("tolerance", tolerance)
        if all(near(x, number, most) for x, number in zip(typed, mistake["value"])):
            known = mistake
    if all_are(rounded, answer) and not (known and far(known["value"]) < far(answer)):
        return False, WORDS["rounding"]
    return False, known and f"Not yet. {known['reply']}"
