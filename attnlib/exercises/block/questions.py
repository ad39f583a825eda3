"""Questions about the transformer block."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "mixing": choice(
        "In an encoder block without a mask, one number of item 3 is changed. Which of these "
        "change for item 1, in general?",
        wrong(
            "What the first norm makes of item 1, with the norm before.",
            "A norm looks at one row by itself, and row 1 is as it was.",
        ),
        wrong(
            "The query of item 1.",
            "A query is made from its own row alone.",
        ),
        right(
            "The weights of item 1.",
            "Key 3 has changed, and with it a score in row 1.",
        ),
        right(
            "What the network adds to item 1.",
            "The network reads row 1 only. But attention has already changed this row.",
        ),
        wrong(
            "How the network would answer a given row.",
            "Its matrices serve every row alike, and depend on no item.",
        ),
    ),
    "normed_row": number(
        "Layer norm with gain 1, bias 0 and no epsilon makes [1.4, −0.2, 0.2, −1.4] of a row. "
        "Ten times the row, plus 7 to each number, is sent through. What is the third number of "
        "what comes out?",
        answer=0.2,
        tolerance=0.005,
        why="Adding to all numbers moves the mean along, and multiplying all by 10 multiplies the "
        "standard deviation by 10. Both are taken out.",
        hint="What does the mean do, what the standard deviation?",
        mistakes={
            9: "That is 10 · 0.2 + 7: what happened to the row, as if the norm passed it on. The "
            "norm takes both out.",
            2: "The factor is taken out as well: the standard deviation is ten times as large.",
            7.2: "The 7 is taken out as well: the mean has moved along.",
            0.02: "Numerator and denominator both get the factor 10.",
        },
    ),
    "memory": choice(
        "A decoder block translates. Six words are written, the source has nine. What shape do "
        "the weights of one head of its cross-attention have?",
        right(
            "(6, 9)",
            "Queries come from the words written, keys from the source: six rows of nine weights.",
        ),
        wrong(
            "(9, 6)",
            "That would ask from the source and look among the words written.",
        ),
        wrong(
            "(6, 6)",
            "That is its self-attention, which sits before the cross-attention.",
        ),
        wrong(
            "(9, 9)",
            "That is the encoder's self-attention.",
        ),
        wrong(
            "(6, 15)",
            "That is a decoder-only stack that reads source and words as one text, rows of the "
            "words only.",
        ),
    ),
    "heads": choice(
        "Of a block with d_model = 512 and d_ff = 2048 the heads are doubled from 8 to 16, with "
        "d_k = d_v = d_model / n_heads. What happens to its parameters and its multiply-adds?",
        right(
            "Both stay.",
            "The heads share the same 512 columns. Twice as many, each half as wide: the matrices "
            "and the products are as large as before.",
        ),
        wrong(
            "Both double.",
            "They would if each head kept its width. Here each is half as wide.",
        ),
        wrong(
            "The parameters stay, the multiply-adds double.",
            "There are twice as many tables of scores, and each score has half as many products.",
        ),
        wrong(
            "The parameters double, the multiply-adds stay.",
            "W_Q, W_K and W_V have 512 columns whatever number of heads these are cut into.",
        ),
    ),
    "code": choice(
        "Somebody writes a block with the norms before as four statements. First `x = norm_1(x)`, "
        "second `x = x + attention(x)`, third `x = norm_2(x)`, fourth `x = x + network(x)`. "
        "It runs, and a small stack of it even trains. What is it really?",
        wrong(
            "A block with the norms before. Only the names are shorter.",
            "There the stream itself passes no norm: x + attention(norm_1(x)).",
        ),
        right(
            "A block whose stream is normed again and again, as with the norms after, one place "
            "further on.",
            "norm, attention and sum, norm, network and sum: what is added is the normed x. Move "
            "the first norm to the end, and it is the norm after.",
        ),
        wrong(
            "A block without residuals.",
            "There are two sums. But what they carry on is the normed row, not the stream.",
        ),
        wrong(
            "A block in which each item is seen alone.",
            "Attention mixes the items here as well.",
        ),
    ),
    "dropout": number(
        "A head gives four keys the weight 0.25 each. Dropout with p = 0.2 takes one of the four. "
        "What do the weights that are used sum to?",
        answer=0.9375,
        tolerance=0.002,
        why="Three are kept, each divided by 1 − p = 0.8: 3 · 0.25 / 0.8 = 0.9375. Nothing "
        "renormalises the row; it is 1 on average only.",
        hint="What is done to a weight that is kept?",
        mistakes={
            1: "The row is not renormalised after dropout. The mean over many draws is 1.",
            0.75: "What is kept is divided by 1 − p.",
            0.6: "Divided, not multiplied, by 1 − p.",
            3.75: "Divided by 1 − p = 0.8, not by p.",
        },
    ),
    "crossover": number(
        "A block has d_model = 1024 and d_ff = 4096. With how many items do scores and weighted "
        "sums take as many multiply-adds as all of the rest of the block?",
        answer=6144,
        tolerance=1,
        why="2 n² m against 4 n m² + 8 n m² = 12 n m²: equal at n = 6m = 6144, and with more items "
        "more. In general it is n = 2m + h.",
        hint="Write both counts with n, m and h = 4m, and divide by n m.",
        mistakes={
            2048: "That is 2m, where they equal the four projections alone. The network is to "
            "be counted, too.",
            4096: "That is 4m, where they equal the network alone.",
            12288: "Scores and weighted sum are n² m each: two of them.",
            1024: "That is d_model. Set 2 n² m = 12 n m² and solve for n.",
            3072: "That is 3m. Each of the four projections takes n m², and the network 2 n m h.",
        },
    ),
    "claim": choice(
        "A report says: 'We trained one network of eight layers with the norms after and one with "
        "the norms before, both at a rate of 0.01. The first stayed at chance. So networks of "
        "this depth need the norm before.' What is missing?",
        right(
            "Other rates for the first, and a warm-up.",
            "From the plain start of this chapter, norm after guesses at 0.01 and learns at 0.003. "
            "One rate compares how well two models suit it, not what they can learn.",
        ),
        right(
            "Matrices drawn smaller where a part writes into the stream.",
            "With W_O and W_2 ten times smaller at the start, the norm after learns in this "
            "chapter at 0.01 as well.",
        ),
        right(
            "More draws of the start than one of each.",
            "With a single draw one cannot tell a difference from chance.",
        ),
        wrong(
            "Nothing: same data, same depth, same rate is a fair comparison.",
            "The same rate is not the same for both. Each has to be given the chance to find one "
            "that suits it.",
        ),
        wrong(
            "The same number of parameters.",
            "They have it, but for one norm at the end: where the norms stand changes no shape.",
        ),
    ),
    "other_field": choice(
        "A chemist describes a molecule as a set of atoms, each a row of numbers, and stacks "
        "encoder blocks on it, without positions. What holds for certain?",
        right(
            "If the atoms are listed in another order, the rows come out in that order, with the "
            "same numbers.",
            "Attention is equivariant, and every other part sees one row at a time.",
        ),
        right(
            "With attention taken out, an atom's row depends on no other atom, however many blocks "
            "there are.",
            "Sums, norms and networks look at one row each.",
        ),
        wrong(
            "In one block an atom hears only its nearest neighbours.",
            "It hears all atoms: attention without a mask knows no distances but those that items "
            "tell.",
        ),
        wrong(
            "Adding an atom leaves the rows of the others as they were.",
            "It is one more key in every row, so their weights change.",
        ),
    ),
}
