"""Texts to learn from, and the windows that a language model is scored on."""

from typing import NamedTuple

import numpy as np


class Texts(NamedTuple):
    """A text in three parts that share no paragraph.

    Examples
    --------
    >>> training, validation, test = python_topics()
    >>> len(training) > 5 * len(test)
    True
    """

    training: str
    """What a model learns from."""
    validation: str
    """What its settings are chosen by."""
    test: str
    """What it is scored on in the end."""


def python_topics(repeats=False):
    """English about the language Python, which every Python carries: its help on topics.

    Parameters
    ----------
    repeats : bool, optional
        Whether to keep paragraphs that an earlier topic has, too.  By default each is kept once, in
        the first of its topics, or much of the test would be in the training.

    Returns
    -------
    Texts
        About four fifths, a tenth and a tenth of the topics' text.  The topics are put in a random
        order first, always the same.  A text depends on the version of Python.  Typographic quotes
        and dashes become those of a keyboard; other characters outside of ASCII are left out, and
        so is what the training part never has.

    Examples
    --------
    >>> texts = python_topics()
    >>> "the" in texts.training, set(texts.test) <= set(texts.training)
    (True, True)
    """
    try:
        from pydoc_data.topics import topics
    except ModuleNotFoundError as lacking:
        raise ModuleNotFoundError(
            "python_topics needs the module pydoc_data of the standard library, which this Python "
            "lacks. Install a complete Python, as from python.org, conda or your system's full "
            "package."
        ) from lacking

    plain = str.maketrans("‘’“”–—", "''\"\"--")
    names = sorted(topics)
    np.random.default_rng(17).shuffle(names)
    kept, seen = [], set()
    for name in names:
        text = topics[name].translate(plain).encode("ascii", "ignore").decode()
        paragraphs = [p.strip("\n") for p in text.split("\n\n")]
        if not repeats:
            words = [" ".join(p.split()) for p in paragraphs]
            new = [w not in seen and w not in words[:i] for i, w in enumerate(words)]
            paragraphs = [p for p, is_new in zip(paragraphs, new) if is_new]
            seen.update(words)
        kept.append("\n\n".join(paragraphs) + "\n\n")
    ends = np.cumsum([len(text) for text in kept])
    # The first topics are for test and validation, a tenth of the text each, or a little more.
    a, b = (int(np.searchsorted(ends, share * ends[-1])) + 1 for share in (0.1, 0.2))
    test, validation, training = ("".join(part) for part in (kept[:a], kept[a:b], kept[b:]))
    known = set(training)
    test, validation = ("".join(c for c in part if c in known) for part in (test, validation))
    return Texts(training, validation, test)


def cut(ids, least, context):
    """Cut windows that overlap, so that each character from number `least` on is guessed once.

    Yields arrays of windows, 128 at most.  Of each window all but the last character are read, at
    most `context`; those with `least` others before them in the window are guessed.

    >>> [windows.tolist() for windows in cut(np.arange(6), least=2, context=3)]
    [[[0, 1, 2, 3], [2, 3, 4, 5]]]
    """
    if least > context:
        raise ValueError(f"least={least} is more than context={context}.")
    if len(ids) <= least:
        raise ValueError(f"text has {len(ids)} characters; give more than least={least}.")
    starts = np.arange(0, len(ids) - least, context - least + 1)
    whole = starts[starts + context < len(ids)]
    for i in range(0, len(whole), 128):
        yield ids[whole[i : i + 128, None] + np.arange(context + 1)]
    if len(whole) < len(starts):  # what is left is one shorter window
        yield ids[None, starts[-1] :]
