"""How many numbers an encoder block learns."""

from attnlib.exercises import Case, Exercise, Mistake


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


EXERCISE = Exercise(
    signature="parameter_count(d_model, d_ff, bias)",
    task="Write parameter_count(d_model, d_ff, bias): how many numbers an encoder block learns. "
    "The heads share d_model; bias says whether the four projections of attention have biases. "
    "The network always has them, and both norms have a gain and a bias.",
    returns="a single number",
    reference=parameter_count,
    own=True,
    cases=(
        Case("no biases in attention", (4, 8, False)),
        Case("biases in attention", (5, 7, True)),
        Case("a hidden layer smaller than an item", (6, 3, False)),
        Case("four times as wide", (16, 64, True)),
        Case("larger", (48, 100, True)),
    ),
    mistakes=(
        Mistake(
            "attention_biases_forgotten",
            _with(attention_bias=lambda d, h, bias: 0),
            "The biases of attention are never counted. If bias is true, each of the four "
            "projections has one, as long as its output.",
        ),
        Mistake(
            "attention_biases_always",
            _with(attention_bias=lambda d, h, bias: 4 * d),
            "The biases of attention are always counted. They are there only if bias is true.",
        ),
        Mistake(
            "three_attention_biases",
            _with(attention_bias=lambda d, h, bias: 3 * d * bool(bias)),
            "Attention has four biases if it has any: W_O has one, too.",
        ),
        Mistake(
            "one_attention_bias",
            _with(attention_bias=lambda d, h, bias: d * bool(bias)),
            "One bias is counted for attention. Each of its four projections has its own.",
        ),
        Mistake(
            "a_number_for_each_bias",
            _with(attention_bias=lambda d, h, bias: 4 * bool(bias)),
            "The biases of attention are counted as one number each. A bias has one for every "
            "component: d_model.",
        ),
        Mistake(
            "a_number_for_all_biases",
            _with(attention_bias=lambda d, h, bias: 1 * bool(bias)),
            "The biases of attention are counted as one number. There are four, each with one for "
            "every component.",
        ),
        Mistake(
            "bias_turned_round",
            _with(attention_bias=lambda d, h, bias: 4 * d * (not bias)),
            "The biases of attention are counted when bias is false, and not when it is true.",
        ),
        Mistake(
            "nothing_of_attention_without_biases",
            lambda d, h, bias: parameter_count(d, h, bias) if bias else 2 * d * h + h + 5 * d,
            "Without biases attention's matrices are gone, too. In a + b if bias else 0 all of "
            "a + b depends on bias: put brackets round b if bias else 0.",
        ),
        Mistake(
            "conditional_without_brackets",
            lambda d, h, bias: 4 * d * d + 4 * d if bias else 0 + 2 * d * h + h + d + 4 * d,
            "Some terms are there only if bias is true, and the rest only if it is not. In "
            "a + b if bias else 0 + c the condition decides between a + b and 0 + c: put brackets "
            "round b if bias else 0.",
        ),
        Mistake(
            "network_biases_forgotten",
            _with(network_bias=lambda d, h, bias: 0),
            "The biases of the network are forgotten: d_ff for the hidden layer and d_model for "
            "what comes out.",
        ),
        Mistake(
            "network_biases_only_if_bias",
            _with(network_bias=lambda d, h, bias: (h + d) * bool(bias)),
            "The biases of the network are counted only if bias is true. That is about attention; "
            "the network always has its two.",
        ),
        Mistake(
            "no_output_bias",
            _with(network_bias=lambda d, h, bias: h),
            "The network has two biases. The one of the output is missing: d_model.",
        ),
        Mistake(
            "no_hidden_bias",
            _with(network_bias=lambda d, h, bias: d),
            "The network has two biases. The one of the hidden layer is missing: d_ff.",
        ),
        Mistake(
            "hidden_bias_twice",
            _with(network_bias=lambda d, h, bias: 2 * h),
            "Both biases of the network are counted as d_ff. The second is added to the output: "
            "d_model.",
        ),
        Mistake(
            "output_bias_twice",
            _with(network_bias=lambda d, h, bias: 2 * d),
            "Both biases of the network are counted as d_model. The first is added to the hidden "
            "layer: d_ff.",
        ),
        Mistake(
            "no_biases_at_all",
            _with(
                attention_bias=lambda d, h, bias: 0,
                network_bias=lambda d, h, bias: 0,
                norms=lambda d, h: 0,
            ),
            "Only the matrices are counted. There are biases, too, and the norms.",
        ),
        Mistake(
            "no_biases_but_norms",
            _with(attention_bias=lambda d, h, bias: 0, network_bias=lambda d, h, bias: 0),
            "The norms are counted, but no bias of any matrix: the network always has two, and "
            "attention four if bias is true.",
        ),
        Mistake(
            "norms_forgotten",
            _with(norms=lambda d, h: 0),
            "The norms are forgotten. Each has a gain and a bias for every component, and there "
            "are two.",
        ),
        Mistake(
            "half_the_norms",
            _with(norms=lambda d, h: 2 * d),
            "Half of the norms' numbers are missing. There are two norms, each with a gain and a "
            "bias: four times d_model.",
        ),
        Mistake(
            "three_norms",
            _with(norms=lambda d, h: 6 * d),
            "Three norms are counted. An encoder block has two; a decoder block with "
            "cross-attention has three.",
        ),
        Mistake(
            "two_numbers_a_norm",
            _with(norms=lambda d, h: 4),
            "Gain and bias are counted as one number each. They have one for every component.",
        ),
        Mistake(
            "a_norm_of_the_hidden_layer",
            _with(norms=lambda d, h: 2 * d + 2 * h),
            "One norm is counted with d_ff. Both norms work on items, not on the hidden layer.",
        ),
        Mistake(
            "W_O_forgotten",
            _with(attention=lambda d, h: 3 * d * d),
            "Attention has four matrices. W_O, which takes what the heads return, is missing.",
        ),
        Mistake(
            "W_O_and_its_bias_forgotten",
            _with(
                attention=lambda d, h: 3 * d * d,
                attention_bias=lambda d, h, bias: 3 * d * bool(bias),
            ),
            "W_O is missing, and its bias if there are any. It takes what the heads return.",
        ),
        Mistake(
            "W_O_and_norms_forgotten",
            _with(attention=lambda d, h: 3 * d * d, norms=lambda d, h: 0),
            "W_O is missing, and so are the two norms.",
        ),
        Mistake(
            "biases_of_the_network_and_norms_forgotten",
            _with(network_bias=lambda d, h, bias: 0, norms=lambda d, h: 0),
            "The biases of the network are forgotten, and the norms: each norm has a gain and a "
            "bias for every component, and there are two.",
        ),
        Mistake(
            "two_of_the_three",
            _with(attention=lambda d, h: 2 * d * d),
            "Attention has four matrices of d_model² entries: for queries, keys, values and "
            "outputs.",
        ),
        Mistake(
            "one_attention_matrix",
            _with(attention=lambda d, h: d * d),
            "Attention has four matrices of d_model² entries: for queries, keys, values and "
            "outputs.",
        ),
        Mistake(
            "attention_added",
            _with(attention=lambda d, h: 8 * d),
            "Rows and columns are added. A matrix has rows times columns entries.",
        ),
        Mistake(
            "network_matrix_once",
            _with(network=lambda d, h: d * h),
            "The network has two matrices: into the hidden layer and out of it.",
        ),
        Mistake(
            "square_hidden_layer",
            _with(network=lambda d, h: d * h + h * h),
            "The second matrix of the network is counted as d_ff². It leads from d_ff numbers back "
            "to d_model.",
        ),
        Mistake(
            "always_four_times_as_wide",
            _with(network=lambda d, h: 8 * d * d, network_bias=lambda d, h, bias: 5 * d),
            "The hidden layer is taken to be four times as wide as an item. Use the d_ff that is "
            "given.",
        ),
        Mistake(
            "four_times_as_wide_but_for_the_biases",
            _with(network=lambda d, h: 8 * d * d),
            "The matrices of the network are taken to be four times as wide as an item. Use the "
            "d_ff that is given.",
        ),
        Mistake(
            "only_attention",
            lambda d, h, bias: 4 * d * d + 4 * d * bool(bias),
            "That is attention alone. The network and the two norms are missing.",
        ),
        Mistake(
            "decoder_block",
            lambda d, h, bias: parameter_count(d, h, bias) + 4 * d * d + 4 * d * bool(bias) + 2 * d,
            "That is a decoder block, with cross-attention and a third norm. An encoder block has "
            "attention once, and two norms.",
        ),
        Mistake(
            "two_blocks",
            lambda d, h, bias: 2 * parameter_count(d, h, bias),
            "That is twice a block: an encoder block has attention once, one network and two "
            "norms.",
        ),
    ),
    definition="It should be what parameter_count of an EncoderBlock of these sizes says.",
    general="Three terms: attention, the network, the norms. Write the shape of each array of a "
    "term, and add up their sizes.",
    why="With d_ff = 4 d_model the matrices have 12 d_model² numbers, 8 of them in the network: "
    "most of what a block has learned does not look at other items.",
)
