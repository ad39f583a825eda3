"""Amounts for the reader, as Python and the page write them: three digits, prefix and unit."""

import math

PREFIXES = ("p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E")


def rounded(x, digits):
    """Round halves up, as the page does."""
    return math.floor(x * 10**digits + 0.5) / 10**digits


def amount(value, unit=""):
    """Three digits that count, with a prefix and a unit.

    Examples
    --------
    >>> amount(37_748_736, "B"), amount(0.00716, "s"), amount(96)
    ('37.7 MB', '7.16 ms', '96')
    """
    x, power = float(value), 4
    last = 4 if unit == "s" else len(PREFIXES) - 1  # never more than seconds
    while x >= 999.5 and power < last:
        x, power = x / 1000, power + 1
    while 0 < x < 0.9995 and power > 0:
        x, power = x * 1000, power - 1
    digits = 0 if x.is_integer() and power == 4 else 2 if x < 9.995 else 1 if x < 99.95 else 0
    return f"{rounded(x, digits):.{digits}f} {PREFIXES[power]}{unit}".strip()
