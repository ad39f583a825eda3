"""Positions: what tells attention, which sees only a set, where each item stands."""

from attnlib.positions.relative import linear_bias, rotary
from attnlib.positions.sinusoids import sinusoidal, sinusoidal_shift, wavelengths

__all__ = ["sinusoidal", "wavelengths", "sinusoidal_shift", "rotary", "linear_bias"]  # noqa: RUF022
