"""What every metric offers: text becomes rows of additive statistics, and a row becomes a score.

A metric is written once, for segments, corpora, subsets and resamples alike: they are all
`score(W @ statistics)` for some matrix of weights W.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from mtscore.arrays import Floats
    from mtscore.corpus import Hypotheses, References
    from mtscore.results import Better, Score
    from mtscore.signature import Signature

P = TypeVar("P")
"""What a metric keeps of one chunk of references, for use with every system."""


class Metric(ABC, Generic[P]):
    """Turn hypotheses and references into statistics, and statistics into scores.

    A metric is a frozen configuration: it keeps no texts and no caches.
    """

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
        """Tokenise one chunk of references once, for use with every system.

        Raises:
            AlignmentError: if a segment has no reference at all.
        """

    @abstractmethod
    def statistics(self, hypotheses: Hypotheses, prepared: P) -> Floats:
        """Return the statistics of one chunk, shape (segments, K); sums of rows are a corpus's statistics."""

    @abstractmethod
    def score(self, values: Floats) -> Floats:
        """Return the scores of statistics of shape (..., K), shape (...); never NaN."""

    @abstractmethod
    def result(self, total: Floats, signature: Signature) -> Score:
        """Return the score of one row of statistics, shape (K,), with its details."""
