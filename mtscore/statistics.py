"""Collect the statistics of all systems in one pass over the inputs.

Chunks outside, systems inside: every input goes by once, side by side with the others. Totals add up in the
order of the chunks, however many are scored at the same time; single segments are kept only on request.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from mtscore.corpus import reference_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mtscore.arrays import Floats
    from mtscore.corpus import Chunk, Hypotheses, References
    from mtscore.metrics.base import AnyMetric

    Texts: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(slots=True)
class Statistics:
    """Hold what the inputs amount to.

    `totals[s][m]` has the K statistics of system s under metric m, `rows[s][m]` those of every segment, shape
    (segments, K). `numbers` are the segments' line numbers and `texts` their hypotheses by system and their
    references.
    """

    totals: list[list[Floats]] = field(default_factory=list)
    rows: list[list[Floats]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    segments: int = 0
    references: int = 0
    reference_counts: set[int] = field(default_factory=set)


def collect(
    chunks: Iterable[Chunk],
    metrics: Sequence[AnyMetric],
    *,
    watch: Callable[[Chunk], None],
    keep_rows: bool = False,
    keep_texts: bool = False,
    jobs: int = 1,
) -> Statistics:
    """Read all chunks and return their statistics, the same to the last bit for any number of jobs.

    `watch` is called with every chunk, in order.
    """
    found = Statistics()
    kept: list[list[list[Floats]]] = []
    for chunk, (totals, rows) in _scored(chunks, partial(score_chunk, metrics, keep_rows), jobs):
        watch(chunk)
        found.totals = _added(found.totals, totals) if found.totals else totals
        found.segments += len(chunk)
        found.references = len(chunk.references)
        found.reference_counts |= reference_counts(chunk.references)
        if keep_rows:
            kept.append(rows)
            found.numbers += chunk.numbers
        if keep_texts:
            found.texts += zip(zip(*chunk.systems, strict=True), _present(chunk.references), strict=True)
    found.rows = [
        [np.concatenate(parts) for parts in zip(*system, strict=True)] for system in zip(*kept, strict=True)
    ]
    return found


class _ChunkStatistics(NamedTuple):
    """Hold the statistics of one chunk by system and metric: their sums, and the rows if they are kept."""

    totals: list[list[Floats]]
    rows: list[list[Floats]]


def _scored(
    chunks: Iterable[Chunk], score: Callable[[Chunk], _ChunkStatistics], jobs: int
) -> Iterator[tuple[Chunk, _ChunkStatistics]]:
    """Yield every chunk with its statistics, in order; more jobs than processors would only wait."""
    jobs = min(jobs, _processors())
    if jobs == 1:
        return ((chunk, score(chunk)) for chunk in chunks)
    from mtscore.workers import in_order  # noqa: PLC0415  # only on request

    return in_order(score, chunks, jobs)


def score_chunk(metrics: Sequence[AnyMetric], keep_rows: bool, chunk: Chunk) -> _ChunkStatistics:
    """Return the statistics of one chunk."""
    by_metric = [_by_system(metric, chunk.references, chunk.systems) for metric in metrics]
    rows = [list(by_system) for by_system in zip(*by_metric, strict=True)]
    totals = [[some.sum(axis=0) for some in system] for system in rows]
    return _ChunkStatistics(totals, rows if keep_rows else [])


def _by_system(metric: AnyMetric, references: References, systems: Sequence[Hypotheses]) -> list[Floats]:
    prepared = metric.prepare(references)
    return [metric.statistics(hypotheses, prepared) for hypotheses in systems]


def _added(totals: list[list[Floats]], more: list[list[Floats]]) -> list[list[Floats]]:
    return [[a + b for a, b in zip(*both, strict=True)] for both in zip(totals, more, strict=True)]


def _present(references: References) -> list[tuple[str, ...]]:
    return [tuple(line for line in segment if line is not None) for segment in zip(*references, strict=True)]


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
