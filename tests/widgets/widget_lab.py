"""Widgets in known states, and the gestures of a reader, for the browser tests of the widgets."""

import numpy as np

from attnlib import attend, dot, widgets

APART = {"K": [[2, 0], [-2, 0], [0, -2]], "V": [[10, 0], [0, 10], [10, 10]], "query": [0, 1.5]}
PLANE = "Query and keys"
COARSE = {"has_touch": True, "is_mobile": True, "width": 390, "height": 844}


def lab(name, **state):
    """One widget of each kind, in a state that the tests know."""
    makers = {
        "plane": lambda: widgets.QueryPlane(**state),
        "signal": lambda: widgets.SignalWeights(**state),
        "scaling": lambda: widgets.ScalingLab(**state),
        "quiz": lambda: widgets.Quiz(question="Which axis?", options=options("keys", "queries")),
        "number": lambda: widgets.NumberQuestion(
            question="Two plus two?",
            answer=4,
            tolerance=0.1,
            why="Yes, four.",
            hint="Count.",
            mistakes=[{"value": 22, "reply": "Add."}, {"value": -4, "reply": "Mind the sign."}],
        ),
    }
    return makers[name]()


KINDS = ["plane", "signal", "scaling", "quiz", "number"]


def options(right, *wrong):
    """Options for a quiz, each with its explanation."""
    texts = [right, *wrong]
    return [{"text": t, "correct": t == right, "why": f"Because of {t}."} for t in texts]


def drag(page, start, end, steps=6):
    """Press, move, release the mouse, and wait until the numbers have followed."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=steps)
    page.mouse.up()
    page.wait_for_timeout(100)


def expected_weights(query, K=((1, 0), (0.5, 0.5), (-1, -1))):
    """What attnlib says for a query and the keys of the worked example."""
    return attend(np.array([query]), np.array(K, float), np.zeros((len(K), 1)), score=dot)[1][0]


def centre(locator):
    """Where in the window the middle of an element is."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
