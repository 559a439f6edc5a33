"""Look at the texts while they are scored, and notice what makes a number mean something else.

A warning is for a number that is probably not what the user wants; a note is worth knowing. Everything here
is a handful of searches for single characters in a chunk's joined text, which are many times faster than
those for words, so that it costs next to nothing beside the scoring.
"""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mtscore.batch import Batch
from mtscore.errors import counted
from mtscore.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtscore.corpus import Chunk, System
    from mtscore.notices import Level

ENDS_SENTENCE = np.zeros(256, dtype=np.bool_)
ENDS_SENTENCE[list(b".?!")] = True
"""What has a space before it at the end of lines that were tokenised and not put together again."""
SUBWORD_MARKS = ("@@ ", "▁", "<unk>")
MARKED = "has marks of subword units or unknown words (@@, ▁, <unk>): undo them, or say --force"
INVISIBLE = ("\u200b", "\u2060", "\ufeff", "\u00ad")
COMBINING_START = b"\xcc"
"""With what the commonest combining marks, and nothing else, begin in UTF-8: decomposed text has some."""

FEW_LINES = 5
"""Fewer odd lines than this may be meant."""
SPACED_SHARE, ODD_SHARE = 0.1, 0.01
SPACE_SHARE = 1 / 8
"""Text of a script without spaces that has more spaces than this has been split into words."""

UNSPACED = {
    "Han": (r"\p{Han}", "zh"),
    "Japanese": (r"[\p{Hiragana}\p{Katakana}]", "ja-mecab or char"),
    "Hangul": (r"\p{Hangul}", "ko-mecab"),
    "Thai": (r"\p{Thai}", "char or flores200"),
    "Lao": (r"\p{Lao}", "char or flores200"),
    "Khmer": (r"\p{Khmer}", "char or flores200"),
    "Burmese": (r"\p{Myanmar}", "char or flores200"),
}
"""Scripts written without spaces between words, how to find them, and the tokenizers that split them."""

SPLITS_AT_SPACES = {
    "13a": set(UNSPACED),
    "intl": set(UNSPACED),
    "none": set(UNSPACED),
    "zh": set(UNSPACED) - {"Han"},
}
"""For each tokenizer the scripts that it splits at spaces only."""


