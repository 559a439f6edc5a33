"""Align the words of a hypothesis and its reference: find a best way through the table of edit distances.

Row i of the table stands for the first i words of the hypothesis, column j for the first j of the reference.
A diagonal step keeps or replaces a word, a step down drops a word of the hypothesis, a step to the right
inserts one of the reference. Of the ways that cost the same the one is taken that, read from its end, prefers
diagonal steps to drops, and drops to insertions.

Tercom fills only a beam around the table's diagonal. `beam_rows` and `beam_distances` do so too, as arrays.
`exact_rows` fills the whole table by bit vectors, many times faster; `is_all_in_beam` and `is_in_beam` tell
when the beam would make no difference.

A segment is a string with one character a word. Bit j of a mask stands for word j of the reference, from 0.
"""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    import numpy.typing as npt

    from mtscore.arrays import Booleans, Integers

    Codes: TypeAlias = npt.NDArray[np.uint32]
    Costs: TypeAlias = npt.NDArray[np.int32]
    Row: TypeAlias = tuple[int, int]
    """Two masks over the columns from 1: to which cells the way is no diagonal step, and if so, is a drop."""

BEAM = 25
"""How many columns to either side of the diagonal Tercom looks, unless lengths differ fiftyfold."""
MARGIN = BEAM - 2
"""So near the diagonal all cells are in the beam, which is rounded down and lacks its last column."""
UNREACHABLE = 1 << 30
NO_WORD = "\U0010ffff"
"""Stands for no word of any segment."""


class Alignment(NamedTuple):
    """Say how the words of a hypothesis go with those of its reference."""

    passed: list[int]
    """How many hypothesis words come before the end of the first j reference words, for j from 0 to R."""
    strays: list[int]
    """For each hypothesis word, the equal reference words that it is not aligned with, as a mask."""
    hypothesis_errors: int
    reference_errors: int
    """Which words are not aligned with an equal one, as masks."""


def positions(reference: str) -> dict[str, int]:
    """Return where each word stands, as a mask.

    >>> positions("aba")
    {'a': 5, 'b': 2}
    """
    found: dict[str, int] = {}
    bit = 1
    for word in reference:
        found[word] = found.get(word, 0) | bit
        bit <<= 1
    return found


def align(masks: Sequence[int], width: int, rows: Iterable[Row]) -> Alignment:
    """Follow the best way back from the end of the table.

    Args:
        masks: for each hypothesis word, the equal reference words.
        width: the length of the reference.
        rows: the table's rows from the last to the first.
    """
    passed = [0] * (width + 1)
    strays = list(masks)
    hypothesis_errors = reference_errors = 0
    i, j, bit = len(masks), width, 1 << width >> 1
    for detour, drop in rows:
        while detour & bit and not drop & bit:
            passed[j] = i
            reference_errors |= bit
            j, bit = j - 1, bit >> 1
        i -= 1
        if detour & bit or not j:
            hypothesis_errors |= 1 << i
            continue
        passed[j] = i + 1
        if masks[i] & bit:
            strays[i] ^= bit
        else:
            hypothesis_errors |= 1 << i
            reference_errors |= bit
        j, bit = j - 1, bit >> 1
    return Alignment(passed, strays, hypothesis_errors, reference_errors | (1 << j) - 1)


def exact_rows(masks: Sequence[int], width: int) -> Iterator[Row]:
    """Return the rows of the whole table from the last to the first.

    All cells of a row are found at once, from whether they cost one more or one less than their neighbours
    (Myers 1999, in the form of Hyyrö 2003).
    """
    full = (1 << width) - 1
    more, less = full, 0
    rows = []
    for mask in masks:
        level = ((mask & more) + more ^ more) | mask | less
        down = less | full ^ (level | more)
        rows.append((level ^ mask, down))
        up = level & more
        down = down << 1 | 1
        more = (up << 1 | full ^ (level | down)) & full
        less = down & level
    return reversed(rows)


