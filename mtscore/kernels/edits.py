"""Count the edits that turn hypotheses into references, as WER and TER count them.

A segment is a string with one character a word: equal words of a pair are the same character, so that moving
a phrase is slicing a string, and a compiled edit distance reads it as it is. Nothing here knows how text
becomes words.

WER's edits are the Levenshtein distance. TER's (Snover et al. 2006) include shifts of phrases, found greedily
as Tercom finds them: the best shift of all is made, the segment aligned again, and so on while a shift helps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from mtscore.kernels.alignment import align, exact_rows, positions
from mtscore.kernels.beam import beam_distance, beam_rows, is_all_in_beam, is_in_beam, saved_in_beam

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtscore.arrays import Integers
    from mtscore.kernels.alignment import Alignment

MOST_CANDIDATES = 1000
"""A pair with this many candidates, over all rounds, is shifted no further."""
LONGEST_BLOCK = 10
"""The most words that one shift moves."""
FARTHEST = 50
"""The largest difference of the positions between which a phrase is moved."""

LONGEST_WHOLE = 8192
"""Pairs with a longer side get no whole table: the bits of its cells, 27 MB then, grow with the square."""


class Shift(NamedTuple):
    """Move words `start` to `start + size` of the hypothesis before word `target`."""

    size: int
    start: int
    target: int

    @property
    def landing(self) -> int:
        """Return before which of the other words the moved ones stand in the end.

        A target right behind the block moves it by its own length, but the one after that by a single word.
        """
        return self.target if self.target <= self.start + self.size else self.target - self.size

    @property
    def changed(self) -> tuple[int, int]:
        """Return the first and the one-past-last word that changes."""
        return min(self.start, self.landing), max(self.start, self.landing) + self.size

    def of(self, hypothesis: str) -> str:
        """Return the hypothesis after the shift."""
        end = self.start + self.size
        rest, landing = hypothesis[: self.start] + hypothesis[end:], self.landing
        return rest[:landing] + hypothesis[self.start : end] + rest[landing:]


NO_SHIFT = Shift(0, 0, 0)


_distance = partial(Levenshtein.distance, score_hint=64)
"""With a guess of the distance, long pairs that are much alike take a fraction of the time."""


class _OutsideBeamError(Exception):
    """An alignment leaves the beam, so that the beam could lead to another one."""


def word_edits(hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    """Return the Levenshtein distance of each pair, shape (pairs,)."""
    return np.fromiter(map(_distance, hypotheses, references), np.int64, len(hypotheses))


def shift_edits(hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    """Return the number of TER's edits of each pair, shape (pairs,)."""
    return np.fromiter(map(_shift_edits, hypotheses, references), np.int64, len(hypotheses))


def _shift_edits(hypothesis: str, reference: str) -> int:
    """Search with the whole table where the beam makes no difference, and within the beam elsewhere.

    A shift is made only if it shortens the distance, so a pair never has more edits than its distance; and
    after a shift the distance is at least `lowest`. So if it is `lowest` + 1, it is the answer anyhow.
    """
    height, width = len(hypothesis), len(reference)
    if max(height, width) <= LONGEST_WHOLE:
        distance = _distance(hypothesis, reference)
        if is_all_in_beam(height, width, distance):
            lowest = max(height, width) - _words_in_common(hypothesis, reference)
            if distance <= lowest + 1:
                return distance
            return _search(_WholeTable(hypothesis, reference, distance), enough=lowest + 1)
        with suppress(_OutsideBeamError):
            # However short the distance is, the last alignment has to be checked.
            return _search(_CheckedTable(hypothesis, reference, distance), enough=-1)
    return _search(_BeamTable(hypothesis, reference), enough=1)  # whatever shift follows is an edit, too


def _words_in_common(hypothesis: str, reference: str) -> int:
    """Return the size of the intersection of the words, repeated ones counted.

    It is the longest common subsequence once both sides are sorted. In no order is the hypothesis's distance
    less than the longer side's length minus this.
    """
    return LCSseq.similarity("".join(sorted(hypothesis)), "".join(sorted(reference)))


def _search(table: _Table, enough: int) -> int:
    """Make the best shift again and again; return the shifts made and the distance left.

    Stop when the distance is short enough, when no shift shortens it, or at the limit of candidates.
    """
    made = considered = 0
    while table.distance > enough:
        shifts = list(islice(_candidates(table), MOST_CANDIDATES - considered))
        considered += len(shifts)
        if considered == MOST_CANDIDATES:
            break
        saved, shift = table.best_shift(sorted(set(shifts), key=_preference))
        if not saved:
            break
        table.make(shift, saved)
        made += 1
    return made + table.distance


def _preference(shift: Shift) -> tuple[int, int, int]:
    """Return the key by which shifts are sorted: of those that save as much, the first one is made."""
    return -shift.size, shift.start, shift.target


