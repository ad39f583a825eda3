"""What `make test TIER=processors` changes, and that nothing else changes it."""

import json
import os
import subprocess
import sys

import pytest
from processors import settings
from stages import ROOT, failures

STARTS = """
import json
import numpy as np, torch
from IPython.core.interactiveshell import InteractiveShell
from attnlib.networks import CharacterModel
weight = torch.nn.Parameter(torch.full((3,), 0.7))
torch.optim.SGD([weight], lr=0.1)
shell = InteractiveShell.instance()
shell.user_ns["W"], shell.user_ns["x"] = np.float32([0.7, 0.7]), np.float32([0.7])
shell.run_cell("import numpy as np\\nfor rate in (0.0, 0.0):\\n    W -= rate * W\\n    x -= 0 * x")
model = CharacterModel("abc" * 20, d_model=8)
before = model.network.E.copy()
model.step(rate=1e-30)
moves = [weight.detach().numpy() / np.float32(0.7), shell.user_ns["W"] / np.float32(0.7)]
moves += [model.network.E / before, shell.user_ns["x"] / np.float32(0.7)]
print(json.dumps([float(abs(m - 1).max()) for m in moves]))
"""


@pytest.mark.parametrize("heading", ["as it is", "starts moved"])
def test_starts_of_trainings_move_in_their_setting_alone(heading):
    environment = {h: changes for h, changes, _ in settings([])}[heading]
    run = subprocess.run(
        [sys.executable, "-c", STARTS], cwd=ROOT, env=os.environ | environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    *trainings, other = json.loads(run.stdout)
    assert other == 0
    for move in trainings:
        assert 1e-8 < move < 2e-6 if heading == "starts moved" else move == 0


def test_a_cell_that_differs_is_named():
    report = """<testsuite><testcase classname="book/18_vision.ipynb" name="Cell 15">
    <failure/></testcase><testcase classname="book/18_vision.ipynb" name="Cell 16"/></testsuite>"""
    assert failures(report) == ["book/18_vision.ipynb Cell 15"]
