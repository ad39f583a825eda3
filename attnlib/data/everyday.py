"""Short texts in plain English, which no version of anything changes, to read with a model."""

#: Twelve paragraphs on different things, each of more than forty tokens.
EVERYDAY = (
    "The old bridge was closed in March because its stones had begun to move. Until it is "
    "repaired, everybody who works on the other side of the river has to walk through the park "
    "and take the ferry.",
    "Bread needs only flour, water, salt and time. The dough is mixed in the evening and left "
    "on the table, and in the morning it has doubled. Then it is folded, shaped and baked until "
    "the crust is dark.",
    "My grandmother kept bees behind the house. In summer we helped her to lift the frames, and "
    "she showed us which of them were full. The honey from the lime trees was always the "
    "lightest, and she gave most of it away.",
    "A tram leaves the station every ten minutes. If you miss the last one, there is a bus that "
    "takes twice as long and stops at the hospital, the market and the school before it comes "
    "to our street.",
    "The museum bought the painting for very little money. For years it hung in a dark "
    "corridor, and nobody asked who had made it. Then a student noticed that the paint on the "
    "frame was older than the canvas.",
    "Plants make sugar from light, water and air. At night there is no light, so they use some "
    "of what they have stored. That is why a leaf that was covered for a few days becomes pale "
    "and falls off.",
    "The two teams had met three times that year, and each of them had won once. When the rain "
    "began in the second half, the ball hardly rolled, and both goalkeepers looked as if they "
    "would rather be at home.",
    "To repair a bicycle tyre, take the wheel out and let the air escape. Pull one side of the "
    "tyre over the rim, look for the hole by holding the tube under water, and dry it before "
    "you put the patch on.",
    "The library opens at nine and closes at six, but on Thursdays it stays open until eight. "
    "Books can be kept for four weeks. Somebody who needs one for longer may ask at the desk, "
    "unless another reader is waiting for it.",
    "When the ship came into the harbour, the whole village stood on the wall. Nobody had "
    "expected it before the winter. The captain waved with his hat, and the children ran down "
    "to catch the rope that the sailors threw.",
    "Glass is made of sand that is heated until it melts. While it is soft it can be blown, "
    "pressed or drawn into threads. If it cools too fast it breaks, so it has to stay in a warm "
    "oven for many hours.",
    "She had learned the piano as a child and stopped when she was twelve. Forty years later a "
    "neighbour moved away and left her an instrument, and she found that her hands still knew "
    "two of the pieces by heart.",
)
