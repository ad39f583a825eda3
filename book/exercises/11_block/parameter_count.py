"""How many numbers an encoder block learns."""

from attnlib.exercises import Case


def parameter_count(d_model, d_ff, bias):
    """Attention, with or without biases; the network with its own; two norms."""
    attention = 4 * d_model * d_model + (4 * d_model if bias else 0)
    network = 2 * d_model * d_ff + d_ff + d_model
    return attention + network + 4 * d_model


CASES = (
    Case("no biases in attention", (4, 8, False)),
    Case("biases in attention", (5, 7, True)),
    Case("a hidden layer smaller than an item", (6, 3, False)),
    Case("four times as wide", (16, 64, True)),
    Case("larger", (48, 100, True)),
)
