"""Count the n-grams that hypotheses and references share, segment by segment, without a dictionary.

All n-grams of a chunk are sorted, so that equal ones stand together: one 64-bit key holds the segment, the
n-gram and, in its low bits, the position in the text. The ranks of an order make the keys of the next one,
and since an n-gram can match only where both its (n-1)-grams did, each order has fewer to sort.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from mtscore.arrays import Integers, Ragged


class _Texts(NamedTuple):
    """Lay hypotheses and references out one after the other: position p is a token of one of them."""

    side: Integers
    """0 for tokens of the hypothesis, r for those of the r-th reference."""
    segment: Integers
    remaining: Integers
    """How many tokens its text has from here on, itself included."""


def clipped_counts(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Return how many n-grams of each hypothesis a reference has too, for n from 1 to `order`.

    An n-gram counts as often as in the hypothesis, but at most as often as in the one reference that has it
    most often (Papineni et al. 2002).

    Args:
        hypotheses: token ids, a row a segment; ids below 1 match nothing.
        references: token ids; with R references of N segments, row r * N + i is the r-th of segment i.
        order: the longest n-grams.

    Returns:
        counts of shape (N, order).
    """
    segments = len(hypotheses.offsets) - 1
    counts = np.zeros((segments, order), dtype=np.int64)
    ids = np.concatenate((hypotheses.ids, references.ids))
    texts = _lay_out(hypotheses, references)
    positions = np.flatnonzero(ids > 0)
    ids = ids[positions]
    size = int(ids.max(initial=0)) + 1
    keys = texts.segment[positions] * size + ids
    ranks = np.full(len(texts.side) + 1, -1, dtype=np.int64)
    for column in range(order):
        groups = _group(keys, positions, texts)
        counts[:, column] = np.bincount(groups.segment, weights=groups.clipped, minlength=segments)
        ranks.fill(-1)
        ranks[groups.positions] = groups.ranks
        going_on = groups.positions[texts.remaining[groups.positions] > column + 1]
        positions = going_on[ranks[going_on + 1] >= 0]
        if not len(positions):
            break
        keys = ranks[positions] * len(groups.segment) + ranks[positions + 1]
    return counts


class _Groups(NamedTuple):
    """Hold the n-grams of one order that match: one group a segment and n-gram."""

    segment: Integers
    clipped: Integers
    positions: Integers
    """Where they stand in hypothesis and references, shape (occurrences,)."""
    ranks: Integers
    """The group of each occurrence, shape (occurrences,)."""


def _group(keys: Integers, positions: Integers, texts: _Texts) -> _Groups:
    keys, positions = _sorted_together(keys, positions, len(texts.side))
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else positions
    size = np.diff(first, append=len(keys))
    clipped = _clipped(texts.side[positions], first, size)
    matched = clipped > 0
    kept = np.repeat(matched, size)
    ranks = np.repeat(np.arange(np.count_nonzero(matched)), size[matched])
    segment = texts.segment[positions[first[matched]]]
    return _Groups(segment, clipped[matched], positions[kept], ranks)


def _clipped(side: Integers, first: Integers, size: Integers) -> Integers:
    """Return each group's clipped count; within a group the sides are in ascending order."""
    if not len(side):
        return size
    from_hypothesis = np.concatenate(([0], np.cumsum(side == 0)))
    in_hypothesis: Integers = from_hypothesis[first + size] - from_hypothesis[first]
    if side.max() <= 1:
        in_reference: Integers = size - in_hypothesis
        return np.minimum(in_hypothesis, in_reference)
    starts = np.concatenate(([True], side[1:] != side[:-1]))
    starts[first] = True
    runs = np.flatnonzero(starts)
    count = np.diff(runs, append=len(side))
    count[side[runs] == 0] = 0
    return np.minimum(in_hypothesis, np.maximum.reduceat(count, np.searchsorted(runs, first)))


def _sorted_together(keys: Integers, positions: Integers, total: int) -> tuple[Integers, Integers]:
    """Sort by key and then by position; as single values where both fit into 63 bits."""
    bits = total.bit_length()
    if int(keys.max(initial=0)).bit_length() + bits <= 63:  # noqa: PLR2004  # of a signed integer
        packed = (keys << bits) | positions
        packed.sort()
        return packed >> bits, packed & ((1 << bits) - 1)
    order = np.lexsort((positions, keys))
    return keys[order], positions[order]


def _lay_out(hypotheses: Ragged, references: Ragged) -> _Texts:
    segments = len(hypotheses.offsets) - 1
    lengths = np.concatenate((hypotheses.lengths, references.lengths))
    rows = np.arange(len(lengths))
    ends = np.cumsum(lengths)
    return _Texts(
        side=np.repeat(rows // max(segments, 1), lengths),
        segment=np.repeat(rows % max(segments, 1), lengths),
        remaining=np.repeat(ends, lengths) - np.arange(int(lengths.sum())),
    )
