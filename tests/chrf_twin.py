"""chrF as one would explain it: counters of n-grams, line by line, and nothing fast."""

from __future__ import annotations

from collections import Counter
from string import punctuation
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Twin(NamedTuple):
    """Score with chrF; the fields are those of the metric."""

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def corpus(self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]]) -> float:
        """Return the score of a corpus."""
        return self.score(self.total(hypotheses, references))

    def total(self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]]) -> list[int]:
        """Return the sums over all segments of the statistics against the best reference."""
        rows = [self.best(h, refs) for h, *refs in zip(hypotheses, *references, strict=True)]
        return [sum(column) for column in zip(*rows, strict=True)]

    def best(self, hypothesis: str, references: Sequence[str | None]) -> list[int]:
        """Return the statistics against the best reference, of equally good ones the first."""
        return max((self.statistics(hypothesis, r) for r in references if r is not None), key=self.score)

    def statistics(self, hypothesis: str, reference: str) -> list[int]:
        """Return hypothesis, reference and common n-grams for each order."""
        counts = []
        pairs = zip(self.ngrams(hypothesis), self.ngrams(reference), strict=True)
        for found, wanted in pairs:
            counts += [found.total() if wanted else 0, wanted.total(), (found & wanted).total()]
        return counts

    def ngrams(self, line: str) -> list[Counter[Sequence[str]]]:
        """Return the n-grams of each order, characters before words."""
        line = line.lower() if self.lowercase else line
        characters = line if self.whitespace else "".join(line.split())
        orders = [grams(characters, n) for n in range(1, self.char_order + 1)]
        return orders + [grams(words(line), n) for n in range(1, self.word_order + 1)]

    def score(self, counts: Sequence[int]) -> float:
        """Return the score of statistics."""
        by_order = list(zip(counts[::3], counts[1::3], counts[2::3], strict=True))
        factor = self.beta**2
        if self.eps_smoothing:
            total = 0.0
            for found, wanted, common in by_order:
                precision = common / found if found else 1e-16
                recall = common / wanted if wanted else 1e-16
                total += f_score(precision, recall, factor) or 1e-16
            return 100 * total / len(by_order)
        used = [order for order in by_order if order[0] and order[1]]
        if not used:
            return 0.0
        precision = recall = 0.0
        for found, wanted, common in used:
            precision += common / found
            recall += common / wanted
        return 100 * f_score(precision / len(used), recall / len(used), factor)


def grams(items: Sequence[str], n: int) -> Counter[Sequence[str]]:
    """Count the n-grams of a string or a tuple.

    >>> grams("abab", 2) == {"ab": 2, "ba": 1}
    True
    """
    return Counter(items[start : start + n] for start in range(len(items) - n + 1))


def words(line: str) -> tuple[str, ...]:
    """Return the words of a line, a punctuation mark at the end of one, or else at its start, split off."""
    found: list[str] = []
    for word in line.split():
        if len(word) > 1 and word[-1] in punctuation:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return tuple(found)


def f_score(precision: float, recall: float, factor: float) -> float:
    """Return the weighted harmonic mean, 0 where there is none."""
    denominator = factor * precision + recall
    return (1 + factor) * precision * recall / denominator if denominator > 0 else 0.0
