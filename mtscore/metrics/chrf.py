"""chrF, chrF+ and chrF++ (Popović 2015, 2017): F-scores of character n-grams, and of word n-grams.

A segment's statistics are, for each order, the number of n-grams of the hypothesis, of the reference, and of
those that they share. Of several references the one with the best segment score counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mtscore.arrays import Ragged
from mtscore.characters import END, UNKNOWN, Alphabet, join, line_words, split_characters, split_words
from mtscore.errors import UsageError
from mtscore.kernels.multisets import Segment, clipped_count
from mtscore.kernels.ngrams import matches, totals
from mtscore.metrics.base import Metric, check_order, flattened
from mtscore.results import Score
from mtscore.signature import Signature
from mtscore.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.arrays import Booleans, Floats, Integers
    from mtscore.corpus import Hypotheses, References

LONGEST_CHARACTERS, LONGEST_WORDS, LARGEST_BETA = 100, 10, 1e100
"""What is above these is a typing error."""

LONGEST_COUNTED = 250
"""Up to so many characters, a segment by itself is counted before arrays are set up; up to twice as many with
words, for which there is more to set up."""

EPSILON = 1e-16
"""Stands for a precision, recall or F-score without denominator (chrF++.py)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CHRFScore(Score):
    """Hold a chrF score with its statistics.

    `stats` are for each order, characters before words, the n-grams of the hypotheses, those of the
    references, and those in common.
    """

    stats: list[int]

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the further fields of the JSON row."""
        return {"stats": self.stats}


class _Prepared(NamedTuple):
    """Keep one chunk of references; with R references of N segments, row r * N + i is segment i's r-th."""

    alphabet: Alphabet
    characters: Ragged
    vocabulary: Vocabulary | None
    words: Ragged | None
    present: Booleans
    """Whether segment i has an r-th reference, shape (R, N)."""


