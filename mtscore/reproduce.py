"""Whether a published score comes out of the texts at hand, and if not, what else would give it.

Pure: texts and claim in, verdict out. The claim's settings are scored exactly; only where they do not give
the number, other ways are tried one by one (see `variations`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mtscore.comparability import changes_since
from mtscore.corpus import reference_counts
from mtscore.errors import MTScoreError, counted
from mtscore.metrics.bleu import BLEU
from mtscore.metrics.chrf import CHRF
from mtscore.metrics.settings import from_signature
from mtscore.signature import BLEU_PARTS
from mtscore.variations import NOTHING, Variation, variations, without_empty_references

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from mtscore.arrays import Floats
    from mtscore.corpus import Corpus
    from mtscore.metrics.base import AnyMetric
    from mtscore.metrics.bleu import BLEUScore
    from mtscore.signature import Claim, Signature

PRECISION = 1e-9
"""How exactly scores are computed: one this little off the limit of rounding may be on either side of it."""

LARGEST_RATE = 2.0
"""A chrF or TER of sacreBLEU 1.x above this was probably multiplied by 100 by whoever published it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Hold another way to score, the score on the claim's scale, and whether all published numbers fit."""

    kind: str
    what: str
    score: float
    fits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Say whether a claim is true of these texts.

    `score` is what comes out, on the claim's scale, `signature` how, and `fits` whether it is the published
    number. `contradictions` tell what the texts have otherwise than the claim, `notes` what was taken for
    granted. Where the number does not fit there are `trials` of other ways, and `remarks` on what may have
    changed since.
    """

    claim: Claim
    score: float
    signature: Signature
    fits: bool
    contradictions: Sequence[str]
    notes: Sequence[str]
    trials: Sequence[Trial] = ()
    remarks: Sequence[str] = ()

    @property
    def reproduced(self) -> bool:
        """Return whether the claim is true: its number comes out under its settings."""
        return self.fits and not self.contradictions

    @property
    def fitting(self) -> list[Trial]:
        """Return the trials that give the published number."""
        return [trial for trial in self.trials if trial.fits]

    @property
    def nearest(self) -> list[Trial]:
        """Return the trials that change the score, the nearest to the published number first."""
        published = float(self.claim.score)
        moving = (trial for trial in self.trials if trial.score != self.score)
        return sorted(moving, key=lambda trial: abs(trial.score - published))


def reproduce(
    claim: Claim,
    corpus: Corpus,
    references: Sequence[str],
    *,
    spare: Mapping[str, Sequence[str]] = NOTHING,
    model: str | None = None,
) -> Verdict:
    """Score one system as a claim says and compare the number at its printed precision.

    Args:
        claim: the published score.
        corpus: the system's hypotheses and their references.
        references: how messages call the references, by stream.
        spare: further references of the claim's test set, by name.
        model: a sentencepiece model of one's own that the signature only knows by digest (`spm:PATH`).

    Raises:
        UsageError: if mtscore lacks the claim's metric or tokenizer.
        MissingExtraError: if the tokenizer needs a package that is not installed.
    """
    metric = from_signature(claim.signature, model=model)
    if claim.signature.get("numrefs") == "var":
        corpus = without_empty_references(corpus)
    counts = reference_counts(corpus.references)
    bench = _Bench(claim, corpus)
    as_claimed = Variation(kind="references", what=_number(counts), metric=metric, corpus=corpus)
    first = bench.trial(as_claimed)
    fits = is_rounded(claim.score, first.score)
    verdict = Verdict(
        claim=claim,
        score=first.score,
        signature=metric.signature(counts),
        fits=fits,
        contradictions=[
            *_contradictions(claim.signature, counts),
            *(bench.false_parts(as_claimed) if fits else []),
        ],
        notes=_notes(claim.signature, metric),
    )
    if first.fits:
        return verdict
    trials = bench.trials(variations(metric, corpus, references, spare), first)
    return replace(verdict, trials=trials, remarks=_remarks(claim.signature))


def is_rounded(printed: str, score: float) -> bool:
    """Return whether a printed number is a score rounded to its decimals; a half may go either way.

    >>> is_rounded("28.3", 28.3499), is_rounded("28.3", 28.25), is_rounded("28.30", 28.306)
    (True, True, False)
    """
    decimals = len(printed.partition(".")[2])
    return abs(score - float(printed)) <= 0.5 * 10.0**-decimals + PRECISION


@dataclass(slots=True)
class _Bench:
    """Score variations on a claim's scale; statistics of the claim's texts that several share count once."""

    claim: Claim
    corpus: Corpus
    totals: dict[AnyMetric, Floats] = field(default_factory=dict)

    @property
    def full_scores(self) -> list[int]:
        """Return what may stand for 100 in the claim, the more probable first."""
        if self.claim.full_score == 100:  # noqa: PLR2004
            return [100]
        return [1, 100] if float(self.claim.score) <= LARGEST_RATE else [100, 1]

    def trial(self, variation: Variation) -> Trial:
        """Score one variation, on the first scale that makes it the published number."""
        score = self._score(variation)
        scaled = [score * full / 100 for full in self.full_scores]
        fitting = [number for number in scaled if is_rounded(self.claim.score, number)]
        fits = bool(fitting) and not self.false_parts(variation)
        return Trial(variation.kind, variation.what, (fitting or scaled)[0], fits)

    def false_parts(self, variation: Variation) -> list[str]:
        """Return which published numbers behind a BLEU score do not come out; of a mean there are none."""
        parts = BLEU_PARTS.fullmatch(self.claim.verbose or "")
        if variation.mean or parts is None or not isinstance(variation.metric, BLEU):
            return []
        metric = variation.metric
        return _false_parts(parts, metric.result(self._total(variation), metric.signature()))

    def trials(self, others: Iterable[Variation], first: Trial) -> list[Trial]:
        """Score all variations that can be scored, and the claim itself on the other scale."""
        found = []
        for variation in others:
            with suppress(MTScoreError):  # a tokenizer may refuse a text
                found.append(self.trial(variation))
        if self.full_scores == [100] and float(self.claim.score) <= 1:
            score = first.score / 100
            found.append(Trial("scale", "from 0 to 1", score, is_rounded(self.claim.score, score)))
        return found

    def _score(self, variation: Variation) -> float:
        metric, corpus = variation.metric, variation.corpus
        if variation.mean:
            return float(metric.score(metric.corpus_statistics(corpus)).mean())
        return float(metric.score(self._total(variation)))

    def _total(self, variation: Variation) -> Floats:
        metric, corpus = variation.metric, variation.corpus
        if corpus is not self.corpus:
            total: Floats = metric.corpus_statistics(corpus).sum(axis=0)
            return total
        basis = _basis(metric, len(self.corpus.references))
        if basis not in self.totals:
            self.totals[basis] = basis.corpus_statistics(self.corpus).sum(axis=0)
        return self.totals[basis]


def _basis(metric: AnyMetric, references: int) -> AnyMetric:
    """Return the metric without what only its formula uses: it has the same statistics.

    The formula of chrF also chooses between several references.
    """
    if isinstance(metric, BLEU):
        return replace(metric, smooth_method="exp", smooth_value=None, effective_order=False)
    if isinstance(metric, CHRF) and references == 1:
        return replace(metric, beta=2, eps_smoothing=False)
    return metric


# --- What the claim leaves open -----------------------------------------------------------------------------


def _number(counts: set[int]) -> str:
    """Return a number of references in words."""
    if len(counts) > 1:
        return "a varying number of references"
    [count] = counts
    return counted(count, "reference")


def _contradictions(signature: Signature, counts: set[int]) -> list[str]:
    """Return what of the signature cannot be so with these texts."""
    claimed = signature.get("numrefs")
    here = "var" if len(counts) > 1 else next(iter(counts))
    if claimed in (None, here):
        return []
    wanted = _number({0, 1} if claimed == "var" else {int(claimed)})
    return [f"the claim is for {wanted}, not for {_number(counts)}"]


def _false_parts(printed: re.Match[str], score: BLEUScore) -> list[str]:
    """Return which of the printed numbers are not the score's, at their printed precision."""
    precisions, here = printed["precisions"].split("/"), score.precisions
    false = []
    if len(precisions) != len(here) or not all(map(is_rounded, precisions, here)):
        wanted = "/".join(f"{precision:.1f}" for precision in here)
        false.append(f"the claim's precisions are {printed['precisions']}, here they are {wanted}")
    for name, group, value in (
        ("BP", "bp", score.bp),
        ("ratio", "ratio", score.ratio),
        ("hyp_len", "sys_len", score.sys_len),
        ("ref_len", "ref_len", score.ref_len),
    ):
        if printed[group] is not None and not is_rounded(printed[group], value):
            decimals = len(printed[group].partition(".")[2])
            false.append(f"the claim's {name} is {printed[group]}, here it is {value:.{decimals}f}")
    return false


def _remarks(signature: Signature) -> list[str]:
    """Return what no trial can show: other data, and other releases of the program."""
    if signature.get("test") is not None:
        return changes_since(signature)
    silence = "the claim names no test set: it may be of other segments or other references than these"
    return [silence, *changes_since(signature)]


def _notes(signature: Signature, metric: AnyMetric) -> list[str]:
    """Return what the signature does not say and what was taken instead."""
    taken = [f"{key}.{value}" for key, value in metric.settings.fields if signature.get(key) is None]
    notes = [f"the claim does not say, so it is taken to be: {', '.join(taken)}"] if taken else []
    asked, here = str(signature.get("tok")), str(metric.settings.get("tok"))
    if signature.get("tok") is not None and here != asked and not here.startswith(f"{asked}-"):
        notes.append(f"the claim has tokenizer {asked}, here it is {here}")
    return notes
