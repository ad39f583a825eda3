"""What the checker says by itself of an answer, in whatever exercise it is given."""

import functools
import sys
from dataclasses import replace

import numpy as np
import pytest

import attnlib
from attnlib import softmax
from attnlib.exercises import Case, Exercise, Mistake, examine
from attnlib.exercises.engine.showing import show


def exercise(signature, reference, *cases, **changes):
    """An exercise with a case for each tuple of arguments, called first, second and third."""
    cases = [Case(kind, args) for kind, args in zip(("first", "second", "third", "last"), cases)]
    words = dict(
        task=f"Write {signature}.", returns="an array of shape (n,)", why="So it is.",
        general="Unknown.", definition="As defined.",
    )  # fmt: skip
    return Exercise(
        **words | dict(signature=signature, reference=reference, cases=tuple(cases)) | changes
    )


def arrays(*rows):
    return tuple(map(np.array, rows))


SQUARE = Mistake("square", lambda x: x**2, "This is the square.")
SHORT = exercise("double(x)", lambda x: 2 * x, arrays([3.0]), arrays([1.0, 4.0]),
                 mistakes=(SQUARE,))  # fmt: skip
DOUBLE = exercise("double(x)", lambda x: 2 * x, arrays([2.0, 3.0]), arrays([1.0, 4.0, -1.0]),
                  mistakes=(SQUARE,))  # fmt: skip
RARE = replace(DOUBLE, cases=(*DOUBLE.cases, Case("none", (np.zeros(0),), rare=True)))
NOTHING_LATER = Mistake(
    "m", lambda x: None if len(x) == 3 else x**2, "This is the square, or nothing."
)
NONES = replace(DOUBLE, mistakes=(NOTHING_LATER,))
COUNTED = exercise("double(x)", lambda x: 2 * x, arrays([2, 3]), arrays([1, 4, 7]))
WIDE = exercise("same(x)", lambda x: x + 0, arrays([1e6, 1.0]))
POWER = exercise("power(x, y)", lambda x, y: x**y, arrays([2.0, 3.0], [3.0, 1.0]),
                 arrays([1.0, 5.0], [2.0, 2.0]))  # fmt: skip
#: A truth value cannot be sorted, and what ignores it is no answer for a sorted one.
MASKED = exercise("masked(x, causal)", lambda x, causal: x**2 if causal else x + 1,
                  (np.array([2.0, 3.0]), False), (np.array([2.0]), True))  # fmt: skip
ADD = exercise("add(a, b)", lambda a, b: float(a @ b), (np.ones(2), np.ones(2)),
               returns="a single number")  # fmt: skip
TABLE = exercise("table(x, y)", np.outer, arrays([1.0, 2.0], [3.0, 5.0]),
                 arrays([1.0, 2.0, 4.0], [3.0, 5.0]), returns="an array (n, m)")  # fmt: skip
LATER = exercise("later(x)", lambda x: x > 1, arrays([1.0, 2.0]), arrays([3.0, 1.0, 0.0]),
                 truth=True, mistakes=(Mistake("ones", lambda x: x == 1, "Only the ones."),)
                 )  # fmt: skip
ONE = replace(LATER, returns="a truth value", reference=lambda x: bool(x[0] > 1),
              mistakes=(Mistake("last", lambda x: x[-1] > 1, "Only the last."),))  # fmt: skip
THIRDS = exercise("third(x)", lambda x: x / 3, arrays([3.0]), arrays([1.0, 4.0]))
LARGE = replace(THIRDS, reference=lambda x: 200 * x / 3)
OWN = exercise("weights(x)", lambda x: np.exp(x) / np.exp(x).sum(), arrays([2.0, 3.0]),
               arrays([1.0, 4.0, -1.0]), own=True)  # fmt: skip
COST = exercise("cost(n, d, bias)", lambda n, d, bias: 4 * n * d**2 + 3 * n**2 * d + d * bias,
                (3, 2, False), (5, 7, True), (4, 3, True), (2, 9, True),
                returns="a single number")  # fmt: skip
CALLS = exercise("call(f, x)", lambda f, x: f(x), (np.negative, 2.0), (abs, -3.0))

