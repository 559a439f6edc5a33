"""What every metric offers: text becomes rows of additive statistics, and a row becomes a score.

A metric is written once, for segments, corpora, subsets and resamples alike: they are all
`score(W @ statistics)` for some matrix of weights W.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np

from mtscore._version import PROGRAM
from mtscore.batch import Batch
from mtscore.corpus import check_corpus, reference_counts
from mtscore.errors import ShapeError, UsageError
from mtscore.results import Score

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mtscore.arrays import Booleans, Floats
    from mtscore.corpus import Corpus, Hypotheses, References
    from mtscore.notices import Notice
    from mtscore.results import Better
    from mtscore.signature import Signature
    from mtscore.tokenizers.base import Tokenizer

P = TypeVar("P")
"""What a metric keeps of one chunk of references, for use with every system."""
S = TypeVar("S", bound=Score)
"""What a metric's scores are."""

CHUNK_SEGMENTS = 2048
"""How many segments go through the arrays at once: enough to be fast, few enough for the cache."""


def check_order(what: str, order: int, least: int, most: int) -> None:
    """Raise a `UsageError` unless the order of n-grams is one that somebody may mean."""
    if not isinstance(order, int) or not least <= order <= most:
        raise UsageError(f"{what} order must be a whole number from {least} to {most}, not {order!r}")


class Metric(ABC, Generic[P, S]):
    """Turn hypotheses and references into statistics, and statistics into scores.

    A metric is a frozen configuration: it keeps no texts and no caches.
    """

    __slots__ = ()

    better: ClassVar[Better] = "higher"

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name as the signature has it (`BLEU`, `chrF2++`, `TER`)."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Return the names of the K columns of the statistics."""

    @property
    @abstractmethod
    def settings(self) -> Signature:
        """Return the signature of the configuration alone: no number of references, no version."""

    @abstractmethod
    def prepare(self, references: References) -> P:
        """Tokenise one chunk of references once, for use with every system."""

    @abstractmethod
    def statistics(self, hypotheses: Hypotheses, prepared: P) -> Floats:
        """Return the statistics of one chunk, shape (segments, K); sums of rows are a corpus's statistics."""

    @abstractmethod
    def score(self, values: Floats) -> Floats:
        """Return the scores of statistics of shape (..., K), shape (...); never NaN."""

    @abstractmethod
    def results(self, values: Floats, signature: Signature) -> list[S]:
        """Return the score of each row of statistics, shape (N, K), with its details."""

    def result(self, total: Floats, signature: Signature) -> S:
        """Return the score of one row of statistics, shape (K,), with its details."""
        return self.results(total[np.newaxis], signature)[0]

    @property
    def tokenizer(self) -> Tokenizer | None:
        """Return the tokenizer of the configuration, if it has a choice of one."""
        return None

    def warnings(self, total: Floats, system: str) -> list[Notice]:  # noqa: ARG002  # for others to override
        """Return why the score of a system's statistics, shape (K,), may not be what was wanted."""
        return []

    def for_segments(self) -> Self:
        """Return the variant that scores single segments sensibly; the metric itself where there is none."""
        return self

    def signature(self, reference_counts: Iterable[int] = (1,)) -> Signature:
        """Return the whole signature for segments with these numbers of references."""
        counts = set(reference_counts)
        return self.settings.extend(numrefs=counts.pop() if len(counts) == 1 else "var", version=PROGRAM)

    def corpus_score(
        self,
        hypotheses: Iterable[str],
        references: Iterable[Iterable[str | None]],
        n_bootstrap: int = 1,
    ) -> S:
        """Score a corpus.

        Args:
            hypotheses: one string a segment; any iterable.
            references: reference sets, each with one string (or None) a segment; for references listed
                segment by segment see `mtscore.references_by_segment`.
            n_bootstrap: resamples for a confidence interval; 1 for none.

        Raises:
            ShapeError: if something is not nested as it must be.
            AlignmentError: if numbers of segments differ.
        """
        corpus = check_corpus(hypotheses, references)
        signature = self.signature(reference_counts(corpus.references))
        if n_bootstrap not in {0, 1}:
            from mtscore.significance import (  # noqa: PLC0415  # on request
                DEFAULT_SEED,
                Sample,
                bootstrap,
                check_trials,
                interval,
            )

            check_trials(n_bootstrap, "n_bootstrap")
            rows = self.corpus_statistics(corpus)
            [scores] = bootstrap([Sample(rows, self.score)], trials=n_bootstrap, seed=DEFAULT_SEED)
            signature = signature.extend(bs=n_bootstrap, seed=DEFAULT_SEED)
            return replace(self.result(rows.sum(axis=0), signature), interval=interval(scores))
        totals = [rows.sum(axis=0) for rows in self._statistics_by_chunk(corpus)]
        return self.result(np.sum(totals, axis=0), signature)

    def sentence_score(self, hypothesis: str, references: Iterable[str]) -> S:
        """Score one segment against its references, with the metric's own settings."""
        if not isinstance(hypothesis, str):
            raise ShapeError(f"the hypothesis must be a string, not {type(hypothesis).__name__}")
        if isinstance(references, str | bytes) or not isinstance(references, Iterable):
            got = "one string" if isinstance(references, str) else type(references).__name__
            raise ShapeError(f"references must be a list of strings, got {got}", hint="[reference]")
        corpus = check_corpus([hypothesis], [[reference] for reference in references])
        present = [reference for [reference] in corpus.references if reference is not None]
        return self.result(self.segment_statistics(hypothesis, present), self.signature([len(present)]))

    def segment_statistics(self, hypothesis: str, references: Sequence[str]) -> Floats:
        """Return the statistics of one segment, shape (K,).

        Overridden where a short segment is counted before arrays are set up.
        """
        row: Floats = self.statistics([hypothesis], self.prepare([[line] for line in references]))[0]
        return row

    def segment_scores(self, hypotheses: Iterable[str], references: Iterable[Iterable[str | None]]) -> Floats:
        """Score every segment by itself, shape (segments,); BLEU then uses effective order.

        Arguments and errors are those of `corpus_score`.
        """
        metric = self.for_segments()
        return metric.score(metric.corpus_statistics(check_corpus(hypotheses, references)))

    def corpus_statistics(self, corpus: Corpus) -> Floats:
        """Return the statistics of a corpus's first system, shape (segments, K)."""
        return np.concatenate(list(self._statistics_by_chunk(corpus)))

    def _statistics_by_chunk(self, corpus: Corpus) -> Iterator[Floats]:
        for chunk in corpus.chunks(CHUNK_SEGMENTS):
            yield self.statistics(chunk.systems[0], self.prepare(chunk.references))


AnyMetric: TypeAlias = Metric[Any, Any]
"""A metric whose prepared references and scores are of no concern."""


def flattened(references: References) -> tuple[Sequence[str], Booleans]:
    """Return all lines, set after set, empty where one is missing; and which are there, shape (R, N)."""
    present = np.ones((len(references), len(references[0])), dtype=np.bool_)
    if len(references) == 1 and isinstance(references[0], Batch):
        return references[0], present
    lines = [line for stream in references for line in stream if line is not None]
    if len(lines) < present.size:
        present = np.array([[line is not None for line in stream] for stream in references])
        lines = [line or "" for stream in references for line in stream]
    return lines, present
