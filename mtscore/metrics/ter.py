"""TER (Snover et al. 2006), the translation edit rate, and WER, the same rate without shifts.

Both divide the edits that turn a hypothesis into its reference by the reference's length. With several
references the edits are those to the closest one, and the length is the mean of all.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mtscore.corpus import check_every_segment_has_a_reference
from mtscore.errors import UsageError
from mtscore.kernels.edits import shift_edits, word_edits
from mtscore.metrics.base import Metric
from mtscore.results import Score
from mtscore.signature import Signature
from mtscore.tokenizers.tercom import NAME as TERCOM
from mtscore.tokenizers.tercom import tokenize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.arrays import Floats, Integers
    from mtscore.corpus import Hypotheses, References
    from mtscore.results import Better

PARTS = 720_720
"""The statistics measure length in these parts of a word. All numbers up to 16 divide it, so that the mean
length of up to 16 references is an integer: sums are exact in any order, and equal scores equal."""

CHARACTERS = "".join(map(chr, range(1, 1000)))
"""Stand for the words of all but the longest references."""
MOST_WORDS = sys.maxunicode - 1
UNKNOWN = "\0"
"""Stands for all words of a hypothesis that its reference lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TERScore(Score):
    """Hold a TER or WER score with its parts; the length is in words."""

    num_edits: int
    ref_length: float

    @property
    def details(self) -> Mapping[str, Any]:
        """Return the further fields of the JSON row."""
        return {"num_edits": self.num_edits, "ref_length": self.ref_length}


class _Reference(NamedTuple):
    """Keep a reference as a text of one character a word, and the character of each word."""

    text: str
    characters: Mapping[str, str]


class _Stream(NamedTuple):
    """Keep one reference of each segment that has it: `segments` are their numbers in the chunk."""

    segments: Integers
    references: Sequence[_Reference]


class _Prepared(NamedTuple):
    """Keep one chunk of references, with the mean length of each segment's in parts, shape (N,)."""

    streams: Sequence[_Stream]
    lengths: Floats