S = arrays([[1.0, 2.0], [0.5, -1.0]], [[0.3, 1.0, 2.0], [2.0, -1.0, 0.0], [1.0, 1.5, 0.2]])
MASKED_S = (np.where(np.tri(3, dtype=bool), S[1], -np.inf),)
SOFTMAX = exercise("weigh(S)", lambda S: softmax(S), S[:1], S[1:], MASKED_S,
                   returns="an array (n, n)")  # fmt: skip
SCALED = exercise(
    "weigh(S)", lambda S: softmax(S / len(S) ** 0.5), (np.ones((1, 1)),), S[:1], S[1:]
)
SHARES = exercise("shares(s)", softmax, (S[1][0],), (S[1][1] - 3,))

FACTOR, kept = 2.0, []


def stub_with_a_gap(x):
    weights = ...
    return weights @ x


def pass_stub(x):
    pass


def forgets(x):
    x = 2 * x


def inside_an_if(x):
    for a in x:
        if a > 9:
            return 2 * x


def joins(x):
    return np.concatenate(x, x)


def multiplies_what_is_joined(x):
    return np.concatenate([x, x]) @ np.ones(1)


def adds_in_place(x):
    x += 0.5
    return x


def larger_of_two(x):
    return max(x, 2 * x)


def adds_lengths(x):
    return x + np.ones(len(x) + 1)


def divides_by_a_flat_sum(x, y):
    table = np.outer([*x, 1], y)
    return table / table.sum(axis=1)


def single(x):
    return 2.000005 * x * np.float32(1).astype(float)


def unbound(x):
    if x[0] > 99:
        y = x
    return y


def of_helper(x):
    return helper(x + 1)


def helper(y):
    raise KeyError("weights")


def inverse(x):
    return np.linalg.inv(x)


def recursion(x):
    return recursion(x)


def by_levels(x):
    return [x[a] for a in x]


def root(x):
    return 2 * x + np.sqrt(-x)


def remembers(x):
    kept.extend(x)
    return np.array(kept)


def raising(error):
    def double(x):
        raise error

    return double


def in_place(function, back=True):
    def double(x):
        x[:] = function(x)
        return x if back else None

    return double


class Unprintable(Exception):
    def __str__(self):
        raise ValueError


PASSED = "Passed. double is right on 2 cases. So it is."
STUB = "Not attempted yet. The body is still empty."
NOTHING = "Not attempted yet. double is still empty."
HERE = "It should return an array of shape (n,), here (1,);"
ONE_AXIS = "here (2, 2); an array of shape "

