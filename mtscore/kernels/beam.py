"""Fill a table of edit distances as Tercom does: only in a beam around its diagonal.

The way found is another than the whole table's where that one leaves the beam; `is_all_in_beam` and
`is_in_beam` tell when it does not. Rows are bit vectors as those of the whole table, but only as long as the
beam is wide: time and memory grow with the lengths of the segments, not with their product.

Rows, columns and segments are those of `mtscore.kernels.alignment`. The bit vectors need cells outside the
beam, which are made up such that they make none inside cheaper:

- The first cell of a row that begins where the row above does is entered by a drop, just as in column 0. Of
  another row, the cell to the left is taken to cost one more than the one above it, which is in the beam: so
  the diagonal step from there is never dearer than an insertion.
- On the right, the row above is taken to go on by insertions. From its last real cell a diagonal step leads
  to the first new column; the others, which only insertions can enter, are taken for unequal words.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mtscore.kernels.alignment import Alignment

BEAM = 25
"""How many columns to either side of the diagonal Tercom looks, unless lengths differ fiftyfold."""
MARGIN = BEAM - 2
"""So near the diagonal all cells are in the beam, which is rounded down and lacks its last column."""


class BeamRow(NamedTuple):
    """Hold a row within the beam: how its cells are entered, and by `more` and `less` what they cost."""

    base: int
    detour: int
    drop: int
    more: int
    less: int
    rise: int
    """How much more the cell at the base costs than the one at the base of the row above."""

    @property
    def slope(self) -> int:
        """Return how much more the last cell costs than the one at the base."""
        return self.more.bit_count() - self.less.bit_count()


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

    It is enough to look where it enters each column. Within one it only goes down, so that it strays farthest
    where it enters or where it leaves; and there it is at most one column farther to the left of the diagonal
    than where it enters the next, for which the beam has room.
    """
    ratio = height and (len(alignment.passed) - 1) / height
    return all(abs(row * ratio - column) <= MARGIN for column, row in enumerate(alignment.passed))


def beam_rows(hypothesis: str, reference: str) -> list[BeamRow]:
    """Return the rows from row 0 on, which has all columns: the first j words of a reference cost j."""
    top = BeamRow(base=0, detour=0, drop=0, more=(1 << len(reference)) - 1, less=0, rise=0)
    return [top, *_rows_below(top, 0, hypothesis, reference)]


def beam_distance(rows: Sequence[BeamRow]) -> int:
    """Return the distance, which is what the last cell costs."""
    return sum(row.rise for row in rows) + rows[-1].slope


def saved_in_beam(rows: Sequence[BeamRow], hypothesis: str, reference: str, begin: int, end: int) -> int:
    """Return how much less a hypothesis costs than the one of the rows.

    Their words may differ from `begin` to `end`. As soon as one amount is saved in all cells of a row below
    those words, the same is saved in all that follow.
    """
    saved = 0
    new = old = rows[begin]
    for number, new in enumerate(_rows_below(old, begin, hypothesis, reference), begin + 1):
        old = rows[number]
        saved += old.rise - new.rise
        if number >= end and new.more == old.more and new.less == old.less:
            break
    return saved + old.slope - new.slope


def _rows_below(above: BeamRow, number: int, hypothesis: str, reference: str) -> Iterator[BeamRow]:
    """Yield the rows after the row of a number, which is `above`."""
    columns = _columns(len(hypothesis), len(reference))
    first, end = columns(number)
    for number_below, word in enumerate(hypothesis[number:], number + 1):
        first_above, end_above = first, end
        first, end = columns(number_below)
        base = max(first - 1, first_above)
        equal = _occurrences(word, reference, base, min(end - 1, end_above))
        above = _row_below(above, base, end - 1 - base, end_above - 1 - base, equal)
        yield above


def _columns(height: int, width: int) -> Callable[[int], tuple[int, int]]:
    """Return the function from the number of a row to its first column and the one past its last."""
    ratio = width / height if height else 1.0
    beam = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM

    def columns(row: int) -> tuple[int, int]:
        if not row:
            return 0, width + 1
        diagonal = int(row * ratio)
        return max(diagonal - beam, 0), min(diagonal + beam, width + 1)

    return columns


def _row_below(above: BeamRow, base: int, length: int, known: int, equal: int) -> BeamRow:
    """Return the row that follows a row.

    Args:
        above: the row before.
        base: the new row's base.
        length: the number of its bits.
        known: how many of these columns the row above has.
        equal: which of these columns stand for a word that is equal to the row's.
    """
    full = (1 << length) - 1
    new = full & -1 << known
    passed = base - above.base
    to_base = (1 << passed) - 1
    rise = 1 + (above.more & to_base).bit_count() - (above.less & to_base).bit_count()

    more = above.more >> passed & full | new
    less = above.less >> passed & full
    level = ((equal & more) + more ^ more | equal | less) & full
    down = less | full ^ (level | more)
    insertions = new & new << 1
    detour, drop = level ^ equal | insertions, down & ~insertions
    up = level & more
    down = down << 1 | 1
    more = (up << 1 | ~(level | down)) & full
    less = down & level
    return BeamRow(base, detour, drop, more, less, rise)


def _occurrences(word: str, reference: str, first: int, end: int) -> int:
    """Return where a word stands in a part of the reference, as a mask."""
    mask = 0
    at = reference.find(word, first, end)
    while at >= 0:
        mask |= 1 << at - first
        at = reference.find(word, at + 1, end)
    return mask