@dataclass(frozen=True, slots=True)
class CHRF(Metric[_Prepared, CHRFScore]):
    """Score with chrF, chrF+ (`word_order=1`) or chrF++ (`word_order=2`), 0 to 100.

    >>> print(CHRF().corpus_score(["The cat is on the mat."], [["The cat sat on the mat."]]))
    chrF2 = 64.58

    Args:
        char_order: the longest character n-grams.
        word_order: the longest word n-grams; 0 for none.
        beta: how many times as much recall counts as precision.
        lowercase: compare lower-cased text (`str.lower`).
        whitespace: let white space count as characters.
        eps_smoothing: average the orders' F-scores, as chrF++.py, Moses and NLTK do, instead of precision
            and recall over the orders that both sides are long enough for.

    Raises:
        UsageError: if an order or beta is out of range.
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        check_order("chrF's character", self.char_order, 1, LONGEST_CHARACTERS)
        check_order("chrF's word", self.word_order, 0, LONGEST_WORDS)
        if not isinstance(self.beta, int | float) or not 0 < self.beta <= LARGEST_BETA:
            raise UsageError(f"chrF's beta must be a positive number, not {self.beta!r}")

    @property
    def name(self) -> str:
        """Return the name with beta and a plus for each order of words: `chrF2`, `chrF0.5`, `chrF2++`."""
        return f"chrF{np.format_float_positional(self.beta, trim='-')}{'+' * self.word_order}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the statistics: three counts for each order, characters before words."""
        orders = [f"char_{order}" for order in range(1, self.char_order + 1)]
        orders += [f"word_{order}" for order in range(1, self.word_order + 1)]
        return tuple(f"{order}_{count}" for order in orders for count in ("sys", "ref", "match"))

    @property
    def settings(self) -> Signature:
        """Return the signature of the configuration."""
        return Signature(
            self.name,
            {
                "case": "lc" if self.lowercase else "mixed",
                "eff": "no" if self.eps_smoothing else "yes",
                "numchars": self.char_order,
                "numwords": self.word_order,
                "space": "yes" if self.whitespace else "no",
            },
        )

    def prepare(self, references: References) -> _Prepared:
        """Split one chunk of references into characters and words, for use with every system."""
        lines, present = flattened(references)
        text = join(self._cased(lines))
        alphabet = Alphabet(text, whitespace=self.whitespace)
        ids = alphabet.find(text, end=END)
        vocabulary = words = None
        if self.word_order:
            tokens = split_words(text, ids)
            vocabulary = Vocabulary(tokens)
            words = Ragged(vocabulary.ids, tokens.offsets)
        return _Prepared(alphabet, split_characters(text, ids), vocabulary, words, present)

    def statistics(self, hypotheses: Hypotheses, prepared: _Prepared) -> Floats:
        """Return the statistics of one chunk against each segment's best reference, shape (segments, K)."""
        text = join(self._cased(hypotheses))
        ids = prepared.alphabet.find(text, end=UNKNOWN)
        counts = [_compare(split_characters(text, ids), prepared.characters, self.char_order)]
        if prepared.vocabulary and prepared.words:
            tokens = split_words(text, ids)
            words = Ragged(prepared.vocabulary.find(tokens), tokens.offsets)
            counts.append(_compare(words, prepared.words, self.word_order))
        values = np.concatenate(counts, axis=1, dtype=np.float64)
        return self._best(values.reshape(*prepared.present.shape, -1), prepared.present)

    def segment_statistics(self, hypothesis: str, references: Sequence[str]) -> Floats:
        """Return the statistics of one segment against its best reference, shape (K,)."""
        longest = 2 * LONGEST_COUNTED if self.word_order else LONGEST_COUNTED
        if len(hypothesis) + sum(map(len, references)) > longest:
            return Metric.segment_statistics(self, hypothesis, references)  # slots break super()
        line, *lines = self._cased([hypothesis, *references])
        values = np.array([[self._compare_lines(line, other)] for other in lines], dtype=np.float64)
        best: Floats = self._best(values, np.ones((len(lines), 1), dtype=np.bool_))[0]
        return best

    def _compare_lines(self, hypothesis: str, reference: str) -> list[int]:
        """Return the three counts of each order."""
        words = _counts(line_words(hypothesis), line_words(reference), self.word_order)
        if not self.whitespace:
            hypothesis, reference = "".join(hypothesis.split()), "".join(reference.split())
        return _counts(hypothesis, reference, self.char_order) + words

    def score(self, values: Floats) -> Floats:
        """Return the scores of statistics of shape (..., K), shape (...)."""
        by_order = values.reshape(*values.shape[:-1], -1, 3)
        hypothesis, reference, shared = by_order[..., 0], by_order[..., 1], by_order[..., 2]
        precision, recall = _ratio(shared, hypothesis), _ratio(shared, reference)
        if self.eps_smoothing:
            return 100 * _sum(self._f_score(precision, recall, EPSILON)) / (self.char_order + self.word_order)
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(np.count_nonzero(used, axis=-1), 1)
        precision, recall = _sum(np.where(used, precision, 0)), _sum(np.where(used, recall, 0))
        return 100 * self._f_score(precision / orders, recall / orders, 0)

    def results(self, values: Floats, signature: Signature) -> list[CHRFScore]:
        """Return the score of each row of statistics, with them."""
        rows = zip(self.score(values).tolist(), values.astype(np.int64).tolist(), strict=True)
        return [
            CHRFScore(name=self.name, score=score, better=self.better, signature=signature, stats=stats)
            for score, stats in rows
        ]

    def _cased(self, lines: Sequence[str]) -> Sequence[str]:
        return [line.lower() for line in lines] if self.lowercase else lines

    def _best(self, values: Floats, present: Booleans) -> Floats:
        """Return each segment's statistics against its best reference, of equal ones the first.

        `values` have the shape (R, N, K).
        """
        if len(values) == 1:
            only: Floats = values[0]
            return only
        scores = np.where(present, self.score(values), -np.inf)
        best: Floats = values[scores.argmax(axis=0), np.arange(values.shape[1])]
        return best

    def _f_score(self, precision: Floats, recall: Floats, otherwise: float) -> Floats:
        factor = float(self.beta) ** 2
        denominator = factor * precision + recall
        exists = denominator > 0
        safe = np.where(exists, denominator, 1.0)
        return np.where(exists, (1 + factor) * precision * recall / safe, otherwise)


def _compare(hypotheses: Ragged, references: Ragged, order: int) -> Integers:
    """Return the three counts of each order, shape (R * N, 3 * order).

    Hypotheses are compared with references as often as there are; where a reference is too short for an
    order, the hypothesis's n-grams do not count either.
    """
    hypotheses = _repeat(hypotheses, (len(references.offsets) - 1) // max(len(hypotheses.offsets) - 1, 1))
    wanted = totals(references, order)
    found = np.where(wanted > 0, totals(hypotheses, order), 0)
    counts = np.stack((found, wanted, matches(hypotheses, references, order)), axis=-1)
    return counts.reshape(len(counts), -1)


def _counts(hypothesis: Segment, reference: Segment, most: int) -> list[int]:
    """Return what `_compare` does, of one segment."""
    counts = []
    for order in range(1, most + 1):
        found, wanted = (max(len(side) - order + 1, 0) for side in (hypothesis, reference))
        shared = clipped_count(hypothesis, [reference], order)
        counts += [found if wanted else 0, wanted, shared]
    return counts


def _repeat(rows: Ragged, times: int) -> Ragged:
    return Ragged(np.tile(rows.ids, times), np.concatenate(([0], np.cumsum(np.tile(rows.lengths, times)))))


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, epsilon where there is no whole."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), EPSILON)


def _sum(terms: Floats) -> Floats:
    """Return the sum over the last axis, strictly from left to right."""
    total: Floats = np.cumsum(terms, axis=-1)[..., -1]
    return total
