"""Questions about positions."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "order": choice(
        "Attention layers have no positions and no mask, and the answer is read from the mean of "
        "all rows. Which of these tasks does this not rule out?",
        wrong(
            "Does this sentence say that the dog bit?",
            "“Dog bit man” and “man bit dog” are the same set of words. Both get the same answer.",
        ),
        right(
            "Does the sentence contain the word “not”?",
            "Whether a word occurs does not depend on where.",
        ),
        wrong(
            "Does the bracket open before it closes?",
            "With the two brackets exchanged the words are the same, and the right answer is not.",
        ),
        right(
            "Do more than half of the readings lie above zero?",
            "Every order of the readings has the same right answer, and gets the same one. (That "
            "training finds it is not proven by this.)",
        ),
    ),
    "longest": number(
        "Sinusoids with d = 8 and base 10,000. What is their longest wavelength, in positions?",
        answer=6283.2,
        tolerance=12,
        why="The last of four hands has i = 3, so the exponent is 2 · 3 / 8: 2π · 10,000^0.75 = "
        "2π · 1000.",
        hint="Which i has the last of the four hands?",
        mistakes={
            62831.9: "That is 2π times the base. It would take the exponent 1, which no d reaches.",
            1000: "That is how many positions it takes for one radian. A turn has 2π of them.",
            10000: "The base is not a wavelength. The last hand needs 2π · base^(1 − 2/d).",
            198.7: "That takes i / d for the exponent. It is 2i / d.",
            1987: "That is the exponent 5/8. The last of four hands has i = 3: 6/8.",
        },
    ),
    "alike": number(
        "Sinusoids with d = 4 and base 100, so the hands turn by 1 and by 0.1 at each position. "
        "What is the dot product of the descriptions of positions 40 and 43?",
        answer=-0.0347,
        tolerance=0.002,
        why="It is cos 3 + cos 0.3 = −0.9900 + 0.9553: the distance alone counts.",
        hint="Do the positions matter, or only how far apart they are?",
        mistakes={
            1.9971: "That is in degrees. The angles are in radians.",
            -0.01735: "That is divided by 2. Descriptions have the length √2 here, but the dot "
            "product is asked for.",
            0.4369: "That has sines in the place of cosines. At distance 0 it would be 0.",
            -0.99: "That is the first hand alone. Add the second.",
            0.9553: "That is the second hand alone. Add the first.",
        },
    ),
    "drowned": choice(
        "A model adds sinusoids with d = 256 to its items. At the start of training the items have "
        "256 components with the standard deviation 0.0625. What is true at the start?",
        right(
            "An item is about 1 long, its description about 11.",
            "√256 · 0.0625 = 1, and √(256 / 2) = 11.3. With an identity between them the places "
            "decide who looks at whom.",
        ),
        wrong(
            "Both have the same length, as there are 256 components each.",
            "A sine and a cosine have squares that sum to 1, so a description has the length √128.",
        ),
        wrong(
            "The description is too small to be noticed.",
            "Its components reach 1, those of an item are about 0.06.",
        ),
        right(
            "Multiplying the items by 16 makes them longer than their descriptions.",
            "By √256: then an item is about 16 long, its description 11.3.",
        ),
    ),
    "side": choice(
        "A model without a mask has the bias −0.5 |t − s| and no other position. Each text has the "
        "word “but” exactly once. Each of the other words is asked whether “but” comes before it. "
        "What will the model learn?",
        wrong(
            "To do it, but only for near words.",
            "It knows how near a word is, at any distance. It does not know on which side.",
        ),
        wrong(
            "To do it at the trained length only.",
            "Already there it cannot: read the text from the end, and every word keeps its answer.",
        ),
        right(
            "Nothing better than guessing, over texts and the same texts read from the end.",
            "Every answer goes with its word, and every right answer changes. So it is right in "
            "exactly one of the two.",
        ),
        wrong(
            "To do it, if it has more layers.",
            "Each layer is given rows that went with their items, and hands on such rows. The "
            "argument holds for any number.",
        ),
    ),
    "equal": choice(
        "A text is the same letter a hundred times. A model with rotary positions, a causal mask "
        "and three layers, with nothing else that depends on a position, has one answer in each "
        "row. What do the rows have in common?",
        right(
            "They are all equal.",
            "All values are the same, and the weights of a row sum to 1. So what arrives is the "
            "same in every row, whatever the weights; and in the next layer again.",
        ),
        wrong(
            "Nothing in particular: the weights differ from row to row.",
            "They do. But all of them weigh the same value, and sum to 1.",
        ),
        wrong(
            "The first row differs from the others, as it sees one key only.",
            "One weight of 1, or a hundred that sum to 1, times the same value: it is the same.",
        ),
        wrong(
            "They are equal in the first layer only.",
            "The second layer is given equal rows again, and so is the third.",
        ),
    ),
    "cached": choice(
        "A program writes word by word. At each step, for the newest item, it runs "
        "`q = rotary(x @ W_Q)` and `k = rotary(x @ W_K)`, with `x` of shape (1, d), and appends "
        "`k` to a cache. Without positions, `rotary(X)` counts the rows of `X` from 0. What is "
        "wrong?",
        wrong(
            "Keys in a cache must be turned again at each step, as the distance grows.",
            "The query is turned, too. Its angle minus the key's is the distance, without any "
            "touch to the key.",
        ),
        right(
            "Every item is turned as if it stood at position 0.",
            "A single row counts from 0. It needs the position of the new item: all are turned by "
            "0 here, and the model has no positions at all.",
        ),
        wrong(
            "The values would have to be turned as well.",
            "Rotary positions leave values as they are.",
        ),
        wrong(
            "Nothing: rotary scores know differences only.",
            "They know the difference of the positions that they are given. These are all 0.",
        ),
    ),
    "claim": choice(
        "“Sinusoids are defined for every position. So a model with sinusoids that was trained "
        "with texts of 512 words can be used on texts of 4096.” What is true?",
        wrong(
            "The claim is right.",
            "The descriptions exist. What the learned matrices make of them there, nothing in "
            "training has tested.",
        ),
        wrong(
            "It is wrong: sinusoids repeat themselves after 512 positions.",
            "Slow hands need far longer for a turn, and two whole positions never have the same "
            "description.",
        ),
        wrong(
            "It is wrong: no matrix can find the previous word at every position.",
            "A shift matrix can, at any position. It is only that training need not find it.",
        ),
        right(
            "It has to be measured, on the task.",
            "What is true in training of 512 positions may be said by many matrices, and they "
            "differ beyond. Some tasks carry over, some do not.",
        ),
    ),
    "reach": choice(
        "Which letter stands 20 places before me? Letters are drawn at random. One head, without a "
        "mask, is trained for it on texts of 63 letters. With which positions must it make "
        "mistakes, however long one trains?",
        wrong(
            "Sinusoids, added to the items.",
            "A score can say it: a multiple of the matrix that looks 20 back. Whether training "
            "finds it is to be measured.",
        ),
        right(
            "A table for the shifts from −8 to 8, beyond which the last one is shared.",
            "All keys more than 8 back have the same number. Only their letters tell them apart.",
        ),
        right(
            "A linear bias.",
            "The key 20 back and the key 20 on have the same number, and nearer ones a larger one.",
        ),
        wrong(
            "A table for the shifts from −30 to 30.",
            "It has a number for −20 alone, and training sees this shift in each text. Nothing "
            "forbids that it becomes the largest.",
        ),
    ),
    "hours": choice(
        "Readings of a bakery's till are to be described by the time of day, t = 0 … 23 hours, so "
        "that 23 is as near to 0 as 0 is to 1, and it is the same every day. Which description "
        "does this?",
        wrong(
            "The number t.",
            "23 and 0 are the farthest apart then.",
        ),
        wrong(
            "Sinusoids with d = 8 and base 10,000.",
            "No wavelength of theirs is 24, or divides it. Hour 23 and hour 0 are 23 steps apart.",
        ),
        right(
            "The sine and the cosine of 2πt / 24.",
            "One hand with the wavelength 24: from 23 to 0 it makes the same step as from 0 to 1.",
        ),
        wrong(
            "A learned row for each of the 24 hours.",
            "That can tell all hours apart. But nothing makes 23 as near to 0 as 0 is to 1: it "
            "would have to be learned.",
        ),
    ),
}
