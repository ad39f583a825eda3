"""Wrong divisors on the way back from the scores, which two exercises share."""

from attnlib.exercises import Mistake

#: Name -> what stands in the place of √d_k, and what to say of it.
WRONG = {
    "no_scale": (
        lambda d_k: 1.0,
        "The 1/√d_k is missing on the way back. It stands in the scores, s = q · k / √d_k, so it "
        "is a factor of every derivative that comes back through them.",
    ),
    "scaled_twice": (
        lambda d_k: d_k,
        "The 1/√d_k is applied twice on the way back. It stands once in the scores, so it comes "
        "back once.",
    ),
    "times_root": (
        lambda d_k: d_k**-0.5,
        "On the way back you multiply by √d_k. A factor stays what it is: the scores are 1/√d_k "
        "times the dot products, so 1/√d_k comes back.",
    ),
}


def scale_mistakes(in_place):
    """A `Mistake` for each, in an answer that `in_place` makes of the wrong divisor."""
    return [Mistake(name, in_place(divisor), says) for name, (divisor, says) in WRONG.items()]
