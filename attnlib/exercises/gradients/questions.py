"""Questions about gradients."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "pull": number(
        "An output is y = [3, −1], and its derivative is dy = [2, 4]. A key has the weight 0.25 "
        "and the value [5, 1]. What is the derivative of the loss by its score?",
        answer=3.0,
        tolerance=0.01,
        why="w (dy · (v − y)) = 0.25 · (2 · 2 + 4 · 2) = 3. Or w (dw − D) with dw = dy · v = 14 "
        "and D = dy · y = 2.",
        hint="The weight, times how far the value lies beyond the output in the direction of dy.",
        mistakes={
            3.5: "That is w dw. The row's mean D has to be subtracted: D = dy · y.",
            12: "That is dw − D. Times the weight, it is the derivative by the score.",
            14: "That is dw, the derivative by the weight. Softmax is still to come.",
            2.625: "That is the diagonal alone, w (1 − w) dw. A score moves the other weights, "
            "too.",
            -3: "The sign is turned round: the value lies beyond the output, so its score is "
            "pulled up.",
            2: "That is D, the mean of dw under the weights.",
        },
    ),
    "zero": choice(
        "Causal self-attention over five items, one head. Which of these derivatives are 0 for "
        "good, whatever the numbers?",
        right(
            "Of answer 2 by item 4.",
            "Item 4 comes later. Its key and value have no weight for query 2, and it asks a query "
            "of its own only.",
        ),
        wrong(
            "Of answer 4 by item 2.",
            "Item 2 is a key and a value for query 4. It can be 0 by chance, and not for good.",
        ),
        right(
            "Of answer 1 by query 1.",
            "The first query sees one key, whose weight is 1 whatever it asks.",
        ),
        wrong(
            "Of answer 1 by value 1.",
            "The weight is 1, so this derivative is as large as it can be.",
        ),
        right(
            "Of the loss by a bias of the keys.",
            "It adds the same to all scores of a row, which softmax does not see.",
        ),
        wrong(
            "Of the loss by a bias of the queries.",
            "It adds b · k_j to score j, which differs from key to key.",
        ),
    ),
    "silent": choice(
        "A program has the line `d_S = W * (d_W - (W * d_W).sum(axis=-1))`. Sequences have 128 "
        "items that attend to themselves. It runs. Which checks show that it is wrong?",
        wrong(
            "`d_S` has the shape of `W`.",
            "It has: NumPy lays the 128 sums along the keys, as there are as many of them.",
        ),
        right(
            "The rows of `d_S` sum to 0.",
            "They do not. Each entry has lost the sum of another row.",
        ),
        right(
            "The same line for 3 queries and 5 keys.",
            "It crashes: sums of 3 rows do not fit along 5 keys. `keepdims=True` is missing.",
        ),
        wrong(
            "The loss falls.",
            "It may fall. The chapter trained with this very slip.",
        ),
        right(
            "A few scores are nudged and the loss is watched.",
            "What is wrong differs from what is seen.",
        ),
        wrong(
            "The same line for a single query and 5 keys.",
            "With one query there is one sum, and laid across it is the right one.",
        ),
    ),
    "key_bias": choice(
        "A colleague sets the bias of the keys to 0 in a trained model. Every output stays as it "
        "was, up to rounding. What do you say?",
        right(
            "It has to be so.",
            "The bias adds q · b to all scores of a row, and softmax ignores what is common. So "
            "its gradient was 0 in every step of the training as well.",
        ),
        wrong(
            "The model was not trained long enough to use it.",
            "Its gradient is 0 for good: no training changes it, except weight decay.",
        ),
        wrong(
            "The loss must have a bug, as every parameter should get a gradient.",
            "This one cannot: Σ_j ds_ij = 0 in every row, and its gradient is a multiple of these "
            "sums.",
        ),
        wrong(
            "Then the bias of the queries can go, too.",
            "It adds b · k_j to score j, which differs between keys and changes the weights.",
        ),
    ),
    "saturated": choice(
        "In every row of a batch, one head gives a single key the weight 1, to the last digit, and "
        "it is the wrong key. In the next batch, two keys nearly tie in one row of ten. What can "
        "the head learn?",
        right(
            "From the first batch, what to fetch.",
            "dV = Wᵀ dY: the value that is fetched gets all that comes back in its row.",
        ),
        wrong(
            "From the first batch, where to look.",
            "All of dS is 0 in every row, and W_Q and W_K get their derivatives through dS alone.",
        ),
        right(
            "From the second batch, where to look.",
            "In a row with a near tie dS is as large as ever, and W_Q and W_K get the sum over all "
            "rows. A few can carry it.",
        ),
        wrong(
            "Nothing at all: a saturated head is dead.",
            "What comes back to the values does not pass through softmax. And a near tie lets "
            "something through to the scores.",
        ),
    ),
    "factor": number(
        "On the way back somebody forgets the 1/√d_k. Forwards it is there, and d_k = 64. How many "
        "times too large is dK?",
        answer=8.0,
        tolerance=0.05,
        why="Every derivative that comes back through the scores has the factor 1/√64 = 1/8 "
        "once. dV, which does not, is right.",
        hint="How many times does the divisor stand in a score, and how large is it?",
        mistakes={
            64: "The factor is 1/√d_k, not 1/d_k.",
            1: "A score is q · k / √d_k. Moved by one, a key moves it by q / √d_k.",
            0.125: "Without dividing by 8 it is too large, not too small.",
            4096: "The factor stands once in a score, and once in the derivative.",
        },
    ),
    "mixture": number(
        "A shop buys from three suppliers, in the shares 0.5, 0.3 and 0.2. These are the softmax "
        "of three ratings. The prices are 10, 20 and 40. The rating of the third rises a little. "
        "By how much does the mean price rise, as a multiple of that little?",
        answer=4.2,
        tolerance=0.02,
        why="The mean price is 5 + 6 + 8 = 19, and 0.2 · (40 − 19) = 4.2. It is one row of "
        "attention: shares are weights, prices are values.",
        hint="The mean price is an output, the prices are values, the ratings are scores.",
        mistakes={
            8: "That is share times price. What the third gains, the others lose.",
            6.4: "That is 0.2 · 0.8 · 40: the gain of the third alone. The others lose shares, and "
            "their prices leave the mean.",
            3.33: "The mean price counts each supplier by its share: 19, not the plain mean.",
            21: "That is how far its price lies above the mean. Its share is 0.2.",
            -4.2: "Its price lies above the mean, so the mean rises.",
        },
    ),
    "start": choice(
        "Before training, the answer of an LSTM has a derivative of 2e-15 by the item 63 steps "
        "back, that of attention one of 8e-3. What follows?",
        right(
            "At the start plain gradient descent hardly feels that item through the LSTM.",
            "A step is the gradient times the rate, and all other items are louder.",
        ),
        wrong(
            "The LSTM can never learn to use it.",
            "Derivatives change with the parameters: with gates that open, they become as large "
            "as those of attention. Whether training gets there is a matter of trying.",
        ),
        wrong(
            "Attention will use it.",
            "It can. But at the start it feels that item, useful or not, about as much as all "
            "others but the newest.",
        ),
        wrong(
            "Attention pulls that item as strongly as the LSTM pulls its newest ones.",
            "Attention deals its pull out among all items, 64 here. The LSTM pulls its newest "
            "items several times as strongly, at 6e-2 and more.",
        ),
    ),
}
