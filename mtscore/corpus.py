"""Aligned hypotheses and references, and the checks of their shapes.

A *stream* is one line a segment. References are streams, as the field has them: `references[r][i]` is the
r-th reference of segment i, `None` where that segment has no r-th reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Hypotheses: TypeAlias = Sequence[str]
References: TypeAlias = Sequence[Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hold consecutive segments of all inputs, aligned.

    `start` is the index of the first segment, `systems[s][i]` and `references[r][i]` are texts.
    """

    start: int
    systems: Sequence[Hypotheses]
    references: References

    def __len__(self) -> int:
        return len(self.systems[0]) if self.systems else len(self.references[0])
