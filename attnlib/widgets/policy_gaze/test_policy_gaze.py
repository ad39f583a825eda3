"""The policy's gaze: what is refused, and that the page plays the episode that attnlib plays."""

import numpy as np
import pytest

from attnlib.data.cartpole import history
from attnlib.networks import Balancer
from attnlib.widgets import PolicyGaze
from tests.helpers.widget_pages import frame, numbers, refused, state

browser = pytest.mark.browser
LOST = [[], [39], [38, 39, 40], [*range(0, 90, 3)], [*range(20, 60)], [*range(100)]]


@pytest.mark.parametrize(
    ("words", "trait", "value"),
    [("lost", "lost", [-1]), ("lost", "lost", [100]), ("moment", "moment", -1),
     ("moment", "moment", 100)],
)  # fmt: skip
def test_what_is_wrong_is_refused(words, trait, value):
    refused(PolicyGaze, words, **{trait: value})


@pytest.mark.parametrize("lost", LOST)
def test_it_shows_what_the_policy_does(lost):
    widget = PolicyGaze(lost=lost, moment=99)
    states, looks = widget._episode
    seen = ~np.isin(np.arange(len(states)), lost)
    for t in range(0, len(states), 7):
        weights, push = Balancer.trained().look(history(states, seen, t))
        assert np.allclose(weights, looks[t][0]) and np.isclose(push, looks[t][1])
    assert widget.length == len(states) and widget.weights.sum() == pytest.approx(1)


def test_lost_steps_are_kept_in_order():
    assert PolicyGaze(lost=[9, 3, 9]).lost == [3, 9]


@browser
@pytest.mark.parametrize("lost", LOST)
def test_the_page_plays_as_attnlib_does(show, lost):
    for moment in (0, 5, 40, 99):
        widget = PolicyGaze(lost=lost, moment=moment)
        page = show(widget)
        frame(page)
        said = numbers(page.locator(".attn-gaze-said").inner_text())
        ours = numbers(widget.announcement())
        assert len(said) == len(ours)
        np.testing.assert_allclose(said, ours, atol=0.0101)


@browser
def test_a_view_is_lost_and_found(show):
    page = show(PolicyGaze(lost=[], moment=40))
    page.get_by_role("radio", name="lost").check()
    frame(page)
    assert state(page, PolicyGaze)["lost"] == [40]
    page.get_by_role("radio", name="seen").check()
    frame(page)
    assert state(page, PolicyGaze)["lost"] == []
