"""Questions about cheaper attention."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "rescaled": number(
        "So far a query has the running maximum log 4 and the running sum 1.5. Then one more key "
        "comes, with the score log 16. What is the running sum now?",
        answer=1.375,
        tolerance=0.002,
        why="The new maximum is log 16, so c = 4 / 16. A quarter of 1.5 is 0.375, and the new key "
        "adds exp(0) = 1.",
        hint="What is the new maximum? How much smaller is all that was summed before, when it is "
        "measured from there?",
        mistakes={
            2.5: "The old sum was measured from log 4. Measured from log 16 it is smaller.",
            5.5: "The new key was measured from the old maximum: exp(log 16 − log 4) = 4.",
            7: "The correction is upside down: a larger maximum makes the old sum smaller.",
            0.375: "That is the old sum, corrected. The new key has not been added yet.",
            17.5: "Exponentials are measured from the maximum, 16 / 16 for the new key.",
        },
    ),
    "halved": choice(
        "Online softmax is run with blocks of 256 keys in place of 512, for the same queries "
        "and keys. What changes?",
        wrong(
            "The answers: they are now averages over twice as many parts.",
            "An answer is one sum over one sum. It does not matter in how many parts either was "
            "added up.",
        ),
        right(
            "The bytes that the scores take at one time.",
            "A block of scores has as many columns as a block has keys: half.",
        ),
        wrong(
            "The number of exponentials of scores.",
            "There is one for each pair, as before. Corrections come on top, one a block.",
        ),
        right(
            "The number of corrections.",
            "Each block corrects the sums once, and there are twice as many blocks.",
        ),
    ),
    "exact": choice(
        "A model was trained with softmax attention, every head with keys and values of its own. "
        "Which of these can be put in its place and give the same answers, up to rounding?",
        right(
            "Blocks of 128 keys, the last block first.",
            "Sums over blocks may be taken in any order, if each is corrected to one maximum.",
        ),
        wrong(
            "Four groups of heads, with the mean of their keys and values.",
            "That is another layer, unless the heads of each group were alike.",
        ),
        right(
            "A ring of eight processes.",
            "Every query meets every key, only in another order.",
        ),
        wrong(
            "Linear attention with elu + 1.",
            "Its weights are products of features, and no exponentials of scores.",
        ),
        right(
            "A window as wide as the text.",
            "With u = n nothing is left out. It saves nothing, either.",
        ),
    ),
    "ring_bytes": number(
        "Five processes form a ring for 10,000 rows, with one head of width 100 and four bytes a "
        "number. How many megabytes (millions of bytes) does each process send?",
        answer=6.4,
        tolerance=0.02,
        why="Each block is 2000 keys and 2000 values of 100 numbers: 400,000 numbers, 1.6 MB. "
        "Each process passes on four blocks.",
        hint="How large is one block of keys and values? How often is one passed on?",
        mistakes={
            8: "After the last step no block is passed on: there are four messages, not five.",
            3.2: "Both keys and values travel.",
            1.6: "That is one block. How many does a process pass on?",
            32: "That is what all five send together.",
            400: "No scores travel, only keys and values.",
        },
    ),
    "groups": choice(
        "A layer with 32 heads, each with keys and values of its own, is replaced by one with 32 "
        "heads in 8 groups of the same width. A text of 4000 words is continued word by word. "
        "What is a quarter of what it was?",
        right(
            "The bytes of the cache.",
            "A word leaves 8 keys and 8 values in place of 32.",
        ),
        right(
            "The bytes that are read from the cache for a new word.",
            "All of the cache is read for each word, and it is a quarter as large.",
        ),
        wrong(
            "The multiply-adds over pairs.",
            "Each of the 32 heads still asks each of the 4000 words with its own query.",
        ),
        wrong(
            "The number of queries.",
            "Queries stay apart: one for each head.",
        ),
    ),
    "layers": number(
        "Causal windows of width 128 are stacked. How many layers are needed at least, until the "
        "last of 1000 items can hear the first?",
        answer=8,
        tolerance=0.1,
        why="Each layer reaches 127 items back, and 999 / 127 is 7.87.",
        hint="How many items further back does one layer reach? How far is it from item 1000 to "
        "item 1?",
        mistakes={
            7: "7 · 127 is 889, but it is 999 items back.",
            1: "One layer reaches 127 items back. The first is 999 back.",
            2: "Two layers suffice with a global item. Here there is none.",
            999: "That would be for windows of width 2, which reach one item back.",
        },
    ),
    "pays": choice(
        "“Linear attention is O(n) and softmax attention is O(n²). So we replaced it, with 2048 "
        "random features, in our model for sentences of at most 200 words. Its heads have width "
        "64.” What do you answer?",
        wrong(
            "It is right: n is always less than n².",
            "The linear cost has a factor of its own: 2 n r (d + 1) multiply-adds, here with "
            "r = 2048, against 2 n² d.",
        ),
        right(
            "It takes more than ten times as many multiply-adds as before.",
            "r (d + 1) against n d is 2048 · 65 against 200 · 64, a factor of 10.4. Making the "
            "features takes 2 n r d, nearly as many again.",
        ),
        wrong(
            "It is a little faster, since 200 is more than 64.",
            "That holds for features as many as the width, such as elu + 1. Here r is 2048.",
        ),
        right(
            "Measure its error, beside that of the mean of all values.",
            "More features than keys do not yet make a good estimate. Where scores differ much, "
            "the mean of all values may be as good.",
        ),
    ),
    "recall": choice(
        "A causal layer of linear attention has 64 features and values of width 64. It learns to "
        "recall 20 pairs. With 2000 pairs it fails, and more training does not help. What would?",
        wrong(
            "A longer cache.",
            "There is none: all that it keeps is a state of 64 · 65 numbers.",
        ),
        right(
            "More features.",
            "The state grows with them, and more keys can be told apart.",
        ),
        wrong(
            "Smaller blocks of keys.",
            "They change how the sums are taken, not what is summed.",
        ),
        right(
            "Softmax attention, which keeps every key and value.",
            "Its cache has 2000 · 128 numbers. That is the price.",
        ),
    ),
    "code": choice(
        "m, l, o = s[0].max(), 0, 0; for each block: powers = exp(s − m); l += powers.sum(); "
        "o += powers @ v; at the end o / l. So m is the largest score of the first block and "
        "never changes. In exact arithmetic, and in float32?",
        wrong(
            "It is wrong in both: without the correction the first block weighs too much.",
            "All blocks are measured from one and the same m. It cancels in o / l.",
        ),
        right(
            "For finite scores it is right in exact arithmetic. In float32 it can overflow.",
            "Any fixed m cancels. A later score that leads by 89 makes an exponential too large "
            "for float32.",
        ),
        wrong(
            "It is right in both.",
            "A later score may lie far above the first block's, and exp(89) is too large for "
            "float32.",
        ),
        right(
            "If the first block is masked as a whole, it fails.",
            "Then m is −∞, and s − m is +∞ for every allowed score.",
        ),
    ),
    "mixture": choice(
        "Three offices each hold part of a country's records. Wanted is a mean over all of them, "
        "with weights so large that their plain sums overflow. The records may not leave their "
        "office. What must each office send?",
        wrong(
            "Its weighted mean.",
            "Means of parts cannot be combined unless one knows how much weight each part has.",
        ),
        wrong(
            "Its sum of weights and its weighted sum, each divided by its own largest weight.",
            "Then nobody knows what each was divided by, and they cannot be brought together.",
        ),
        right(
            "Its largest weight, and both sums divided by it.",
            "That is m, l and o. Each part is corrected to the largest weight of all, and added.",
        ),
        wrong(
            "Its largest weight and its weighted mean.",
            "What the weights add up to is missing.",
        ),
    ),
}
