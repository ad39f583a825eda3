"""Features whose dot products stand in for the exponential of a score."""

import numpy as np

from attnlib import _checks
from attnlib._boundary import checked


@checked(X=_checks.numbers)
def elu_plus_one(X):
    r"""Make each entry positive: x + 1 above 0, the exponential of x below.

    Parameters
    ----------
    X : array_like, any shape
        Numbers.

    Returns
    -------
    ndarray, same shape as `X`
        Features; 0 where the exponential is too small for the number type.

    Notes
    -----
    The features of linear attention in its first form (Katharopoulos et al. 2020):

    .. math:: \phi(x) = \max(x, 0) + e^{\min(x, 0)}

    Examples
    --------
    >>> elu_plus_one([0, 2])
    array([1., 3.])
    """
    return np.maximum(X, 0) + np.exp(np.minimum(X, 0))


@checked(rng=_checks.generator, d_k=_checks.count, n_features=_checks.count)
def random_features(rng, d_k, n_features):
    r"""Draw a feature map whose dot products estimate the exponentials of scaled scores.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where the directions come from.
    d_k : int
        Length of a query and of a key.
    n_features : int
        Number of directions; the error falls with its square root.

    Returns
    -------
    callable
        Takes rows of length `d_k` and returns rows of `n_features` positive features.

    Notes
    -----
    For a normal direction ω the mean of the product is exact (Choromanski et al. 2021):

    .. math:: e^{\q{q} \cdot \k{k} / \sqrt{d_k}} =
              \mathbb{E}_\omega\left[\phi_\omega(\q{q}) \, \phi_\omega(\k{k})\right], \qquad
              \phi_\omega(x) = \exp\left(\omega \cdot z - \tfrac12 |z|^2\right), \quad
              z = x / d_k^{1/4}

    The directions are drawn in groups of `d_k` that are orthogonal to each other: their errors
    cancel somewhat better than those of independent ones.

    Examples
    --------
    >>> import numpy as np
    >>> features = random_features(np.random.default_rng(0), 2, 4000)
    >>> q, k = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])
    >>> estimate = (features(q) @ features(k).T)[0, 0]
    >>> round(float(estimate), 1), round(float(np.exp(0.5 / 2**0.5)), 1)
    (1.4, 1.4)
    """
    groups = [_orthogonal(rng, d_k) for _ in range(0, n_features, d_k)]
    directions = np.concatenate(groups, axis=1)[:, :n_features]

    def as_drawn(X):
        if X.shape[-1] != d_k:
            raise ValueError(
                f"X has shape {X.shape}, but the features were drawn for rows of {d_k} entries."
            )

    @checked(also=as_drawn, X="(..., n, d)")
    def features(X):
        """Return the positive features of each row of `X`."""
        z = X * d_k**-0.25
        exponents = z @ directions.astype(X.dtype) - (z * z).sum(axis=-1, keepdims=True) / 2
        # A row so long that its square overflows: the square counts more than the product.
        exponents[np.isnan(exponents)] = -np.inf
        return np.exp(exponents) * n_features**-0.5

    return features


def _orthogonal(rng, d):
    """Draw d directions at right angles, each by itself distributed like a normal vector."""
    basis, triangle = np.linalg.qr(rng.normal(size=(d, d)))
    basis *= np.sign(triangle.diagonal())  # or the first entries would all have one sign
    return basis * np.linalg.norm(rng.normal(size=(d, d)), axis=0)
