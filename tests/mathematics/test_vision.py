"""Digits and their patches, the vision transformer in NumPy and PyTorch, and where it looks."""

import hashlib
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from attnlib.data.digits import joined, load_digits, patches, split_digits
from attnlib.experiments.training import seeded
from attnlib.experiments.vision import (
    KINDS,
    VisionNetwork,
    accuracy,
    patches_of,
    train_classifier,
)
from attnlib.networks import VisionTransformer, _eight_bits, vision

DIGEST = "68aea062d35a127749050fa0e52dca09d6569ac08092c925610e0954e172dde2"


def network(**options):
    with seeded(3):
        return VisionNetwork(d_model=12, n_heads=3, d_ff=20, **options).double()


def model():
    return network().twin()


def test_the_digits_are_those_of_scikit_learn():
    images, labels = load_digits()
    whole = np.hstack([16 * images.reshape(-1, 64), labels[:, None]]).astype(np.uint8)
    assert hashlib.sha256(whole.tobytes()).hexdigest() == DIGEST
    if find_spec("sklearn"):
        from sklearn import datasets

        known = datasets.load_digits()
        assert_array_equal(16 * images, known.images)
        assert_array_equal(labels, known.target)


def test_both_parts_of_a_split_are_all_digits():
    images, _ = load_digits()
    (some, _), (others, wanted) = split_digits(4)
    assert len(some) == 1300 and len(others) == len(wanted) == 497
    both = np.concatenate([some, others]).reshape(-1, 64)
    assert_array_equal(np.unique(both, axis=0), np.unique(images.reshape(-1, 64), axis=0))
    assert not np.array_equal(others, split_digits(5)[1][0])


@pytest.mark.parametrize(("shape", "size"), [((4, 6), 2), ((9, 6), 3), ((2, 5, 4, 8), 2)])
def test_patches_are_squares_line_by_line(shape, size):
    images = np.random.default_rng(0).normal(size=shape)
    height, width = shape[-2:]
    loop = [
        images[..., i : i + size, j : j + size].reshape(*shape[:-2], -1)
        for i in range(0, height, size)
        for j in range(0, width, size)
    ]
    assert_array_equal(patches(images, size), np.stack(loop, axis=-2))
    assert_array_equal(patches_of(torch.tensor(images), size).numpy(), np.stack(loop, axis=-2))


def test_patches_are_joined_again():
    images, _ = load_digits()
    assert_array_equal(joined(patches(images[:5])), images[:5])
    wide = np.arange(400).reshape(2, 10, 20)
    assert_array_equal(joined(patches(wide, 5), 5, shape=(10, 20)), wide)
    for shape in (None, (20, 20), (8, 25)):
        with pytest.raises(ValueError, match=r"8 patches of side 5 make no picture of \d+ × \d+"):
            joined(patches(wide, 5), 5, shape)


@pytest.mark.parametrize("shape", [(7, 8), (8, 7)])
def test_pictures_that_cannot_be_cut_are_refused(shape):
    with pytest.raises(ValueError, match="cannot be cut into patches of side 2"):
        patches(np.zeros(shape))


def test_numpy_and_pytorch_agree():
    ours, theirs = model(), network()
    images = load_digits()[0][:6]
    logits, weights = ours(images)
    assert_allclose(logits, theirs(torch.tensor(images)).detach().numpy(), atol=1e-12)
    assert weights.shape == (2, 6, 3, 16, 16)
    assert_allclose(weights.sum(axis=-1), 1)


def test_eight_bits_keep_every_parameter_to_half_a_unit():
    ours = model()
    again = _eight_bits.unpacked(VisionTransformer, _eight_bits.packed(ours))
    assert again.blocks[0].attention.n_heads == 3
    for name, array in again.parameters().items():
        known = ours.parameters()[name]
        assert_allclose(array, known, atol=abs(known).max() / 253, rtol=0)


def test_without_places_the_order_of_patches_changes_nothing():
    ours = model()
    rows = patches(load_digits()[0][0])
    order = np.random.default_rng(1).permutation(16)
    bag, shuffled = (ours.read(some @ ours.W_E)[0] for some in (rows, rows[order]))
    assert_allclose(bag, shuffled, atol=1e-12)
    placed, moved = (ours.read(some @ ours.W_E + ours.P)[0] for some in (rows, rows[order]))
    assert abs(placed - moved).max() > 1e-3


def test_flat_readout_knows_places_at_the_end():
    flat = network(readout="flat", positions=False)
    images = torch.tensor(load_digits()[0][:3])
    turned = torch.flip(images, [-1])
    assert flat(images).shape == (3, 10)
    assert not torch.allclose(flat(images), flat(turned))


def test_maps_by_loops():
    _, weights = model()(load_digits()[0][:2])
    for b in range(2):
        seen, paths = np.zeros(16), [np.zeros((16, 16)) for _ in range(2)]
        for h in range(3):
            seen += weights[1, b, h].sum(axis=0) / 48
            for block in range(2):
                paths[block] += weights[block, b, h] / 3
        assert_allclose(vision.looked_at(weights)[b], seen)
        assert_allclose(vision.looked_at(weights[:, b]), seen)
        one, two = ((W + np.eye(16)) / 2 for W in paths)
        assert_allclose(vision.rollout(weights)[b], (two @ one).mean(axis=0))
        bare = vision.rollout(weights, identity=False)[b]
        assert_allclose(bare, (paths[1] @ paths[0]).mean(axis=0))


@pytest.mark.parametrize("cover", [None, np.full((16, 4), 0.3)])
def test_effects_are_drops_of_the_lead(cover):
    ours, images = model(), load_digits()[0][:2]
    drops = vision.effects(ours, images, cover)
    for image, of_image in zip(images, drops):
        whole = ours(image)[0]
        for j in (0, 7, 15):
            X = ours.embed(image)
            if cover is None:
                X = np.delete(X, j, axis=0)
            else:
                X[j] = cover[j] @ ours.W_E + ours.P[j]
            less = ours.read(X)[0]
            answer = whole.argmax()
            ahead = [x[answer] - np.delete(x, answer).max() for x in (whole, less)]
            assert_allclose(of_image[j], ahead[0] - ahead[1], atol=1e-12)


def test_rank_correlation_shares_ranks():
    assert_allclose(vision.rank_correlation([1, 1, 2], [1, 2, 3]), np.sqrt(3) / 2)
    expected = np.corrcoef([0.5, 0.5, 2, 3], [0, 1, 2, 3])[0, 1]
    assert_allclose(vision.rank_correlation([4, 4, 6, 9], [1, 2, 3, 4]), expected)
    assert vision.rank_correlation([1, 1, 1], [1, 2, 3]) == 0
    a, b = np.random.default_rng(0).integers(4, size=(2, 4, 3))
    alone = [vision.rank_correlation(*rows) for rows in zip(a, b)]
    assert_allclose(vision.rank_correlation(a, b), alone)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_learns(kind):
    (images, labels), _ = split_digits()
    some = images[:40], labels[:40]
    assert accuracy(train_classifier(kind, *some, steps=60), *some) > 0.6


def test_the_stored_transformer_reads_digits():
    _, (images, labels) = split_digits()
    logits, _ = vision.VisionTransformer.trained()(images)
    assert (logits.argmax(axis=1) == labels).mean() > 0.95