@dataclass(slots=True)
class _Found:
    """Count lines and remember the first."""

    count: int = 0
    first: int | None = None

    def add(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.count += 1
            self.first = self.first or number


@dataclass(slots=True)
class _Side:
    """Hold what was seen in one input."""

    lines: int = 0
    empty: _Found = field(default_factory=_Found)
    spaced: _Found = field(default_factory=_Found)
    subwords: _Found = field(default_factory=_Found)
    invisible: _Found = field(default_factory=_Found)
    decomposed: _Found = field(default_factory=_Found)
    tabs: set[int] = field(default_factory=set)
    """The numbers of tabs that lines have."""

    def share(self, found: _Found) -> float:
        """Return the share of lines that were found."""
        return found.count / max(self.lines, 1)

    def excess(self, found: _Found, elsewhere: float) -> Level | None:
        """Return how much it matters that lines were found, unless their share elsewhere is half as large."""
        if self.share(found) <= 2 * elsewhere:
            return None
        return "warning" if found.count >= FEW_LINES and self.share(found) >= ODD_SHARE else "note"

    def look(self, numbers: Sequence[int], lines: Sequence[str | None]) -> str:
        """Take notice of some lines, and return them as one text."""
        self.lines += len(lines)
        batch = lines if isinstance(lines, Batch) else _as_batch(lines)
        if batch.are_empty().any():
            self.empty.add([number for number, line in zip(numbers, lines, strict=True) if line == ""])
        self.spaced.add([numbers[line] for line in _spaced(batch)])
        self.subwords.add([numbers[line] for line in _having(SUBWORD_MARKS, batch.text)])
        if not batch.text.isascii():
            self.invisible.add([numbers[line] for line in _having(INVISIBLE, batch.text)])
        if COMBINING_START in batch.data and (
            self.decomposed.count or not unicodedata.is_normalized("NFC", batch.text)
        ):
            self.decomposed.add([numbers[line] for line in _with_marks(batch)])
        self.tabs |= {line.count("\t") for line in batch} if "\t" in batch.text else {0}
        return batch.text


class Inspector:
    """Watch the chunks of an evaluation go by and say at the end what was odd."""

    def __init__(
        self,
        systems: Sequence[System],
        references: Sequence[str],
        *,
        tokenizer: str | None = None,
        force: bool = False,
    ) -> None:
        """Prepare to watch.

        Args:
            systems: in the order of the chunks.
            references: how messages call the references.
            tokenizer: of BLEU, if that is computed.
            force: the user knows that the hypotheses are tokenised.
        """
        self._systems = systems
        self._references = references
        self._tokenizer = tokenizer
        self._force = force or tokenizer == "none"
        self._hypothesis_sides = [_Side() for _ in systems]
        self._reference_sides: list[_Side] = []
        self._script: str | None = None
        self._seen = 0
        self._copies: set[tuple[int, int]] = set()
        self._twins: set[tuple[int, int]] = set()
        self._same_references: set[tuple[int, int]] = set()
        self._untranslated: set[int] = set()

    def look(self, chunk: Chunk) -> None:
        """Take notice of one chunk."""
        if not self._seen:
            self._reference_sides = [_Side() for _ in chunk.references]
            self._copies = {(s, r) for s in range(len(chunk.systems)) for r in range(len(chunk.references))}
            self._twins = set(combinations(range(len(chunk.systems)), 2))
            self._same_references = set(combinations(range(len(chunk.references)), 2))
            self._untranslated = set(range(len(chunk.systems))) if chunk.source else set()
        sides = (*self._hypothesis_sides, *self._reference_sides)
        for side, lines in zip(sides, (*chunk.systems, *chunk.references), strict=True):
            text = side.look(chunk.numbers, lines)
            if not self._seen and self._script is None and self._tokenizer:
                self._script = _unsplit_script(text, self._tokenizer)
        self._copies = {
            (s, r) for s, r in self._copies if list(chunk.systems[s]) == list(chunk.references[r])
        }
        self._twins = {(a, b) for a, b in self._twins if chunk.systems[a] == chunk.systems[b]}
        self._same_references = {
            (a, b) for a, b in self._same_references if chunk.references[a] == chunk.references[b]
        }
        self._untranslated = {s for s in self._untranslated if chunk.systems[s] == chunk.source}
        self._seen += len(chunk)

    def notices(self) -> list[Notice]:
        """Return what was noticed, warnings first."""
        found = [
            *self._swapped(),
            *self._empty_references(),
            *self._tokenised(),
            *self._columns(),
            *self._unsplit(),
            *self._identical(),
            *self._written_differently(),
        ]
        return sorted(found, key=lambda notice: notice.level != "warning")

    def _swapped(self) -> list[Notice]:
        """Suspect swapped files by their names alone: what is called `ref` is scored against another."""
        return [
            Notice(
                "warning",
                "files-swapped",
                f"{system.file} is scored as a hypothesis against {reference}: are the two swapped?",
                file=system.file,
            )
            for system in self._systems
            for reference in self._references[:1]
            if system.file and _is_called(system.file, "ref") and not _is_called(reference, "ref")
        ]

    def _empty_references(self) -> list[Notice]:
        several = len(self._reference_sides) > 1
        effect = (
            "counts as a reference of length 0; --empty-refs-missing treats it as no reference"
            if several
            else "nothing can match it"
        )
        return [
            _notice("warning", "empty-reference", f"empty reference: {effect}", name, side.empty)
            for name, side in self._named_references()
            if side.empty.count
        ]

    def _tokenised(self) -> list[Notice]:
        if self._force:
            return []
        spaced = max((side.spaced.count for side in self._reference_sides), default=0)
        marked = any(side.subwords.count for side in self._reference_sides)
        notices = []
        for system, side in zip(self._systems, self._hypothesis_sides, strict=True):
            enough = side.spaced.count >= max(FEW_LINES, SPACED_SHARE * side.lines)
            if enough and 2 * spaced < side.spaced.count:
                text = "looks tokenised (a space before the final . ? or !): detokenise it, or say --force"
                name = system.file or system.name
                notices.append(_notice("warning", "tokenised-hypothesis", text, name, side.spaced))
            elif not marked and side.share(side.subwords) > ODD_SHARE:
                name = system.file or system.name
                notices.append(_notice("warning", "tokenised-hypothesis", MARKED, name, side.subwords))
        if not any(side.subwords.count for side in self._hypothesis_sides):
            notices += [
                _notice("warning", "tokenised-reference", MARKED, name, side.subwords)
                for name, side in self._named_references()
                if side.share(side.subwords) > ODD_SHARE and side.subwords.count >= FEW_LINES
            ]
        return notices

    def _columns(self) -> list[Notice]:
        """Suspect several systems in one file: to sacreBLEU they are columns, here a tab is text."""
        return [
            Notice(
                "warning",
                "columns",
                f"has {counted(min(side.tabs), 'tab')} on every line, and tabs are text here: if these are "
                "columns, score one at a time (cut -f1)",
                file=system.file or system.name,
            )
            for system, side in zip(self._systems, self._hypothesis_sides, strict=True)
            if len(side.tabs) == 1
            and side.tabs != {0}
            and side.lines > 1
            and all(other.tabs == {0} for other in self._reference_sides)
        ]

    def _unsplit(self) -> list[Notice]:
        if self._script is None:
            return []
        remedy = UNSPACED[self._script][1]
        return [
            Notice(
                "warning",
                "unsplit-script",
                f"the text is mostly {self._script}, which tokenizer {self._tokenizer} splits at spaces: "
                f"use -tok {remedy}",
            )
        ]

    def _identical(self) -> list[Notice]:
        names = [system.file or system.name for system in self._systems]
        copies = [
            Notice("note", "identical-to-reference", f"is the same text as reference {r + 1}", names[s])
            for s, r in sorted(self._copies)
        ]
        twins = [
            Notice("note", "identical-systems", f"is the same text as {names[a]}", names[b])
            for a, b in sorted(self._twins)
        ]
        references = [
            Notice("note", "identical-references", f"reference {b + 1} is the same text as reference {a + 1}")
            for a, b in sorted(self._same_references)
        ]
        sources = [
            Notice("note", "identical-to-source", "is the source text itself", names[s])
            for s in sorted(self._untranslated)
        ]
        return copies + twins + references + sources

    def _written_differently(self) -> list[Notice]:
        notices = []
        for system, side in zip(self._systems, self._hypothesis_sides, strict=True):
            name = system.file or system.name
            ranked = sorted(self._reference_sides, key=lambda other: other.share(other.decomposed))
            least, most = ranked[0], ranked[-1]
            if level := (
                side.excess(side.decomposed, most.share(most.decomposed))
                or least.excess(least.decomposed, side.share(side.decomposed))
            ):
                text = "lines of hypotheses and references are in different Unicode normal forms (NFC, NFD)"
                notices.append(Notice(level, "normal-form", text, file=name))
            share = max(other.share(other.invisible) for other in self._reference_sides)
            if level := side.excess(side.invisible, share):
                text = (
                    f"zero-width or soft-hyphen characters, {'fewer' if share else 'none'} in the references"
                )
                notices.append(_notice(level, "invisible-characters", text, name, side.invisible))
        return notices

    def _named_references(self) -> list[tuple[str, _Side]]:
        several_columns = len(self._references) != len(self._reference_sides)
        names = [self._references[0]] * len(self._reference_sides) if several_columns else self._references
        return list(zip(names, self._reference_sides, strict=True))


def _notice(level: Level, code: str, text: str, file: str, found: _Found) -> Notice:
    return Notice(level, code, text, file, line=found.first, count=found.count)


def _as_batch(lines: Sequence[str | None]) -> Batch:
    return Batch.of([(line or "").replace("\n", " ") for line in lines])


def _with_marks(batch: Batch) -> list[int]:
    """Return which lines have combining marks."""
    marks = np.flatnonzero(np.frombuffer(batch.data, dtype=np.uint8) == COMBINING_START[0])
    lines: list[int] = np.unique(np.searchsorted(batch.ends, marks)).tolist()
    return lines


def _spaced(batch: Batch) -> list[int]:
    """Return which lines end like tokenised ones."""
    last, before = batch.bytes_before_end(1), batch.bytes_before_end(2)
    return np.flatnonzero((before == ord(" ")) & ENDS_SENTENCE.take(last)).tolist()


def _having(marks: Sequence[str], text: str) -> list[int]:
    """Return which lines have one of the marks."""
    having = set()
    for mark in marks:
        line, start = 0, 0
        while (found := _find(mark, text, start)) >= 0:
            line += text.count("\n", start, found)
            start = found + 1
            having.add(line)
    return sorted(having)


def _find(mark: str, text: str, start: int) -> int:
    """Do the same as `str.find`, which is many times faster for single characters than for words."""
    found = text.find(mark[0], start)
    while found >= 0 and not text.startswith(mark, found):
        found = text.find(mark[0], found + 1)
    return found


def _is_called(file: str, word: str) -> bool:
    """Return whether a word of the file's name is this one.

    >>> _is_called("out/ref.A.de", "ref"), _is_called("prefix.de", "ref")
    (True, False)
    """
    return re.search(rf"(^|[^a-z]){word}(erence)?s?([^a-z]|$)", os.path.basename(file).lower()) is not None


def _unsplit_script(text: str, tokenizer: str) -> str | None:
    """Return the script that most of the text is in and that the tokenizer does not split, if any."""
    scripts = SPLITS_AT_SPACES.get(tokenizer, set())
    letters = len(text)
    if not scripts or not letters or len(text.encode("utf-8", "replace")) < 1.5 * letters:
        return None
    import regex  # noqa: PLC0415  # slow to import, and needed for few languages

    spaces = text.count(" ") / letters
    shares = {name: len(regex.findall(UNSPACED[name][0], text)) / letters for name in UNSPACED}
    if shares["Japanese"] > 0.1:  # noqa: PLR2004  # Chinese has next to none
        shares["Japanese"] += shares["Han"]
        shares["Han"] = 0.0
    name = max(shares, key=lambda name: shares[name])
    return name if name in scripts and shares[name] > 0.5 and spaces < SPACE_SHARE else None  # noqa: PLR2004
