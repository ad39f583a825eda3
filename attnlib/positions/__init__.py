"""Positions: what tells attention, which sees only a set, where each item stands."""

from attnlib.positions.in_heads import LinearBias, RelativeBias, Rotary
from attnlib.positions.relative import linear_bias, relative_bias, rotary
from attnlib.positions.sinusoids import sinusoidal, sinusoidal_shift, wavelengths

__all__ = [  # noqa: RUF022
    "sinusoidal",
    "wavelengths",
    "sinusoidal_shift",
    "rotary",
    "Rotary",
    "linear_bias",
    "LinearBias",
    "relative_bias",
    "RelativeBias",
]
