"""Turn chunks of text into ids of characters, and into the words of chrF.

A chunk is one array of code points, each line closed by a newline. Characters get their ids from a table.
The words' spans are found at their edges; what is equal is left to `vocabulary`.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import punctuation
from typing import TYPE_CHECKING

import numpy as np

from mtscore.arrays import Ragged
from mtscore.batch import NEWLINE, Batch, joined
from mtscore.tokenizers.base import WHITE_SPACE
from mtscore.vocabulary import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from mtscore.arrays import Booleans, Integers

NO_CHARACTER = -1
"""The id of white space that does not count."""
UNKNOWN = 0
"""The id of characters that no reference has; it also closes hypotheses."""
END = 1
"""The id that closes references."""


@dataclass(frozen=True, slots=True)
class Text:
    """Hold lines as code points; line i ends with the newline at `ends[i]`."""

    points: npt.NDArray[np.uint32]
    ends: Integers


def join(lines: Sequence[str]) -> Text:
    """Return lines, which may themselves contain newlines, as one text."""
    text = f"{joined(lines)}\n" if lines else ""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    if isinstance(lines, Batch):
        return Text(points, np.flatnonzero(points == NEWLINE))
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    return Text(points, np.cumsum(lengths + 1) - 1)


class Alphabet:
    """Know the characters of a chunk of references by id."""

    def __init__(self, references: Text, *, whitespace: bool) -> None:
        """Give ids from 2 on; white space has none unless it counts as characters."""
        size = max(int(references.points.max(initial=0)), WHITE_SPACE[-1]) + 2
        known = np.zeros(size, dtype=np.bool_)
        known[references.points] = True
        if not whitespace:
            known[WHITE_SPACE] = False
        characters = np.flatnonzero(known)
        past = END + 1 + len(characters)
        self._ids = np.zeros(size, dtype=np.min_scalar_type(-past))
        self._ids[characters] = np.arange(END + 1, past)
        if not whitespace:
            self._ids[WHITE_SPACE] = NO_CHARACTER

    def find(self, text: Text, *, end: int) -> Integers:
        """Return the id of each code point in the narrowest type; lines are closed by `end`."""
        ids = self._ids.take(text.points, mode="clip")
        ids[text.ends] = end
        return ids


def split_characters(text: Text, ids: Integers) -> Ragged:
    """Return the ids of each line without those that are no character."""
    dropped = np.flatnonzero(ids == NO_CHARACTER)
    return Ragged(
        ids.compress(ids != NO_CHARACTER), _offsets(text.ends + 1 - np.searchsorted(dropped, text.ends))
    )


def split_words(text: Text, ids: Integers) -> Tokens:
    """Return the words as spans of the ids' bytes; each line is closed by a word of one id, its last."""
    starts, ends = word_spans(text)
    return Tokens(
        np.concatenate((ids.view(np.uint8), np.zeros(8, dtype=np.uint8))),
        starts * ids.itemsize,
        ends * ids.itemsize,
        _offsets(np.searchsorted(starts, text.ends) + 1),
    )


def line_words(line: str) -> tuple[str, ...]:
    """Return the words of one line, cut as `word_spans` does."""
    words: list[str] = []
    for word in line.split():
        if len(word) > 1 and word[-1] in punctuation:
            words += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in punctuation:
            words += word[0], word[1:]
        else:
            words.append(word)
    return tuple(words)


def word_spans(text: Text) -> tuple[Integers, Integers]:
    """Return the first and the one-past-last position of each word, and of each line's closing newline.

    White space separates words. Of one with two characters or more, the last character is a word of its own
    if it is ASCII punctuation, or else the first one if that is (Popović 2017, chrF++.py).
    """
    spaces = np.concatenate(([True], IS_SPACE.take(text.points, mode="clip")))
    begins = spaces[:-1] & ~spaces[1:]
    finishes = np.append(spaces[1:] & ~spaces[:-1], False)
    first, last = np.flatnonzero(begins), np.flatnonzero(finishes) - 1
    final = (first < last) & IS_MARK.take(text.points[last], mode="clip")
    initial = (first < last) & ~final & IS_MARK.take(text.points[first], mode="clip")
    cuts = np.concatenate((last[final], first[initial] + 1))
    begins[cuts] = finishes[cuts] = True
    begins[text.ends] = finishes[text.ends + 1] = True
    return np.flatnonzero(begins), np.flatnonzero(finishes)


def _flags(characters: Iterable[int], size: int) -> Booleans:
    """Return a table of code points; its last element stands for all that it is too short for."""
    flags = np.zeros(size, dtype=np.bool_)
    flags[list(characters)] = True
    return flags


IS_SPACE = _flags(WHITE_SPACE, WHITE_SPACE[-1] + 2)
IS_MARK = _flags(map(ord, punctuation), 129)


def _offsets(ends: Integers) -> Integers:
    return np.concatenate(([0], ends))
