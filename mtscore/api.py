"""The function calls that the field knows, over the metric classes.

`corpus_*` take hypotheses and reference sets (one line for every segment), `sentence_*` one segment and its
references. Names and defaults are those of sacreBLEU 2; results have its attributes.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mtscore.corpus import Corpus, System, check_corpus
from mtscore.errors import ShapeError, UsageError
from mtscore.evaluate import Plan, evaluate
from mtscore.metrics.base import CHUNK_SEGMENTS
from mtscore.metrics.bleu import BLEU
from mtscore.metrics.chrf import CHRF
from mtscore.metrics.ter import TER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mtscore.metrics.base import AnyMetric
    from mtscore.metrics.bleu import BLEUScore
    from mtscore.metrics.chrf import CHRFScore
    from mtscore.metrics.ter import TERScore
    from mtscore.results import Report

    ReferenceSets = Iterable[Iterable[str | None]]


def corpus_bleu(
    hypotheses: Iterable[str],
    references: ReferenceSets,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> BLEUScore:
    """Score a corpus with BLEU; see `BLEU` for the settings.

    >>> print(corpus_bleu(["The cat is on the mat."], [["The cat sat on the mat."]]))
    BLEU = 48.89 85.7/66.7/40.0/25.0 (BP = 1.000 ratio = 1.000 hyp_len = 7 ref_len = 7)
    """
    metric = BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.corpus_score(hypotheses, references)


def raw_corpus_bleu(
    hypotheses: Iterable[str], references: ReferenceSets, smooth_value: float = 0.1
) -> BLEUScore:
    """Score tokenised text with BLEU as it is: no tokenizer, floor smoothing, effective order."""
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, force=True, tokenize="none", use_effective_order=True
    )


def sentence_bleu(
    hypothesis: str,
    references: Iterable[str],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = True,
) -> BLEUScore:
    """Score one segment with BLEU, by default with effective order.

    >>> sentence_bleu("The cat is on the mat.", ["The cat sat on the mat.", "A cat is on the mat."]).counts
    [7, 6, 4, 3]
    """
    metric = BLEU(
        lowercase, False, tokenize, smooth_method, smooth_value, effective_order=use_effective_order
    )
    return metric.sentence_score(hypothesis, references)


def corpus_chrf(
    hypotheses: Iterable[str],
    references: ReferenceSets,
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score a corpus with chrF; `word_order=2` is chrF++."""
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.corpus_score(hypotheses, references)


def sentence_chrf(
    hypothesis: str,
    references: Iterable[str],
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
    """Score one segment with chrF; `word_order=2` is chrF++."""
    metric = CHRF(char_order, word_order, beta, whitespace=not remove_whitespace, eps_smoothing=eps_smoothing)
    return metric.sentence_score(hypothesis, references)


def corpus_ter(
    hypotheses: Iterable[str],
    references: ReferenceSets,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score a corpus with TER."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    return metric.corpus_score(hypotheses, references)


def sentence_ter(
    hypothesis: str,
    references: Iterable[str],
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    case_sensitive: bool = False,
) -> TERScore:
    """Score one segment with TER."""
    metric = TER(normalized, no_punct, asian_support, case_sensitive)
    return metric.sentence_score(hypothesis, references)


def evaluate_systems(
    systems: Mapping[str, Iterable[str]],
    references: ReferenceSets,
    metrics: Sequence[AnyMetric] | None = None,
    **plan: Any,
) -> Report:
    """Score several systems at once, with intervals, paired tests and ranks on request.

    >>> report = evaluate_systems({"a": ["the cat sat"], "b": ["a cat sat"]}, [["the cat sat"]], [CHRF()])
    >>> [(row.system, round(row.score.score, 1)) for row in report.rows]
    [('a', 100.0), ('b', 53.6)]

    Args:
        systems: hypotheses by name of system.
        references: reference sets, each with one line for every segment.
        metrics: by default BLEU alone.
        plan: attributes of `mtscore.evaluate.Plan`, such as `test="ar", trials=10000` or `resamples=1000`.

    Raises:
        ShapeError, AlignmentError, UsageError: as `corpus_score`, and if there are no systems.

    Warns:
        UserWarning: of what makes a number mean something else, such as tokenised hypotheses.
    """
    if not isinstance(systems, Mapping):
        raise ShapeError("systems must be a mapping from names to hypotheses", hint="{'name': [...]}")
    if not systems:
        raise UsageError("no systems to score")
    checked: list[Corpus] = []
    for hypotheses in systems.values():
        checked.append(check_corpus(hypotheses, checked[0].references if checked else references))
    corpus = Corpus([one.systems[0] for one in checked], checked[0].references)
    names = [f"reference {number}" for number in range(1, len(corpus.references) + 1)]
    report = evaluate(
        [System(name) for name in systems],
        names,
        corpus.chunks(CHUNK_SEGMENTS),
        Plan(metrics=metrics or [BLEU()], **plan),
    )
    for notice in report.notices:
        if notice.level == "warning":
            warnings.warn(f"{notice.file or ''} {notice.text}".strip(), UserWarning, stacklevel=2)
    return report
