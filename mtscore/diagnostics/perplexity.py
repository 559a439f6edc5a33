"""How well a language model predicts a text: from the log-probabilities it gave to the text's tokens.

Perplexity is the exponential of the mean negative log-probability over all units of the corpus: over tokens,
words or characters. Means of segments are never averaged. Training models is the business of `ngram_models`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mtscore._version import PROGRAM
from mtscore.diagnostics.values import check_logarithms, parse_numbers, to_nats
from mtscore.errors import AlignmentError, InputError, UsageError, closest, counted
from mtscore.notices import Notice
from mtscore.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.arrays import Floats, Integers

Unit: TypeAlias = Literal["token", "word", "char"]
EndOfSentence: TypeAlias = Literal["counted", "dropped", "absent"]

UNIT_NAMES: dict[str, str] = {"token": "tokens", "word": "words", "char": "characters"}
COMPARED = {"unit": "units", "eos": "</s> counted:", "vocab": "vocabularies", "oov": "vocabularies"}
"""What has to be the same before two perplexities are compared: keys of signatures, and what to call them."""

END_OF_SENTENCE: dict[EndOfSentence, str] = {
    "counted": "</s> counted",
    "dropped": "</s> left out",
    "absent": "no </s>",
}
UNKNOWN_WORDS = frozenset({"<unk>", "<UNK>", "[UNK]"})
"""Words by which a text itself says that a word was unknown."""

DIGITS = 12
MOST_FREQUENT = 10


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Hold the words (or other tokens) that a model knows; equality is by content."""

    words: frozenset[str]

    @property
    def digest(self) -> str:
        """Return the first 12 hexadecimal digits of the SHA-256 of the sorted words, one a line."""
        return digest(sorted(self.words))


@dataclass(frozen=True, slots=True)
class OutOfVocabulary:
    """Count the words of a text that a vocabulary lacks; `words` has the most frequent ones."""

    count: int
    total: int
    words: Mapping[str, int]

    @property
    def rate(self) -> float:
        """Return the share of running words that are out of vocabulary."""
        return self.count / self.total if self.total else 0.0

    @property
    def kind(self) -> Literal["open", "closed"]:
        """Return `closed` if the vocabulary has every word of the text, else `open`."""
        return "open" if self.count else "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexity:
    """Hold the perplexity of one text under one model, per `unit`, and what it is made of.

    `nats` are the negative natural log-probabilities of the segments, shape (segments,); `counts` has the
    number of each unit in each segment, words and characters only if the text is known; `text` is its digest.
    """

    unit: Unit
    end_of_sentence: EndOfSentence
    nats: Floats
    counts: Mapping[Unit, Integers]
    signature: Signature
    text: str | None = None
    vocabulary: Vocabulary | None = None
    out_of_vocabulary: OutOfVocabulary | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def score(self) -> float:
        """Return the perplexity per `unit`."""
        return self.per(self.unit)

    @property
    def bits_per_character(self) -> float:
        """Return the mean number of bits that a character costs."""
        return self._mean("char") / math.log(2)

    def total(self, unit: Unit) -> int:
        """Return how many units the corpus has."""
        return int(self.counts[unit].sum())

    def per(self, unit: Unit) -> float:
        """Return the perplexity per unit; infinite where a probability is zero."""
        return _exp(self._mean(unit))

    def segment_scores(self) -> list[float | None]:
        """Return the perplexity of each segment; None for a segment without any unit."""
        pairs = zip(self.nats.tolist(), self.counts[self.unit].tolist(), strict=True)
        return [_exp(nats / count) if count else None for nats, count in pairs]

    def _mean(self, unit: Unit) -> float:
        return math.fsum(self.nats) / self.total(unit)


