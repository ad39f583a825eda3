"""The residual part of a block: a layer whose output is added to its items, with a norm."""

from attnlib._pullbacks import summed_to


def residual(norm_first, norm, layer, X):
    r"""Add to the items what a layer makes of them, normalised before the layer or after the sum.

    ``layer(X)`` returns its output, whatever else it has to tell (weights), and its pullback.  So
    does this function; its pullback returns the derivatives by items and norm, then the others
    that the pullback of the layer returns:

    .. math:: Y = X + \mathrm{layer}(\mathrm{norm}(X)), \qquad
              Y = \mathrm{norm}(X + \mathrm{layer}(X))
    """
    if norm_first:
        N, back_norm = norm.with_pullback(X)
        added, *told, back_layer = layer(N)
        Y = X + added
    else:
        added, *told, back_layer = layer(X)
        Y, back_norm = norm.with_pullback(X + added)

    def back(d_Y):
        if norm_first:
            d_N, *d_layer = back_layer(d_Y)
            d_X, d_norm = back_norm(d_N)
        else:
            d_Y, d_norm = back_norm(d_Y)
            d_X, *d_layer = back_layer(d_Y)
        return d_X + summed_to(d_Y, d_X.shape), d_norm, *d_layer  # a sum hands on to both terms

    return Y, *told, back
