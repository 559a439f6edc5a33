"""Score machine translation: corpus BLEU, chrF and TER with a reproducibility signature.

>>> import mtscore
>>> bleu = mtscore.BLEU()
>>> score = bleu.corpus_score(["The dog bit the man."], [["The dog bit the man."]])
>>> print(score)
BLEU = 100.00 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 6 ref_len = 6)
>>> print(score.signature)
BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.mtscore-0.1.0

References come as sets with one line for every segment; `references_by_segment` turns lists of references
segment by segment into such sets. `segment_scores` of a metric returns one number a segment as an array.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtscore._version import VERSION

if TYPE_CHECKING:
    from mtscore.api import (
        corpus_bleu,
        corpus_chrf,
        corpus_ter,
        evaluate_systems,
        raw_corpus_bleu,
        sentence_bleu,
        sentence_chrf,
        sentence_ter,
    )
    from mtscore.corpus import references_by_segment
    from mtscore.errors import MTScoreError
    from mtscore.metrics.bleu import BLEU
    from mtscore.metrics.chrf import CHRF
    from mtscore.metrics.ter import TER, WER
    from mtscore.signature import Signature

__version__ = VERSION

HOMES = {
    "BLEU": "mtscore.metrics.bleu",
    "CHRF": "mtscore.metrics.chrf",
    "TER": "mtscore.metrics.ter",
    "WER": "mtscore.metrics.ter",
    "Signature": "mtscore.signature",
    "MTScoreError": "mtscore.errors",
    "references_by_segment": "mtscore.corpus",
    "corpus_bleu": "mtscore.api",
    "corpus_chrf": "mtscore.api",
    "corpus_ter": "mtscore.api",
    "evaluate_systems": "mtscore.api",
    "raw_corpus_bleu": "mtscore.api",
    "sentence_bleu": "mtscore.api",
    "sentence_chrf": "mtscore.api",
    "sentence_ter": "mtscore.api",
}
"""Where each public name lives: imported when it is first used, so that starting up stays cheap."""

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "WER",
    "MTScoreError",
    "Signature",
    "__version__",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "evaluate_systems",
    "raw_corpus_bleu",
    "references_by_segment",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