def perplexity(
    logprobs: Sequence[Sequence[float]],
    *,
    base: str = "e",
    probabilities: bool = False,
    end_of_sentence: EndOfSentence = "counted",
    unit: Unit = "token",
    texts: Sequence[str] | None = None,
    vocabulary: Vocabulary | None = None,
    name: str = "log-probabilities",
) -> Perplexity:
    """Return the perplexity of a corpus from the log-probabilities of its tokens.

    Args:
        logprobs: the log-probability of each token, a sequence a segment.
        base: of the logarithms: e, 2 or 10. Perplexity does not depend on it.
        probabilities: the values are probabilities, not logarithms.
        end_of_sentence: `counted`: the last value of each segment is that of `</s>`, which counts as a unit;
            `dropped`: it is left out; `absent`: no value is that of `</s>`.
        unit: what the mean is taken over. Words are what white space separates, characters are code points
            with blanks; where `</s>` is counted it is one more unit of its segment.
        texts: the text of each segment, needed for words, characters and out-of-vocabulary words.
        vocabulary: what the model knows; without texts it only enters the signature.
        name: how messages call the values.

    Raises:
        AlignmentError: if there are not as many texts as segments.
        InputError: if a value is no log-probability, a segment lacks one for `</s>`, or there is none at all.
        UsageError: if the unit needs texts, or is unknown.
    """
    _check_request(unit, end_of_sentence, texts)
    if texts is not None and len(texts) != len(logprobs):
        raise AlignmentError(
            f"{counted(len(logprobs), 'segment')} of log-probabilities, but {len(texts)} of text",
            where=name,
            hint="line N of both belongs to the same segment",
        )
    lengths = np.array([len(values) for values in logprobs], np.int64)
    _check_lengths(lengths, end_of_sentence, name)
    surprise = _surprise(logprobs, lengths, base=base, probabilities=probabilities, name=name)
    tokens = lengths - (end_of_sentence == "dropped")
    starts = np.cumsum(lengths) - lengths
    nats = np.array([math.fsum(surprise[a : a + n]) for a, n in zip(starts, tokens, strict=True)])
    unknown = None if vocabulary is None or texts is None else out_of_vocabulary(texts, vocabulary)
    return Perplexity(
        unit=unit,
        end_of_sentence=end_of_sentence,
        nats=nats,
        counts=_counts(tokens, texts, end_of_sentence),
        signature=_signature(unit, end_of_sentence, vocabulary, unknown),
        text=None if texts is None else digest(texts),
        vocabulary=vocabulary,
        out_of_vocabulary=unknown,
        notices=tuple(_notices(lengths, nats, texts, end_of_sentence, name)),
    )