@dataclass(frozen=True, slots=True)
class _EditRate(Metric[_Prepared, TERScore]):
    """Score with edits per reference word, whatever counts as an edit."""

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    better: ClassVar[Better] = "lower"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the statistics: edits, and the reference length in parts of a word."""
        return ("num_edits", "ref_length_parts")

    @property
    def settings(self) -> Signature:
        """Return the signature of the configuration."""
        return Signature(
            self.name,
            {
                "asian": "yes" if self.asian_support else "no",
                "case": "mixed" if self.case_sensitive else "lc",
                "norm": "yes" if self.normalized else "no",
                "punct": "no" if self.no_punct else "yes",
                "tok": TERCOM,
            },
        )

    @abstractmethod
    def edits(self, hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
        """Return the edits of each pair of texts of one character a word, shape (pairs,)."""

    def prepare(self, references: References) -> _Prepared:
        """Tokenise one chunk of references, for use with every system.

        Raises:
            AlignmentError: if a segment has no reference at all.
            UsageError: if a reference has more words than there are characters.
        """
        check_every_segment_has_a_reference(references, count(1))
        streams = [self._prepare_stream(stream) for stream in references]
        counts, totals = np.zeros((2, len(references[0])))
        for segments, stream in streams:
            counts[segments] += 1
            totals[segments] += [len(reference.text) for reference in stream]
        return _Prepared(streams, totals * PARTS / counts)

    def statistics(self, hypotheses: Hypotheses, prepared: _Prepared) -> Floats:
        """Return the statistics of one chunk, shape (segments, 2)."""
        words = self._tokenize(hypotheses)
        edits = np.full(len(words), np.inf)
        for segments, references in prepared.streams:
            texts = [
                _encode(words[i], reference.characters)
                for i, reference in zip(segments.tolist(), references, strict=True)
            ]
            found = self.edits(texts, [reference.text for reference in references])
            edits[segments] = np.minimum(edits[segments], found)
        return np.column_stack((edits, prepared.lengths))

    def score(self, values: Floats) -> Floats:
        """Return the scores of statistics of shape (..., 2), shape (...).

        Without any reference word the score is 100, or 0 if there is nothing to edit either.
        """
        edits, lengths = values[..., 0], values[..., 1] / PARTS
        rates = np.where(edits > 0, 1.0, 0.0)
        return 100 * np.divide(edits, lengths, out=rates, where=lengths > 0)

    def results(self, values: Floats, signature: Signature) -> list[TERScore]:
        """Return the score of each row of statistics with its parts."""
        edits, lengths = values[:, 0].astype(np.int64).tolist(), (values[:, 1] / PARTS).tolist()
        return [
            TERScore(
                name=self.name,
                score=score,
                better=self.better,
                signature=signature,
                num_edits=num_edits,
                ref_length=ref_length,
            )
            for score, num_edits, ref_length in zip(self.score(values).tolist(), edits, lengths, strict=True)
        ]

    def _prepare_stream(self, stream: Sequence[str | None]) -> _Stream:
        lines = {i: line for i, line in enumerate(stream) if line is not None}
        words = self._tokenize(list(lines.values()))
        if self.normalized:
            # Published scores rest on references tokenised twice. It matters where normalisation leaves
            # something to do: `dog's,` becomes `dog's ,` and then `dog 's ,`.
            words = self._tokenize([" ".join(tokens) for tokens in words])
        return _Stream(np.array(list(lines), dtype=np.int64), [_reference(tokens) for tokens in words])

    def _tokenize(self, lines: Sequence[str]) -> list[list[str]]:
        if not (self.normalized or self.no_punct):
            return [(line if self.case_sensitive else line.lower()).split() for line in lines]
        return [
            tokenize(
                line,
                normalized=self.normalized,
                no_punct=self.no_punct,
                asian_support=self.asian_support,
                case_sensitive=self.case_sensitive,
            )
            for line in lines
        ]


@dataclass(frozen=True, slots=True)
class TER(_EditRate):
    """Score with TER, in edits per 100 reference words: the lower the better, and above 100 is possible.

    Edits are insertions, deletions, substitutions and shifts of phrases.

    >>> print(TER().corpus_score(["on the mat sat the cat"], [["the cat sat on the mat"]]))
    TER = 33.33

    Args:
        normalized: tokenise as Tercom does, instead of splitting at white space only.
        no_punct: leave punctuation out.
        asian_support: with these two, treat East Asian ideographs and punctuation as well.
        case_sensitive: distinguish upper and lower case.
    """

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return "TER"

    def edits(self, hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
        """Return the edits of each pair with shifts, shape (pairs,)."""
        return shift_edits(hypotheses, references)


@dataclass(frozen=True, slots=True)
class WER(_EditRate):
    """Score with WER: as TER, with the same arguments, but without shifts.

    Edits are insertions, deletions and substitutions.

    >>> print(WER().corpus_score(["on the mat sat the cat"], [["the cat sat on the mat"]]))
    WER = 66.67
    """

    @property
    def name(self) -> str:
        """Return the metric's name."""
        return "WER"

    def edits(self, hypotheses: Sequence[str], references: Sequence[str]) -> Integers:
        """Return the edits of each pair without shifts, shape (pairs,)."""
        return word_edits(hypotheses, references)


def _reference(words: Sequence[str]) -> _Reference:
    """Give each word the character of its last position, counted from 1."""
    if len(words) > MOST_WORDS:
        raise UsageError(f"a reference of {len(words)} words is too long to be aligned")
    available = CHARACTERS if len(words) <= len(CHARACTERS) else map(chr, range(1, MOST_WORDS + 1))
    characters = dict(zip(words, available, strict=False))
    return _Reference("".join([characters[word] for word in words]), characters)


def _encode(words: Sequence[str], characters: Mapping[str, str]) -> str:
    get = characters.get
    return "".join([get(word, UNKNOWN) for word in words])
