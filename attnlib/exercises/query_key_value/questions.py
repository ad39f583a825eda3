"""Questions about query, key and value."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "shift": choice(
        "You add 5 to every score. What happens to the weights?",
        wrong(
            "All grow by the factor exp(5).",
            "The exponentials do, and so does their sum Z. The factor cancels.",
        ),
        right(
            "Nothing.",
            "exp(s + 5) = exp(5) exp(s), and the factor exp(5) cancels against Z. Only "
            "differences of scores count.",
        ),
        wrong(
            "They become more equal.",
            "That happens when scores are multiplied by a number below one. Adding keeps all "
            "differences.",
        ),
    ),
    "ratio": number(
        "Two scores are 1 and −2. How many times as large as the second weight is the first?",
        answer=20.0855,
        tolerance=0.1,
        why="Differences become ratios: exp(1 − (−2)) = exp(3).",
        hint="Write both weights as exp(score) / Z and divide one by the other. Z cancels.",
        mistakes={
            3: "3 is the difference of the scores. Softmax takes its exponential.",
            2.71828: "That is exp(1). The difference of the scores is 1 − (−2), not 1.",
            0.3679: "That is exp(−1), as if the second score were 2. Mind its sign.",
            -0.5: "Scores do not become weights by division: a ratio of weights is never negative.",
            0.0498: "That is the second weight divided by the first, exp(−3). The question asks "
            "for the first divided by the second.",
        },
    ),
    "reachable": choice(
        "The values are [10, 0], [0, 10] and [5, 5]. Which outputs can softmax attention return?",
        right(
            "`[3, 7]`",
            "It lies on the segment between the first two values: weights 0.3 − w/2, 0.7 − w/2 "
            "and w, for any w between 0 and 0.6.",
        ),
        wrong(
            "`[6, 6]`",
            "The three values lie on one line, x + y = 10, so their hull is a segment. [6, 6] is "
            "off it.",
        ),
        right(
            "`[5, 5]`",
            "In many ways: it is the third value, and also the midpoint of the other two.",
        ),
        wrong(
            "`[12, −2]`",
            "On the line, but beyond v₁: a weight would have to be negative.",
        ),
    ),
    "by_hand": number(
        "All three steps by hand: the query is `[1, 0]`, the keys are `[0.6931, 5]` and `[0, 2]`, "
        "the values are `[9]` and `[0]`. What is the output? (exp(0.6931) ≈ 2)",
        answer=6,
        tolerance=0.02,
        why="Scores 0.6931 and 0, exponentials 2 and 1, weights 2/3 and 1/3, output 2/3 · 9 = 6.",
        hint="Scores first: the query's second component is 0, so the keys' second components do "
        "not count. Then exponentials, then divide by their sum.",
        mistakes={
            4.5: "That is the plain mean of the values. What are the two scores?",
            9: "That is the value of the best key: a hard lookup. Softmax gives the other key a "
            "share too.",
            18: "2 is the exponential of the first score. Divide it by the sum of both "
            "exponentials.",
            6.2379: "Those are the scores times the values, without softmax.",
        },
    ),
    "zero_query": number(
        "The query is `[0, 0]`, there are three keys. What is the weight of the third?",
        answer=0.33333,
        tolerance=0.005,
        why="All scores are zero, so all weights are equal, whatever the keys are.",
        hint="What are the three scores? What does softmax make of equal scores?",
        mistakes={
            0: "A score of zero is not a weight of zero: exp(0) is 1.",
            1: "exp(0) is 1, right, but it still has to be divided by Z = 3.",
            0.024: "That is the weight for q = [1, 1]. Here the query is zero.",
        },
    ),
}
