"""Count the n-grams that hypotheses have in common with their references: every order with a single sort.

A key is one 64-bit number: the segment, the n tokens from here on (the first one highest) and in the lowest
bits the side: the hypothesis, or which reference. The first k tokens of an n-gram are a k-gram, so once the
keys are sorted, the n-grams of *every* order stand together: a run of order k is a run of keys that agree
down to their k-th token.

How much of a run matches follows from how many of its keys are of which side: differences of a cumulative sum
between the starts of runs. With h of the hypothesis and r of its only reference, twice min(h, r) is
h + r - |h - r|; summed over the runs of a segment, h + r is the segment's length, so it is the unmatched keys
that are summed up. Where a key has no room for all orders, the runs that match go on to a further round, as
the segments of keys for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mtscore.arrays import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    import numpy.typing as npt

    from mtscore.arrays import Booleans, Integers

    Counts: TypeAlias = npt.NDArray[np.int32]

KEY_BITS = 63
"""Keys are signed."""
BLOCK = 1 << 15
"""How many tokens are sorted at once: as many as stay in the cache."""
TABLE = 1 << 20
"""Ids below this are worth a table that makes them narrower."""


def clipped_counts(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Return how many n-grams of each hypothesis a reference has too.

    An n-gram counts as often as in the hypothesis, but at most as often as in the one reference that has it
    most often (Papineni et al. 2002).

    Args:
        hypotheses: ids of tokens, N rows; 0 matches nothing.
        references: ids of tokens, from 1 on; with R references, row r * N + i is the r-th of segment i.
        order: the longest n-grams.

    Returns:
        counts for n from 1 to `order`, shape (N, order).
    """
    end = 1 + max(int(hypotheses.ids.max(initial=0)), int(references.ids.max(initial=0)))
    return matches(_closed(hypotheses, 0), _closed(references, end), order)


