"""Collect the statistics of all systems in one pass over the inputs.

Chunks outside, systems inside: every input goes by once, side by side with the others. Totals add up in the
order of the chunks, however many are scored at the same time; single segments are kept only on request.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mtscore.corpus import reference_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from mtscore.arrays import Floats
    from mtscore.corpus import Chunk, Hypotheses, References
    from mtscore.metrics.base import Metric

    AnyMetric: TypeAlias = Metric[Any, Any]
    Texts: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]

READ_AHEAD = 2
"""How many chunks wait for each worker, so that none is idle and none of the input piles up."""


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
    for chunk, parts in _scored(chunks, metrics, jobs):
        watch(chunk)
        sums = [[rows.sum(axis=0) for rows in system] for system in parts]
        found.totals = _added(found.totals, sums) if found.totals else sums
        found.segments += len(chunk)
        found.references = len(chunk.references)
        found.reference_counts |= reference_counts(chunk.references)
        if keep_rows:
            kept.append(parts)
            found.numbers += chunk.numbers
        if keep_texts:
            found.texts += zip(zip(*chunk.systems, strict=True), _present(chunk.references), strict=True)
    found.rows = [
        [np.concatenate(parts) for parts in zip(*system, strict=True)] for system in zip(*kept, strict=True)
    ]
    return found


def _scored(
    chunks: Iterable[Chunk], metrics: Sequence[AnyMetric], jobs: int
) -> Iterator[tuple[Chunk, list[list[Floats]]]]:
    """Yield every chunk with its statistics by system and metric, in order."""
    if jobs == 1:
        for chunk in chunks:
            yield chunk, score_chunk(chunk, metrics)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # slow to import

    waiting: deque[tuple[Chunk, Future[list[list[Floats]]]]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        for chunk in chunks:
            waiting.append((chunk, pool.submit(score_chunk, chunk, metrics)))
            if len(waiting) > READ_AHEAD * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


def score_chunk(chunk: Chunk, metrics: Sequence[AnyMetric]) -> list[list[Floats]]:
    """Return the statistics of one chunk by system and metric."""
    by_metric = [_by_system(metric, chunk.references, chunk.systems) for metric in metrics]
    return [list(rows) for rows in zip(*by_metric, strict=True)]


def _by_system(metric: AnyMetric, references: References, systems: Sequence[Hypotheses]) -> list[Floats]:
    prepared = metric.prepare(references)
    return [metric.statistics(hypotheses, prepared) for hypotheses in systems]


def _added(totals: list[list[Floats]], more: list[list[Floats]]) -> list[list[Floats]]:
    return [[a + b for a, b in zip(*both, strict=True)] for both in zip(totals, more, strict=True)]


def _present(references: References) -> list[tuple[str, ...]]:
    return [tuple(line for line in segment if line is not None) for segment in zip(*references, strict=True)]
