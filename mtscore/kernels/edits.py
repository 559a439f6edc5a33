"""Count the edits that turn hypotheses into references, as WER and TER count them.

A segment is a string with one character a word: equal words of a pair are the same character, so that moving
a phrase is slicing a string, and a compiled edit distance reads it as it is. Nothing here knows how text
becomes words.

WER's edits are the Levenshtein distance. TER's (Snover et al. 2006) include shifts of phrases, found greedily
as Tercom finds them: the best shift of all is made, the segment aligned again, and so on while a shift helps.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from mtscore.kernels.alignment import (
    align,
    beam_distances,
    beam_rows,
    exact_rows,
    is_all_in_beam,
    is_in_beam,
    positions,
)

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

WIDEST_MASK = 8192
"""Longer references get no bit vectors: two for each hypothesis word would fill the memory."""
BATCH = 128
"""How many shifted hypotheses go through the beam together: few enough for the cache."""

NEIGHBOURS = (1 << (2 * FARTHEST + 1)) - 1
BLOCK = (1 << LONGEST_BLOCK) - 1

Shift: TypeAlias = tuple[int, int, int]
"""(-size, start, target): words `start` to `start + size` of the hypothesis move before word `target`. Of
shifts that save as much, the smallest tuple is the one to make."""
Words = TypeVar("Words", str, list[int])


class _OutsideBeamError(Exception):
    """An alignment leaves the beam, so that the beam could lead to another one."""


def word_edits(hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    """Return the Levenshtein distance of each pair, shape (pairs,)."""
    return np.fromiter(map(Levenshtein.distance, hypotheses, references), np.int64, len(hypotheses))


def shift_edits(hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
    """Return the number of TER's edits of each pair, shape (pairs,)."""
    return np.fromiter(map(_shift_edits, hypotheses, references), np.int64, len(hypotheses))


def _shift_edits(hypothesis: str, reference: str) -> int:
    """Search with the compiled distance where the beam makes no difference, and within the beam elsewhere.

    A shift is made only if it shortens the distance, so a pair never has more edits than its distance; and
    after a shift the distance is at least `lowest`. So if it is `lowest` + 1, it is the answer anyhow.
    """
    distance = Levenshtein.distance(hypothesis, reference)
    lowest = max(len(hypothesis), len(reference)) - _words_in_common(hypothesis, reference)
    certain = is_all_in_beam(len(hypothesis), len(reference), distance)
    if certain and distance <= lowest + 1:
        return distance
    if len(reference) <= WIDEST_MASK:
        with suppress(_OutsideBeamError):
            return _search(hypothesis, reference, distance, lowest, check=not certain)
    distance = int(beam_distances([hypothesis], reference)[0])
    return _search(hypothesis, reference, distance, lowest, beam=True)


def _words_in_common(hypothesis: str, reference: str) -> int:
    """Return the size of the intersection of the words, repeated ones counted.

    It is the longest common subsequence once both sides are sorted. In no order is the hypothesis's distance
    less than the longer side's length minus this.
    """
    return LCSseq.similarity("".join(sorted(hypothesis)), "".join(sorted(reference)))


def _search(
    hypothesis: str, reference: str, distance: int, lowest: int, *, beam: bool = False, check: bool = False
) -> int:
    """Return the shifts made and the distance left.

    With `check`, all alignments must lie in the beam. A candidate may cost more there than it seems to, but
    only the one that is chosen matters, and its cost is checked when it is aligned.

    Raises:
        _OutsideBeamError: if `check` finds that one does not.
    """
    where = positions(reference)
    masks = [where.get(word, 0) for word in hypothesis]
    made = considered = 0
    while check or distance > lowest + 1:
        rows = beam_rows(hypothesis, reference) if beam else exact_rows(masks, len(reference))
        alignment = align(masks, len(reference), rows)
        if check and not is_in_beam(alignment, len(hypothesis)):
            raise _OutsideBeamError
        shifts = list(islice(_candidates(masks, alignment), MOST_CANDIDATES - considered))
        considered += len(shifts)
        if considered == MOST_CANDIDATES:
            break
        find_best = _best_shift_in_beam if beam else _best_shift
        saved, shift = find_best(hypothesis, reference, sorted(set(shifts)), distance)
        if not saved:
            break
        hypothesis, masks = _move(hypothesis, shift), _move(masks, shift)
        distance -= saved
        made += 1
    return made + distance


def _candidates(masks: list[int], alignment: Alignment) -> Iterator[Shift]:
    """Yield the shifts worth trying, once for each phrase of the reference that suggests them.

    A phrase moves to where the reference has it, unless the first word there is aligned within the phrase.
    The targets are before and behind each of the words there.
    """
    passed = alignment.passed
    for start, j, size in _phrases(masks, alignment):
        if not start < passed[j + 1] <= start + size:
            for target in dict.fromkeys(passed[j : j + size + 1]):
                yield -size, start, target


def _phrases(masks: list[int], alignment: Alignment) -> Iterator[tuple[int, int, int]]:
    """Yield (start, reference position, size) of common phrases near each other with errors on both sides.

    One that begins with an aligned pair is left out: it is where it belongs.
    """
    for start, stray in enumerate(alignment.strays):
        errors = alignment.hypothesis_errors >> start & BLOCK
        if not (stray and errors):
            continue
        begins = stray & (NEIGHBOURS << start >> FARTHEST)
        wrong = 0
        for more, mask in enumerate(masks[start : start + LONGEST_BLOCK]):
            begins &= mask >> more
            if not begins:
                break
            wrong |= alignment.reference_errors >> more
            if errors & (2 << more) - 1:
                for j in _bits(begins & wrong):
                    yield start, j, more + 1


def _bits(mask: int) -> Iterator[int]:
    while mask:
        last = mask.bit_length() - 1
        yield last
        mask ^= 1 << last


def _move(words: Words, shift: Shift) -> Words:
    """Return the words after a shift.

    A target right behind the block moves it by its own length, but the one after that by a single word.
    """
    size, start, target = -shift[0], shift[1], shift[2]
    end = start + size
    rest = words[:start] + words[end:]
    index = target if target <= end else target - size
    return rest[:index] + words[start:end] + rest[index:]


def _best_shift(hypothesis: str, reference: str, shifts: list[Shift], distance: int) -> tuple[int, Shift]:
    """Return the shift that saves most, and how much; 0 if none saves anything.

    A shift of n words saves at most 2n edits: n drops here and n insertions there.
    """
    saved, best = 0, (0, 0, 0)
    for shift in shifts:
        if -2 * shift[0] <= saved or saved == distance:
            break
        limit = distance - saved - 1
        left = Levenshtein.distance(_move(hypothesis, shift), reference, score_cutoff=limit)
        if left <= limit:
            saved, best = distance - left, shift
    return saved, best


def _best_shift_in_beam(
    hypothesis: str, reference: str, shifts: list[Shift], distance: int
) -> tuple[int, Shift]:
    """Do the same with distances within the beam, for which there is no such limit."""
    saved, best = 0, (0, 0, 0)
    for first in range(0, len(shifts), BATCH):
        batch = shifts[first : first + BATCH]
        left = beam_distances([_move(hypothesis, shift) for shift in batch], reference)
        least = int(left.argmin())
        if distance - left[least] > saved:
            saved, best = distance - int(left[least]), batch[least]
    return saved, best
