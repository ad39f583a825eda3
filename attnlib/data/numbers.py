"""Numbers below a million in English and in French words: what a translator learns from."""

from attnlib import _checks

_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen""".split()
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_FRENCH = """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
seize dix-sept dix-huit dix-neuf""".split()
_FRENCH_TENS = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()


def english_words(n):
    """Write a number in English words.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of str
        Hyphens and commas are left out.

    Examples
    --------
    >>> " ".join(english_words(70_421))
    'seventy thousand four hundred and twenty one'
    """
    n = _below_a_million(n)
    if n < 20:
        return [_ENGLISH[n]]
    if n < 100:
        return [_ENGLISH_TENS[n // 10 - 2], *_rest(n % 10, english_words)]
    if n < 1000:
        link = ["and"] if n % 100 else []
        return [_ENGLISH[n // 100], "hundred", *link, *_rest(n % 100, english_words)]
    link = ["and"] if 0 < n % 1000 < 100 else []
    return [*english_words(n // 1000), "thousand", *link, *_rest(n % 1000, english_words)]


def french_words(n):
    """Write a number in French words, as it is done in France.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of str
        What a hyphen joins are words of their own.

    Examples
    --------
    Seventy is sixty ten, eighty is four twenties, and ninety is four twenties ten.

    >>> " ".join(french_words(70_421))
    'soixante dix mille quatre cent vingt et un'
    >>> " ".join(french_words(80)), " ".join(french_words(91))
    ('quatre vingts', 'quatre vingt onze')
    """
    n = _below_a_million(n)
    if n < 1000:
        words = _french_hundreds(n)
        plural = n % 100 == 80 or (n >= 200 and n % 100 == 0)
        return [*words[:-1], words[-1] + "s"] if plural else words
    thousands = [] if n < 2000 else _french_hundreds(n // 1000)
    return [*thousands, "mille", *_rest(n % 1000, french_words)]


def french_places(n):
    """Say which English words each French word of a number belongs to.

    Parameters
    ----------
    n : int
        From 0 to 999,999.

    Returns
    -------
    list of set of int
        For each of `french_words` the places in `english_words`, counted from 0.  “Et” has none.

    Examples
    --------
    “Soixante et onze” is “seventy one”, and “onze” belongs to both of its words.

    >>> french_places(71)
    [{0}, set(), {0, 1}]
    """
    thousands, rest = divmod(_below_a_million(n), 1000)
    if not thousands:
        return _places(rest, 0)
    at = len(english_words(thousands))
    before = _places(thousands, 0) if thousands > 1 else []
    return [*before, {at}, *(_places(rest, at + (2 if rest < 100 else 1)) if rest else [])]


def _places(n, at):
    """The same for a number below 1000 whose first English word is at `at`."""
    if n >= 100:
        rest = n % 100
        digit = [] if n < 200 else [{at}]
        return [*digit, {at + 1}, *(_places(rest, at + 3) if rest else [])]
    words, ten = _french_hundreds(n), n // 10
    if ten < 2:
        return [{at}] * len(words)
    link = [set()] if "et" in words else []
    tens = [{at}] * len(_FRENCH_TENS[ten - 2].split("-"))
    ends = words[len(tens) + len(link) :]
    both = ten in (7, 9) and len(ends) == 1  # one French word for two English ones, as "onze"
    last = [{at} if word == "dix" else {at, at + 1} if both else {at + 1} for word in ends]
    return [*tens, *link, *last]


def _french_hundreds(n):
    """A number below 1000 in French, without the s of a plural, which `mille` takes away."""
    if n >= 100:
        many = [] if n < 200 else [_FRENCH[n // 100]]
        return [*many, "cent", *_rest(n % 100, _french_hundreds)]
    if n < 20:
        return _FRENCH[n].split("-")
    ten, rest = divmod(n, 10)
    if ten in (7, 9):
        rest += 10
    link = ["et"] if rest in (1, 11) and ten < 8 else []
    return [*_FRENCH_TENS[ten - 2].split("-"), *link, *_rest(rest, _french_hundreds)]


def _rest(rest, words):
    """The words of what is left of a number, if anything is."""
    return words(rest) if rest else []


def _below_a_million(n):
    """Return `n` if it can be written."""
    if _checks.count(n, "n", least=0) >= 1_000_000:
        raise ValueError(f"n is {n}, but must be below a million.")
    return n


def _vocabulary(words):
    return tuple(dict.fromkeys(w for n in [*range(1000), 1000] for w in words(n)))


END = "·"  # begins and ends every translation
LONGEST = 15  # words of a translation; the longest right one has 14, with END
ENGLISH = _vocabulary(english_words)
FRENCH = (END, *_vocabulary(french_words))