class _Table(ABC):
    """Stand for the table of edit distances of a pair, the hypothesis of which is shifted."""

    def __init__(self, hypothesis: str, reference: str, distance: int) -> None:
        self.hypothesis = hypothesis
        self.reference = reference
        self.distance = distance

    @abstractmethod
    def align(self) -> Alignment:
        """Return how the words are aligned."""

    @abstractmethod
    def best_shift(self, shifts: Sequence[Shift]) -> tuple[int, Shift]:
        """Return how many edits the best of the sorted shifts saves, and that shift; 0 if none saves any."""

    def make(self, shift: Shift, saved: int) -> None:
        """Make a shift that is known to save so many edits."""
        self.hypothesis = shift.of(self.hypothesis)
        self.distance -= saved


class _WholeTable(_Table):
    """Take all cells into account, with bit vectors and a compiled distance."""

    def __init__(self, hypothesis: str, reference: str, distance: int) -> None:
        super().__init__(hypothesis, reference, distance)
        self._positions = positions(reference)

    def align(self) -> Alignment:
        rows = exact_rows(self.hypothesis, self._positions, len(self.reference))
        return align(self.hypothesis, self.reference, rows)

    def best_shift(self, shifts: Sequence[Shift]) -> tuple[int, Shift]:
        saved, best = 0, NO_SHIFT
        for shift in shifts:
            # A shift of n words saves at most 2n edits: n drops here and n insertions there.
            if 2 * shift.size <= saved or saved == self.distance:
                break
            limit = self.distance - saved - 1
            left = Levenshtein.distance(shift.of(self.hypothesis), self.reference, score_cutoff=limit)
            if left <= limit:
                saved, best = self.distance - left, shift
        return saved, best


class _CheckedTable(_WholeTable):
    """Take the whole table into account while all alignments lie in the beam.

    A candidate may cost more there than it seems to, but only the one that is chosen matters, and its cost is
    checked when it is aligned.
    """

    def align(self) -> Alignment:
        alignment = super().align()
        if not is_in_beam(alignment, len(self.hypothesis)):
            raise _OutsideBeamError
        return alignment


class _BeamTable(_Table):
    """Take only the cells within the beam into account."""

    def __init__(self, hypothesis: str, reference: str) -> None:
        self._rows = beam_rows(hypothesis, reference)
        super().__init__(hypothesis, reference, beam_distance(self._rows))

    def align(self) -> Alignment:
        return align(self.hypothesis, self.reference, (row[:3] for row in reversed(self._rows[1:])))

    def best_shift(self, shifts: Sequence[Shift]) -> tuple[int, Shift]:
        saved, best = 0, NO_SHIFT
        for shift in shifts:  # all of them: to bring a way into the beam may save more than 2n edits
            moved = shift.of(self.hypothesis)
            gain = saved_in_beam(self._rows, moved, self.reference, *shift.changed)
            if gain > saved:
                saved, best = gain, shift
        return saved, best

    def make(self, shift: Shift, saved: int) -> None:
        super().make(shift, saved)
        self._rows = beam_rows(self.hypothesis, self.reference)


def _candidates(table: _Table) -> Iterator[Shift]:
    """Yield the shifts worth trying, once for each phrase of the reference that suggests them.

    A phrase moves to where the reference has it, unless the first word there is aligned within the phrase.
    The targets are before and behind each of the words there.
    """
    alignment = table.align()
    for start, j, shortest in _phrases(table.hypothesis, table.reference, alignment):
        longest = min(LONGEST_BLOCK, len(table.hypothesis) - start)
        passed = alignment.passed[j : j + longest + 1]
        if passed[1] > start:
            longest = min(longest, passed[1] - start - 1)
        for size in range(shortest, longest + 1):
            if not table.reference.startswith(table.hypothesis[start : start + size], j):
                break
            for target in dict.fromkeys(passed[: size + 1]):
                yield Shift(size, start, target)


def _phrases(hypothesis: str, reference: str, alignment: Alignment) -> Iterator[tuple[int, int, int]]:
    """Yield (start, reference position, size) of common phrases near each other with errors on both sides.

    Of those that begin at the same words only the shortest is yielded.
    """
    _, hypothesis_errors, reference_errors = alignment
    end = 0  # of a phrase up to the next error
    for start in range(len(hypothesis)):
        if end <= start and not (end := hypothesis_errors.find(1, start) + 1):
            break
        if end > start + LONGEST_BLOCK:
            continue
        phrase = hypothesis[start:end]
        j = start - FARTHEST - 1 if start > FARTHEST else -1
        while (j := reference.find(phrase, j + 1, end + FARTHEST)) >= 0:
            wrong = reference_errors.find(1, j, j + LONGEST_BLOCK) + 1 - j
            size = max(end - start, wrong)
            if wrong > 0 and reference.startswith(hypothesis[start : start + size], j):
                yield start, j, size
