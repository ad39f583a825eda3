"""Questions about adaptive weights."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "adaptive": choice(
        "Which of these filters have adaptive weights?",
        wrong(
            "Half the current reading plus half the previous one.",
            "The weights are one half each, whatever the readings are.",
        ),
        right(
            "The mean of all readings that differ from the current one by less than 0.3.",
            "Which readings take part depends on the readings: a bell with a hard edge.",
        ),
        wrong(
            "A moving average whose window is wider at the ends of the signal.",
            "The weights depend on the position, which is known before any data arrive.",
        ),
        right(
            "The median of a reading and its two neighbours.",
            "It puts weight one on the middle reading, and which one that is depends on the "
            "readings.",
        ),
    ),
    "two_readings": number(
        "Two readings, 0 and 1, and bandwidth h = 1. What weight does the first reading have in "
        "its own output?",
        answer=0.62246,
        tolerance=0.004,
        why="The bells are exp(0) = 1 and exp(−1/2) = 0.607, and 1 / 1.607 = 0.622.",
        hint="Compute the two bells exp(−difference² / 2h²), then divide the first by their sum.",
        mistakes={
            0.73106: "That leaves out the 2 in 2h²: the second bell is exp(−1/2), not exp(−1).",
            0.37754: "That is the weight of the other reading. The first is more like itself.",
            1: "The bell of the first is 1. It still has to be divided by the sum of both bells.",
            0.60653: "That is the bell of the second reading. Divide the first bell by the sum of "
            "both.",
            0.5: "One half would need equal bells, as with a very large bandwidth.",
        },
    ),
    "small_bandwidth": choice(
        "You make the bandwidth of the adaptive filter very small. What comes out?",
        wrong(
            "The mean of the signal.",
            "That is the other end: with a very large bandwidth all readings count as alike.",
        ),
        wrong(
            "The truth without noise.",
            "To remove noise the filter must average several readings. Here each is alone.",
        ),
        right(
            "The signal as it came in.",
            "Once it is small enough no reading is like another, and each output has weight one "
            "on its own reading.",
        ),
        wrong(
            "Zero.",
            "The bells of all others go to zero, but the weights still sum to one.",
        ),
    ),
    "steps_back": number(
        "A running average with a = 0.2. What is the weight of the reading 5 steps back?",
        answer=0.065536,
        tolerance=0.0005,
        why="a (1 − a)⁵ = 0.2 × 0.8⁵.",
        hint="Each update multiplies what is in the state by 1 − a. How did the reading get in?",
        mistakes={
            0.32768: "That is 0.8⁵. The reading entered with a factor a = 0.2.",
            0.08192: "That is 4 steps back: five updates have shrunk it since it came in.",
            0.00032: "That is 0.2⁵. Each update multiplies the state by 1 − a = 0.8.",
        },
    ),
}
