"""A vision transformer in NumPy, and several answers to the question where it looks."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked
from attnlib._shapes import Shape
from attnlib.blocks import EncoderBlock, LayerNorm
from attnlib.data.digits import patches
from attnlib.networks import _eight_bits
from attnlib.parameters import Parameters, Part, Parts


def refuse_other_sizes(self, images, **_):
    """Refuse images that have another number of patches than there are places."""
    size = round(len(self.W_E) ** 0.5)
    if patches(images, size).shape[-2] != len(self.P):
        raise ValueError(
            f"images has shape {images.shape}: in patches of {size} × {size} that is not the "
            f"{len(self.P)} patches for which there are places in P."
        )


class VisionTransformer(Parameters):
    r"""Classify pictures by attention among their patches.

    Parameters
    ----------
    W_E : array_like
        Makes an item of the pixels of a patch.
    P : array_like
        A row for each place, which is added to the item there.
    blocks : sequence of EncoderBlock
        The blocks, in order.
    norm : LayerNorm
        The normalisation at the end.
    U : array_like
        A column for each class.
    b : array_like
        The score of each class before anything is seen.

    Notes
    -----
    A vision transformer (Dosovitskiy et al. 2021) that reads the mean of all items; the original
    reads one item more, the class token.

    .. math:: X = \mathrm{patches}(\mathrm{image}) \, W_E + P, \qquad
              Y = \mathrm{norm}(\mathrm{block}_N( \dots \mathrm{block}_1(X)))

    .. math:: \mathrm{logits} = \tfrac{1}{n} \sum_i Y_i \, U + b

    Examples
    --------
    >>> from attnlib.data import split_digits
    >>> _, (images, labels) = split_digits()
    >>> logits, weights = VisionTransformer.trained()(images[:3])
    >>> logits.shape, weights.shape
    ((3, 10), (2, 3, 4, 16, 16))
    """

    W_E: Shape("(d_patch, d_model)")
    P: Shape("(n_patches, d_model)")
    blocks: Parts(EncoderBlock, d_model="d_model")
    norm: Part(LayerNorm, d="d_model")
    U: Shape("(d_model, n_classes)")
    b: Shape("(n_classes,)")

    @classmethod
    def trained(cls):
        """Return the transformer that comes with the book, trained on 1,300 digits."""
        return _eight_bits.read(cls, "vision")

    @checked(also=refuse_other_sizes, images="(..., height, width)")
    def embed(self, images):
        """Make the items of pictures, shape (..., n_patches, d_model)."""
        size = round(len(self.W_E) ** 0.5)
        return patches(images, size) @ self.W_E + self.P

    @checked(X="(..., n_items, d_model)")
    def read(self, X):
        """Classify pictures by their items, of which some may be left out.

        Parameters
        ----------
        X : array_like, shape (..., n, d_model)
            Items made by `embed`.

        Returns
        -------
        logits : ndarray, shape (..., n_classes)
        weights : ndarray, shape (n_blocks, ..., n_heads, n, n)
        """
        weights = []
        for block in self.blocks:
            X, seen = block(X)
            weights.append(seen)
        return self.norm(X).mean(axis=-2) @ self.U + self.b, np.stack(weights)

    @checked(also=refuse_other_sizes, images="(..., height, width)")
    def __call__(self, images):
        """Return what `read` does for ``images``, shape (..., height, width)."""
        return self.read(self.embed(images))


def all_blocks(weights, name):
    """Return weights of shape (n_blocks, ..., n_heads, n, n)."""
    weights = _checks.numbers(weights, name)
    if weights.ndim < 4 or weights.shape[-1] != weights.shape[-2] or not weights.size:
        raise ValueError(
            f"{name} has shape {weights.shape}, expected (n_blocks, ..., n_heads, n, n): those of "
            f"all blocks of a network."
        )
    return weights


@checked(weights=all_blocks)
def looked_at(weights):
    """Say how much all heads and patches of the last block look at each patch, on average.

    Parameters
    ----------
    weights : ndarray, shape (n_blocks, ..., n_heads, n, n)

    Returns
    -------
    ndarray, shape (..., n)
        Adds up to 1.

    Examples
    --------
    >>> looked_at(np.array([[[[0.2, 0.8], [0.6, 0.4]]]]))
    array([0.4, 0.6])
    """
    return weights[-1].mean(axis=(-3, -2))


@checked(weights=all_blocks, identity=_checks.boolean)
def rollout(weights, identity=True):
    r"""Follow the weights of the mean head through all blocks, down to the patches.

    Parameters
    ----------
    weights : ndarray, shape (n_blocks, ..., n_heads, n, n)
    identity : bool, optional
        Whether half of each step goes past the attention, as the residual does.

    Returns
    -------
    ndarray, shape (..., n)
        The share of each patch, the mean over all items at the end; adds up to 1.

    Notes
    -----
    Attention rollout (Abnar and Zuidema 2020), with W the mean over heads:

    .. math:: R = \hat W_N \cdots \hat W_1, \qquad \hat W_l = \tfrac{1}{2} (W_l + I)

    Examples
    --------
    >>> one = np.array([[0.0, 1.0], [0.0, 1.0]])
    >>> rollout(one[None, None])
    array([0.25, 0.75])
    >>> rollout(one[None, None], identity=False)
    array([0., 1.])
    """
    total = same = np.eye(weights.shape[-1], dtype=weights.dtype)
    for W in weights.mean(axis=-3):
        total = ((W + same) / 2 if identity else W) @ total
    return total.mean(axis=-2)


@checked(
    also=lambda model, images, **_: refuse_other_sizes(model, images),
    model=VisionTransformer,
    images="(..., height, width)",
    cover="(n_patches, d_patch)",
)
def effects(model, images, cover=None):
    """Say how much of the lead of its own answer a model loses, for each patch that is taken away.

    The lead is the logit of the class that the whole picture gets, less the largest of the others;
    the answer changes where the effect is more than the lead.

    Parameters
    ----------
    model : VisionTransformer
    images : array_like, shape (..., 8, 8)
    cover : array_like, shape (n_patches, d_patch), optional
        What each patch shows when it is covered.  Without it the patch's item is left out, so
        that nobody can attend to it.

    Returns
    -------
    ndarray, shape (..., n_patches)
        The lead with the whole picture, less the lead without the patch.

    Examples
    --------
    >>> from attnlib.data import split_digits
    >>> _, (images, labels) = split_digits()
    >>> effects(VisionTransformer.trained(), images[:3]).shape
    (3, 16)
    """
    rows = patches(images, round(len(model.W_E) ** 0.5))
    whole = model.read(rows @ model.W_E + model.P)[0]
    is_answer = np.arange(whole.shape[-1]) == whole.argmax(axis=-1)[..., None]

    drops = []
    for j in range(rows.shape[-2]):
        if cover is None:
            X = np.delete(rows @ model.W_E + model.P, j, axis=-2)
        else:
            changed = rows.astype(np.result_type(rows, cover))
            changed[..., j, :] = cover[j]
            X = changed @ model.W_E + model.P
        drops.append(lead(whole, is_answer) - lead(model.read(X)[0], is_answer))
    return np.stack(drops, axis=-1)


def truths(x, name):
    """Return `x` as an array of truth values."""
    x = _checks.any_array(x, name)
    if x.dtype != bool:
        raise TypeError(f"{name} holds {x.dtype}, but must be boolean, True at one class a row.")
    return x


def _refuse_other_answers(logits, is_answer):
    one = is_answer.shape == logits.shape and (is_answer.sum(axis=-1) == 1).all()
    if not one or logits.shape[-1] < 2:
        raise ValueError(
            f"is_answer has shape {is_answer.shape} and logits {logits.shape}. Give both the same, "
            f"of two classes or more, and let is_answer be True at one class a row."
        )


@checked(also=_refuse_other_answers, logits="(..., n_classes)", is_answer=truths)
def lead(logits, is_answer):
    """Say how far the logit of one class is ahead of the largest other one.

    Parameters
    ----------
    logits : array_like
        A score for each class.
    is_answer : array_like of bool, shape (..., n_classes)
        True at one class of each row.

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> lead(np.array([2.0, 5.0, 4.5]), np.array([False, True, False]))
    np.float64(0.5)
    """
    others = np.where(is_answer, -np.inf, logits).max(axis=-1)
    return np.where(is_answer, logits, 0).sum(axis=-1) - others


@checked(a="(..., n_patches)", b="(..., n_patches)")
def rank_correlation(a, b):
    """Say how alike two maps order their patches, from −1 to 1; equal values share their mean rank.

    Parameters
    ----------
    a, b : array_like
        A number for each patch.

    Returns
    -------
    ndarray, shape (...)
        0 where all numbers of a map are equal.

    Examples
    --------
    >>> rank_correlation([[1, 5, 9]], [[0, 3, 4], [4, 3, 0]]).round(2)
    array([ 1., -1.])
    """
    a, b = (_ranks(x) for x in (a, b))
    a, b = (x - x.mean(axis=-1, keepdims=True) for x in (a, b))
    size = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return (a * b).sum(axis=-1) / np.where(size > 0, size, 1)


def _ranks(x):
    below = (x[..., None, :] < x[..., None]).sum(axis=-1)
    equal = (x[..., None, :] == x[..., None]).sum(axis=-1)
    return (below + (equal - 1) / 2).astype(x.dtype)