REPLIES = [
    # Right, also within the tolerance, of another type, under another name.
    (SHORT, lambda x: x + x, PASSED),
    (SHORT, lambda x: 2 * x + 1e-9, PASSED),
    (SHORT, lambda x: (2 * x).astype(np.float32), PASSED),
    (SHORT, functools.partial(np.multiply, 2), PASSED),
    (ADD, lambda u, v, scale=1: u @ v, "Passed."),
    (ADD, lambda *args: np.array(args[0] @ args[1]), "Passed."),
    (ADD, np.dot, "Passed."),
    (OWN, OWN.reference, "Passed."),
    (ONE, lambda x: x[0] > 1, "Passed."),
    (TABLE, lambda x, y: np.outer(x, y).tolist(), "Passed."),
    (TABLE, lambda x, y: [a * y for a in x], "You return a list; np.array(…) turns it into"),
    # Right, and yet not.
    (OWN, lambda x: softmax(x), "The result is right, but softmax comes from attnlib"),
    (OWN, softmax, "The result is right, but softmax comes from attnlib"),
    (OWN, lambda x: attnlib.softmax(x), "The result is right, but attnlib comes from attnlib"),
    (SHORT, in_place(lambda x: 2 * x), "The result is right, but double changes its argument x in"),
    (LATER, lambda x: (x > 1).astype(float), "The result would be right as 0 and 1, but the task"),
    # Unfinished.
    (SHORT, None, NOTHING),
    (SHORT, ..., NOTHING),
    (SHORT, lambda x: None, STUB),
    (SHORT, lambda x: ..., "Not attempted yet. Replace the ... that it returns."),
    (SHORT, raising(NotImplementedError("to do")), STUB),
    (SHORT, pass_stub, STUB),
    (SHORT, stub_with_a_gap, "Replace the ... that is still in its body."),
    # No function of these arguments.
    (SHORT, np.ones(1), "You passed an array of shape (1,) instead of the function double(x)."),
    (SHORT, lambda x, y: x, "double is called as double(x), but its arguments are (x, y)."),
    (ADD, lambda b, a: a @ b, "but its arguments are (b, a). The order matters."),
    # A known mistake, with the case and what it lacks; wrong on some cases only.
    (SHORT, lambda x: x * x, "Not right yet. This is the square.\n\nThe smallest input on which it "
     "goes wrong:\n\n    x = [3.]\n    double(x) returned\n    [9.]\n\nAs defined."),
    (SHORT, lambda x: x**2 if len(x) == 1 else x + 5, "Unknown."),
    (SHORT, lambda x: 2 * x if len(x) == 1 else 3 * x, "x = [1. 4.]"),
    (SHORT, lambda x: 2 * x if len(x) == 1 else 3 * x, "It is right for first, wrong for second."),
    (SHORT, in_place(lambda x: x + 1), "Also, double changes its argument x in place"),
    (DOUBLE, lambda x: x**2 if len(x) == 3 else 2 * x, "This is the square."),
    (NONES, lambda x: None if len(x) == 3 else x * x, "This is the square, or nothing."),
    # A rare input decides, but blurs no mistake.
    (RARE, lambda x: x**2 if len(x) else 1 / 0, "This is the square."),
    (RARE, lambda x: 2 * x if len(x) else 1 / 0, "raised ZeroDivisionError"),
    # Of another type.
    (SHORT, lambda x: "no", f"{HERE} the text 'no' came back. That is text: leave out the quotes"),
    (SHORT, lambda x: [6.0], "here (2,); a list of 1 came back. As an array it has shape (1,)."),
    (LATER, lambda x: [bool(a > 1) for a in x], "np.array(…) makes an array of it, which would"),
    (SHORT, lambda x: True, f"{HERE} True came back. A comparison gives truth values"),
    (SHORT, lambda x: np.float64(6), f"{HERE} a single number came back"),
    (SHORT, lambda x: object(), f"{HERE} an object came back"),
    (SHORT, lambda x: np.array(["6"]), f"{HERE} an array of shape (1,) of <U1 came back"),
    (SHORT, lambda x: 2j * x, "of complex128 came back. Complex numbers come from j"),
    (SHORT, lambda x: np.array([None]), "It holds something that is not a number, such as None."),
    (SHORT, lambda x: lambda: 6.0, f"{HERE} a function came back. Return what it computes"),
    (SHORT, lambda x: 2 * x if len(x) == 1 else None, "None came back. On this input the function"),
    (SHORT, in_place(lambda x: 2 * x, back=False), "None came back"),
    (SHORT, forgets, "None came back. The return is missing: no line hands back what the"),
    (SHORT, inside_an_if, "None came back. On this input the function ends without reaching a"),
    (SHORT, lambda x: 2 * x[x > 9], "(0,) came back. It is empty: look for a loop"),
    (DOUBLE, lambda x: (2 * a for a in x), "It holds no numbers yet: np.array(list(…))"),
    (ADD, lambda a, b: a @ b > 1, "a bool came back. A comparison gives truth values"),
    # Several, or a list.
    (TABLE, lambda x, y: (x, np.outer(x, y)), "here (2, 2); a tuple of 2 came back. It holds an "
     "array of shape (2,) and an array of shape (2, 2): its second element alone would be right."),
    (TABLE, lambda x, y: (x + 1, 7), "and a single number: return only what is asked for. table "
     "never uses its argument y."),
    (TABLE, lambda x, y: tuple(np.outer(x, y).tolist()), "np.array(…) makes an array of it, which"),
    (TABLE, lambda x, y: [y[:i] for i in range(len(x))], "its rows differ in length."),
    (SHORT, lambda x: [a**2 for a in x], "This is the square."),
    (TABLE, lambda x, y: np.outer(x, y)[:1].tolist(), "a list of 1 came back. As an array it has "
     "shape (1, 2). That is only the first part of the result: look for a return inside a loop"),
    # Of another shape.
    (TABLE, lambda x, y: np.outer(x, y)[None], f"{ONE_AXIS}(1, 2, 2) came back. That is one axis "
     "too many, of size 1: without it the answer would be right."),
    (TABLE, lambda x, y: np.outer(x, y)[..., None] + 1, f"{ONE_AXIS}(2, 2, 1) came back. That is "
     "one axis too many, of size 1.\n"),
    (TABLE, lambda x, y: x, f"{ONE_AXIS}(2,) came back. That is one axis too few: an index, a sum "
     "or a mean has removed one. table never uses its argument y."),
    (TABLE, lambda x, y: np.outer(x, y).ravel(), "one axis too few: in the shape (2, 2) the same"),
    (TABLE, lambda x, y: np.outer(x, y).T, "Rows and columns are exchanged: transposed, the answer "
     "would be right."),
    (TABLE, lambda x, y: np.outer(x, y) if len(x) == 2 else np.outer(y, x) + 1, "here (3, 2); an "
     "array of shape (2, 3) came back. The lengths are right, but the axes are in a "
     "different order."),
    (TABLE, lambda x, y: np.outer([*x, 1], y), f"{ONE_AXIS}(3, 2) came back. The number of axes "
     "is right, but not every length: check where each ends."),
    (ADD, lambda a, b: np.array([[a @ b]]), "two axes too many, of size 1: without them the"),
    (ADD, lambda a, b: a * b, "one axis too many: an index or a sum is missing, or an axis of size "
     "1 has met another and the two have spread into a table."),
    (LATER, lambda x: (x > 1, x), "of bool and an array of shape (2,): its first element alone"),
    (DOUBLE, lambda x: 2 * x[0], "That is only the first part of the result"),
    (DOUBLE, lambda x: 2 * x[-1:], "That is only the last part of the result"),
    (DOUBLE, lambda x: 2 * x[:-1], "The last one is missing"),
    (DOUBLE, lambda x: 2 * x[1:], "The first one is missing"),
    (DOUBLE, lambda x: np.array([x.sum() for _ in range(3)]), "check where each ends"),
    # It raises, with the line of the reader's own code.
    (SHORT, of_helper, "of_helper raised KeyError: 'weights' (in line 2 of helper: raise KeyError"),
    (SHORT, inverse, "(in line 2 of inverse: return np.linalg.inv(x))"),
    (SHORT, recursion, "RecursionError"),
    (SHORT, lambda x: x[..., 5], "Stopped by an error. double raised IndexError"),
    (SHORT, lambda x: sys.exit(3), "SystemExit: 3"),
    (SHORT, raising(KeyboardInterrupt("bye")), "KeyboardInterrupt: bye"),
    (SHORT, raising(Unprintable()), "Unprintable: (its message cannot be shown)"),
    (SHORT, raising(ValueError(object())), "ValueError: <object object>"),
    # The error comes before a habit, also where it is a later input that raises.
    (POWER, eval("lambda x, y: x ^ 2"), "In Python ^ is not a power: write **.\n"),
    (POWER, lambda x, y: x + 1 if x[0] == 2 else x[9], "For second, power raised IndexError"),
    # What the error means; from text, so that the line that is quoted is not this one.
    (DOUBLE, eval("lambda x: x / x.sum"), "the brackets after its name are missing."),
    (DOUBLE, by_levels, "in line 2 of by_levels: return [x[a] for a in x]). An index has"),
    (DOUBLE, eval("lambda x: x @ [1] * 9"), "Two shapes do not fit together."),
    (DOUBLE, multiplies_what_is_joined, "Two shapes do not fit together."),
    (COST, lambda n, d, bias: 4 * n * d ^ 2, "In Python ^ is not a power: write **. With whole"),
    (COUNTED, adds_in_place, "That array holds whole numbers, and += would write decimals"),
    (DOUBLE, joins, "What is joined goes into one pair of square brackets"),
    (DOUBLE, adds_lengths, "to put one behind the other, write np.concatenate([a, b])"),
    (TABLE, divides_by_a_flat_sum, "With keepdims=True it stays, of length 1"),
    (DOUBLE, lambda x: x[[0, 1], [0, 1, 1]], "IndexError"),
    (TABLE, lambda x, y: np.outer(x, y)[[0, 1], [0, 1, 1]], "Two lists of indices are taken in"),
    (TABLE, lambda x, y: np.outer(x, y)[np.array([True] * 9)], "choose along the first axis"),
    (DOUBLE, lambda x: 2 * x[x > 99].max(), "A choice or a slice is empty on this input"),
    (DOUBLE, larger_of_two, "np.maximum and np.minimum compare entry by entry."),
    (DOUBLE, lambda x: x[x > 0] if x > 0 else x, "ask for a single truth value"),
    (DOUBLE, lambda x: x(0), "Round brackets call a function."),
    (DOUBLE, unbound, "uses a variable before any line has given it a value"),
    (DOUBLE, eval("lambda x: np.einsum('ij->i', x)"), "Three dots name all the other axes"),
    (DOUBLE, eval("lambda x: 2 * x.reshape(x.shape, 1)"), "a star unpacks a shape"),
    (DOUBLE, eval("lambda x: [2 * x[i] for i in range(x.shape)]"), "A length is x.shape[0]"),
    (DOUBLE, eval("lambda x: 2 * x.reshape(7, 1)"), "reshape keeps the number of entries"),
    (DOUBLE, eval("lambda x: 2 * x[: len(x) / 1]"), "/ always gives a float: use //."),
    # The first NaN or inf.
    (DOUBLE, root, "appears in line 2 of root: return 2 * x + np.sqrt(-x). It comes from"),
    (DOUBLE, eval("lambda x: x / (x - x)"), "It comes from a division by 0."),
    (DOUBLE, eval("lambda x: 2 * x + x[:0].mean()"), "a sum or a slice is empty, or a row has"),
    (DOUBLE, lambda x: 2 * x + np.nan, "NaN or inf comes back, though no step computes it"),
    (SHORT, lambda x: 2 * x + np.nan, "The answer holds NaN (not a number) or an infinite"),
    # Right but for digits.
    (SHORT, lambda x: (2 * x * 1.001).astype(np.float16), "right to about three digits"),
    (SHORT, lambda x: (2 * x * 1.0000015).astype(np.float32), "Passed."),
    (SHORT, lambda x: (2 * x * 1.0000015).astype(np.float32), "You compute in float32, which"),
    (SHORT, single, "You compute in float32"),
    (WIDE, lambda x: (x + np.array([0.0, 1.5])).astype(np.float32), "close but not exact."),
    (DOUBLE, lambda x: (x**2 * 1.0000015).astype(np.float32), "This is the square."),
    (SHORT, lambda x: (x**2 + 0.003).astype(np.float16), "This is the square."),
    (SHORT, lambda x: (2 * x * 1.3).astype(np.float16), "Also, this is float16"),
    (SHORT, lambda x: x.astype(np.float16) * np.float16(6e4) / np.float16(3e4), "Something overfl"),
    (SHORT, lambda x: (2 * x + 0.001).astype(np.float32), "These numbers are close but not exact."),
    (SHORT, lambda x: (2.0 * x).round() + 0.4, "Unknown."),
    (THIRDS, lambda x: np.round(x / 3, 2), "Right, but rounded to 2 decimals."),
    (THIRDS, lambda x: np.round(x / 3, 2) + 0.1, "Unknown."),
    (THIRDS, lambda x: np.round(x / 3, 0), "This is the right answer cut to whole numbers."),
    (LARGE, lambda x: np.round(200 * x / 3), "Right, but rounded to whole numbers."),
    (LARGE, lambda x: 200 * x.astype(int) // 3, "the digits after the decimal point are cut off."),
    (LARGE, lambda x: 200 * x // 3, "These are whole numbers: the digits after the decimal point"),
    # One step too many, or another input.
    (SHORT, lambda x: x + 1, "Unknown."),
    (DOUBLE, lambda x: 1 - 2 * x, "This is the right answer subtracted from 1."),
    (DOUBLE, lambda x: 2 * x[::-1], "This is the right answer in reverse order."),
    (DOUBLE, lambda x: x, "This is x itself, unchanged."),
    (DOUBLE, lambda x: 0 * x, "Every number is 0."),
    (DOUBLE, lambda x: x if len(x) == 3 else 2 * x, "For second this is x itself, unchanged."),
    (DOUBLE, lambda x: 0 * x if len(x) == 3 else 2 * x, "Unknown."),
    (DOUBLE, lambda x: 2 * x * (x > 0), "Some of these numbers are 0; the others are right."),
    (DOUBLE, lambda x: np.where(x < 2, x, 2 * x), "Some of these numbers are still those of x"),
    (DOUBLE, lambda x: 2 * x + x[:1].sum(), "Unknown."),
    (DOUBLE, lambda x: 2 * np.roll(x, 1), "answer moved on by one place, the last to the front."),
    (DOUBLE, lambda x: 2 * abs(x), "This is the right answer without its signs."),
    (DOUBLE, lambda x: 2 * x / x.max(), "get if x were divided by its largest number."),
    (DOUBLE, lambda x: 2 * np.sort(x)[::-1], "These are the right numbers in another order"),
    (DOUBLE, lambda x: 6.5 * x, "Here each number is 3.25 times what it should be:"),
    (DOUBLE, lambda x: 2 * x + 0.02, "These numbers are close but not exact."),
    (POWER, lambda x, y: y**x, "This is what you would get if x and y were exchanged."),
    (POWER, lambda x, y: x**y + y, "This is the right answer plus y."),
    (POWER, lambda x, y: x**y / x.sum(), "Here each number is 0.2 times what it should be:"),
    (OWN, lambda x: OWN.reference(OWN.reference(x)), "You apply all the steps twice"),
    (CALLS, lambda f, x: x + f(f(x)), "Unknown."),
    (CALLS, lambda f, x: x + f(f(x)), "f = negative"),
    (CALLS, lambda f, x: x, "This is x itself, unchanged."),
    # Weights: the slips of softmax.
    (SOFTMAX, lambda S: softmax(S, axis=0), "The columns of these weights sum to 1. A row belongs"),
    (SOFTMAX, lambda S: np.exp(S) / np.exp(S).sum(), "The whole table sums to 1."),
    (SOFTMAX, lambda S: np.exp(S), "in each row if there are several: divide them by their sum."),
    (SOFTMAX, lambda S: np.exp(S) / np.exp(S).sum(axis=1), "without keepdims=True is laid along"),
    (SOFTMAX, lambda S: softmax(S * np.log(2)), "These are powers of 2. Softmax takes powers of e"),
    (SHARES, lambda s: 2**s / (2**s).sum(), "These are powers of 2."),
    (SOFTMAX, lambda S: softmax(S / 4), "if all scores were 0.25 times as large"),
    (SHARES, lambda s: softmax(-s), "get if s were multiplied by -1"),
    (SOFTMAX, lambda S: softmax(np.tril(S)), "Unknown."),
    (SCALED, lambda S: softmax(S), "if all scores were larger or smaller: look at what the"),
    (LATER, lambda x: (x > 1) ^ (x > 2), "Unknown."),
    # Truth values are compared as numbers; one alone shows no mistake, and may be tried out.
    (LATER, lambda x: x == 1, "Only the ones."),
    (LATER, lambda x: ~(x > 1), "Every truth value is reversed: you return True where False is"),
    (LATER, lambda x: x >= 1, "Unknown."),
    (LATER, lambda x: x >= 1, "returned\n    [ True  True]"),
    (ONE, lambda x: len(x) > 0, "Unknown."),
    (ONE, lambda x: len(x) > 0, "returned\n    True"),
    (ONE, lambda x: x[0] + np.random.default_rng(1).normal() > 9, "yet. Unknown."),
    # A sum of which one term is wrong.
    (COST, lambda n, d, bias: COST.reference(n, 1, bias), "right if d were always 1: d seems to"),
    (COST, lambda n, d, bias: 4 * n * d**2 + d * bias, "small by a multiple of n² · d."),
    (COST, lambda n, d, bias: COST.reference(n, d, bias) + n * d**2, "too large by a multiple"),
    (COST, lambda n, d, bias: COST.reference(n, d, False), "too small by a multiple of d · bias."),
    (COST, lambda n, d, bias: COST.reference(n, d, bias) + 7 * n**2 - 5, "Unknown."),
    # What the code shows, or a second call.
    (DOUBLE, lambda x: np.ones(2), "double never uses its argument x."),
    (MASKED, lambda x, causal: x + 1, "masked never uses its argument causal."),
    (POWER, lambda x, y: np.full(2, FACTOR), "never uses its arguments x and y, but takes FACTOR"),
    (DOUBLE, lambda x: np.array([a - FACTOR for a in x]), "double takes FACTOR from outside"),
    (DOUBLE, lambda x: x + np.random.default_rng(1).normal(), "uses random numbers or a clock"),
    (DOUBLE, remembers, "Something is kept from one call to the next"),
]  # fmt: skip


def overflows(x):
    large = np.exp(1e3 * x)
    return 2 * x * large / large


def fills(x):
    out = np.where(x > 0, 2 * x, -np.inf)
    return out


def empties(x):
    out = np.where(x > 1e9, x, -np.inf)
    e = np.exp(out - out.max())
    return 2 * x * e


@pytest.mark.parametrize(
    "answer, words",
    [
        (overflows, "appears in line 2 of overflows: large = np.exp(1e3 * x). It comes from a"),
        (root, "appears in line 2 of root: return 2 * x + np.sqrt(-x). It comes from 0/0, inf/inf"),
        (fills, "NaN or inf comes back, though no step computes it"),
        (empties, "in line 3 of empties: e = np.exp(out - out.max()). It comes from 0/0, inf/inf"),
    ],
)
def test_not_finite_is_found_where_arithmetic_raises_nothing(monkeypatch, answer, words):
    monkeypatch.setattr("attnlib.exercises.engine.running.RAISES", False)
    with np.errstate(all="ignore"):
        assert words in examine(DOUBLE, answer).message


@pytest.mark.parametrize("asked, answer, words", REPLIES)
def test_reply_names_the_mistake(asked, answer, words):
    kept.clear()
    reply = examine(asked, answer)
    assert words in f"{reply.text}\n"
    assert reply.passed == words.startswith(("Passed.", "You return a list", "You compute"))
    assert reply.text.count("should return") <= 1 and "0x" not in reply.text
    kept.clear()
    assert repr(examine(asked, answer)) == reply.text


def test_mistake_on_rare_inputs_explains_no_others():
    rare = Mistake("rare", lambda x: 2 * x if len(x) else np.ones(1), "Only where it is empty.")
    viewed = replace(RARE, view=lambda y, x: np.ravel(y), mistakes=(rare,))
    assert "one axis too many" in examine(viewed, lambda x: 2 * x[None]).message


def test_drawing_is_no_habit_where_the_reference_draws():
    drawn = replace(DOUBLE, reference=lambda x: x + np.random.default_rng(1).normal(), mistakes=())
    reply = examine(drawn, lambda x: 5 * x + np.random.default_rng(1).normal())
    assert not reply.passed and "normal" not in reply.message


def test_properties_are_computed_in_full_precision():
    sums = replace(SHORT, properties=(lambda y, x: f"The sum is {show(y.sum() * 2)}.",))
    assert "The sum is 120000." in examine(sums, lambda x: np.float16([6e4])).text


def test_errors_are_alike_if_a_wrong_value_is():
    def fails(function, otherwise):
        return lambda x: function(x) if len(x) == 2 else otherwise(x)

    def seven(x):
        return x @ np.ones(7)

    # With another message it is the same mistake only if a wrong value is shared.
    for function, same in [(lambda x: x + np.array([0.0, 1.0]), True), (lambda x: 2 * x, False)]:
        known = replace(SHORT, mistakes=(Mistake("m", fails(function, seven), "This one."),))
        assert examine(known, fails(function, seven)).message == "This one."
        six = examine(known, fails(function, lambda x: x @ np.ones(6)))
        assert (six.message == "This one.") == same
        assert examine(known, fails(function, lambda x: x[9])).status == "error"
