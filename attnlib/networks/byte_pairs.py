"""Text into tokens and back, by byte pairs that were merged most often in other texts."""

import functools
import itertools
import re
import unicodedata

from attnlib import _checks
from attnlib._boundary import checked

#: Bytes that stand for themselves in a vocabulary; the others have letters from 256 on.
SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
LETTERS = {b: chr(b) for b in SHOWN}
LETTERS |= {b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in LETTERS)}
BYTES = {letter: b for b, letter in LETTERS.items()}
#: Words over kinds of characters: L letter, N number, S space, O other, ␣ the space itself.
WORDS = re.compile(r"␣?L+|␣?N+|␣?O+|[S␣]+(?![LNO])|[S␣]+")
ENDINGS = re.compile(r"'(?:s|t|re|ve|m|ll|d)")


class BytePairs:
    r"""Cut texts into tokens.

    Parameters
    ----------
    tokens : sequence of str
        The tokens by number, bytes written as letters.
    merges : sequence of str
        Two tokens each, with a space between them: which may be merged, the earlier the better.
    special : sequence of str, optional
        Tokens that are never cut, such as the sign for the start of a turn.

    Notes
    -----
    Byte-pair encoding (Sennrich et al. 2016) on bytes (Radford et al. 2019).  A text is cut into
    words, each with the space before it, and single digits; then in each word the pair of
    neighbours that stands first in `merges` is merged, again and again.

    Examples
    --------
    >>> pairs = BytePairs(["a", "b", "ab", "aba", "Ġ"], ["a b", "ab a"])
    >>> pairs.encode("abab ab"), pairs.decode([3, 4, 2])
    ([2, 2, 4, 2], 'aba ab')
    """

    @checked(tokens=_checks.words, merges=_checks.words, special=_checks.words)
    def __init__(self, tokens, merges, special=None):
        self.tokens, self.special = tokens, special or ()
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        self._ranks = {tuple(pair.split(" ")): i for i, pair in enumerate(merges)}
        merged = {"".join(pair) for pair in self._ranks}.union(*self._ranks)
        for name, parts in (("special", {*self.special}), ("merges", merged)):
            if unknown := parts - self._ids.keys():
                raise ValueError(f"{name} has {min(unknown)!r}, which is none of the tokens.")
        whole = sorted(map(re.escape, self.special), key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(whole)})" if whole else r"(?!)()")

    @classmethod
    def of(cls, metadata):
        """Build it of what `gguf.read` says about a model."""
        tokens, kinds = (metadata[f"tokenizer.ggml.{name}"] for name in ("tokens", "token_type"))
        special = [token for token, kind in zip(tokens, kinds) if kind == 3]
        return cls(tokens, metadata["tokenizer.ggml.merges"], special or None)

    @checked(text=_checks.string)
    def encode(self, text):
        """Return the numbers of a text's tokens."""
        ids = []
        for part in self._special.split(text):
            if part in self.special:
                ids.append(self._ids[part])
            else:
                for word in words(part):
                    ids += self._merged(word)
        return ids

    def decode(self, ids):
        """Return the text of some tokens; bytes that are no text become �."""
        found = b""
        for i in ids:
            token = self.tokens[i]
            whole = token in self.special
            found += token.encode() if whole else bytes(BYTES[letter] for letter in token)
        return found.decode(errors="replace")

    @functools.lru_cache(maxsize=10_000)  # noqa: B019  (words come again and again)
    def _merged(self, word):
        parts = [LETTERS[b] for b in word.encode()]
        while len(parts) > 1:
            pairs = itertools.pairwise(parts)
            rank, i = min((self._ranks.get(p, len(self._ranks)), i) for i, p in enumerate(pairs))
            if rank == len(self._ranks):
                break
            a, b = parts[i : i + 2]
            merged, j = [], 0
            while j < len(parts):
                both = parts[j : j + 2] == [a, b]
                merged.append(a + b if both else parts[j])
                j += 1 + both
            parts = merged
        return [self._ids[part] for part in parts]


def words(text):
    """Cut a text into words with the space before them, and single digits.

    Examples
    --------
    >>> words("It's 24 cats,  no?")
    ['It', "'s", ' ', '2', '4', ' cats', ',', ' ', ' no', '?']
    """
    found = []
    for piece in re.split(r"(\d)", text) if text.isascii() else pieces(text):
        kinds, at = "".join(map(kind, piece)), 0
        while at < len(piece):
            match = ENDINGS.match(piece, at) or WORDS.match(kinds, at)
            found.append(piece[at : match.end()])
            at = match.end()
    return found


def pieces(text):
    """Cut a text at each number sign of any script, which stands alone."""
    found = [""]
    for c in text:
        if kind(c) == "N":
            found += [c, ""]
        else:
            found[-1] += c
    return found


@functools.cache
def kind(c):
    """The kind of a character, as in `WORDS`."""
    if c == " ":
        return "␣"
    category = unicodedata.category(c)[0]
    return category if category in "LN" else "S" if c.isspace() else "O"
