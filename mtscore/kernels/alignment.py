"""Align the words of a hypothesis and its reference: find a best way through the table of edit distances.

Row i of the table stands for the first i words of the hypothesis, column j for the first j of the reference.
A diagonal step keeps or replaces a word, a step down drops a word of the hypothesis, a step to the right
inserts one of the reference. Of the ways that cost the same the one is taken that, read from its end, prefers
diagonal steps to drops, and drops to insertions.

All cells of a row are found at once, by bit vectors over its cells (Myers 1999, in the form of Hyyrö 2003):

- `equal`: the row's word is that of the column;
- `more`, `less`: the cell costs one more, or one less, than the one to its left;
- `level`: it costs as much as the one diagonally above it, otherwise one more;
- `down`, `up`: it costs one more, or one less, than the one above it.

A segment is a string with one character a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    Row: TypeAlias = tuple[int, int, int]
    """(base, detour, drop): the base is the column that can be entered by a drop only. Bit b of the masks
    is for the column base + 1 + b: if the way there is no diagonal step, and if so, whether it is a drop."""


class Alignment(NamedTuple):
    """Say how the words of a hypothesis go with those of its reference."""

    passed: list[int]
    """How many hypothesis words come before the end of the first j reference words, for j from 0 to R."""
    hypothesis_errors: bytearray
    reference_errors: bytearray
    """For each word, 1 if it is not aligned with an equal one, and 0 if it is."""


def align(hypothesis: str, reference: str, rows: Iterable[Row]) -> Alignment:
    """Follow the best way back from the end of the table, through its rows from the last to the first."""
    i, j = len(hypothesis), len(reference)
    passed = [0] * (j + 1)
    hypothesis_errors, reference_errors = bytearray(i), bytearray(j)
    for base, detour, drop in rows:
        bit = 1 << j - base >> 1
        while detour & bit and not drop & bit:
            passed[j] = i
            j, bit = j - 1, bit >> 1
            reference_errors[j] = 1
        i -= 1
        if detour & bit or j == base:
            hypothesis_errors[i] = 1
            continue
        passed[j] = i + 1
        j -= 1
        if hypothesis[i] != reference[j]:
            hypothesis_errors[i] = reference_errors[j] = 1
    reference_errors[:j] = b"\1" * j
    return Alignment(passed, hypothesis_errors, reference_errors)


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


def exact_rows(hypothesis: str, where: Mapping[str, int], width: int) -> Iterator[Row]:
    """Return the rows of the whole table from the last to the first.

    Args:
        hypothesis: the words of the rows.
        where: the positions of the words in the reference.
        width: the length of the reference.
    """
    full = (1 << width) - 1
    more, less = full, 0
    rows = []
    for word in hypothesis:
        equal = where.get(word, 0)
        level = ((equal & more) + more ^ more) | equal | less
        down = less | full ^ (level | more)
        rows.append((0, level ^ equal, down))
        up = level & more
        down = down << 1 | 1
        more = (up << 1 | full ^ (level | down)) & full
        less = down & level
    return reversed(rows)