def matches(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Do the same for rows that are closed by one more id.

    It is 0 in hypotheses, like any token that no reference has, and in references an id that no hypothesis
    has. So no n-gram that reaches beyond its row has a counterpart.
    """
    counts = np.empty((len(hypotheses.offsets) - 1, order), dtype=np.int64)
    streams = _streams(references, len(counts))
    for first, last in _blocks(hypotheses.offsets + sum(stream.offsets for stream in streams)):
        sides = [_rows(texts, first, last) for texts in (hypotheses, *streams)]
        counts[first:last] = _match(sides, order)
    return counts


def totals(rows: Ragged, order: int) -> Integers:
    """Return how many n-grams closed rows have, for n from 1 to `order`, shape (N, order)."""
    lengths = rows.lengths - 1
    return np.stack([np.maximum(lengths - ahead, 0) for ahead in range(order)], axis=-1)


def _closed(rows: Ragged, end: int) -> Ragged:
    """Return the rows with one more id each."""
    lengths = rows.lengths
    ids = np.full(len(rows.ids) + len(lengths), end)
    ids[np.arange(len(rows.ids)) + np.repeat(np.arange(len(lengths)), lengths)] = rows.ids
    return Ragged(ids, rows.offsets + np.arange(len(rows.offsets)))


def _streams(references: Ragged, segments: int) -> list[Ragged]:
    """Return the first references of all segments, the second ones, and so on."""
    last = len(references.offsets) - 1
    return [_rows(references, first, first + segments) for first in range(0, last, max(segments, 1))]


def _rows(texts: Ragged, first: int, last: int) -> Ragged:
    offsets = texts.offsets[first : last + 1]
    return Ragged(texts.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def _blocks(ends: Integers) -> Iterator[tuple[int, int]]:
    """Yield the first and the one-past-last row of each block, given where rows end."""
    first = 0
    while first < len(ends) - 1:
        fitting = int(np.searchsorted(ends, ends[first] + BLOCK, side="right")) - 1
        last = max(fitting, first + 1)
        yield first, last
        first = last


def _match(sides: list[Ragged], order: int) -> Integers:
    """Return the counts of one block; the first of its sides are the hypotheses."""
    texts = _lay_out(sides, order)
    sizes = np.sum([rows.lengths for rows in sides], axis=0)
    counts = np.zeros((len(sizes), order), dtype=np.int64)
    at: slice | Integers = slice(len(texts.row))
    group, done = texts.row, 0
    while len(group):
        span = texts.room(group, order - done)
        keys = texts.keys(at, group, done, span)
        done += span
        if done == order:
            keys.sort()
            counts[:, done - span :] = _Runs(keys, span, texts).matches(sizes)
            break
        sequence = keys.argsort()
        runs = _Runs(keys[sequence], span, texts)
        counts[:, done - span : done] = runs.matches(sizes)
        going_on, group = runs.shared()
        at = np.arange(len(texts.row))[at][sequence[going_on]]
        sizes = np.bincount(texts.row[at], minlength=len(sizes))
    return counts


@dataclass(frozen=True, slots=True)
class _Texts:
    """Lay hypotheses and references out one after the other; `ids` go on with zeros for a whole n-gram."""

    ids: Integers
    bits: int
    """How many bits an id takes."""
    row: Integers
    side: Integers
    """0 in hypotheses, r in the r-th references."""
    references: int

    @property
    def side_bits(self) -> int:
        """Return how many bits a side takes."""
        return self.references.bit_length()

    def room(self, group: Integers, wanted: int) -> int:
        """Return for how many tokens, at most `wanted`, a key has room beside the group and the side."""
        return min(wanted, (KEY_BITS - self.side_bits - int(group.max()).bit_length()) // self.bits)

    def keys(self, at: slice | Integers, group: Integers, done: int, span: int) -> Integers:
        """Return the keys of positions: their group, `span` tokens from the `done`-th on, their side."""
        keys = group << (span * self.bits)
        keys |= _windows(self.ids[done:], span, self.bits)[at]
        keys <<= self.side_bits
        keys |= self.side[at]
        return keys


def _lay_out(sides: list[Ragged], order: int) -> _Texts:
    lengths = [rows.lengths for rows in sides]
    row = np.repeat(np.tile(np.arange(len(lengths[0])), len(sides)), np.concatenate(lengths))
    side = np.repeat(np.arange(len(sides)), [len(rows.ids) for rows in sides])
    ids = [rows.ids for rows in sides]
    largest = max(int(some.max(initial=0)) for some in ids)
    texts = _Texts(_followed(ids, order), largest.bit_length(), row, side, len(sides) - 1)
    if largest >= TABLE or texts.room(row, order) == order:
        return texts
    ids, largest = _narrowed(ids, largest)
    return replace(texts, ids=_followed(ids, order), bits=largest.bit_length())


def _followed(ids: list[Integers], order: int) -> Integers:
    return np.concatenate((*ids, np.zeros(order, dtype=np.int64)))


def _narrowed(ids: list[Integers], largest: int) -> tuple[list[Integers], int]:
    """Return small ids for what hypotheses and references share, 0 or 1 for the rest; and the largest."""
    hypothesis, *references = (_seen(some, largest) for some in ids)
    shared = hypothesis & np.logical_or.reduce(references)
    shared[0] = False
    numbers = np.cumsum(shared) + 1
    last = int(numbers[-1])
    numbers *= shared
    narrow = [numbers.take(some) for some in ids]
    return [narrow[0], *(np.maximum(some, 1) for some in narrow[1:])], last


def _seen(ids: Integers, largest: int) -> Booleans:
    seen = np.zeros(largest + 1, dtype=np.bool_)
    seen[ids] = True
    return seen


def _windows(ids: Integers, span: int, bits: int) -> Integers:
    """Return `span` neighbouring ids as one number, the first one highest."""
    numbers = ids[: len(ids) - span + 1].copy()
    for ahead in range(1, span):
        numbers <<= bits
        numbers |= ids[ahead : len(numbers) + ahead]
    return numbers


class _Runs:
    """Find the runs of every order in sorted keys."""

    def __init__(self, keys: Integers, span: int, texts: _Texts) -> None:
        self.span = span
        self.shift, self.bits = texts.side_bits, texts.bits
        self.change = np.full(len(keys) + 1, np.iinfo(np.int64).max, dtype=np.int64)
        """The bits in which a key differs from the one before."""
        np.bitwise_xor(keys[1:], keys[:-1], out=self.change[1:-1])
        side = (keys & ((1 << self.shift) - 1)).astype(np.int32)
        self.before = [_before(side * 2 - 1)]
        """References less hypotheses before each key; with several references, the number of each side."""
        if texts.references > 1:
            self.before = [_before(side == number) for number in range(texts.references + 1)]

    def starts(self, order: int) -> Integers:
        """Return where the runs of one order start, and where the last one ends."""
        return np.flatnonzero(self.change >= 1 << ((self.span - order) * self.bits + self.shift))

    def unmatched(self, starts: Integers) -> Counts:
        """Return how many keys of each run are left over, where each match takes two of them."""
        counts = [np.diff(before.take(starts)) for before in self.before]
        if len(counts) == 1:
            return np.abs(counts[0])
        hypothesis, *references = counts
        clipped = np.minimum(hypothesis, np.maximum.reduce(references))
        left: Counts = np.diff(starts) - 2 * clipped
        return left

    def matches(self, sizes: Integers) -> Integers:
        """Return what rows with so many keys share, shape (rows, span)."""
        counts = np.zeros((len(sizes), self.span), dtype=np.int64)
        filled = np.flatnonzero(sizes)
        first = (np.cumsum(sizes) - sizes)[filled]
        for order in range(1, self.span + 1):
            starts = self.starts(order)
            unmatched = np.add.reduceat(self.unmatched(starts), np.searchsorted(starts, first))
            counts[filled, order - 1] = (sizes[filled] - unmatched) >> 1
        return counts

    def shared(self) -> tuple[Booleans, Integers]:
        """Return which keys lie in runs with a match, and the number of the run for each of those."""
        starts = self.starts(self.span)
        lengths = np.diff(starts)
        matched = self.unmatched(starts) < lengths
        runs = np.arange(np.count_nonzero(matched))
        return np.repeat(matched, lengths), np.repeat(runs, lengths[matched])


def _before(steps: Counts | Booleans) -> Counts:
    """Return the sums of all steps before each, and of all."""
    sums = np.zeros(len(steps) + 1, dtype=np.int32)
    np.cumsum(steps, out=sums[1:])
    return sums
