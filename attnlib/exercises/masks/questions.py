"""Questions about masks and causality."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "multiplied": number(
        "A query has the scores 2, −1 and −3 with three keys, and may not attend to the third. A "
        "program multiplies the scores by the mask, 1, 1 and 0, and then takes softmax. What "
        "weight does the third key get?",
        answer=0.1142,
        tolerance=0.0015,
        why="Its score becomes 0, and exp(0) is 1: 1 / (7.389 + 0.368 + 1). That is eighteen times "
        "what it would have without a mask.",
        hint="What is −3 times 0, and what is exp of that?",
        mistakes={
            0: "That is what it should get. Its score is 0 now, not −∞, and exp(0) is not 0.",
            0.0064: "That is its weight without any mask, from the score −3.",
            0.3333: "Only its own score is 0. The others are 2 and −1 as before.",
        },
    ),
    "renormalised": number(
        "Without a mask softmax gives a query the weights 0.2, 0.3 and 0.5. The third key is then "
        "forbidden, the right way. What is the weight of the second key?",
        answer=0.6,
        tolerance=0.004,
        why="The two that are left share 1 in the same proportion, 0.2 to 0.3: 0.3 / 0.5.",
        hint="Softmax over the two that are left: their ratio is as before. What do they sum to?",
        mistakes={
            0.3: "Then the row would sum to 0.5. The forbidden score would still be in the sum.",
            0.55: "That gives the freed 0.5 in equal parts. Each gets a share of it in proportion.",
            0.8: "That gives all the freed 0.5 to the second key.",
            0.4: "That is the weight of the first key.",
        },
    ),
    "lost_row": choice(
        "A program adds −10,000 to the score of each forbidden key, in float64, and takes softmax. "
        "For one query all keys are forbidden. What weights does it get?",
        wrong(
            "NaN.",
            "That comes of −∞ − (−∞). With a finite number nothing is undefined.",
        ),
        wrong(
            "Equal weights on all keys.",
            "They would be equal if −10,000 replaced the scores, or if rounding lost them. In "
            "float64 a score beside −10,000 keeps eleven decimals.",
        ),
        right(
            "Those that it would have without any mask.",
            "The same number is added to the whole row, and softmax ignores a shift.",
        ),
        wrong(
            "Zeros, as every exponential is 0.",
            "Softmax subtracts the largest score of the row first. That is near −10,000 as well.",
        ),
    ),
    "newest": choice(
        "A cache holds nine words. A tenth comes, and its query meets ten keys with the mask "
        "`np.tril(np.ones((1, 10))) == 1`. Which keys does it attend to?",
        wrong(
            "All ten.",
            "It should be all ten. But row 0 of a lower triangle has a single 1.",
        ),
        right(
            "The first alone.",
            "The triangle begins at the upper left: query 0 stands at key 0. The last query should "
            "stand at the last key.",
        ),
        wrong(
            "Its own alone.",
            "Its own key is the last of ten. The 1 in row 0 stands in column 0.",
        ),
        wrong(
            "None, so the row is lost.",
            "The diagonal belongs to the triangle, so there is one key left.",
        ),
    ),
    "which_cache": choice(
        "Items come one by one, and each row of answers is computed once, from a cache, in each of "
        "several layers. For which masks are these the answers of one pass over all items?",
        wrong(
            "A window: each item, the three before it and one after it.",
            "One key comes later than the query. Its row would have to wait a step.",
        ),
        right(
            "A causal mask, and no padding is a key.",
            "Whatever is forbidden besides, no query may attend to a key that comes later.",
        ),
        wrong(
            "Two documents of five items; each item attends to all of its own document.",
            "The first item of a document attends to the fifth, which is not there yet.",
        ),
        right(
            "A window: each item and the three before it.",
            "It looks back only. The cache may even forget what has left the window.",
        ),
    ),
    "nothing": number(
        "Four new words query ten keys, of which the last four are their own, under a causal "
        "mask. How many of the 40 scores are masked?",
        answer=6,
        tolerance=0.01,
        why="The last query sees all keys, the one before it all but one, and so on: "
        "0 + 1 + 2 + 3.",
        hint="How many keys come after the last of the four, and how many after the first of them?",
        mistakes={
            45: "That is for ten queries. Four ask.",
            18: "That is the share of a square, 9/20, of 40. Four rows of ten are no square.",
            30: "Then the first query would stand at the first key. The last stands at the last.",
            10: "That forbids each word its own key, too.",
            0: "The last of the four sees all keys. The others have words after them.",
        },
    ),
    "coin": choice(
        "A model reads tosses of a fair coin and guesses the next one. On 10,000 new tosses its "
        "loss, the mean of −log p, is 0.31. What do you conclude?",
        wrong(
            "It has found a pattern in the tosses.",
            "A fair coin has none. A pattern found by chance does not help with new tosses.",
        ),
        wrong(
            "It has learned the tosses by heart.",
            "Then the loss would be low on old tosses. On new ones it would be above log 2.",
        ),
        wrong(
            "Nothing: a loss has no lower limit but 0.",
            "What is guessed has an entropy, given the tosses before. A mean loss that far below "
            "it takes knowledge of the answer.",
        ),
        right(
            "It sees the toss that it guesses.",
            "Nothing before a toss says anything about it, so over many new tosses no loss is far "
            "below log 2 = 0.693 without a leak.",
        ),
    ),
    "normalised_series": choice(
        "A program forecasts, on each day, the price of the next day from the days so far. It "
        "begins with `x = (x - x.mean()) / x.std()` for the series of a year, and goes on with "
        "attention under a correct causal mask. Does it look ahead?",
        wrong(
            "No: the mask is correct.",
            "The mask keeps rows from later rows. But January's own row is made with December's "
            "price. Change that price, and look.",
        ),
        right(
            "Yes: a price in December moves the input of January.",
            "Mean and spread are of the whole year. It is the same leak as that of weights zeroed "
            "after softmax: what is forbidden is still in a common sum.",
        ),
        wrong(
            "Yes: each day attends to itself.",
            "A day may see itself. What is guessed is the price of the next.",
        ),
        wrong(
            "No: a shift and a factor for all days change no forecast.",
            "They would not, if they were fixed before. Here they tell how high and how restless "
            "the rest of the year is.",
        ),
    ),
}
