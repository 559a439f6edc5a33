"""N-gram language models of a text, a thin layer over nltk.lm: it trains, and gives log-probabilities.

nltk counts and smooths. Ours is what a sentence is: `</s>` ends it and is predicted like a word, `<s>` is
only ever context, so that the probabilities of all that can follow sum to one. Words that occur fewer than
`cutoff` times in the training text are taken as `<UNK>`, and so is every unknown word later.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from mtscore.diagnostics.perplexity import (
    UNKNOWN_WORDS,
    Perplexity,
    Unit,
    Vocabulary,
    digest,
    perplexity,
)
from mtscore.errors import InputError, MissingExtraError, UsageError, closest
from mtscore.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

START, END, UNKNOWN = "<s>", "</s>", "<UNK>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Smoothing:
    """Describe one of nltk's ways to share out probability.

    `model` is its class there, `parameter` the name of its parameter (an added count, a discount, a factor),
    which is above 0 and at most `limit`, by default `value`. `zeros` says what gets no probability at all.
    Below `least_order` it is not defined.
    """

    model: str
    parameter: str | None = None
    value: float | None = None
    limit: float = 1.0
    zeros: str = ""
    least_order: int = 1


MOST_ORDERS = 20
"""Longer n-grams tell nothing more, and their models would fill the memory."""

NO_SMOOTHING = (
    "under maximum likelihood what never occurred in training is impossible, and one such n-gram makes the"
    " whole text so: smoothing sets some probability aside for what training did not show"
)
UNSEEN_WORD = (
    "under this smoothing a word that training did not show is impossible: --unk-cutoff 2 learns from rare"
    " words how probable an unknown one is"
)
SMOOTHINGS = {
    "mle": Smoothing(model="MLE", zeros=NO_SMOOTHING),
    "laplace": Smoothing(model="Laplace"),
    "lidstone": Smoothing(model="Lidstone", parameter="gamma", value=0.1, limit=math.inf),
    "kneser-ney": Smoothing(
        model="KneserNeyInterpolated", parameter="discount", value=0.1, zeros=UNSEEN_WORD, least_order=2
    ),
    "witten-bell": Smoothing(model="WittenBellInterpolated", zeros=UNSEEN_WORD),
    "absolute-discounting": Smoothing(
        model="AbsoluteDiscountingInterpolated", parameter="discount", value=0.75, zeros=UNSEEN_WORD
    ),
    "stupid-backoff": Smoothing(model="StupidBackoff", parameter="alpha", value=0.4, zeros=UNSEEN_WORD),
}
"""What nltk offers, by the names that `find_smoothing` resolves to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramModel:
    """Hold a trained model of one order.

    `label` is the smoothing with its value (`kneser-ney[0.1]`), `ends` whether `</s>` ends each sentence.
    """

    order: int
    smoothing: str
    label: str
    cutoff: int
    ends: bool
    vocabulary: Vocabulary
    training_digest: str
    score: Callable[[str, tuple[str, ...]], float] = field(repr=False, compare=False)

    def logprobs(self, text: str) -> list[float]:
        """Return the natural log-probability of each word of a sentence, and of its end."""
        words = _masked(text, self.vocabulary)
        scores = (self.score(gram[-1], gram[:-1]) for gram in _ngrams(words, self.order, ends=self.ends))
        return [math.log(score) if score > 0 else -math.inf for score in scores]

    def perplexity(self, texts: Sequence[str], *, unit: Unit = "token", name: str = "text") -> Perplexity:
        """Return the perplexity of a text, a sentence a line, under the model.

        Raises:
            InputError: if the text has no word, or contains the marks of sentences.
        """
        _check_text(texts, name)
        result = perplexity(
            [self.logprobs(text) for text in texts],
            end_of_sentence="counted" if self.ends else "absent",
            unit=unit,
            texts=texts,
            vocabulary=self.vocabulary,
            name=name,
        )
        signature = result.signature.extend(
            lm=self.label, order=self.order, cutoff=self.cutoff, train=self.training_digest
        )
        notices = tuple(map(self._explained, result.notices)) + self._caveats()
        return replace(result, signature=signature, notices=notices)

    def _explained(self, notice: Notice) -> Notice:
        """Add to the notice about probability zero how this smoothing came to it."""
        if notice.code != "probability-zero":
            return notice
        return replace(notice, text=f"{notice.text}; {SMOOTHINGS[self.smoothing].zeros}")

    def _caveats(self) -> tuple[Notice, ...]:
        if self.smoothing != "stupid-backoff":
            return ()
        text = "the scores of stupid backoff do not sum to 1: this is no perplexity to compare with others"
        return (Notice("warning", "no-probabilities", text),)


def train(
    texts: Sequence[str],
    order: int,
    smoothing: str = "laplace",
    *,
    value: float | None = None,
    cutoff: int = 1,
    ends: bool = True,
    name: str = "training text",
) -> list[NgramModel]:
    """Train n-gram models of every order up to `order` on one text, a sentence a line.

    Args:
        texts: words separated by white space.
        order: of the longest n-grams; Kneser-Ney starts with bigrams.
        smoothing: one of `SMOOTHINGS`, also as nltk writes it.
        value: the parameter of the smoothing, if it has one: lidstone's added count, the discount of
            kneser-ney and absolute-discounting, the factor of stupid-backoff.
        cutoff: how often a word has to occur to be known.
        ends: whether `</s>` ends each sentence.
        name: how messages call the text.

    Raises:
        InputError: if there is no word, or a word is a mark of sentences.
        MissingExtraError: if nltk is not installed.
        UsageError: if the smoothing is unknown, or a number makes no sense.
    """
    smoothing = find_smoothing(smoothing)
    kind = SMOOTHINGS[smoothing]
    value = _check_numbers(smoothing, order, value, cutoff)
    _check_text(texts, name)
    vocabulary = _vocabulary(texts, cutoff, name)
    sentences = [_masked(text, vocabulary) for text in texts]
    training_digest = digest(texts)
    models = _nltk_models(sentences, order, kind, value=value, vocabulary=vocabulary, ends=ends)
    return [
        NgramModel(
            order=model.order,
            smoothing=smoothing,
            label=smoothing if value is None else f"{smoothing}[{value:g}]",
            cutoff=cutoff,
            ends=ends,
            vocabulary=vocabulary,
            training_digest=training_digest,
            score=cache(model.unmasked_score),
        )
        for model in models
    ]


