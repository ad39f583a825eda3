"""How many numbers an encoder block learns."""

from attnlib.exercises import Case


def parameter_count(d_model, d_ff, bias):
    """Attention, with or without biases; the network with its own; two norms."""
    attention = 4 * d_model * d_model + (4 * d_model if bias else 0)
    network = 2 * d_model * d_ff + d_ff + d_model
    return attention + network + 4 * d_model


def _with(
    *,
    attention=lambda d, h: 4 * d * d,
    attention_bias=lambda d, h, bias: 4 * d * bool(bias),
    network=lambda d, h: 2 * d * h,
    network_bias=lambda d, h, bias: h + d,
    norms=lambda d, h: 4 * d,
):
    """parameter_count with one term replaced."""

    def wrong(d, h, bias):
        matrices = attention(d, h) + network(d, h)
        return matrices + attention_bias(d, h, bias) + network_bias(d, h, bias) + norms(d, h)

    return wrong


CASES = (
    Case("no biases in attention", (4, 8, False)),
    Case("biases in attention", (5, 7, True)),
    Case("a hidden layer smaller than an item", (6, 3, False)),
    Case("four times as wide", (16, 64, True)),
    Case("larger", (48, 100, True)),
)
