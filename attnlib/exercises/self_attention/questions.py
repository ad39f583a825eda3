"""Questions about self-attention."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "back": number(
        "The scores of some items are symmetric. The exponentials in the row of item 1 sum to 6, "
        "those in the row of item 2 to 9. Item 1 gives item 2 the weight 0.3. What weight does "
        "item 2 give item 1?",
        answer=0.2,
        tolerance=0.004,
        why="The exponential is the same, 0.3 · 6 = 1.8, and 1.8 / 9 = 0.2.",
        hint="What is the exponential of the score that the two have in common?",
        mistakes={
            0.3: "The scores are symmetric. Each row is divided by its own sum.",
            0.45: "That is 0.3 · 9 / 6. A larger sum makes the weight smaller.",
            0.7: "The weights of one row sum to 1. These two stand in two rows.",
            1.8: "That is the exponential. Divide it by the sum of its row.",
        },
    ),
    "one_source": choice(
        "A lesson writes Q = K = V for self-attention. Suppose a layer really were built that "
        "way, with one matrix for all three. What would hold for any items, with any such matrix?",
        right(
            "The scores are symmetric.",
            "A score is then the dot product of two rows of one matrix, in either order.",
        ),
        wrong(
            "The weights are symmetric.",
            "Each row of the scores has a sum of its own. They are symmetric only if all sums are "
            "equal.",
        ),
        right(
            "The item with the longest query gives no other item more weight than itself.",
            "A dot product is at most the product of the lengths, so no score in its row is above "
            "the square of its own length.",
        ),
        wrong(
            "Every item gives itself the largest weight.",
            "The one with the longest query does. Another may look at that one: of the rows "
            "[1, 0] and [2, 0], the first scores 1 with itself and 2 with the second.",
        ),
    ),
    "longer": choice(
        "A text grows from 10 words to 20. Which part of the layer becomes four times as large?",
        wrong("W_Q, W_K, W_V and W_O", "No matrix knows how many words there are."),
        wrong("The output", "It has a row for each word: twice as many numbers."),
        right("The table of weights", "It has a row and a column for each word."),
        wrong(
            "B, the matrix of the bilinear form",
            "It has a row and a column for each component of an item, not for each item.",
        ),
    ),
    "tied": choice(
        "A head has W_K = W_Q, and items are allowed to look at themselves. What can it not do, "
        "however wide it is?",
        right(
            "Each of two items gives the other more weight than itself.",
            "The sum of their scores with themselves is at least twice the score that they have "
            "in common. So one of the two scores itself at least as high.",
        ),
        wrong(
            "All items look mostly at one and the same item.",
            "It can: that one has by far the longest query, and the others point its way.",
        ),
        right(
            "Each of five items at a round table gives its right neighbour more weight than its "
            "left one.",
            "Every score of two neighbours counts once for and once against. Round the table the "
            "five ratios of weights multiply to 1.",
        ),
        wrong(
            "Each item looks mostly at itself.",
            "It can: long queries of equal length that point in different directions.",
        ),
    ),
    "doubled": choice(
        "By mistake a review is pasted twice, one copy after the other. A layer of self-attention "
        "without positions reads it, and the mean of its outputs decides whether the review is "
        "friendly. What changes?",
        right(
            "Nothing that decides.",
            "Every word's exponentials and their sum are doubled, so each output stays, and "
            "stands there twice. The mean of all is the same.",
        ),
        wrong(
            "Each word's weights are halved, and so are the outputs.",
            "The weights are halved, but each value is there twice.",
        ),
        wrong(
            "Words that were frequent become more important.",
            "All are doubled alike. What counts is the share of a word, and it is the same.",
        ),
        wrong(
            "Each word now looks mostly at its own copy.",
            "The copy has the same key as the word itself: it scores no more than that.",
        ),
    ),
    "brackets": choice(
        "A paper reports that twelve layers of self-attention, with nothing that says where an "
        "item stands and no mask, distinguish balanced brackets such as `(())` from "
        "unbalanced ones such as `())(`. The answer is read from the outputs by attention pooling. "
        "What do you say?",
        right(
            "Whatever the matrices, it must give these two the same answer.",
            "They hold the same brackets in another order. Layers that are equivariant, with an "
            "invariant pooling on top, cannot tell them apart.",
        ),
        wrong(
            "It depends on how well it was trained.",
            "No training helps: the two inputs have the same outputs, in another order.",
        ),
        wrong(
            "One layer could not, but twelve can.",
            "A composition of equivariant functions is equivariant.",
        ),
        wrong(
            "It works if the learned query of the pooling asks for the last bracket.",
            "It can ask for what an item is like. Which one is the last no item says.",
        ),
    ),
    "cross": choice(
        "Five French words ask seven English ones, in one layer of cross-attention. The English "
        "words are shuffled. What happens to the five answers?",
        wrong(
            "They are shuffled in the same way.",
            "The rows of the output belong to those that ask, and these have kept their order.",
        ),
        right("Nothing.", "Each answer is a sum over the English words, and a sum has no order."),
        wrong(
            "It depends on W_Q.",
            "For any matrices keys and values are shuffled together, and the sum stays.",
        ),
        wrong(
            "They change: that layer is equivariant.",
            "It is equivariant in those that ask and invariant in those that are searched.",
        ),
    ),
    "undone": choice(
        "A test of equivariance reads `assert np.allclose(f(X[order])[order], f(X))`. A correct "
        "layer is tested, with random items. For which orders does it pass?",
        wrong("For all.", "For `[1, 2, 0]` the outputs are shuffled twice the same way."),
        right(
            "For those that are their own inverse, such as a reversal.",
            "`f(X[order])` is `f(X)[order]`, and `[order]` once more takes it back only if the "
            "order is its own inverse. Compare `f(X[order])` with `f(X)[order]`.",
        ),
        wrong(
            "For none.",
            "A reversal done twice is undone, so it passes and hides the slip.",
        ),
        wrong(
            "Only for the order that changes nothing.",
            "That one passes, but so does the exchange of two items.",
        ),
    ),
}
