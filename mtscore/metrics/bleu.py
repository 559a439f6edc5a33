"""BLEU (Papineni et al. 2002): clipped n-gram precision with a brevity penalty.

A segment's statistics are its length, its closest reference length, and for each order the clipped and the
total number of n-grams. Smoothing methods are numbered as in Chen & Cherry (2014); `exp` is that of NIST's
mteval-v13a.pl.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtscore.arrays import Ragged
from mtscore.errors import UsageError, closest
from mtscore.kernels.multisets import clipped_count
from mtscore.kernels.ngrams import clipped_counts
from mtscore.metrics.base import Metric, check_order, flattened
from mtscore.notices import Notice
from mtscore.results import Score
from mtscore.signature import Signature
from mtscore.tokenizers import default_tokenizer
from mtscore.tokenizers import tokenizer as named_tokenizer
from mtscore.vocabulary import Vocabulary, tokenise, tokenise_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Sized

    from mtscore.arrays import Booleans, Floats, Integers
    from mtscore.corpus import Hypotheses, References
    from mtscore.tokenizers.base import Tokenizer

SMOOTHING: Mapping[str, float | None] = {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
"""The smoothing methods with the default of their value; None where a method takes none."""

LONGEST, LARGEST_VALUE = 100, 1e100
"""An order or a smoothing value above is a typing error, which would fill the memory or give no number."""

LONGEST_COUNTED = 2000
"""Up to so many characters, a segment by itself is counted before arrays are set up."""

NO_PRECISION = -9999999999.0
"""Stands for the logarithm of a precision of 0, so that the score becomes exactly 0."""

ROUNDING = 1e-9
"""A score this close to 100 is 100: how exponentials are rounded depends on the version of numpy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BLEUScore(Score):
    """Hold a BLEU score with its parts.

    `counts` are the clipped and `totals` all n-grams by order, before smoothing; `precisions` are per cent,
    after it; `bp` is the brevity penalty; lengths are in tokens.
    """

    counts: Sequence[int]
    totals: Sequence[int]
    precisions: Sequence[float]
    bp: float
    sys_len: int
    ref_len: int

    @property
    def ratio(self) -> float:
        """Return the length of the hypotheses divided by that of the references."""
        return self.sys_len / self.ref_len if self.ref_len else 0.0

    @property
    def verbose(self) -> str:
        """Return what stands behind the score on the text line."""
        precisions = "/".join(f"{precision:.1f}" for precision in self.precisions)
        return (
            f"{precisions} (BP = {self.bp:.3f} ratio = {self.ratio:.3f} "
            f"hyp_len = {self.sys_len} ref_len = {self.ref_len})"
        )

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the further fields of the JSON row."""
        return {
            "counts": list(self.counts),
            "totals": list(self.totals),
            "precisions": list(self.precisions),
            "bp": self.bp,
            "ratio": self.ratio,
            "sys_len": self.sys_len,
            "ref_len": self.ref_len,
        }


class _Prepared(NamedTuple):
    """Keep one chunk of references: what their tokens are called, their ids, and their lengths."""

    vocabulary: Vocabulary
    references: Ragged
    lengths: Integers
    """Tokens of the r-th reference of segment i, shape (R, N)."""
    present: Booleans
    """Whether segment i has an r-th reference, shape (R, N)."""


@dataclass(frozen=True, slots=True)
class BLEU(Metric[_Prepared, BLEUScore]):
    """Score with BLEU, 0 to 100.

    >>> hypotheses = ["The cat is on the mat.", "It is raining."]
    >>> references = [
    ...     ["The cat sat on the mat.", "It rains."],
    ...     ["There is a cat on the mat.", "It is raining now."],
    ... ]
    >>> print(BLEU().corpus_score(hypotheses, references))
    BLEU = 48.89 100.0/66.7/42.9/20.0 (BP = 1.000 ratio = 1.100 hyp_len = 11 ref_len = 10)
    >>> BLEU().segment_scores(hypotheses, references).round(2).tolist()
    [50.81, 63.89]

    Args:
        lowercase: compare lower-cased text (`str.lower`).
        force: accepted for compatibility; no single score warns of tokenised text. Where reports do, say it
            to `Plan` or `evaluate_systems`.
        tokenize: name of the tokenizer; by default that of the target language.
        smooth_method: `exp`, `floor`, `add-k` or `none`: what becomes of an order without matches.
        smooth_value: of `floor` (default 0.1) and `add-k` (default 1).
        max_ngram_order: the longest n-grams, 4 as in the paper.
        effective_order: leave out the orders for which no hypothesis is long enough.
        trg_lang: target language, for the default tokenizer.

    Raises:
        UsageError: if a name is unknown or a value makes no sense.
        MissingExtraError: if the tokenizer needs a package that is not installed.
    """

    lowercase: bool = False
    force: bool = False
    tokenize: str | None = None
    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = False
    trg_lang: str = ""

    def __post_init__(self) -> None:
        for name in ("smooth_method", "tokenize", "trg_lang"):
            if not isinstance(value := getattr(self, name), str | None):
                raise UsageError(f"{name} must be a string, not {value!r}")
        if self.smooth_method not in SMOOTHING:
            raise UsageError(
                f"unknown smoothing method {self.smooth_method!r}",
                hint=closest(str(self.smooth_method), list(SMOOTHING)),
            )
        if self.smooth_value is not None:
            if SMOOTHING[self.smooth_method] is None:
                raise UsageError(
                    f"smoothing method {self.smooth_method!r} takes no value", hint="floor and add-k do"
                )
            if not isinstance(self.smooth_value, int | float) or not 0 <= self.smooth_value <= LARGEST_VALUE:
                raise UsageError(f"smooth value must be from 0 to 1e100, not {self.smooth_value!r}")
        check_order("BLEU's n-gram", self.max_ngram_order, 1, LONGEST)
        if self.tokenize is None:
            object.__setattr__(self, "tokenize", default_tokenizer(self.trg_lang or ""))
        named_tokenizer(self.tokenize)

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return "BLEU"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the statistics: two lengths, then correct and total n-grams by order."""
        orders = range(1, self.max_ngram_order + 1)
        return (
            "sys_len",
            "ref_len",
            *(f"correct_{order}" for order in orders),
            *(f"total_{order}" for order in orders),
        )

    @property
    def settings(self) -> Signature:
        """Return the signature of the configuration."""
        smooth = self.smooth_method
        if SMOOTHING[smooth] is not None:
            smooth += f"[{self.smoothing_value!r}]"
        return Signature(
            self.name,
            {
                "case": "lc" if self.lowercase else "mixed",
                "eff": "yes" if self.effective_order else "no",
                "maxn": self.max_ngram_order,
                "smooth": smooth,
                "tok": self.tokenizer.label,
            },
        )

    @property
    def tokenizer(self) -> Tokenizer:
        """Return the tokenizer."""
        return named_tokenizer(self.tokenize or "")

    @property
    def smoothing_value(self) -> float:
        """Return the value that smoothing works with, as given or by default; 0 where it takes none."""
        value = SMOOTHING[self.smooth_method] if self.smooth_value is None else self.smooth_value
        return float(value or 0)

    def for_segments(self) -> BLEU:
        """Return the variant for single segments: with effective order, since most lack some order."""
        return replace(self, effective_order=True)

    def warnings(self, total: Floats, system: str) -> list[Notice]:
        """Warn where BLEU is 0 only because no hypothesis is long enough."""
        if self.effective_order or self.smooth_method == "add-k" or not total[0] or total[-1]:
            return []
        text = (
            f"no segment of {system} has a {self.max_ngram_order}-gram, so BLEU is 0 whatever the text: "
            "use -sl, or a lower --max-ngram-order"
        )
        return [Notice("warning", "no-4-gram", text)]

    def prepare(self, references: References) -> _Prepared:
        """Tokenise one chunk of references, for use with every system."""
        lines, present = flattened(references)
        tokens = tokenise(lines, self.tokenizer, lowercase=self.lowercase)
        vocabulary = Vocabulary(tokens)
        lengths = tokens.lengths.reshape(present.shape)
        return _Prepared(vocabulary, Ragged(vocabulary.ids, tokens.offsets), lengths, present)

    def statistics(self, hypotheses: Hypotheses, prepared: _Prepared) -> Floats:
        """Return the statistics of one chunk, shape (segments, 2 + 2 * max_ngram_order)."""
        tokens = tokenise(hypotheses, self.tokenizer, lowercase=self.lowercase)
        ids = Ragged(prepared.vocabulary.find(tokens), tokens.offsets)
        correct = clipped_counts(ids, prepared.references, self.max_ngram_order)
        lengths = tokens.lengths
        totals = np.maximum(lengths[:, None] - np.arange(self.max_ngram_order), 0)
        closest_lengths = _closest_lengths(lengths, prepared)
        return np.column_stack((lengths, closest_lengths, correct, totals)).astype(np.float64)

    def segment_statistics(self, hypothesis: str, references: Sequence[str]) -> Floats:
        """Return the statistics of one segment, shape (2 + 2 * max_ngram_order,)."""
        if len(hypothesis) + sum(map(len, references)) > LONGEST_COUNTED:
            return Metric.segment_statistics(self, hypothesis, references)  # slots break super()
        tokens, *reference_tokens = self.tokens((hypothesis, *references))
        orders = range(1, self.max_ngram_order + 1)
        correct = [clipped_count(tokens, reference_tokens, order) for order in orders]
        totals = [max(len(tokens) - order + 1, 0) for order in orders]
        closest_length = len(reference_tokens[closest_in_length(tokens, reference_tokens)])
        return np.array((len(tokens), closest_length, *correct, *totals), dtype=np.float64)

    def tokens(self, lines: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the tokens of each line."""
        return tokenise_lines(lines, self.tokenizer, lowercase=self.lowercase)

    def score(self, values: Floats) -> Floats:
        """Return the scores of statistics of shape (..., 2 + 2 * max_ngram_order), shape (...)."""
        return self._scores(values, self._precisions(values), _brevity_penalty(values))

    def _scores(self, values: Floats, precisions: Floats, penalties: Floats) -> Floats:
        """Return the penalised geometric means of precisions."""
        orders = self.max_ngram_order
        logarithms = np.full(precisions.shape, NO_PRECISION)
        np.log(precisions, out=logarithms, where=precisions > 0)
        if self.effective_order:
            used = self._smoothed_totals(values) > 0
            orders = np.maximum(np.count_nonzero(used, axis=-1), 1)
            logarithms = np.where(used, logarithms, 0.0)
        mean = np.add.reduce(logarithms, axis=-1) / orders
        scores = np.asarray(penalties * np.exp(mean))
        scores = np.where(self._has_match(values), scores, 0.0)
        return np.where(np.abs(scores - 100) <= ROUNDING, 100.0, scores)

    def results(self, values: Floats, signature: Signature) -> list[BLEUScore]:
        """Return the score of each row of statistics with its parts."""
        precisions, penalties = self._precisions(values), _brevity_penalty(values)
        rows = zip(
            self._scores(values, precisions, penalties).tolist(),
            precisions.tolist(),
            penalties.tolist(),
            values.astype(np.int64).tolist(),
            strict=True,
        )
        return [
            BLEUScore(
                name=self.name,
                score=score,
                better=self.better,
                signature=signature,
                precisions=precisions_,
                bp=penalty,
                sys_len=sys_len,
                ref_len=ref_len,
                counts=counts[: self.max_ngram_order],
                totals=counts[self.max_ngram_order :],
            )
            for score, precisions_, penalty, (sys_len, ref_len, *counts) in rows
        ]

    def _has_match(self, values: Floats) -> Booleans:
        matched: Booleans = np.any(values[..., 2 : 2 + self.max_ngram_order] > 0, axis=-1)
        return matched

    def _smoothed_totals(self, values: Floats) -> Floats:
        totals = values[..., 2 + self.max_ngram_order :]
        return totals + self._added()

    def _added(self) -> Floats:
        """Return what add-k adds to each order: nothing to unigrams, k to the others."""
        added = np.zeros(self.max_ngram_order)
        if self.smooth_method == "add-k":
            added[1:] = self.smoothing_value
        return added

    def _precisions(self, values: Floats) -> Floats:
        """Return the smoothed precisions in per cent, shape (..., max_ngram_order)."""
        correct = values[..., 2 : 2 + self.max_ngram_order] + self._added()
        totals = self._smoothed_totals(values)
        exists = np.logical_and.accumulate(totals > 0, axis=-1)
        safe = np.where(exists, totals, 1.0)
        precisions = 100.0 * correct / safe
        unmatched = exists & (correct == 0)
        if self.smooth_method == "exp":
            smoothed = 100.0 / (np.exp2(np.cumsum(unmatched, axis=-1)) * safe)
        elif self.smooth_method == "floor":
            smoothed = 100.0 * self.smoothing_value / safe
        else:
            smoothed = np.zeros_like(precisions)
        precisions = np.where(unmatched, smoothed, precisions)
        return np.where(exists & self._has_match(values)[..., None], precisions, 0.0)


def closest_in_length(hypothesis: Sized, references: Sequence[Sized]) -> int:
    """Return the index of the reference whose length is closest to the hypothesis's, the shorter of two."""
    length = len(hypothesis)
    return min(range(len(references)), key=lambda r: (abs(len(references[r]) - length), len(references[r])))


def _brevity_penalty(values: Floats) -> Floats:
    hypothesis, reference = values[..., 0], values[..., 1]
    too_short = hypothesis < reference
    safe = np.where(hypothesis > 0, hypothesis, 1.0)
    penalty = np.where(hypothesis > 0, np.exp(1 - np.where(too_short, reference, safe) / safe), 0.0)
    return np.where(too_short, penalty, 1.0)


def _closest_lengths(lengths: Integers, prepared: _Prepared) -> Integers:
    """Return for each segment the reference length closest to the hypothesis's, the shorter one of two."""
    distance = np.abs(prepared.lengths - lengths)
    widest = int(prepared.lengths.max(initial=0)) + 1
    preference = distance * widest + prepared.lengths
    preference[~prepared.present] = np.iinfo(np.int64).max
    chosen = preference.argmin(axis=0)
    picked: Integers = prepared.lengths[chosen, np.arange(len(lengths))]
    return picked
