"""Questions about many queries."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "sizes": choice(
        "Q has shape `(12, 32)`, K has shape `(20, 32)`, V has shape `(20, 8)`. Which shapes do "
        "the scores and the output have?",
        right(
            "`(12, 20)` and `(12, 8)`",
            "A row for each query everywhere; a column for each key in the scores, one for each "
            "component of a value in the output.",
        ),
        wrong(
            "`(20, 12)` and `(20, 8)`",
            "These have a row for each key. Q Kᵀ has a row for each query, and so has everything "
            "after it.",
        ),
        wrong(
            "`(12, 20)` and `(12, 32)`",
            "The scores are right. The output is a mixture of values, and values have 8 "
            "components.",
        ),
        wrong(
            "`(32, 32)` and `(32, 8)`",
            "That is Qᵀ K, if it ran: it needs as many queries as keys. The 32 components are "
            "summed over, so no 32 is left.",
        ),
    ),
    "appended": choice(
        "You append a thousand queries to Q. What happens to the first row of the output?",
        right(
            "Nothing.",
            "Row 1 is computed from query 1, the keys and the values. The others are not in it.",
        ),
        wrong(
            "It comes nearer to the mean of the values, as the weights are shared by more queries.",
            "A row of weights is shared among keys, and there are as many keys as before. It would "
            "be shared among queries if softmax ran along the wrong axis.",
        ),
        wrong(
            "Nothing, unless one of the new queries equals the first.",
            "Equal queries get equal answers, each by itself. A copy takes nothing away.",
        ),
    ),
    "one_hot": number(
        "Row 3 of the weights is `[0, 1, 0, 0]`. The values are `[5]`, `[8]`, `[2]`, `[9]`. What "
        "is the output of query 3?",
        answer=8,
        tolerance=0.01,
        why="The weights of a row belong to the values in their order: 0 · 5 + 1 · 8 + 0 · 2 + "
        "0 · 9.",
        hint="The row belongs to the query. To what does the position of the 1 belong?",
        mistakes={
            2: "That is value 3. The row is that of query 3; its 1 stands at value 2.",
            6: "That is the plain mean of the values. All the weight lies on one of them.",
            24: "That is the sum of all values. The weights of the others are 0.",
            1: "1 is the weight. It is to be multiplied by a value.",
        },
    ),
    "lonely": number(
        "A single query, three keys, the values `[2]`, `[4]`, `[9]`. By mistake softmax runs along "
        "the queries, `axis=0`. What is the output?",
        answer=15,
        tolerance=0.01,
        why="A column holds one score, and its softmax is 1, whatever it is. All three weights are "
        "1, so the values are added.",
        hint="The scores have the shape (1, 3). How many numbers stand in a column, and what is "
        "softmax of them?",
        mistakes={
            5: "That is the mean, from weights of a third. Along axis 0 each score is alone in its "
            "column.",
            9: "That is the largest value. No score is known here, and along axis 0 none matters.",
            0: "Softmax of a single score is not 0 but exp(s) / exp(s) = 1.",
        },
    ),
    "row_sums": number(
        "Softmax has run along the wrong axis, for 12 queries and 3 keys. What is the mean of the "
        "sums of the 12 rows of weights?",
        answer=0.25,
        tolerance=0.004,
        why="Each of the 3 columns sums to 1, so all weights together are 3, on 12 rows: 3/12.",
        hint="What does each column sum to? So what do all weights sum to, and on how many rows "
        "are they?",
        mistakes={
            1: "That is the sum of a row if softmax runs along the keys. Here the columns sum to "
            "1.",
            4: "That is 12/3. All weights together are as many as there are columns, 3, and there "
            "are 12 rows.",
            3: "That is the sum of all weights. They are spread over 12 rows.",
            0.0833: "That is 1/12, the mean of one weight. A row has 3 of them.",
        },
    ),
    "first_axis": choice(
        "A lecture says: “The scores are Q Kᵀ. Softmax is taken over the first dimension.” There "
        "is one query in each row. Which of the claims below, if it makes them too, contradict "
        "that?",
        wrong(
            "“If the queries are shuffled, the outputs are shuffled in the same way.”",
            "That holds along either axis, so it cannot tell them apart.",
        ),
        wrong(
            "“If keys and values are shuffled together, the output stays.”",
            "That also holds along either axis: the last product sums over the keys in any order.",
        ),
        right(
            "“Each output is a weighted mean of the values.”",
            "For a mean the weights of a row have to sum to 1. Along the queries it is the columns "
            "that do.",
        ),
        right(
            "“The queries can be answered in turn, as they come.”",
            "Along the queries every answer depends on all queries, including those still to come.",
        ),
    ),
    "batch_axis": choice(
        "The scores of a batch have the shape `(3, n_q, 5)`: three sequences, five keys. The code "
        "says `softmax(scores, dim=0)`. The values are positive. Which of these tests fail?",
        wrong(
            "Query 1 of every sequence, asked alone in the whole batch, gets the answers that it "
            "gets in company.",
            "It does. Its rivals are the first queries of the other sequences, and they are all "
            "there.",
        ),
        right(
            "Item 1 alone gets the answers that it gets in the batch.",
            "Axis 0 runs over the sequences. Alone, a sequence has no rival, and all its weights "
            "are 1; in the batch the three sequences share them.",
        ),
        wrong(
            "If the queries of all sequences are shuffled alike, the outputs are shuffled alike.",
            "They are. Queries in the same place compete, and they move to the same place.",
        ),
        right(
            "With all values 1 every answer is 1.",
            "All weights together are 5 n_q, on 3 n_q rows, so a row sums to 5/3 on average.",
        ),
    ),
    "bundles": number(
        "8192 queries meet 8192 keys, in bundles of 128 queries. Three tables, scores, "
        "exponentials and weights, are there at once, four bytes a number. How many megabytes, "
        "of a million bytes, do they take?",
        answer=12.58,
        tolerance=0.15,
        why="A table has a row for each query of the bundle and a column for each key: "
        "3 · 128 · 8192 · 4 bytes = 12.6 million.",
        hint="How many rows has the table of one bundle, and how many columns?",
        mistakes={
            805.3: "That is for all 8192 queries at once. A bundle has 128.",
            4.19: "That is one table. Three are there at once.",
            25.17: "That is with eight bytes a number. These have four.",
            0.197: "That is 128 · 128 in each table. Every query of the bundle meets all 8192 "
            "keys.",
            3.15: "Those are the numbers, in millions. Each takes four bytes.",
        },
    ),
    "classifier": choice(
        "A program sorts photographs into ten classes. `logits` has the shape `(photos, 10)`, and "
        "the code says `p = softmax(logits, axis=0)`, then `p.argmax(axis=1)`. Tested with many "
        "photographs at a time it is right quite often. In use, with one at a time, it always "
        "answers class 0. Why?",
        right(
            "Softmax runs over the photographs. With one, every class has the probability 1, and "
            "argmax takes the first.",
            "With many, a photograph still gets most in the class where it stands out from the "
            "others, so the fault hides. With any number of photographs but ten, the sums of the "
            "rows would have shown it.",
        ),
        wrong(
            "One photograph is too few to estimate probabilities from.",
            "The probabilities of a photograph need no other. That they do here is the fault.",
        ),
        wrong(
            "argmax should run along axis 0, too.",
            "Then one photograph would be found for each class. A class is wanted for each "
            "photograph.",
        ),
        wrong(
            "With one photograph the leading axis is lost.",
            "The shape is (1, 10). It is softmax that finds a single number along axis 0.",
        ),
    ),
}
