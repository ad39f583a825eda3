"""Results of models that are not everywhere: computed where the model is, read where it is not."""

import functools
import json
import os
from pathlib import Path

import numpy as np

#: Where results are stored; set to 1 while a notebook runs, this variable stores them anew.
FOLDER, VARIABLE = Path(__file__).with_name("records"), "ATTENTION_RECORD"


class Recorded:
    """Decorate functions that ask a model, so that they answer without it, too.

    Parameters
    ----------
    name : str
        Of the record.
    live : bool
        Whether the model is here.

    Notes
    -----
    A call is known by the function's name and its arguments.  Numbers are rounded to four digits
    in either case.

    Examples
    --------
    >>> recorded = Recorded("smollm", live=True)
    >>> @recorded
    ... def third(x):
    ...     return {"third": x / 3, "row": np.ones(2) / 7}
    >>> third(2)
    {'third': 0.6667, 'row': array([0.1429, 0.1429])}
    """

    def __init__(self, name, live):
        self.path, self.live, self._told = FOLDER / f"{name}.json", live, False

    def __call__(self, function):
        """Return the function that computes, or reads."""

        @functools.wraps(function)
        def result(*given):
            call = f"{function.__name__}({', '.join(map(str, given))})"
            if self.live:
                text = json.dumps(plain(function(*given)), ensure_ascii=False)
                if os.environ.get(VARIABLE):
                    self._store(call, text)
                return json.loads(text, object_hook=arrays)
            return self._read(call)

        return result

    def _known(self):
        if not self.path.exists():
            return {}
        return json.loads(self.path.read_text(encoding="utf-8"))

    def _store(self, call, text):
        known = self._known() | {call: json.loads(text)}
        lines = [f"{json.dumps(name, ensure_ascii=False)}: " for name in known]
        values = [json.dumps(value, ensure_ascii=False) for value in known.values()]
        body = ",\n".join(map(str.__add__, lines, values))
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")

    def _read(self, call):
        known = self._known()
        if call not in known:
            raise LookupError(
                f"{call} was not recorded, and the model that computes it is not here: fetch it "
                f"(`make model`). Recorded are {', '.join([*known][:3])} and others."
            )
        if not self._told:
            self._told = True
            print("The model's file is not here (`make model` fetches it): these are records.")
        return json.loads(json.dumps(known[call]), object_hook=arrays)


def plain(value):
    """A result as JSON has it, with four digits."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return {"array": plain(value.tolist()), "dtype": str(value.dtype)}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}")
    return value


def arrays(found):
    """Arrays in place of what stands for them."""
    return np.array(found["array"], found["dtype"]) if found.keys() == {"array", "dtype"} else found
