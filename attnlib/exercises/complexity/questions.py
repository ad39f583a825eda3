"""Questions about complexity."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "doubled": choice(
        "A layer of width 1024 handles sentences of 64 items. Now they are to have 128. By what "
        "factor does its work grow, counted in multiply-adds, with the projections?",
        wrong(
            "By 4: attention is quadratic.",
            "The pairs grow by 4. Here they have 64 / (2048 + 64) of the work, 3 %.",
        ),
        right(
            "By a little more than 2.",
            "The pairs' share is 64 / 2112, or 0.03, and 2 (1 + 0.03) is 2.06.",
        ),
        wrong(
            "By 3.",
            "That holds at the crossing, at 2048 items.",
        ),
        wrong(
            "By 2 exactly.",
            "Then there would be no pairs at all. They have 3 % of the work, and grow by 4.",
        ),
    ),
    "heads": choice(
        "A layer keeps its width of 512, and gets 16 heads of 32 in the place of 8 heads of 64. "
        "It handles 2000 items. What doubles?",
        wrong(
            "The multiply-adds of the scores.",
            "There are twice as many scores, and each takes half as many multiply-adds.",
        ),
        right(
            "The bytes of the table of scores.",
            "Each head has its own n × n scores, however narrow it is.",
        ),
        right(
            "The number of exponentials.",
            "Softmax takes one for each pair in each head.",
        ),
        wrong(
            "The parameters.",
            "The four projections are 512 × 512 each, with any number of heads.",
        ),
    ),
    "counter": number(
        "A layer of width 64 with one head handles 128 items. How many million FLOPs do its matrix "
        "products take, projections included?",
        answer=8.3886,
        tolerance=0.01,
        why="2 · 128 · 64 · (128 + 128) is 4.194 million multiply-adds, and each is two FLOPs.",
        hint="How many multiply-adds do the projections take, how many the pairs? And a "
        "multiply-add is how many FLOPs?",
        mistakes={
            4.1943: "Those are the multiply-adds. Each is a multiplication and an addition.",
            6.2915: "One part is counted in multiply-adds, the other in FLOPs.",
            7.3400: "There are four projections. The one after the heads was left out.",
            2.0972: "That is one part alone, and in multiply-adds.",
        },
    ),
    "crossing": number(
        "In a layer without its output projection, three projections of n·d² multiply-adds each "
        "are left. With d = 768: at how many items do pairs take as much work as these?",
        answer=1152,
        tolerance=0.5,
        why="3 n d² = 2 n² d where n = 3 d / 2.",
        hint="Write down both amounts for n items, and set them equal.",
        mistakes={
            1536: "That is 2 d, for four projections.",
            2304: "That is 3 d: the pairs are scores and weighted sums, 2 n² d together.",
            768: "At n = d pairs have 2 d³, the projections 3 d³.",
            512: "Upside down: n = 3 d / 2, not 2 d / 3.",
        },
    ),
    "exponent": choice(
        "A report says: “The time of our attention layer grows as n to the power 1.62 (interval "
        "1.60 to 1.64).” Its width is 512, and it was timed from 256 to 4096 items. What would you "
        "answer?",
        wrong(
            "The interval is narrow, so the law holds.",
            "The interval says how much the times scatter. A curve that bends can be timed "
            "precisely.",
        ),
        wrong(
            "It must be a mistake, since attention is quadratic.",
            "With its projections a layer has local exponents between 1 and 2. As a mean over this "
            "range, 1.62 is no surprise.",
        ),
        right(
            "A sum of n·d² and n²·d has no single exponent. At 10 000 items it will be larger.",
            "The local exponent rises from near 1 to near 2, so a mean over a range says nothing "
            "about sizes beyond it. Ask for local slopes, or for the coefficients of both terms.",
        ),
        wrong(
            "More repetitions are needed.",
            "They would make the interval narrower, about the same mean of a curve that bends.",
        ),
    ),
    "waiting": choice(
        "A shop's program puts orders into a queue, which a second program works through. Somebody "
        "times how long the call that puts an order there takes: 2 ms, for an order of one item as "
        "for one of a thousand. What has been measured?",
        wrong(
            "That an order is handled in 2 ms.",
            "When the call returns, the order lies in the queue. Nobody has handled it yet.",
        ),
        wrong(
            "That the work does not depend on the size of the order.",
            "It is the handing over that does not. A time with the exponent 0 is a sign of that.",
        ),
        right(
            "The handing over. To time the work, wait until the second program reports that it is "
            "done.",
            "It is the same with a GPU: a call returns when the work is handed over.",
        ),
        wrong(
            "The overhead of the clock.",
            "A clock takes a fraction of a microsecond to read. Putting an order into a queue is "
            "work, too.",
        ),
    ),
    "half": choice(
        "All numbers of an attention layer are stored in two bytes instead of four. Nothing else "
        "changes. What is halved?",
        right(
            "The bytes that are moved.",
            "Each array is read and written as often as before, at half the bytes.",
        ),
        wrong(
            "The multiply-adds.",
            "There are as many numbers as before. A machine may do them faster; it does as many.",
        ),
        wrong(
            "The crossing of pairs and projections.",
            "It is where two counts of multiply-adds are equal, n = 2d.",
        ),
        right(
            "The bytes of the table of scores.",
            "n² numbers for each head, of two bytes instead of four.",
        ),
    ),
    "recurrent": choice(
        "“A layer of self-attention has less work than a recurrent one if n < d.” The recurrent "
        "network has two matrices d × d, attention four, and n = d / 2. What is true of "
        "multiply-adds?",
        wrong(
            "The sentence is right: n²d is less than nd².",
            "That compares one term of each without its factor. The projections are missing.",
        ),
        right(
            "Attention has two and a half times as many.",
            "4nd² + 2n²d = 5nd² for n = d / 2, against 2nd².",
        ),
        wrong(
            "Attention has half as many.",
            "Its pairs alone have n²d · 2 = nd², half of 2nd². But before and after them come four "
            "projections.",
        ),
        wrong(
            "They have equally many.",
            "The four projections alone have 4nd², twice the recurrent network's 2nd².",
        ),
    ),
    "reviews": choice(
        "In a class each student writes an essay, and each reads all the others' essays. Reading "
        "one takes 5 minutes, writing one 4 hours. Somebody says: “The effort is quadratic; with "
        "twice as many students it is four times as much.” For which classes is that nearly true "
        "of the total effort?",
        wrong(
            "For all.",
            "Writing grows with the number of students, not with its square.",
        ),
        wrong(
            "For classes of 10, since each reads 9 essays.",
            "Nine essays are 45 minutes of reading, against 4 hours of writing. The total rather "
            "doubles.",
        ),
        wrong(
            "For classes of 49.",
            "There reading and writing take equally long, 48 times 5 minutes: the crossing. "
            "Twice as many students make about three times the effort.",
        ),
        right(
            "For classes of many hundreds.",
            "With 500 students reading takes over 41 hours each, writing 4. Far beyond the "
            "crossing, at 49, the quadratic term has nearly all.",
        ),
    ),
}
