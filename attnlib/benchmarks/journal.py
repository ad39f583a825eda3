"""Rows on their way to a recording: written one by one, never lost, joined at the end.

While a run goes on, its rows are lines of JSON in ``FILE.json.part`` behind a first line that
says what run it is.  A line counts once its end is on the disk.
"""

import contextlib
import json
import os
from pathlib import Path

from attnlib.benchmarks.provenance import refuse_other_run

try:
    import fcntl
except ImportError:  # not on every system; there two runs into one file go unnoticed
    fcntl = None


class Journal:
    """The unfinished recording of one run.

    Parameters
    ----------
    out : path
        Where the recording will lie; its rows lie beside it in ``.part`` until then.

    Raises
    ------
    ValueError
        By its methods: where another run writes into the same file, or what is there does not
        fit.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Journal(Path(folder, "a.json")) as journal:
    ...         journal.begin({"seed": 0})
    ...         journal.append({"n": 1})
    ...         journal.finish({"seed": 0})
    ...     json.loads(Path(folder, "a.json").read_text())
    {'seed': 0, 'rows': [{'n': 1}]}
    """

    def __init__(self, out):
        self.out = Path(out)
        self.part = self.out.with_name(self.out.name + ".part")
        self.lines = []
        self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def rows(self):
        """The finished rows as dicts."""
        return [json.loads(line) for line in self.lines]

    def resume(self, wanted):
        """Take up the rows of an earlier command, if there are any.

        Parameters
        ----------
        wanted : dict
            The header of the present run.

        Returns
        -------
        header : dict or None
            The header of the earlier command; None where there was none.
        notice : str or None
            What was dropped, if anything.

        Raises
        ------
        ValueError
            If the earlier command measured something else, or its file is spoilt.
        """
        if not self.part.exists():
            return None, None
        self._open()
        lines, whole, notice = _whole_lines(self.part)
        if not lines:
            return None, notice
        header, *self.lines = lines
        header = json.loads(header)
        refuse_other_run(header, wanted, self.part)
        if notice:
            os.ftruncate(self._file, whole)
            os.fsync(self._file)
        return header, notice

    def begin(self, header):
        """Start anew with this header as the first line."""
        self._open()
        os.ftruncate(self._file, 0)
        self.lines = []
        self._write(line_of(header))

    def append(self, row):
        """Add one finished row; when this returns, it is on the disk."""
        line = line_of(row)
        self._write(line)
        self.lines.append(line)

    def finish(self, header):
        """Write the recording in one step, and only then remove the unfinished one."""
        head = json.dumps(header, indent=1, ensure_ascii=False, allow_nan=False)
        rows = ",\n".join(f"  {line}" for line in self.lines)
        text = f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n'
        temporary = self.out.with_name(self.out.name + ".tmp")
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.out)
        self.part.unlink()

    def _open(self):
        if self._file is not None:
            return
        self.out.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.part, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        if fcntl:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(
                    f"another run writes into {self.part.name}. Wait for it, or give another --out."
                ) from None

    def _write(self, line):
        """Write a line in as few calls as the system allows, and wait for the disk."""
        left = line.encode() + b"\n"
        while left:
            left = left[os.write(self._file, left) :]
        os.fsync(self._file)


def line_of(thing):
    """Return a dict as one line of JSON, which has no NaN."""
    return json.dumps(thing, ensure_ascii=False, allow_nan=False)


def set_aside(path):
    """Rename a file to ``.old`` (``.old1``, ``.old2``, …); returns the new name, or None."""
    path = Path(path)
    if not path.exists():
        return None
    names = (path.with_name(f"{path.name}.old{number or ''}") for number in range(10**6))
    free = next(name for name in names if not name.exists())
    os.rename(path, free)
    return free.name


def _whole_lines(path):
    """Return the whole lines of a file, how many bytes they are, and what is wrong with the last.

    A command that was killed while it wrote leaves half a line, which has no end.
    """
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].decode("utf-8", errors="replace").split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        with contextlib.suppress(ValueError):
            if isinstance(json.loads(line), dict):
                continue
        raise ValueError(
            f"line {number} of {path.name} is spoilt. Remove that line, or give --fresh to set "
            f"the file aside as .old."
        )
    torn = "the last line was torn when the earlier command ended; it is measured again"
    return lines, whole, torn if whole < len(data) else None