def is_all_in_beam(height: int, width: int, distance: int) -> bool:
    """Return whether every best way lies in the beam, judged by the lengths and the distance alone.

    With a reference of up to 24 words all columns are in the beam. Otherwise take a way with a insertions
    and b drops. At row i and column j, j - i is between -b and a, and the diagonal's i * R / H - i is between
    0 and R - H = a - b. So j is no farther from it than the larger of a and b: at most (D + |R - H|) / 2.
    """
    return width < BEAM or distance + abs(width - height) <= 2 * MARGIN


def is_in_beam(alignment: Alignment, height: int) -> bool:
    """Return whether the way of an alignment lies in the beam.

    If it does, the beam leads to the same alignment and distance: along this way it costs the same as in the
    whole table, and since nothing costs less in the beam, no other step can have come to be preferred.
    """
    ratio = height and (len(alignment.passed) - 1) / height
    return all(
        first * ratio >= column - MARGIN and last * ratio <= column + MARGIN
        for column, (first, last) in enumerate(pairwise([*alignment.passed, height]))
    )


def beam_rows(hypothesis: str, reference: str) -> Iterator[Row]:
    """Return the rows of the beam from the last to the first."""
    rows = [
        (first, _mask(least != diagonal), _mask(least == drop))
        for first, diagonal, drop, least in _beam([hypothesis], reference)
    ]
    return ((detour << first >> 1, drop << first >> 1) for first, detour, drop in reversed(rows))


def beam_distances(hypotheses: Sequence[str], reference: str) -> Integers:
    """Return the distances within the beam of hypotheses of one length, shape (hypotheses,)."""
    least = np.zeros((len(hypotheses), 1), dtype=np.int32)
    for _, _, _, least in _beam(hypotheses, reference):  # noqa: B007  # the last row's is what counts
        pass
    return least[:, -1].astype(np.int64) + len(reference)


def _beam(hypotheses: Sequence[str], reference: str) -> Iterator[tuple[int, Costs, Costs, Costs]]:
    """Fill the tables of hypotheses of one length within the beam, row by row.

    Yields:
        for each hypothesis word the row's first column; what its cells cost if entered diagonally, and by a
        drop; and the least they cost. Arrays have the shape (hypotheses, columns of the row), and hold costs
        less the number of the column: so an insertion costs nothing.
    """
    height, width = len(hypotheses[0]), len(reference)
    words = _codes("".join(hypotheses)).reshape(len(hypotheses), height)
    goals = _codes(NO_WORD + reference)
    costs = np.zeros((len(hypotheses), width + 2), dtype=np.int32)  # of column j at index j + 1
    costs[:, 0] = UNREACHABLE
    for row, (first, end) in enumerate(_beam_columns(height, width)):
        diagonal = costs[:, first:end] - (words[:, row, None] == goals[first:end])
        drop = costs[:, first + 1 : end + 1] + 1
        least = np.minimum.accumulate(np.minimum(diagonal, drop), axis=1)
        if row == 0:
            costs[:] = UNREACHABLE
        costs[:, first] = UNREACHABLE
        costs[:, first + 1 : end + 1] = least
        yield first, diagonal, drop, least


def _beam_columns(height: int, width: int) -> Iterable[tuple[int, int]]:
    """Return the first and the one-past-last column of each row but row 0, which has them all."""
    ratio = width / height if height else 1.0
    beam = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    diagonal = np.floor(np.arange(1, height + 1) * ratio).astype(np.int64)
    firsts = np.maximum(diagonal - beam, 0)
    ends = np.minimum(diagonal + beam, width + 1)
    return zip(firsts.tolist(), ends.tolist(), strict=True)


def _mask(bits: Booleans) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _codes(words: str) -> Codes:
    return np.frombuffer(words.encode("utf-32-le", "surrogatepass"), dtype="<u4")
