"""The least time that a computation can take on a machine: its roofline."""

from dataclasses import dataclass

from attnlib import _checks


@dataclass(frozen=True)
class Ceilings:
    r"""The most that a machine can do, as measured on the machine itself.

    Parameters
    ----------
    flops_per_s : float
        Floating-point operations in a second, of a large matrix product.
    bytes_per_s : float
        Bytes read and written in a second, of a large copy.
    exponentials_per_s : float, optional
        Exponentials in a second.  If None, they count as free.

    Raises
    ------
    ValueError
        If a rate is not above 0 and finite.
    TypeError
        If a rate is not a number.

    Notes
    -----
    The two rates meet at the intensity below which the memory is the limit, and above which
    arithmetic is (Williams et al. 2009):

    .. math:: I^* = \frac{\text{FLOPs per second}}{\text{bytes per second}}

    Examples
    --------
    A machine that does 100 operations while it moves 4 bytes:

    >>> Ceilings(flops_per_s=100.0, bytes_per_s=4.0).ridge
    25.0
    """

    flops_per_s: float
    bytes_per_s: float
    exponentials_per_s: float | None = None

    def __post_init__(self):
        for name in ("flops_per_s", "bytes_per_s", "exponentials_per_s"):
            rate = getattr(self, name)
            if rate is None and name == "exponentials_per_s":
                continue
            if _checks.number(rate, name) <= 0:
                raise ValueError(f"{name}={rate} must be above 0. Give how many in a second.")
            object.__setattr__(self, name, float(rate))

    @property
    def ridge(self):
        """FLOPs for each byte at which arithmetic and memory take equally long."""
        return self.flops_per_s / self.bytes_per_s


def roofline_time(operations, bytes, machine, *, exponentials=0):
    r"""Return the least time, in seconds, in which a machine can do some work.

    Parameters
    ----------
    operations : int or float
        Floating-point operations of matrix products.
    bytes : int or float
        Bytes read and written.
    machine : Ceilings
        What the machine can do in a second.
    exponentials : int or float, optional
        Exponentials; they count only where `machine` says how fast it computes them.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    ValueError
        If an amount is negative or not finite.
    TypeError
        If an amount is not a number, or `machine` is not `Ceilings`.

    Notes
    -----
    Arithmetic, memory traffic and exponentials can overlap, so the slowest decides (Williams et al.
    2009):

    .. math:: t = \max\left(\frac{\text{FLOPs}}{\text{FLOPs per second}},
              \frac{\text{bytes}}{\text{bytes per second}},
              \frac{\text{exponentials}}{\text{exponentials per second}}\right)

    Examples
    --------
    600 operations take 6 s, 40 bytes take 10 s: the memory is the limit.

    >>> machine = Ceilings(flops_per_s=100.0, bytes_per_s=4.0)
    >>> roofline_time(600, 40, machine)
    10.0
    """
    return max(roofline_terms(operations, bytes, machine, exponentials=exponentials).values())


def roofline_terms(operations, bytes, machine, *, exponentials=0):
    r"""Return the seconds that arithmetic, memory and exponentials each need alone.

    Parameters
    ----------
    operations, bytes, machine, exponentials
        As for `roofline_time`, with the same errors.

    Returns
    -------
    dict of str to float
        Seconds of ``"operations"``, ``"bytes"`` and ``"exponentials"``.  The largest is the
        limit.

    Notes
    -----
    .. math:: t_x = \frac{x}{x \text{ per second}}

    Examples
    --------
    >>> machine = Ceilings(flops_per_s=100.0, bytes_per_s=4.0)
    >>> roofline_terms(600, 40, machine)
    {'operations': 6.0, 'bytes': 10.0, 'exponentials': 0.0}
    """
    _checks.instance(machine, "machine", Ceilings)
    amounts = {"operations": operations, "bytes": bytes, "exponentials": exponentials}
    for name, amount in amounts.items():
        amounts[name] = _checks.number(amount, name)
        if amounts[name] < 0:
            raise ValueError(f"{name}={amount} is negative. Give an amount of work.")
    rates = (machine.flops_per_s, machine.bytes_per_s, machine.exponentials_per_s)
    return {
        name: 0.0 if rate is None else amount / rate
        for (name, amount), rate in zip(amounts.items(), rates)
    }