def find_smoothing(name: str) -> str:
    """Return the smoothing that a name means, whatever its case, hyphens and suffix.

    >>> find_smoothing("KneserNeyInterpolated"), find_smoothing("MLE")
    ('kneser-ney', 'mle')

    Raises:
        UsageError: if there is none.
    """

    def letters(text: str) -> str:
        return "".join(filter(str.isalpha, text.lower())).removesuffix("interpolated")

    for known in SMOOTHINGS:
        if letters(known) == letters(name):
            return known
    raise UsageError(
        f"unknown smoothing '{name}'", where="--smoothing", hint=closest(name.lower(), list(SMOOTHINGS))
    )


def _check_numbers(smoothing: str, order: int, value: float | None, cutoff: int) -> float | None:
    """Check what is asked for; return the parameter of the smoothing, its default if none was given."""
    kind = SMOOTHINGS[smoothing]
    if not kind.least_order <= order <= MOST_ORDERS:
        bounds = f"from {kind.least_order} to {MOST_ORDERS} with {smoothing}"
        raise UsageError(f"the order must be {bounds}, not {order}", where="--order")
    if cutoff < 1:
        raise UsageError(f"the cutoff must be at least 1, not {cutoff}", where="--unk-cutoff")
    if value is None:
        return kind.value
    if kind.parameter is None:
        raise UsageError(f"{smoothing} has no parameter", where="--smoothing-value")
    if not 0 < value <= kind.limit or math.isinf(value):
        limit = "" if math.isinf(kind.limit) else f" and at most {kind.limit:g}"
        raise UsageError(
            f"the {kind.parameter} of {smoothing} must be above 0{limit}, not {value:g}",
            where="--smoothing-value",
        )
    return value


def _check_text(texts: Sequence[str], name: str) -> None:
    if not any(map(str.strip, texts)):
        raise InputError("no word in it", where=name)
    for number, text in enumerate(texts, 1):
        if mark := {START, END}.intersection(text.split()):
            raise InputError(
                f"the word {min(mark)}, which marks where sentences start or end, is part of the text",
                where=f"{name}:{number}",
                hint="remove it: marks are added here",
            )


def _vocabulary(texts: Sequence[str], cutoff: int, name: str) -> Vocabulary:
    counts = Counter(word for text in texts for word in text.split())
    words = frozenset(word for word, count in counts.items() if count >= cutoff) - UNKNOWN_WORDS
    if not words:
        raise InputError(
            f"the vocabulary is empty: no word occurs {cutoff} times", where=name, hint="lower --unk-cutoff"
        )
    return Vocabulary(words)


def _masked(text: str, vocabulary: Vocabulary) -> list[str]:
    return [word if word in vocabulary.words else UNKNOWN for word in text.split()]


def _ngrams(words: Sequence[str], order: int, *, ends: bool) -> Iterator[tuple[str, ...]]:
    """Yield the n-gram that ends in each predicted word of a sentence.

    >>> list(_ngrams(["a", "b"], 2, ends=True))
    [('<s>', 'a'), ('a', 'b'), ('b', '</s>')]
    """
    padded = [START] * (order - 1) + [*words] + [END] * ends
    return (tuple(padded[start : start + order]) for start in range(len(padded) - order + 1))


def _nltk_models(
    sentences: Sequence[Sequence[str]],
    order: int,
    kind: Smoothing,
    *,
    value: float | None,
    vocabulary: Vocabulary,
    ends: bool,
) -> list[Any]:
    """Return nltk's models of each order, which share one table of counts."""
    try:
        from nltk import lm  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtraError("training language models", extra="lm") from None
    try:
        counts = lm.NgramCounter(
            _ngrams(words, n, ends=ends) for words in sentences for n in range(1, order + 1)
        )
    except ValueError as error:  # nltk's own limit on distinct n-grams
        raise UsageError(f"nltk cannot count the training text: {error}", where="--train") from error
    known = lm.Vocabulary([*sorted(vocabulary.words), *([END] if ends else [])], unk_label=UNKNOWN)
    settings = {"vocabulary": known, "counter": counts} | ({kind.parameter: value} if kind.parameter else {})
    models = [getattr(lm, kind.model)(order=n, **settings) for n in range(kind.least_order, order + 1)]
    if kind.model == "KneserNeyInterpolated":
        continuations = _continuations(counts, order)
        for model in models:
            model.estimator._continuation_counts = continuations  # noqa: SLF001  # see there
    return models


def _continuations(counts: Any, order: int) -> Callable[..., tuple[int, int]]:
    """Return nltk's count of the different words before (context, word), and before (context, any word).

    nltk goes through the whole table of counts for every single word; here it is indexed once.
    """
    before: dict[tuple[str, ...], Counter[str]] = {}
    for n in range(2, order + 1):
        for context, following in counts[n].items():
            before.setdefault(context[1:], Counter()).update(following.keys())
    totals = {context: words.total() for context, words in before.items()}

    def count(word: str, context: tuple[str, ...] = ()) -> tuple[int, int]:
        return before[context][word], totals[context]

    return count
