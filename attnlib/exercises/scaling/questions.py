"""Questions about scaling."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "score_std": number(
        "Queries and keys have 100 independent components with mean 0 and variance 1. What is the "
        "standard deviation of a score?",
        answer=10,
        tolerance=0.01,
        why="The variance is 100, one for each component, and its root is 10.",
        hint="Each product of components has variance 1. How many are added? What is asked for, "
        "variance or standard deviation?",
        mistakes={
            100: "100 is the variance. The standard deviation is its square root.",
            1: "That is the standard deviation after division by √d.",
            0.1: "0.1 is 1/√d, what scores are multiplied by. The question is how large they are "
            "before that.",
            50: "Every component adds 1 to the variance, not one half.",
        },
    ),
    "saturated": choice(
        "A row of weights is 0.999, 0.0005 and 0.0005. Which entries of the softmax Jacobian are "
        "smaller than 0.01 in size?",
        wrong(
            "Only the first on the diagonal.",
            "That one is 0.999 × 0.001. But the others contain a factor of 0.0005.",
        ),
        wrong(
            "All on the diagonal, but not the others.",
            "Off the diagonal stand products of two weights with a minus sign, at most 0.999 × "
            "0.0005 in size.",
        ),
        right(
            "All of them.",
            "On the diagonal stands w(1 − w), which is small for w near 1 and for w near 0. Off "
            "the diagonal stands a product of two weights, and at most one of them is large.",
        ),
    ),
    "derivative": number(
        "Two keys, both with weight 0.5. What is the derivative of the first weight with respect "
        "to the second score?",
        answer=-0.25,
        tolerance=0.004,
        why="−w₁w₂ = −0.25: what the second gains, the first loses.",
        hint="Which entry of the Jacobian is asked for: on the diagonal or beside it?",
        mistakes={
            0.25: "That is the derivative with respect to its own score, w₁(1 − w₁). Here the "
            "other score rises.",
            -0.5: "That is −w₁. The derivative is −w₁w₂, and the second weight is not 1 but 0.5.",
            0: "The weights share one sum: no score rises without moving all weights.",
        },
    ),
    "divisor": choice(
        "Queries and keys have 64 components, values have 128, and there are 512 keys. What does "
        "scaled dot-product attention divide the scores by?",
        right(
            "8",
            "√64: the dot product has 64 terms.",
        ),
        wrong(
            "64",
            "That is the variance of a score. Its standard deviation is the root.",
        ),
        wrong(
            "11.3",
            "That is √128. The values take no part in the scores.",
        ),
        wrong(
            "22.6",
            "That is √512. The number of keys is the number of scores in a row, not of terms in a "
            "score.",
        ),
    ),
    "own_key": number(
        "A query equals one of its keys, with 144 independent components of mean 0 and variance "
        "1. About how large is their score after division by √d?",
        answer=12,
        tolerance=0.1,
        why="Before, it is a sum of 144 squares, about 144. Divided by 12 it is still 12, where "
        "chance has size 1.",
        hint="What is the mean of one squared component? How many are summed, and what are they "
        "divided by?",
        mistakes={
            1: "1 is the size of the scores of keys that are independent of the query.",
            144: "144 is the score before division by √144.",
            0: "0 is the mean for independent vectors. Here every product is a square.",
        },
    ),
    "repeated": number(
        "Queries and keys have 225 components, but these are only 9 independent numbers of mean "
        "0 and variance 1, each repeated 25 times, in both alike. Which divisor brings the scores "
        "to standard deviation 1?",
        answer=75,
        tolerance=0.5,
        why="9 independent terms, each 25 times as large: √9 · 25 = 75, which is d/√r.",
        hint="Write the score as a sum over the 9 different numbers. How large is each term, and "
        "how do independent terms add?",
        mistakes={
            15: "That is √225, for 225 independent components. Here products repeat, and repeated "
            "terms do not cancel each other.",
            3: "That is √9. There are 9 independent terms, but each comes 25 times.",
            225: "That is d, the spread if all components were one number.",
        },
    ),
}
