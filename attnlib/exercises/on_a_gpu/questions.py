"""Questions about attention on a GPU."""

from attnlib.exercises.engine.asking import choice, number, right, wrong

QUESTIONS = {
    "longer": choice(
        "A machine has a ridge of 150 FLOPs a byte. Naive attention with four passes, width 64 and "
        "two bytes a number runs on it with 500 items. Which of these changes make it "
        "compute-bound?",
        wrong(
            "Ten times as many items.",
            "Its intensity is nd / (s (n + d)). It rises with n, and never reaches d / s = 32.",
        ),
        wrong(
            "Ten times as many heads.",
            "FLOPs and bytes both grow by ten. Their ratio stays.",
        ),
        right(
            "The same products in float32, with a peak so much lower that the ridge is 10.",
            "Intensity falls to about 14, and that is above 10. On the whole it is compute-bound, "
            "and slower.",
        ),
        right(
            "A fused kernel.",
            "Its intensity is n / s = 250.",
        ),
    ),
    "wider": number(
        "A machine has a ridge of 60 FLOPs a byte, and a number takes two bytes. Above which width "
        "is naive attention with four passes compute-bound, for very many items?",
        answer=120,
        tolerance=0.5,
        why="For very many items the intensity is d / s, and d / 2 is 60 where d is 120.",
        hint="What does nd / (s (n + d)) come near to, if n is far larger than d?",
        mistakes={
            60: "The intensity is d / s, not d: it counts bytes, not numbers.",
            30: "It is the other way round: d / s has to be 60.",
            240: "The intensity d / s is for FLOPs already. No second factor of 2 is needed.",
            480: "With four passes the four in 4 n² d and the four of the passes cancel.",
        },
    ),
    "type": choice(
        "“We went from float32 to a type of two bytes. Attention moves half of the bytes, so "
        "it takes half of the time.” When is that a sound prediction?",
        right(
            "When attention is memory-bound before and after.",
            "Then bytes decide both times.",
        ),
        wrong(
            "Always: time goes with bytes.",
            "It does so only where memory is the limit. The peak changes with the type, too, and "
            "by another factor.",
        ),
        wrong(
            "When it was compute-bound before.",
            "Then the old time is FLOPs over the old peak. It says nothing about bytes.",
        ),
        wrong(
            "When the kernel is fused.",
            "A fused kernel with many items is compute-bound: the two peaks decide.",
        ),
    ),
    "halved": choice(
        "A kernel for causal attention skips the blocks that lie above the diagonal. For 16,384 "
        "items somebody reports 1.5 PFLOP/s on a GPU whose peak is 1 PFLOP/s. What has happened, "
        "most likely?",
        right(
            "All pairs were counted, and half of them were computed.",
            "With the causal pairs the rate is 0.75 PFLOP/s, which is possible.",
        ),
        wrong(
            "The kernel has so few bytes that it beats the roof.",
            "Few bytes lead to the flat part of the roof, and never above it.",
        ),
        wrong(
            "Multiply-adds were counted in place of FLOPs.",
            "That would make the rate too small by a factor of 2.",
        ),
        wrong(
            "The median was taken, and not the mean.",
            "The median is a little lower than the mean at most times, not by a factor.",
        ),
    ),
    "exchange": choice(
        "The bandwidth of a machine doubles, and its peak stays. Exponentials are no limit. Which "
        "least time falls?",
        right(
            "That of what lies below the new ridge, by half.",
            "It was below the old one, too, which was twice as high. Bytes decide before and "
            "after.",
        ),
        right(
            "That of what lies between the two ridges, by less than half.",
            "It was memory-bound, and has become compute-bound.",
        ),
        wrong(
            "That of what lies above the old ridge.",
            "There arithmetic decided, and decides.",
        ),
        wrong(
            "All of them, by half.",
            "Time falls only where memory was the limit.",
        ),
    ),
    "peak": choice(
        "“Our kernel reaches 85 % of the peak; the other group's reaches 65 %.” What do you ask "
        "before you believe that it is faster?",
        right(
            "Which peak: that of the data sheet, or one that was measured?",
            "85 % of a measured product that itself reaches 76 % of the nominal peak is 65 % of "
            "that.",
        ),
        right(
            "Which width, and how was a mask counted?",
            "Narrow heads leave less of the peak to be reached, and the full count of causal "
            "pairs doubles the rate.",
        ),
        right(
            "On which machine, with which type and how many items?",
            "A share of a small peak may be a low rate.",
        ),
        wrong(
            "Whether a clock with more digits was used.",
            "The differences here are of another size than the last digits of a clock.",
        ),
    ),
    "launch": number(
        "On a GPU with 100 TFLOP/s and 1 TB/s a kernel takes at least 4 µs to start. Naive "
        "attention is three kernels, one after another, two bytes a number, d = 64. For one head "
        "of 256 items, how many times as long as the least time of the roofline do the starts "
        "take?",
        answer=18.31,
        tolerance=0.1,
        why="The bytes are 2 (4 · 256² + 4 · 256 · 64) = 655,360, or 0.655 µs. Arithmetic takes "
        "0.17 µs. The starts take 12 µs, and 12 / 0.655 is 18.3.",
        hint="Find the larger of the two least times first. There are three starts.",
        mistakes={
            6.10: "That is a single start. There are three kernels.",
            71.5: "The larger of the two times is that of the bytes, not of the arithmetic.",
            91.55: "Those are the bytes of the fused kernel. The table of pairs is missing.",
            36.62: "A number takes two bytes.",
        },
    ),
    "bakery": choice(
        "A bakery has one oven that bakes 600 rolls an hour and one van that brings 300 kg of "
        "flour an hour. A roll takes 0.1 kg of flour; a cake takes 2 kg, and the oven time of two "
        "rolls. Think of flour as bytes, and of oven time as FLOPs. What is true?",
        right(
            "Rolls wait for the oven.",
            "600 rolls need 60 kg, and the van could bring 300.",
        ),
        right(
            "Cakes wait for the van.",
            "The oven could bake 300 an hour, and the flour is enough for 150.",
        ),
        wrong(
            "A faster oven makes more cakes.",
            "Cakes are bound by flour: 150 an hour, with any oven.",
        ),
        right(
            "With two rolls' worth of oven time for every kilogram of flour, both are busy.",
            "600 / 300 is the ridge.",
        ),
    ),
}
