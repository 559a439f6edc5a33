"""How the BLEU of one segment comes about: every n-gram with its counts, and what the score is made of.

N-grams are counted one by one, as the definition reads (the metric itself counts whole chunks as arrays);
smoothing and score are the metric's own. How it looks is the command line's business.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mtscore.errors import UsageError
from mtscore.kernels.multisets import ngrams
from mtscore.metrics.bleu import closest_in_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.metrics.bleu import BLEU, BLEUScore

Tokens: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NGram:
    """Count one n-gram: in the hypothesis, and in each reference."""

    tokens: Tokens
    count: int
    in_references: tuple[int, ...]

    @property
    def most(self) -> int:
        """Return how often the reference has it that has it most often."""
        return max(self.in_references)

    @property
    def clipped(self) -> int:
        """Return how often it counts: at most as often as in one reference."""
        return min(self.count, self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fraction:
    """Write a precision as a fraction whose parts are readable: `1` over `(2·4)`."""

    numerator: str
    denominator: str

    def __str__(self) -> str:
        return f"{self.numerator}/{self.denominator}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Hold the distinct n-grams of one length, in the order of the hypothesis, and their precision.

    `precision` is in per cent and the one that enters the score; `smoothed` says how it was smoothed, None
    where it was not.
    """

    order: int
    ngrams: tuple[NGram, ...]
    precision: float
    smoothed: Fraction | None

    @property
    def correct(self) -> int:
        """Return the number of n-grams that count."""
        return sum(ngram.clipped for ngram in self.ngrams)

    @property
    def total(self) -> int:
        """Return the number of n-grams."""
        return sum(ngram.count for ngram in self.ngrams)

    @property
    def counted(self) -> Fraction:
        """Return the precision before smoothing."""
        return Fraction(numerator=str(self.correct), denominator=str(self.total))


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Hold one segment's tokens, its n-grams of orders 1 to the metric's highest, and its score.

    `closest` is the index of the reference whose length counts. The score is a mean over the orders up to
    `effective_order`.
    """

    metric: BLEU
    hypothesis: Tokens
    references: tuple[Tokens, ...]
    closest: int
    orders: tuple[Order, ...]
    effective_order: int
    score: BLEUScore

    @property
    def lowest_miss(self) -> int:
        """Return the lowest order with an n-gram that no reference has, 1 if there is none."""
        return next((order.order for order in self.orders if any(not n.most for n in order.ngrams)), 1)

    def matched_orders(self) -> list[int]:
        """Return for each token of the hypothesis the order of the longest counting n-gram it is part of.

        Of an n-gram that stands there more often than it counts, the first ones count.
        """
        highest = [0] * len(self.hypothesis)
        for order in self.orders:
            left = {ngram.tokens: ngram.clipped for ngram in order.ngrams}
            for start, ngram in enumerate(ngrams(self.hypothesis, order.order)):
                if left[ngram]:
                    left[ngram] -= 1
                    highest[start : start + order.order] = [order.order] * order.order
        return highest


def explain(metric: BLEU, hypothesis: str, references: Sequence[str]) -> Explanation:
    """Explain one segment's score with a metric's settings.

    Raises:
        UsageError: if there is no reference.
    """
    if not references:
        raise UsageError("no reference to explain the score by")
    tokens, *reference_tokens = metric.tokens((hypothesis, *references))
    counted = [_count(tokens, reference_tokens, n) for n in range(1, metric.max_ngram_order + 1)]
    score = metric.sentence_score(hypothesis, references)
    smoothed = _smoothing(metric, score)
    return Explanation(
        metric=metric,
        hypothesis=tokens,
        references=tuple(reference_tokens),
        closest=closest_in_length(tokens, reference_tokens),
        orders=tuple(
            Order(order=n, ngrams=ngrams_, precision=precision, smoothed=fraction)
            for n, (ngrams_, precision, fraction) in enumerate(
                zip(counted, score.precisions, smoothed, strict=True), 1
            )
        ),
        effective_order=_effective_order(metric, score),
        score=score,
    )


def _count(hypothesis: Tokens, references: Sequence[Tokens], order: int) -> tuple[NGram, ...]:
    found = [Counter(ngrams(reference, order)) for reference in references]
    return tuple(
        NGram(ngram, count, tuple(counts[ngram] for counts in found))
        for ngram, count in Counter(ngrams(hypothesis, order)).items()
    )


def _smoothing(metric: BLEU, score: BLEUScore) -> list[Fraction | None]:
    """Return for each order how its precision was smoothed, None where it was not."""
    value = metric.smoothing_value
    fractions: list[Fraction | None] = []
    zeros = 0
    for n, (correct, total) in enumerate(zip(score.counts, score.totals, strict=True), 1):
        fraction = None
        exists = n <= _last_order(metric, score) and any(
            score.counts
        )  # without any match nothing is smoothed
        if exists and metric.smooth_method == "add-k" and n > 1:
            fraction = Fraction(numerator=f"({correct}+{value:g})", denominator=f"({total}+{value:g})")
        elif exists and not correct and metric.smooth_method == "exp":
            zeros += 1
            fraction = Fraction(numerator="1", denominator=f"({2**zeros}·{total})")
        elif exists and not correct and metric.smooth_method == "floor":
            fraction = Fraction(numerator=f"{value:g}", denominator=str(total))
        fractions.append(fraction)
    return fractions


def _effective_order(metric: BLEU, score: BLEUScore) -> int:
    return _last_order(metric, score) if metric.effective_order else metric.max_ngram_order


def _last_order(metric: BLEU, score: BLEUScore) -> int:
    """Return the highest order that exists; where anything matches, add-k makes up the others."""
    if metric.smooth_method == "add-k" and metric.smoothing_value and any(score.counts):
        return metric.max_ngram_order
    return sum(total > 0 for total in score.totals)
