"""A reader's function that the package calls: what it calls itself is checked as anywhere else."""

import numpy as np
import pytest

from attnlib import attend, softmax
from attnlib.efficient import linear_attention
from attnlib.gradients import finite_difference
from attnlib.networks import CharacterModel

Q, K = np.ones((2, 3)), np.ones((4, 3))

CALLS = {
    "score": lambda f: attend(Q, K, K, score=lambda Q, K: f(Q @ K.T)),
    "normalize": lambda f: attend(Q, K, K, normalize=f),
    "features": lambda f: linear_attention(Q, K, K, features=f),
    "a function to be differentiated": lambda f: finite_difference(lambda x: f(x).sum(), Q[0]),
    "report": lambda f: CharacterModel("ab" * 20, context=4).learn(
        1, report=lambda step, loss: f(np.ones(2))
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_checks_run_in_a_readers_function(call):
    def careless(x):
        return softmax(np.where(x > 0, np.nan, 0.0))

    with pytest.raises(ValueError, match="scores"):
        call(careless)
    call(lambda x: softmax([[1.0, 2.0]]) is not None and softmax(x))
