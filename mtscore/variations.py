"""Other ways to come to a number: what people do differently without saying so, one thing at a time.

A variation is a metric and a corpus that differ from the claim's in a single respect. Nothing here computes a
score. Combinations are left out on purpose: among hundreds of numbers some fit any claim.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import combinations, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mtscore import assets
from mtscore.corpus import Corpus
from mtscore.errors import MTScoreError
from mtscore.metrics import create
from mtscore.metrics.bleu import BLEU
from mtscore.metrics.chrf import CHRF
from mtscore.metrics.settings import differing_key, setting
from mtscore.metrics.ter import TER
from mtscore.tokenizers import TOKENIZERS, tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mtscore.corpus import Hypotheses
    from mtscore.metrics.base import AnyMetric

    Retouch: TypeAlias = Callable[[str], str]

NOTHING: Mapping[str, Sequence[str]] = MappingProxyType({})

FEW_REFERENCES = 3
"""Up to so many references every subset and every order is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """Hold one way to score: `kind` is in what it differs from the claim, `what` says how.

    With `mean` the score is the mean of the segments' scores.
    """

    kind: str
    what: str
    metric: AnyMetric
    corpus: Corpus
    mean: bool = False


def variations(
    metric: AnyMetric,
    corpus: Corpus,
    references: Sequence[str],
    spare: Mapping[str, Sequence[str]] = NOTHING,
) -> Iterator[Variation]:
    """Yield every variation of scoring a corpus with a metric, the likeliest kinds first.

    Args:
        metric: with the claim's settings.
        corpus: of one system.
        references: how messages call the references, by stream.
        spare: further references of the test set, by name.
    """
    for kind, changed in _settings(metric):
        key = differing_key(metric.settings, changed.settings)
        if key is not None:
            yield Variation(kind=kind, what=setting(changed.settings, key), metric=changed, corpus=corpus)
    yield Variation(
        kind="averaging",
        what="mean of the segments' scores",
        metric=metric.for_segments(),
        corpus=corpus,
        mean=True,
    )
    for kind, what, other in (
        *_references(metric, corpus, references),
        *_spare_references(corpus, spare),
        *_texts(corpus),
    ):
        yield Variation(kind=kind, what=what, metric=metric, corpus=other)


# --- Settings -----------------------------------------------------------------------------------------------

SMOOTHING: Sequence[tuple[str, float | None]] = (
    ("exp", None),
    ("none", None),
    ("floor", 0.1),
    ("floor", 0.01),
    ("add-k", 1.0),
)


def _settings(metric: Any) -> Iterator[tuple[str, AnyMetric]]:
    """Yield the metric with other settings, and which kind of setting it is; some may be the same again."""
    if isinstance(metric, BLEU):
        changes = _bleu(metric)
    elif isinstance(metric, CHRF):
        changes = _chrf(metric)
    else:
        changes = _edit_rate(metric)
        shifts = "wer" if isinstance(metric, TER) else "ter"
        fields = ("normalized", "no_punct", "asian_support", "case_sensitive")
        yield "shifts", create(shifts, **{name: getattr(metric, name) for name in fields})
    for kind, change in changes:
        yield kind, replace(metric, **change)


def _bleu(metric: BLEU) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "case", {"lowercase": not metric.lowercase}
    for name in available_tokenizers():
        yield "tokenizer", {"tokenize": name}
    for method, value in SMOOTHING:
        yield "smoothing", {"smooth_method": method, "smooth_value": value}
    yield "effective order", {"effective_order": not metric.effective_order}
    for order in range(1, 7):
        yield "n-gram order", {"max_ngram_order": order}


def _chrf(metric: CHRF) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "case", {"lowercase": not metric.lowercase}
    yield "white space", {"whitespace": not metric.whitespace}
    yield "effective order", {"eps_smoothing": not metric.eps_smoothing}
    for order in range(3):
        yield "word n-grams", {"word_order": order}
    for order in range(3, 9):
        yield "character n-grams", {"char_order": order}
    for beta in (1, 2, 3):
        yield "beta", {"beta": beta}


def _edit_rate(metric: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "case", {"case_sensitive": not metric.case_sensitive}
    yield "normalisation", {"normalized": not metric.normalized}
    yield "punctuation", {"no_punct": not metric.no_punct}
    if metric.normalized or metric.no_punct:
        yield "Asian scripts", {"asian_support": not metric.asian_support}


def available_tokenizers() -> list[str]:
    """Return the tokenizers that can be used as things are: no package is missing, nothing to download."""
    return [name for name in TOKENIZERS if name != "spm" and _is_available(name)]


def _is_available(name: str) -> bool:
    entry = TOKENIZERS[name]
    if entry.extra == "spm" and (
        not find_spec("sentencepiece") or not assets.current().find(assets.model(name))
    ):
        return False
    try:
        tokenizer(name)
    except MTScoreError:
        return False
    return True


# --- References ---------------------------------------------------------------------------------------------


def _references(metric: AnyMetric, corpus: Corpus, names: Sequence[str]) -> Iterator[tuple[str, str, Corpus]]:
    """Yield the corpus with other references, and with the two sides swapped."""
    count = len(corpus.references)
    for chosen in _choices(count, ordered=isinstance(metric, CHRF)):
        other = Corpus(corpus.systems, [corpus.references[index] for index in chosen])
        called = [names[index] for index in chosen]
        if len(chosen) < count and _complete(other):
            yield "references", f"only {_and(called)}", other
        elif len(chosen) == count:
            yield "order of references", f"{', '.join(called)}", other
    if count == 1:
        swapped = Corpus(cast("Sequence[Hypotheses]", corpus.references), corpus.systems)
        yield "swapped files", f"{names[0]} as the hypotheses", swapped
    elif any("" in stream for stream in corpus.references):
        other = without_empty_references(corpus)
        if _complete(other):
            yield "empty references", "an empty line is no reference", other


def _spare_references(
    corpus: Corpus, spare: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, Corpus]]:
    """Yield the corpus with references that the test set is not scored with by default."""
    for name, stream in spare.items():
        yield "references", f"only {name}", Corpus(corpus.systems, [stream])
    if spare:
        everything = Corpus(corpus.systems, [*corpus.references, *spare.values()])
        yield "references", f"{_and(list(spare))} too", everything


