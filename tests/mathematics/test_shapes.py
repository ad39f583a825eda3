"""Arguments are checked once, at the boundary, and errors name argument, shapes and remedy."""

import numpy as np
import pytest

import attnlib
from attnlib import (
    Bilinear,
    EncoderBlock,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    attend,
    dot,
    gradients,
    layer_norm,
    project,
    scaled_dot_product_attention,
    split_heads,
)
from attnlib._boundary import checked

ones = np.ones
rng = np.random.default_rng(0)
heads = MultiHeadAttention.random(rng, 6, 2)
norm, network = LayerNorm.initial(6), FeedForward.random(rng, 6)

#: A mistake -> the call, and the message: the argument, its shape, what to do.
MESSAGES = {
    "type": (
        lambda: dot([["a"]], [[1]]),
        r"^Q holds <U1, but only integers and floats .* Q\.astype\(float\)\.$",
    ),
    "ragged": (lambda: dot([[1, 2], [3]], [[1]]), r"^Q is ragged: give all its rows the same len"),
    "one vector": (
        lambda: dot(ones(5), ones((7, 5))),
        r"^Q has shape \(5,\), expected \(\.\.\., n_q, d_k\)\. For a single one, give Q\[None\]",
    ),
    "axes of a matrix": (
        lambda: project(ones((3, 5)), ones((2, 5, 4))),
        r"^W has shape \(2, 5, 4\), expected \(d_in, d_out\)\.$",
    ),
    "no keys": (
        lambda: dot(ones((3, 5)), ones((0, 5))),
        r"^K has shape \(0, 5\), so n_k in \(\.\.\., n_k, d_k\) is 0\. Give at least one\.$",
    ),
    "lengths": (
        lambda: dot(ones((3, 4)), ones((7, 5))),
        r"^K has shape \(7, 5\), but Q has shape \(3, 4\): d_k, the length of a key and of a query "
        r"that is multiplied by it, is 5 in one and 4 in the other\. Make them equal\.$",
    ),
    "values": (
        lambda: attend(ones((3, 5)), ones((7, 5)), ones((6, 2))),
        r"^V has shape \(6, 2\), but K has shape \(7, 5\): n_k, .* is 6 in one and 7 in the other",
    ),
    "batches": (
        lambda: dot(ones((2, 3, 5)), ones((4, 7, 5))),
        r"^the leading axes do not broadcast: Q has \(2,\), K has \(4,\)\. Make them equal, or 1",
    ),
    "a vector for a matrix": (
        lambda: attnlib.project(ones((3, 4)), ones(4)),
        r"^W has shape \(4,\), expected \(d_in, d_out\)\.$",
    ),
    "a parameter": (
        lambda: Bilinear(ones((4, 5)))(ones((3, 4)), ones((7, 3))),
        r"^K has shape \(7, 3\), but W has shape \(4, 5\): d_k, .* 3 in one and 5 in the other",
    ),
    "a parameter of a part": (
        lambda: EncoderBlock(heads, norm, network, norm)(ones((3, 5))),
        r"^X has shape \(3, 5\), but attention\.W_Q has shape \(6, 6\): d_model, the length of an",
    ),
    "a part": (
        lambda: EncoderBlock(heads, LayerNorm.initial(5), network, norm),
        r"^norm_1\.gain has shape \(5,\), but attention\.W_Q has shape \(6, 6\): d_model, .* equal",
    ),
    "the kind of a part": (
        lambda: EncoderBlock(heads, network, network, norm),
        r"^norm_1 must be a LayerNorm or an RMSNorm, not FeedForward\(W_1=\(6, 24\)",
    ),
    "an argument with parameters": (
        lambda: gradients.multi_head_vjp(ones((3, 6)), heads, ones((3, 5))),
        r"^X_Q has shape \(3, 5\), but attention\.W_Q has shape \(6, 6\): d_model",
    ),
    "an argument that serves as another": (
        lambda: MultiHeadAttention(*ones((4, 6, 6))[:2], *ones((2, 6, 6)), 2)(ones((0, 6))),
        r"^X_KV has shape \(0, 6\), so n_k in \(\.\.\., n_k, d_source\) is 0",
    ),
    "heads": (
        lambda: split_heads(ones((3, 5)), 2),
        r"^X has shape \(3, 5\): 5 components cannot be shared out equally to n_heads=2\. Choose",
    ),
    "nan": (
        lambda: dot([[1, 2]], [[1, np.nan]]),
        r"^K of shape \(1, 2\) holds nan at index \(0, 1\)\. Give it finite numbers\.$",
    ),
    "minus infinity": (
        lambda: dot([[1, -np.inf]], [[1, 2]]),
        r"^Q of shape \(1, 2\) holds -inf at index \(0, 1\)\. Give it finite numbers\.$",
    ),
    "nan among scores": (
        lambda: attnlib.softmax([-np.inf, np.nan]),
        r"^scores of shape \(2,\) holds nan at index 1\. Give it finite numbers, or -inf where",
    ),
    "a derivative": (
        lambda: gradients.scaled_dot_vjp(ones((3, 6)), ones((3, 5)), ones((7, 5))),
        r"^d_scores has shape \(3, 6\), expected \(3, 7\): one derivative for each entry of what",
    ),
    "a derivative that would broadcast": (
        lambda: gradients.scaled_dot_vjp(ones((3, 7)), ones((2, 3, 5)), ones((7, 5))),
        r"^d_scores has shape \(3, 7\), expected \(2, 3, 7\): one derivative for each entry",
    ),
    "the type of a mask": (
        lambda: scaled_dot_product_attention(*ones((3, 3, 5)), mask=ones((3, 3))),
        r"^mask holds float64, but must be boolean, .* with mask == 1\.$",
    ),
    "the shape of a mask": (
        lambda: scaled_dot_product_attention(*ones((3, 2, 3, 5)), mask=ones((2, 2), bool)),
        r"^mask has shape \(2, 2\), which does not broadcast to \(2, 3, 3\), the shape "
        r"\(\.\.\., n_q, n_k\)\. .* becomes mask\[:, None, :\]\.$",
    ),
    "a lost query": (
        lambda: scaled_dot_product_attention(*ones((3, 3, 5)), mask=np.tri(3, k=-1) == 1),
        r"^query 0 may attend to nothing: mask rules out all keys for it\. Allow each query at",
    ),
    "overflow": (
        lambda: dot([[1e200]], [[1e200]]),
        r"^the result of dot overflows float64\. Scale the arguments down\.$",
    ),
    "a gradient that overflows": (
        lambda: gradients.multi_head_vjp(1e200 * ones((3, 6)), heads, 1e200 * ones((3, 6))),
        r"overflows? float64\. Scale",
    ),
    "a setting": (lambda: split_heads(ones((3, 4)), 0), r"^n_heads=0 is too small\. Give an int"),
    "no argument": (lambda: dot([[1]]), r"missing 1 required positional argument: 'K'"),
    "an argument twice": (lambda: dot([[1]], [[1]], K=[[1]]), r"multiple values for argument 'K'"),
    "an unknown argument": (lambda: dot([[1]], [[1]], V=1), r"unexpected keyword argument 'V'"),
}


