"""Answers of a model that is not everywhere: computed, stored, and read."""

import numpy as np
import pytest

from attnlib.data import recorded as module
from attnlib.data.recorded import VARIABLE, Recorded


def test_what_was_recorded_is_what_was_computed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(module, "FOLDER", tmp_path / "records")
    monkeypatch.setenv(VARIABLE, "1")

    def answer(country, times):
        rows = np.arange(6).reshape(2, 3) / 7
        return {country: [("á", 1 / 3, 3, True)] * times, "rows": rows, "ids": np.arange(3)}

    live = Recorded("small", live=True)(answer)
    first, second = live("France", 2), live("Italy", 1)
    monkeypatch.delenv(VARIABLE)
    live("Spain", 1)
    stored = Recorded("small", live=False)(answer)
    for known, country, times in ((first, "France", 2), (second, "Italy", 1)):
        read = stored(country, times)
        assert read[country] == known[country] == [["á", 0.3333, 3, True]] * times
        for name in ("rows", "ids"):
            assert read[name].dtype == known[name].dtype == answer("", 1)[name].dtype
            np.testing.assert_array_equal(read[name], known[name])
    assert capsys.readouterr().out.count("these are records") == 1
    with pytest.raises(LookupError, match=r"answer\(Spain, 1\) was not recorded.*make model"):
        stored("Spain", 1)
