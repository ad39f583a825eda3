"""Questions about scores and weights."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "through_a_matrix": number(
        "The query is `[1, 2]`, the key is `[3, 1]`, and W is `[[0, 1], [2, 0]]`, row by row. What "
        "is the bilinear score q W kᵀ?",
        answer=13,
        tolerance=0.01,
        why="q W = [1·0 + 2·2, 1·1 + 2·0] = [4, 1], and [4, 1] · [3, 1] = 13.",
        hint="Take the query through W first: row vector times matrix. Then a dot product.",
        mistakes={
            8: "That is with W transposed: [2, 2] · [3, 1]. A row vector times W sums down the "
            "columns of W.",
            5: "That is the plain dot product. The query goes through W first.",
            0: "That takes only the diagonal of W. Its other entries join different components.",
        },
    ),
    "no_bend": choice(
        "You leave the tanh out of an additive score, and train it as before. What becomes of it?",
        wrong(
            "It becomes the plain dot product of query and key.",
            "In a dot product each component of the query meets one of the key. Here each of the "
            "two is made into a number by itself, and the numbers are added.",
        ),
        right(
            "Every query gets the same weights.",
            "The score is then one number of the query plus one of the key. The first is the same "
            "for all keys, and softmax does not see it.",
        ),
        wrong(
            "It learns more slowly, but the same.",
            "No training helps: the weights do not depend on the query, whatever the parameters "
            "are.",
        ),
        wrong(
            "The weights no longer sum to one.",
            "Softmax sees to that, whatever the scores are.",
        ),
    ),
    "sparse_share": number(
        "The scores are 0.5, 1.1 and −0.2. What is the sparsemax weight of the second?",
        answer=0.8,
        tolerance=0.004,
        why="Of the best two, 1.1 and 0.5: τ = (1.6 − 1)/2 = 0.3, and 0.5 lies above it. With the "
        "third τ would be 0.1333, and −0.2 lies below. So the weights are 0.8 and 0.2.",
        hint="Sort them. For the best one, the best two, all three: sum, minus one, divided by "
        "their number. Which scores lie above it?",
        mistakes={
            1: "The second lies only 0.6 above the first. Sparsemax gives all to one score if it "
            "leads by 1 or more.",
            0.9667: "All three are kept there, and the third weight would be −0.3333.",
            0.549: "That is softmax. Sparsemax takes no exponentials.",
            0.3: "That is the threshold. The weight is what lies above it.",
        },
    ),
    "shift": choice(
        "You add 3 to all scores of a row. Which weights change?",
        wrong("Those of softmax.", "The factor exp(3) cancels: softmax sees only differences."),
        wrong(
            "Those of sparsemax.",
            "The threshold rises by 3 as well, and what lies above it stays the same.",
        ),
        right(
            "Those of the normalised sigmoid.",
            "Each sigmoid looks at its own score, and all of them come nearer to 1: the weights "
            "become more equal.",
        ),
        wrong("Those of hardmax.", "The best score is still the best."),
    ),
    "inside": number(
        "Ten keys are drawn at random on a line, and a query asks for one of them, chosen at "
        "random. Whatever is learned, how often can a bilinear score give that key the largest "
        "score?",
        answer=0.2,
        tolerance=0.002,
        why="A score that is linear in the key rises or falls along the line, so only the two ends "
        "can be best: two keys of ten.",
        hint="For one fixed query, how does the score change as the key moves along the line?",
        mistakes={
            0.1: "That is blind guessing. Of the ten keys two can be best, one for each sign of "
            "the slope.",
            0.5: "The query chooses the sign of the slope, and with it the left end or the right "
            "end. The eight others never win.",
            1: "Only where all keys are corners of their hull. On a line that is so for two keys.",
            0: "The two ends can be found, by a slope that falls and by one that rises.",
        },
    ),
    "everybody": choice(
        "A shop scores customer i and product j by `u[i] + p[j]`, both learned from a million "
        "purchases, and shows each customer the five products with the largest scores. What do two "
        "customers see?",
        right(
            "The same five.",
            "u[i] is the same for all products of a row, so it changes no order and no softmax "
            "weight: an additive score without a bend. It can learn what is popular, and nothing "
            "about who likes what.",
        ),
        wrong(
            "Five each, by their taste.",
            "Taste would need a score in which customer and product meet: a product of the two, or "
            "a bend round their sum.",
        ),
        wrong(
            "The same five, if u is the same for both.",
            "u[i] may be anything: it lifts all products of customer i alike.",
        ),
    ),
    "many_yes": choice(
        "A query wants the plain mean of all items that say “yes”. There are eight items: three "
        "with the scores 6, 4 and 3 say yes, the other five are at −4. Which normaliser comes "
        "nearest?",
        wrong(
            "Softmax.",
            "A lead of 2 is a factor of exp(2): the first gets 0.84 of the weight.",
        ),
        wrong("Sparsemax.", "The first leads by more than 1, so it gets everything."),
        right(
            "The normalised sigmoid.",
            "Far above 0 all sigmoids are nearly 1, whatever the score: three weights of about a "
            "third. Each no counts 0.018, so the five together get 0.03 of the weight; five "
            "hundred would get three quarters.",
        ),
        wrong("Hardmax.", "It gives everything to the first."),
    ),
}
