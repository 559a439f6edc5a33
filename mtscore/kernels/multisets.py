"""Count the n-grams of a single segment as the definitions read.

A short segment is counted before `kernels.ngrams` has set its arrays up; many segments take it many times as
long. A segment is a tuple of tokens or a string of characters.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Segment = TypeVar("Segment", str, tuple[str, ...])


def ngrams(segment: Segment, order: int) -> list[Segment]:
    """Return all n-grams of a length, from left to right.

    >>> ngrams(("the", "cat", "sat"), 2), ngrams("sat", 2)
    ([('the', 'cat'), ('cat', 'sat')], ['sa', 'at'])
    """
    return [segment[start : start + order] for start in range(len(segment) - order + 1)]


def clipped_count(hypothesis: Segment, references: Sequence[Segment], order: int) -> int:
    """Return how many n-grams of a length the hypothesis has in common with its references.

    An n-gram counts as often as in the hypothesis, but at most as often as in the one reference that has it
    most often (Papineni et al. 2002).

    >>> clipped_count(("the", "the", "the"), [("the", "cat"), ("the", "the")], 1)
    2
    """
    most = reduce(or_, (Counter(ngrams(reference, order)) for reference in references))
    return (Counter(ngrams(hypothesis, order)) & most).total()