def without_empty_references(corpus: Corpus) -> Corpus:
    """Return the corpus with an empty line meaning that there is no reference."""
    return Corpus(corpus.systems, [[line or None for line in stream] for stream in corpus.references])


def _choices(count: int, *, ordered: bool) -> Iterator[tuple[int, ...]]:
    """Yield which references to take, in which order; not all as they are."""
    everything = tuple(range(count))
    sizes = range(1, count) if count <= FEW_REFERENCES else sorted({1, count - 1})
    for size in sizes:
        yield from combinations(everything, size)
    if ordered:
        orders = permutations(everything) if count <= FEW_REFERENCES else [everything, everything[::-1]]
        yield from (order for order in orders if order != everything)


def _complete(corpus: Corpus) -> bool:
    """Return whether every segment has a reference."""
    return all(any(line is not None for line in segment) for segment in zip(*corpus.references, strict=True))


def _and(names: Sequence[str]) -> str:
    return " and ".join(names)


# --- Texts --------------------------------------------------------------------------------------------------


def _texts(corpus: Corpus) -> Iterator[tuple[str, str, Corpus]]:
    """Yield the corpus with its texts retouched, where that changes anything."""
    for kind, what, retouch in RETOUCHES:
        systems = _retouched(corpus.systems, retouch)
        references = _retouched(corpus.references, retouch)
        if systems != corpus.systems:
            yield kind, f"hypotheses {what}", Corpus(systems, corpus.references)
        if references != corpus.references:
            yield kind, f"references {what}", Corpus(corpus.systems, references)
        if systems != corpus.systems and references != corpus.references:
            yield kind, f"hypotheses and references {what}", Corpus(systems, references)


def _retouched(streams: Sequence[Sequence[Any]], retouch: Retouch) -> list[list[Any]]:
    return [[None if line is None else retouch(line) for line in stream] for stream in streams]


SUBWORD_MARK = re.compile(r"@@(?: |$)")
GLUED = re.compile(r" @(\S+)@ ")
BEFORE_CLOSING = re.compile(r" +(?=[.,;:!?)\]}])")
AFTER_OPENING = re.compile(r"(?<=[(\[{¿¡]) +")
BEFORE_ENDING = re.compile(r" +(?=(?:'(?:s|m|d|t|re|ve|ll)|n't)\b)", re.IGNORECASE)
QUOTED = re.compile(r'(?<!\S)" +([^"]*?) +"(?!\S)')
QUOTED_TYPOGRAPHICALLY = re.compile("([„“]) *([^„“”]*?) *([“”])")


def detokenise(line: str) -> str:
    """Undo what the usual tokenizers do to text: spaces at punctuation, entities, marks of subwords.

    >>> detokenise("a well @-@ known cat ( it sl@@ ept ) , said &quot; Ann &quot; .")
    'a well-known cat (it slept), said "Ann".'
    """
    line = html.unescape(line)
    if "▁" in line:
        line = line.replace(" ", "").replace("▁", " ").strip()
    line = GLUED.sub(r"\1", SUBWORD_MARK.sub("", line))
    line = QUOTED_TYPOGRAPHICALLY.sub(r"\1\2\3", QUOTED.sub(r'"\1"', line))
    return BEFORE_ENDING.sub("", AFTER_OPENING.sub("", BEFORE_CLOSING.sub("", line)))


def tokenise(line: str) -> str:
    """Return the tokens of 13a, a space between two."""
    return " ".join(tokenizer("13a")(line))


INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
ASCII = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "…": "...",
    }
)


def squeeze(line: str) -> str:
    """Return the line with single plain spaces and without invisible characters."""
    return " ".join(line.translate(INVISIBLE).split())


def straighten(line: str) -> str:
    """Return the line with plain quotation marks, hyphens and full stops for typographic ones."""
    return line.translate(ASCII)


def compose(line: str) -> str:
    """Return the line in Unicode's composed form, NFC."""
    return unicodedata.normalize("NFC", line)


RETOUCHES: Sequence[tuple[str, str, Retouch]] = (
    ("tokenisation", "detokenised", detokenise),
    ("tokenisation", "tokenised (13a)", tokenise),
    ("white space", "with single spaces, nothing invisible", squeeze),
    ("characters", "with plain quotation marks and dashes", straighten),
    ("characters", "in Unicode's composed form (NFC)", compose),
)
"""What is done to texts by the way: its kind, how to say it, and how to do it."""
