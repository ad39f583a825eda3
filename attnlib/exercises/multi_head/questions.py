"""Questions about heads."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "one_mixture": choice(
        "One head looks at two books, with weights α and 1 − α of its own choice. Their prices a "
        "and b are independent. What can be read exactly from its output?",
        right("`a + b`", "Weights ½ and ½, and the readout doubles the output."),
        wrong(
            "`a − b`",
            "That would need a negative weight. Prices 3 and 1 give the same mixture as 1 and 3 "
            "if the weights are equal, and whatever the weights are, some other pair does.",
        ),
        right(
            "`3a + b`",
            "Weights ¾ and ¼, and the readout multiplies by 4: any sum with positive factors is a "
            "multiple of a mixture.",
        ),
        wrong(
            "`a` and `b`, both",
            "One mixture is one equation for two unknowns. It takes two heads whose weights "
            "differ.",
        ),
    ),
    "count": number(
        "A layer has d_model = 512 and 8 heads with d_k = d_v = 64, without biases. How many "
        "thousands of parameters does it have? (Divide by 1000.)",
        answer=1048.576,
        tolerance=0.6,
        why="W_Q, W_K, W_V and W_O have 512 · 8 · 64 = 262 144 entries each, 1 048 576 together.",
        hint="Write down the shape of each of the four matrices. How many columns does W_Q have "
        "if 8 heads stand side by side?",
        mistakes={
            786.432: "Three matrices are counted. Which one makes one output of the heads?",
            131.072: "Those are the matrices of one head. There are 8.",
            262.144: "That is one matrix. There are four.",
            1050.624: "That is with biases, 2048 of them. The question says without.",
            819.2: "W_O has 8 · 64 rows, not 64.",
        },
    ),
    "weights_shape": choice(
        "10 items search among themselves, so they are queries too, with d_model = 64 and 4 "
        "heads of 16. Which shape do the weights have?",
        wrong("`(10, 10)`", "That is one head's. Each head has weights of its own."),
        right("`(4, 10, 10)`", "For each head a table, with a row for each query."),
        wrong("`(4, 10, 16)`", "That is the shape of queries, keys and values after the split."),
        wrong(
            "`(10, 10, 16)`",
            "The 16 components of queries and keys are summed over in the dot product.",
        ),
    ),
    "reshape": choice(
        "A program of yours has the line `K = (X @ W_K).reshape(n_heads, n, d_k)`. It runs, and "
        "the loss falls. Which test shows that the line is wrong?",
        wrong(
            "The output has the right shape.",
            "It has: reshape gives just the shape that is wanted, with the wrong numbers in it.",
        ),
        wrong(
            "All weights are positive and every row sums to 1.",
            "Softmax sees to that, whatever the scores are.",
        ),
        right(
            "Reorder the items that are searched: no answer may change.",
            "A sum over items has no order. Torn keys have: with another order other pieces come "
            "together.",
        ),
        wrong(
            "The loss on new data is as low as on old.",
            "A wrong layer that was trained is wrong on both alike.",
        ),
    ),
    "twice": choice(
        "Lecture notes say: first `Q = X W_Q`, then, in each head, `Q_h = Q W_h` with one more "
        "learned matrix. What can this do that `Q_h = X W_h` cannot?",
        right(
            "Nothing.",
            "(X W_Q) W_h = X (W_Q W_h): the product of the two matrices is a matrix from items "
            "to queries of the head, and can be learned at once.",
        ),
        wrong(
            "It lets heads differ.",
            "They differ with one matrix each: W_h is the head's own.",
        ),
        wrong(
            "It makes scores that are not bilinear.",
            "Two matrices in a row, with nothing between them, are one matrix.",
        ),
    ),
    "cost": choice(
        "d_model stays at 512, and instead of 1 head with d_k = d_v = 512 there are 8 with 64. "
        "What is 8 times as much as before?",
        wrong("The parameters.", "4 · 512², with 1 head or with 8."),
        wrong(
            "The multiplications of queries with keys.",
            "8 heads with 64 terms for each pair are as many as 1 head with 512.",
        ),
        right(
            "The weights that are computed and, if all are kept, stored.",
            "One for each pair of query and key in each head.",
        ),
        wrong("The length of the output.", "It is what W_O makes it, here 512."),
    ),
    "mono": number(
        "A stereo recording has two independent channels of equal loudness. Mixed to mono, it is "
        "½L + ½R. From the mono signal you guess L as well as you can. What share of the variance "
        "of L is left over?",
        answer=0.5,
        tolerance=0.005,
        why="With weights α and 1 − α it is (1 − α)² / (α² + (1 − α)²), here ¼ / ½. The same for "
        "R, and the two shares sum to 1.",
        hint="It is one head with weights ½ and ½, and a readout that guesses one of two values. "
        "How large is the error with the best readout?",
        mistakes={
            0: "Then one number would say two: other pairs L and R give the same mono signal.",
            1: "The mono signal does know something of L: when it is large, L usually is too.",
            0.25: "Half of L is in the signal, but so is half of R, and it disturbs. Divide by the "
            "variance of the mixture, ½.",
        },
    ),
}
