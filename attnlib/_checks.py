"""Checks on arguments, shared by all of attnlib.

Each check hands its argument back ready to use, or raises an error that names the argument, says
what was found, and says what to do about it.
"""

import numbers

import numpy as np


def _array(x, name):
    """Return `x` as an array of whatever it holds."""
    try:
        return np.asarray(x)
    except ValueError:
        raise ValueError(f"{name} is ragged: give all its rows the same length.") from None


def real_array(x, name):
    """Return `x` as floats: float32 is kept, every other real type becomes float64."""
    array = _array(x, name)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"{name} holds {array.dtype}, but only integers and floats can be used here. "
            f"If the conversion means something, do it first: {name}.astype(float)."
        )
    return array if array.dtype == np.float32 else array.astype(np.float64, copy=False)


def finite(array, name, *, minus_inf=False):
    """Return `array` if it holds no NaN and no infinity (-inf may be allowed)."""
    bad = ~np.isfinite(array)
    if minus_inf:
        bad &= array != -np.inf
    if bad.any():
        index = first_index(bad)
        also = ", or -inf where a key may not be attended to" if minus_inf else ""
        raise ValueError(
            f"{name} of shape {array.shape} holds {array[index]} at index {show(index)}. "
            f"Give it finite numbers{also}."
        )
    return array


def first_index(found):
    """Return the index of the first True of a boolean array, as a tuple."""
    return tuple(int(i) for i in np.argwhere(found)[0])


def show(index):
    """Write an index as a reader would: ``2`` on one axis, ``(0, 2)`` on several."""
    return str(index[0]) if len(index) == 1 else str(index)


def matrix(x, name, layout):
    """Return `x` as a finite float array of rows, with any number of axes before them."""
    array = real_array(x, name)
    if array.ndim < 2:
        raise ValueError(
            f"{name} has shape {array.shape}, but needs at least two axes, {layout}, one row for "
            f"each item. Write a single vector q as one row, q[None, :]."
        )
    if array.shape[-1] == 0:
        raise ValueError(f"{name} has shape {array.shape}: its rows are empty. Give them entries.")
    return finite(array, name)


def queries_and_keys(Q, K):
    """Return `Q` and `K` as matrices whose leading axes broadcast; there is at least one key."""
    Q = matrix(Q, "Q", "(..., n_q, d_k)")
    K = matrix(K, "K", "(..., n_k, d_k)")
    if K.shape[-2] == 0:
        raise ValueError(f"K has shape {K.shape}: there are no keys. Give at least one.")
    scores_shape(Q, K)
    return Q, K


def values(V, Q, K):
    """Return `V` as a matrix with one row for each key."""
    V = matrix(V, "V", "(..., n_k, d_v)")
    if V.shape[-2] != K.shape[-2]:
        raise ValueError(
            f"K has shape {K.shape} and V has shape {V.shape}, so {K.shape[-2]} keys meet "
            f"{V.shape[-2]} values. Give one value (a row of V) for each key (a row of K)."
        )
    _leading_axes(Q=Q, K=K, V=V)
    return V


def scores_shape(Q, K):
    """Return the shape that the scores of `Q` and `K` must have, (..., n_q, n_k)."""
    return (*_leading_axes(Q=Q, K=K), Q.shape[-2], K.shape[-2])


def _leading_axes(**arrays):
    """Return the axes before the last two, broadcast over all `arrays`."""
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name} has shape {array.shape}" for name, array in arrays.items())
        raise ValueError(
            f"{found}: the axes before the last two do not broadcast. "
            f"Make them equal, or 1 where one array serves all."
        ) from None


def returned(array, name, shape, *, minus_inf=False):
    """Return what the caller's own function `name` gave back, if attention can go on with it."""
    array = real_array(array, f"the result of {name}")
    if array.shape != shape:
        raise ValueError(
            f"{name} returned shape {array.shape}, expected {shape}: one row for each query, one "
            f"column for each key. Let {name} return one number for each pair."
        )
    return finite(array, f"the result of {name}", minus_inf=minus_inf)


def boolean_mask(mask, shape):
    """Return `mask` broadcast to the scores' `shape`."""
    mask = _array(mask, "mask")
    if mask.dtype != bool:
        raise TypeError(
            f"mask holds {mask.dtype}, but must be boolean, True where a query may attend to a "
            f"key. Turn ones and zeros into it with mask == 1."
        )
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"mask has shape {mask.shape}, which does not broadcast to the scores' shape {shape}, "
            f"(..., n_q, n_k). A mask of keys alone, (batch, n_k), becomes mask[:, None, :]."
        ) from None


def normalizer_arguments(scores, axis, temperature):
    """Return the scores as floats, the axis counted from the front, the temperature as a float."""
    scores = finite(real_array(scores, "scores"), "scores", minus_inf=True)
    if not -scores.ndim <= _integer(axis, "axis") < scores.ndim:
        raise ValueError(
            f"axis={axis} is out of range for scores of shape {scores.shape}. "
            f"Choose one of its {scores.ndim} axes; scores need at least one."
        )
    axis = int(axis) % scores.ndim
    if scores.shape[axis] == 0:
        raise ValueError(f"scores has shape {scores.shape}: axis {axis} is empty. Give it scores.")
    lost = (scores == -np.inf).all(axis=axis)
    if lost.any():
        index = [str(i) for i in first_index(lost)]
        index.insert(axis, ":")
        raise ValueError(
            f"scores[{', '.join(index)}] is -inf throughout (scores has shape {scores.shape}): "
            f"there is nothing to attend to. Leave at least one score finite."
        )
    return scores, axis, _positive_temperature(temperature, scores.dtype)


def number(x, name):
    """Return `x` as a finite Python float, which keeps float32 arrays float32."""
    if not isinstance(x, numbers.Real) or isinstance(x, bool):
        raise TypeError(f"{name} must be one real number, not {x!r}. Give, say, {name}=0.5.")
    if not np.isfinite(x):
        raise ValueError(f"{name}={x} is not finite. Give, say, {name}=0.5.")
    return float(x)


def _positive_temperature(temperature, dtype):
    """Return `temperature` as a float above 0 that `dtype` can hold."""
    temperature = number(temperature, "temperature")
    limits = np.finfo(dtype)
    if not limits.tiny <= temperature <= limits.max:
        raise ValueError(
            f"temperature={temperature} must be above 0 and in the range of {dtype}. "
            f"Give a small positive number for sharp weights, or use hardmax."
        )
    return temperature


def count(n, name, least=1):
    """Return `n` as an int that is at least `least`."""
    if _integer(n, name) < least:
        raise ValueError(f"{name}={n} is too small. Give an integer of at least {least}.")
    return int(n)


def _integer(n, name):
    """Return `n` if it is an integer; True and 1.0 are not."""
    if not isinstance(n, numbers.Integral) or isinstance(n, bool):
        raise TypeError(f"{name} must be an integer, not {n!r}.")
    return n