@pytest.mark.parametrize("wrong", MESSAGES)
def test_what_is_wrong_is_said(wrong):
    call, message = MESSAGES[wrong]
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_overflow_is_not_mistaken_for_a_mask():
    with pytest.raises(ValueError, match="the product of a query and a key overflows"):
        scaled_dot_product_attention([[1e200]], [[-1e200], [0]], [[1], [2]])


def test_mistakes_are_reported_by_the_called_function():
    with pytest.raises(ValueError, match="the result of MultiHeadAttention overflows float64"):
        MultiHeadAttention(*np.zeros((2, 6, 6)), *1e99 * ones((2, 6, 6)), 2)(1e200 * ones((3, 6)))


def test_what_the_reader_gives_checks_its_own_arguments():
    """A function that is called from within is trusted, but not one that somebody else wrote."""
    for score in (lambda Q, K: dot(Q, K[:, :3]), lambda Q, K: dot(Q, K * np.nan)):
        with pytest.raises(ValueError, match=r"^K (has shape|of shape)"):
            attend(ones((3, 5)), ones((7, 5)), ones((7, 2)), score=score)
    with pytest.raises(ValueError, match=r"^X has shape"):
        gradients.finite_difference(lambda x: layer_norm(x)[0], [1.0, 2.0])
    assert dot([[1]], [[2]]) == 2  # a failure leaves nothing behind
    with pytest.raises(ValueError, match=r"^Q of shape"):
        dot([[np.nan]], [[2]])


def test_large_numbers_count_as_finite():
    assert dot([[1e200]], [[1e-200]]) == 1
    assert attnlib.relu(np.float32([3e38, -1])).tolist() == [np.float32(3e38), 0]


def test_documentation_tells_the_shapes():
    doc = scaled_dot_product_attention.__doc__
    assert "Q : array_like, shape (..., n_q, d_k)\n" in doc
    assert "mask : array_like of bool, broadcasts to (..., n_q, n_k), optional\n" in doc
    assert "b_O" in MultiHeadAttention.__doc__
    assert "W_O : array_like, shape (n_heads * d_v, d_out)\n" in MultiHeadAttention.__doc__


def test_declarations_may_stand_in_any_order():
    """A mask and a derivative need the sizes of the arrays, wherever these are declared."""

    @checked(mask="bool (n_q, n_k)", d_S="(n_q, n_k)", Q="(n_q, d_k)", K="(n_k, d_k)")
    def masked_dot(Q, K, d_S, mask):
        return Q @ K.mT

    with pytest.raises(ValueError, match=r"^mask has shape \(2, 2\), which does not broadcast"):
        masked_dot(ones((3, 5)), ones((7, 5)), ones((3, 7)), ones((2, 2), bool))
    with pytest.raises(ValueError, match=r"^d_S has shape|^d_S .* n_q"):
        masked_dot(ones((3, 5)), ones((7, 5)), ones((7, 3)), True)


def test_meaningless_declarations_are_refused():
    with pytest.raises(TypeError, match="takes no P"):
        checked(P="(n,)")(lambda Q: Q)
    with pytest.raises(ValueError, match="declares no shape"):
        checked(Q="n, d")(lambda Q: Q)
