"""Count the n-grams that a hypothesis has in common with one reference: every order with a single sort.

A key is one 64-bit number: the row, the n tokens from here on (the first one highest) and in the lowest bit
the side. The first k tokens of an n-gram are a k-gram, so once the keys are sorted, the n-grams of *every*
order stand together: a run of order k is a run of keys that agree down to their k-th token.

With h hypothesis and r reference n-grams in a run, min(h, r) = (h + r - |h - r|) / 2; summed over the runs of
a row, h + r is the row's length, which leaves |h - r|: the differences of one cumulative sum at the starts of
runs. Where a key has no room for all orders, the runs that both sides have go on to a further round, as the
rows of keys for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtscore.arrays import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtscore.arrays import Booleans, Integers

KEY_BITS = 63
"""Keys are signed."""
BLOCK = 1 << 16
"""How many tokens are sorted at once: as many as stay in the cache."""


def matches(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Return how many n-grams of each hypothesis its reference has too, each as often as both have it.

    Rows are closed by one more id: 0 in hypotheses, like any token that no reference has, and in references
    an id that no hypothesis has. So no n-gram that reaches beyond its row has a counterpart.

    Args:
        hypotheses: ids of tokens, from 0 on, N closed rows.
        references: ids of tokens, from 1 on, N closed rows.
        order: the longest n-grams.

    Returns:
        counts for n from 1 to `order`, shape (N, order).
    """
    counts = np.empty((len(references.lengths), order), dtype=np.int64)
    for first, last in _blocks(hypotheses.offsets + references.offsets):
        counts[first:last] = _match(_rows(hypotheses, first, last), _rows(references, first, last), order)
    return counts


def totals(rows: Ragged, order: int) -> Integers:
    """Return how many n-grams closed rows have, for n from 1 to `order`, shape (N, order)."""
    lengths = rows.lengths - 1
    return np.stack([np.maximum(lengths - ahead, 0) for ahead in range(order)], axis=-1)


def _blocks(ends: Integers) -> Iterator[tuple[int, int]]:
    """Yield the first and the one-past-last row of each block, given where rows end."""
    first = 0
    while first < len(ends) - 1:
        fitting = int(np.searchsorted(ends, ends[first] + BLOCK, side="right")) - 1
        last = max(fitting, first + 1)
        yield first, last
        first = last


def _rows(texts: Ragged, first: int, last: int) -> Ragged:
    offsets = texts.offsets[first : last + 1]
    return Ragged(texts.ids[offsets[0] : offsets[-1]], offsets - offsets[0])


def _match(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Do the same as `matches` with everything at once."""
    texts = _lay_out(hypotheses, references, order)
    sizes = hypotheses.lengths + references.lengths
    counts = np.zeros((len(sizes), order), dtype=np.int64)
    at: slice | Integers = slice(len(texts.row))
    group, done = texts.row, 0
    while len(group):
        span = texts.room(group, order - done)
        keys = texts.keys(at, group, done, span)
        done += span
        if done == order:
            keys.sort()
            counts[:, done - span :] = _Runs(keys, span, texts.bits).matches(sizes)
            break
        sequence = keys.argsort()
        runs = _Runs(keys[sequence], span, texts.bits)
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
    """0 in hypotheses, 1 in references."""

    def room(self, group: Integers, wanted: int) -> int:
        """Return for how many tokens, at most `wanted`, a key has room beside the group and the side."""
        return min(wanted, (KEY_BITS - 1 - int(group.max()).bit_length()) // self.bits)

    def keys(self, at: slice | Integers, group: Integers, done: int, span: int) -> Integers:
        """Return the keys of positions: their group, `span` tokens from the `done`-th on, their side."""
        keys = group << (span * self.bits)
        keys |= _windows(self.ids[done:], span, self.bits)[at]
        keys <<= 1
        keys |= self.side[at]
        return keys


def _lay_out(hypotheses: Ragged, references: Ragged, order: int) -> _Texts:
    ids = np.concatenate((hypotheses.ids, references.ids, np.zeros(order, dtype=np.int64)))
    lengths = np.concatenate((hypotheses.lengths, references.lengths))
    row = np.repeat(np.tile(np.arange(len(references.lengths), dtype=np.int64), 2), lengths)
    side = np.zeros(len(row), dtype=np.int64)
    side[len(hypotheses.ids) :] = 1
    return _Texts(ids, int(ids.max()).bit_length(), row, side)


def _windows(ids: Integers, span: int, bits: int) -> Integers:
    """Return `span` neighbouring ids as one number, the first one highest."""
    numbers = ids[: len(ids) - span + 1].copy()
    for ahead in range(1, span):
        numbers <<= bits
        numbers |= ids[ahead : len(numbers) + ahead]
    return numbers


class _Runs:
    """Find the runs of every order in sorted keys."""

    def __init__(self, keys: Integers, span: int, bits: int) -> None:
        self.span = span
        self.bits = bits
        self.balance = np.zeros(len(keys) + 1, dtype=np.int32)
        """References less hypotheses before each key."""
        np.cumsum((keys & 1).astype(np.int32) * 2 - 1, out=self.balance[1:])
        self.change = np.full(len(keys) + 1, np.iinfo(np.int64).max, dtype=np.int64)
        """The bits in which a key differs from the one before."""
        np.bitwise_xor(keys[1:], keys[:-1], out=self.change[1:-1])

    def starts(self, order: int) -> Integers:
        """Return where the runs of one order start, and where the last one ends."""
        return np.flatnonzero(self.change >= 1 << ((self.span - order) * self.bits + 1))

    def surplus(self, starts: Integers) -> Integers:
        """Return by how much one side outnumbers the other in each run."""
        return np.abs(np.diff(self.balance.take(starts)))

    def matches(self, sizes: Integers) -> Integers:
        """Return what rows with so many keys share, shape (rows, span)."""
        counts = np.zeros((len(sizes), self.span), dtype=np.int64)
        filled = np.flatnonzero(sizes)
        first = (np.cumsum(sizes) - sizes)[filled]
        for order in range(1, self.span + 1):
            starts = self.starts(order)
            unmatched = np.add.reduceat(self.surplus(starts), np.searchsorted(starts, first))
            counts[filled, order - 1] = (sizes[filled] - unmatched) >> 1
        return counts

    def shared(self) -> tuple[Booleans, Integers]:
        """Return which keys lie in runs that both sides have, and the number of the run for each of those."""
        starts = self.starts(self.span)
        lengths = np.diff(starts)
        both = self.surplus(starts) < lengths
        runs = np.arange(np.count_nonzero(both))
        return np.repeat(both, lengths), np.repeat(runs, lengths[both])