def digest(lines: Sequence[str]) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the lines, each with its newline."""
    text = "".join(f"{line}\n" for line in lines)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def out_of_vocabulary(texts: Sequence[str], vocabulary: Vocabulary) -> OutOfVocabulary:
    """Count the words that white space separates and the vocabulary lacks, `<unk>` among them.

    >>> unknown = out_of_vocabulary(["a b c", "c d"], Vocabulary(frozenset("ab")))
    >>> unknown.count, unknown.total, dict(unknown.words), unknown.kind
    (3, 5, {'c': 2, 'd': 1}, 'open')
    """
    words = Counter(word for text in texts for word in text.split())
    known = vocabulary.words - UNKNOWN_WORDS
    unknown = Counter({word: count for word, count in words.items() if word not in known})
    return OutOfVocabulary(unknown.total(), words.total(), dict(unknown.most_common(MOST_FREQUENT)))


def differences(one: Perplexity, other: Perplexity) -> list[str]:
    """Return the reasons why two perplexities must not be compared; none if nothing speaks against it.

    Without vocabularies nobody can tell whether they are the same.
    """
    first, second = one.signature, other.signature
    reasons = [
        f"{what} {first.get(key)} and {second.get(key)}"
        for key, what in COMPARED.items()
        if first.get(key) != second.get(key)
    ]
    mine, theirs = one.counts[one.unit], other.counts[other.unit]
    if len(mine) != len(theirs):
        return [*reasons, f"{len(mine)} and {len(theirs)} segments"]
    if one.text != other.text:
        reasons.append("not the same text")
    elif one.unit == other.unit and (unlike := np.flatnonzero(mine != theirs)).size:
        index = int(unlike[0])
        reasons.append(
            f"segment {index + 1} has {mine[index]} and {theirs[index]} {UNIT_NAMES[one.unit]}:"
            " not the same text, or not cut in the same way"
        )
    return reasons


def parse_vocabulary(lines: Sequence[str], name: str) -> Vocabulary:
    """Return the vocabulary of a file: the first field of each line (a count or score may follow it).

    Raises:
        InputError: if there is no word, or a line has none.
    """
    words = [line.split(maxsplit=1)[:1] for line in lines]
    if not words:
        raise InputError("the vocabulary is empty", where=name)
    if [] in words:
        raise InputError("no word on this line of the vocabulary", where=f"{name}:{words.index([]) + 1}")
    return Vocabulary(frozenset(word for (word,) in words))


def parse_logprobs(lines: Sequence[str], name: str) -> list[list[float]]:
    """Return the numbers of each line, separated by white space.

    Raises:
        InputError: if one is no number.
    """
    return [_parse_line(line, f"{name}:{number}") for number, line in enumerate(lines, 1)]


def _parse_line(line: str, where: str) -> list[float]:
    values: list[float] = parse_numbers(line.split(), lambda index: f"{where}, value {index + 1}").tolist()
    return values


def _check_request(unit: str, end_of_sentence: str, texts: Sequence[str] | None) -> None:
    if unit not in UNIT_NAMES:
        raise UsageError(f"unknown unit '{unit}'", where="--unit", hint=closest(unit, list(UNIT_NAMES)))
    if end_of_sentence not in END_OF_SENTENCE:
        known = closest(end_of_sentence, list(END_OF_SENTENCE))
        raise UsageError(f"what does '{end_of_sentence}' mean for </s>?", where="--eos", hint=known)
    if texts is None and unit != "token":
        what = f"the text is needed to count {UNIT_NAMES[unit]}"
        raise UsageError(what, where="--unit", hint="--text FILE")


def _check_lengths(lengths: Integers, end_of_sentence: EndOfSentence, name: str) -> None:
    if end_of_sentence != "absent" and not lengths.all():
        raise InputError(
            "no value, although each line has one for </s>",
            where=f"{name}:{int(np.argmin(lengths != 0)) + 1}",
            hint="--eos absent says that no value is that of </s>",
        )
    if (lengths - (end_of_sentence == "dropped")).sum() < 1:
        raise InputError("no token", where=name)


def _surprise(
    logprobs: Sequence[Sequence[float]], lengths: Integers, *, base: str, probabilities: bool, name: str
) -> Floats:
    """Return -log P of all tokens in nats, shape (values,)."""
    flat = np.fromiter((value for values in logprobs for value in values), np.float64, int(lengths.sum()))
    ends = np.cumsum(lengths)

    def locate(index: int) -> str:
        segment = int(np.searchsorted(ends, index, "right"))
        return f"{name}:{segment + 1}, value {index - int(ends[segment] - lengths[segment]) + 1}"

    check_logarithms(flat, probabilities=probabilities, locate=locate)
    return -to_nats(flat, base=base, probabilities=probabilities)


def _counts(
    tokens: Integers, texts: Sequence[str] | None, end_of_sentence: EndOfSentence
) -> dict[Unit, Integers]:
    counts: dict[Unit, Integers] = {"token": tokens}
    if texts is not None:
        end = int(end_of_sentence == "counted")
        counts["word"] = np.array([len(text.split()) + end for text in texts], np.int64)
        counts["char"] = np.array([len(text) + end for text in texts], np.int64)
    return counts


def _signature(
    unit: Unit,
    end_of_sentence: EndOfSentence,
    vocabulary: Vocabulary | None,
    unknown: OutOfVocabulary | None,
) -> Signature:
    return Signature(
        "PPL",
        {
            "eos": "yes" if end_of_sentence == "counted" else "no",
            "oov": unknown and unknown.kind,
            "unit": unit,
            "vocab": vocabulary and vocabulary.digest,
            "version": PROGRAM,
        },
    )


def _notices(
    lengths: Integers,
    nats: Floats,
    texts: Sequence[str] | None,
    end_of_sentence: EndOfSentence,
    name: str,
) -> list[Notice]:
    notices = []
    impossible = np.isposinf(nats)
    if impossible.any():
        line = int(np.argmax(impossible)) + 1
        text = "a token has probability zero, so that the perplexity of the whole text is infinite"
        notices.append(
            Notice("warning", "probability-zero", text, file=name, line=line, count=int(impossible.sum()))
        )
    words = [] if texts is None else [len(text.split()) for text in texts]
    if words == lengths.tolist() and end_of_sentence != "absent":
        text = "every line has as many values as words: none is left for </s> (--eos absent)"
        notices.append(Notice("warning", "no-value-for-eos", text, file=name))
    return notices


def _exp(mean: float) -> float:
    """Return e to a mean loss; infinite beyond the largest number."""
    try:
        return math.exp(mean)
    except OverflowError:
        return math.inf
