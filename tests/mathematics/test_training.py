"""A small transformer learns to reverse a sequence with the book's gradients; so does PyTorch's."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from attnlib import EncoderBlock, project, sinusoidal, softmax
from attnlib.gradients import encoder_block_vjp, projection_vjp

N_WORDS, LENGTH, D_MODEL, N_HEADS, D_FF, BATCH = 5, 6, 16, 2, 24, 32
RATE, BETA_1, BETA_2, TINY = 0.01, 0.9, 0.999, 1e-8
EYE = np.eye(N_WORDS)


def start(norm_first):
    """The block, and all parameters by name, those of embedding and readout included."""
    rng = np.random.default_rng(7)
    block = EncoderBlock.random(
        rng, D_MODEL, N_HEADS, D_FF, norm_first=norm_first, activation="gelu"
    )
    parameters = {
        "embedding": rng.normal(size=(N_WORDS, D_MODEL)),
        "readout": rng.normal(0, D_MODEL**-0.5, (D_MODEL, N_WORDS)),
        "bias": np.zeros(N_WORDS),
    }
    return block, parameters | block.parameters()


def batches(seed=0):
    """Random words, and the same words in reverse order, again and again."""
    rng = np.random.default_rng(seed)
    while True:
        words = rng.integers(N_WORDS, size=(BATCH, LENGTH))
        yield words, words[:, ::-1]


def of_block(parameters):
    return {n: p for n, p in parameters.items() if n not in ("embedding", "readout", "bias")}


def scores_of_words(parameters, block, words):
    """One score for each word that could stand at each place."""
    X = project(EYE[words], parameters["embedding"]) + sinusoidal(LENGTH, D_MODEL)
    output, weights = block.with_parameters(of_block(parameters))(X)
    return project(output, parameters["readout"], parameters["bias"]), X, output, weights


def loss_and_gradients(parameters, block, words, answers):
    scores, X, output, _ = scores_of_words(parameters, block, words)
    chances = softmax(scores)
    right = np.take_along_axis(chances, answers[..., None], axis=-1)
    d_scores = (chances - EYE[answers]) / answers.size
    d_output, d_readout, d_bias = projection_vjp(d_scores, output, parameters["readout"])
    d_X, d_block = encoder_block_vjp(d_output, block.with_parameters(of_block(parameters)), X)
    _, d_embedding, _ = projection_vjp(d_X, EYE[words], parameters["embedding"])
    own = {"embedding": d_embedding, "readout": d_readout, "bias": d_bias}
    return -np.log(right).mean(), own | d_block.parameters()


def adam(parameters):
    """Take gradients, hand out new parameters (Kingma and Ba 2015)."""
    mean = {name: np.zeros_like(p) for name, p in parameters.items()}
    square = {name: np.zeros_like(p) for name, p in parameters.items()}
    step = 0
    while True:
        gradients = yield parameters
        step += 1
        for name, d in gradients.items():
            mean[name] = BETA_1 * mean[name] + (1 - BETA_1) * d
            square[name] = BETA_2 * square[name] + (1 - BETA_2) * d**2
        parameters = {
            name: p
            - RATE
            * (mean[name] / (1 - BETA_1**step))
            / (np.sqrt(square[name] / (1 - BETA_2**step)) + TINY)
            for name, p in parameters.items()
        }


def train(norm_first, n_steps):
    """Train with the gradients of attnlib; returns the losses, and what was learned."""
    block, parameters = start(norm_first)
    optimizer, losses = adam(parameters), []
    next(optimizer)
    for (words, answers), _ in zip(batches(), range(n_steps)):
        loss, gradients = loss_and_gradients(parameters, block, words, answers)
        losses.append(loss)
        parameters = optimizer.send(gradients)
    return losses, block, parameters


def train_torch(norm_first, n_steps):
    """The same with PyTorch's own layers, automatic differentiation and optimiser."""
    _, parameters = start(norm_first)
    p = {name: torch.tensor(array, requires_grad=True) for name, array in parameters.items()}
    optimizer = torch.optim.Adam(p.values(), RATE, (BETA_1, BETA_2), TINY)
    functional, losses = torch.nn.functional, []

    def norm(x, number):
        gain, bias = p[f"norm_{number}.gain"], p[f"norm_{number}.bias"]
        return functional.layer_norm(x, (D_MODEL,), gain, bias)

    def attend(x):
        heads = (
            (x @ p[f"attention.W_{letter}"]).unflatten(-1, (N_HEADS, -1)).transpose(1, 2)
            for letter in "QKV"
        )
        answered = functional.scaled_dot_product_attention(*heads)
        return answered.transpose(1, 2).flatten(2) @ p["attention.W_O"]

    def think(x):
        hidden = functional.gelu(x @ p["feed_forward.W_1"] + p["feed_forward.b_1"])
        return hidden @ p["feed_forward.W_2"] + p["feed_forward.b_2"]

    for (words, answers), _ in zip(batches(), range(n_steps)):
        x = p["embedding"][torch.tensor(words)] + torch.tensor(sinusoidal(LENGTH, D_MODEL))
        if norm_first:
            x = x + attend(norm(x, 1))
            x = x + think(norm(x, 2))
        else:
            x = norm(x + attend(x), 1)
            x = norm(x + think(x), 2)
        scores = x @ p["readout"] + p["bias"]
        loss = functional.cross_entropy(
            scores.flatten(0, 1), torch.tensor(answers.copy()).flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, p


@pytest.mark.parametrize("norm_first", [False, True], ids=["norm after", "norm before"])
def test_fifty_steps_have_the_losses_of_torch(norm_first):
    losses, _, parameters = train(norm_first, 50)
    expected, p = train_torch(norm_first, 50)
    assert_allclose(losses, expected, atol=1e-8)
    assert abs(losses[0] - losses[-1]) > 0.3  # it is not that nothing moves
    for name, array in parameters.items():
        assert_allclose(array, p[name].detach().numpy(), atol=1e-7, err_msg=name)


def test_training_learns_to_reverse_new_sequences():
    losses, block, parameters = train(False, 250)
    words, answers = next(batches(seed=1))
    scores, _, _, weights = scores_of_words(parameters, block, words)
    assert losses[0] > 1.5 > 0.05 > np.mean(losses[-10:])
    assert (scores.argmax(axis=-1) == answers).mean() > 0.99
    backwards = weights[..., np.arange(LENGTH), np.arange(LENGTH)[::-1]]
    assert backwards.max(axis=1).mean() > 0.6  # in one head each place looks at its mirror image


def test_without_positions_it_cannot_learn_it(monkeypatch):
    """Shuffled words get the same scores shuffled: nothing can say which place is the first."""
    monkeypatch.setitem(globals(), "sinusoidal", lambda n, d: np.zeros((n, d)))
    losses, *_ = train(False, 250)
    assert np.mean(losses[-10:]) > 1
