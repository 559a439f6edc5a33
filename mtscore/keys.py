"""What a signature can say: one table of keys with their spellings, values, defaults and meanings.

Everything that writes, reads, explains or compares signatures goes by this table; a new setting is a new row.
How a signature is written and what two of them mean together is left to `signature` and `comparability`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Literal

from mtscore.errors import SignatureError, closest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Value = str | int
Style = Literal["plus", "pipe"]
Family = Literal["BLEU", "chrF", "TER", "other"]
"""Metrics that share their keys: WER belongs to TER, every diagnostic and foreign metric to `other`."""

Effect = Literal["score", "data", "interval", "program", "system"]
"""What a key says: how the score was made, of what, how its interval was, by which program, or for whom."""

METRICS = {
    "BLEU": "share of word n-grams that a reference has too, times a penalty for short output; "
    "0 to 100, higher is better",
    "chrF": "F-score of character n-grams, and of word n-grams, one order for each plus sign; the digit is "
    "beta, how much more recall counts than precision; 0 to 100, higher is better",
    "TER": "edits per reference word, a shift of a phrase being one edit; in percent, lower is better",
    "WER": "edits per reference word, without shifts; in percent, lower is better",
    "PPL": "perplexity: how many equally likely units a model wavers between; lower is better",
    "SERR": "share of segments where the model prefers the reference, so that the search is at fault",
    "CORR": "how well a metric's scores agree with human scores",
}
"""What each metric is, by its name without chrF's beta and plus signs."""

CONSEQUENCES: dict[Effect, str] = {
    "score": "it moves the score",
    "data": "other segments or references give other scores, whatever the system",
    "interval": "it moves intervals and p-values, not the score",
    "program": "releases differ where a note says so",
    "system": "it is part of what is measured: scores of different ones are there to be compared",
}

NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\+*", re.ASCII)
CHRF = re.compile(r"chrF(?:(\d+)(?:\.(\d+))?)?(\+*)", re.ASCII | re.IGNORECASE)
COUNT = re.compile(r"[0-9]{1,40}")
SMOOTHING = re.compile(r"(exp|none|floor|add-k)|(floor|add-k)\[(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\]", re.ASCII)
RELEASE = re.compile(r"(?:mtscore-)?\d\S*", re.ASCII)

ALL: frozenset[Family] = frozenset({"BLEU", "chrF", "TER", "other"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Describe one key of signatures.

    `name` and `short` are its spellings in plus style, `pipe` and `pipe_short` those of pipe style where they
    differ. `words` are the words it takes with their meaning (none: any text), `count` says that it takes
    numbers; `consequence` is what another value does. Where `defaults` has the metric's family, a signature
    without the key means that value; it is then written only in pipe style, and only if `always_in_pipe`.
    """

    name: str
    short: str
    meaning: str
    consequence: str = ""
    effect: Effect = "score"
    pipe: str | None = None
    pipe_short: str | None = None
    count: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    families: frozenset[Family] = ALL
    defaults: Mapping[Family, Value] = field(default_factory=dict)
    always_in_pipe: bool = False

    def spelling(self, style: Style, *, short: bool) -> str:
        """Return how the key is written."""
        if style == "pipe":
            return (self.pipe_short or self.short) if short else (self.pipe or self.name)
        return self.short if short else self.name

    def explain(self, value: Value) -> str:
        """Return in words what a value says; a number or a name explains itself, so then what it is of."""
        return self.words.get(str(value).partition("[")[0], self.meaning)

    @property
    def spellings(self) -> frozenset[str]:
        """Return every way in which the key may be written."""
        return frozenset({self.name, self.short, self.pipe or self.name, self.pipe_short or self.short})


KEYS = (
    Key(
        name="numrefs",
        short="#",
        pipe="nrefs",
        count=True,
        words={"var": "segments differ in their number of references"},
        meaning="references per segment",
        consequence="more references raise BLEU and chrF and lower TER",
    ),
    Key(
        name="bs",
        short="bs",
        count=True,
        effect="interval",
        meaning="bootstrap resamples behind the interval or p-value",
    ),
    Key(
        name="ar",
        short="ar",
        count=True,
        effect="interval",
        meaning="trials of approximate randomisation behind the p-value",
    ),
    Key(
        name="seed",
        short="rs",
        count=True,
        words={"none": "random numbers that cannot be drawn again"},
        effect="interval",
        meaning="seed of the random numbers behind intervals and p-values",
    ),
    Key(
        name="case",
        short="c",
        words={"mixed": "upper and lower case differ", "lc": "both sides are lowercased first"},
        meaning="upper and lower case",
        consequence="lowercasing makes more words match",
    ),
    Key(
        name="eff",
        short="e",
        words={
            "yes": "effective order: n-gram orders that the text is too short for are left out",
            "no": "every n-gram order counts, however short the text",
        },
        families=frozenset({"BLEU", "chrF"}),
        defaults={"BLEU": "no", "chrF": "yes"},
        always_in_pipe=True,
        meaning="effective order",
        consequence="BLEU moves only where no hypothesis has 4 words, chrF always a little",
    ),
    Key(
        name="tok",
        short="tok",
        families=frozenset({"BLEU", "TER", "other"}),
        meaning="tokenizer: what counts as a word",
        consequence="tokenizers are points apart, char dozens of points",
    ),
    Key(
        name="smooth",
        short="s",
        words={
            "exp": "the first n-gram order without a match counts as 1/2 match, the next as 1/4, …",
            "none": "an n-gram order without a match makes the score 0",
            "floor": "an n-gram order without a match counts as this fraction of a match",
            "add-k": "this k is added to the matches and n-grams of every order above 1",
        },
        families=frozenset({"BLEU"}),
        meaning="smoothing",
        consequence="the score moves only where an n-gram order has no match at all, with add-k always",
    ),
    Key(
        name="numchars",
        short="n",
        pipe="nc",
        pipe_short="nc",
        count=True,
        families=frozenset({"chrF"}),
        meaning="longest character n-grams",
    ),
    Key(
        name="numwords",
        short="nw",
        pipe="nw",
        count=True,
        families=frozenset({"chrF"}),
        defaults={"chrF": 0},
        always_in_pipe=True,
        meaning="longest word n-grams",
        consequence="it is a metric of its own, as the plus signs of its name show",
    ),
    Key(
        name="space",
        short="s",
        words={"yes": "white space counts as characters", "no": "white space is left out"},
        families=frozenset({"chrF"}),
        meaning="white space in character n-grams",
    ),
    Key(
        name="norm",
        short="nr",
        words={"yes": "punctuation is split off words", "no": "words end at white space only"},
        families=frozenset({"TER"}),
        meaning="normalisation",
        consequence="with it words match whatever punctuation follows",
    ),
    Key(
        name="punct",
        short="pn",
        words={"yes": "punctuation is kept", "no": "punctuation is removed"},
        families=frozenset({"TER"}),
        meaning="punctuation",
        consequence="edits of punctuation count or do not",
    ),
    Key(
        name="asian",
        short="as",
        words={
            "yes": "Chinese characters are split, and Asian punctuation is treated like other punctuation",
            "no": "Asian characters are treated like letters",
        },
        families=frozenset({"TER"}),
        meaning="Asian scripts",
        consequence="it acts only together with norm.yes or punct.no",
    ),
    Key(
        name="maxn",
        short="maxn",
        count=True,
        families=frozenset({"BLEU"}),
        defaults={"BLEU": 4},
        meaning="longest word n-grams",
        consequence="shorter n-grams match more often: BLEU-2 is far above BLEU-4",
    ),
    Key(name="test", short="t", effect="data", meaning="test set"),
    Key(name="lang", short="l", effect="data", meaning="language pair, source-target"),
    Key(name="origlang", short="o", effect="data", meaning="only segments originally in this language"),
    Key(name="subset", short="S", effect="data", meaning="only documents that match this pattern"),
    Key(name="userefs", short="userefs", effect="data", meaning="only these references, by name"),
    Key(
        name="unit",
        short="unit",
        words={"token": "per token of the model", "word": "per word", "char": "per character"},
        families=frozenset({"other"}),
        meaning="what the average is taken over",
        consequence="values per token, word and character are of different size",
    ),
    Key(
        name="eos",
        short="eos",
        words={"yes": "the end of a sentence counts as a unit", "no": "the end of a sentence does not count"},
        families=frozenset({"other"}),
        meaning="the end-of-sentence token",
    ),
    Key(
        name="oov",
        short="oov",
        words={
            "open": "the text has words outside the vocabulary",
            "closed": "every word is in the vocabulary",
        },
        families=frozenset({"other"}),
        meaning="words outside the vocabulary",
    ),
    Key(
        name="vocab",
        short="vocab",
        families=frozenset({"other"}),
        meaning="digest of the vocabulary",
        consequence="perplexities over different vocabularies cannot be compared",
    ),
    Key(
        name="lm",
        short="lm",
        families=frozenset({"other"}),
        effect="system",
        meaning="smoothing of the model",
    ),
    Key(
        name="order",
        short="order",
        count=True,
        families=frozenset({"other"}),
        effect="system",
        meaning="longest n-grams of the model",
    ),
    Key(
        name="cutoff",
        short="cutoff",
        count=True,
        families=frozenset({"other"}),
        effect="system",
        meaning="how often a word of the training text occurs to be known",
    ),
    Key(
        name="train",
        short="train",
        families=frozenset({"other"}),
        effect="system",
        meaning="digest of the training text",
    ),
    Key(
        name="prob",
        short="prob",
        words={
            "raw": "of whole segments",
            "norm": "divided by the number of tokens",
            "given-norm": "divided by a length before they were given",
        },
        families=frozenset({"other"}),
        meaning="log-probabilities",
    ),
    Key(
        name="only",
        short="only",
        families=frozenset({"other"}),
        defaults={"other": "all"},
        meaning="the segments that count",
    ),
    Key(
        name="coef",
        short="coef",
        words={
            "pearson": "Pearson's r",
            "spearman": "Spearman's rho",
            "kendall-b": "Kendall's tau-b",
            "rmse": "error left by a least-squares fit to the human scale",
            "accuracy": "share of system pairs in the order that people give them",
        },
        families=frozenset({"other"}),
        meaning="measure of agreement",
    ),
    Key(
        name="level",
        short="level",
        words={"system": "a row a system", "segment": "a row a segment of a system"},
        families=frozenset({"other"}),
        meaning="what is scored",
    ),
    Key(
        name="group",
        short="group",
        words={
            "no": "all rows together",
            "segment": "the mean over segments of the agreement across systems",
            "system": "the mean over systems of the agreement across segments",
        },
        families=frozenset({"other"}),
        defaults={"other": "no"},
        meaning="grouping",
    ),
    Key(name="human", short="human", families=frozenset({"other"}), meaning="the human scores"),
    Key(
        name="metric",
        short="metric",
        families=frozenset({"other"}),
        effect="system",
        meaning="the metric that is held against people",
    ),
    Key(
        name="n",
        short="n",
        count=True,
        effect="data",
        families=frozenset({"other"}),
        meaning="number of items",
    ),
    Key(name="version", short="v", effect="program", meaning="the program"),
)
"""Every key, in the order in which pipe style writes them."""

SPELLINGS = frozenset(word for key in KEYS for word in key.spellings)
"""Every word that is a key somewhere."""


def family(name: str) -> Family:
    """Return the group of metrics whose keys the metric takes.

    >>> family("chrF2++"), family("WER"), family("PPL")
    ('chrF', 'TER', 'other')
    """
    if CHRF.fullmatch(name):
        return "chrF"
    if name == "BLEU":
        return "BLEU"
    return "TER" if name in ("TER", "WER") else "other"


def keys_of(group: Family) -> list[Key]:
    """Return the keys that metrics of a family take."""
    return [key for key in KEYS if group in key.families]


def defaults(group: Family) -> dict[str, Value]:
    """Return what a signature of this family means by leaving a key out."""
    return {key.name: key.defaults[group] for key in KEYS if group in key.defaults}


@cache
def find_key(word: str, group: Family) -> Key:
    """Return the key that a word spells for a metric of this family.

    Raises:
        SignatureError: if there is none.
    """
    known = keys_of(group)
    for key in known:
        if word in key.spellings:
            return key
    what = f"{group} has no key" if word in SPELLINGS and group != "other" else "unknown key"
    raise SignatureError(f"{what} '{word}'", hint=closest(word, [key.name for key in known]))


def canonical_name(name: str) -> str:
    """Return the one spelling of a metric's name.

    >>> canonical_name("chrF++"), canonical_name("chrf0.50"), canonical_name("bleu")
    ('chrF2++', 'chrF0.5', 'BLEU')

    Raises:
        SignatureError: if it cannot be a name.
    """
    if match := CHRF.fullmatch(name):
        whole, fraction, pluses = match.groups()
        digits = (fraction or "").rstrip("0")
        return f"chrF{(whole or '2').lstrip('0') or '0'}{'.' if digits else ''}{digits}{pluses}"
    if not NAME.fullmatch(name):
        raise SignatureError(f"'{name}' is not the name of a metric")
    return {"bleu": "BLEU", "ter": "TER", "wer": "WER"}.get(name.lower(), name)


def canonical(key: Key, value: object) -> Value:
    """Return the one form of a value, so that equal settings compare equal.

    Raises:
        SignatureError: if the key cannot have this value.
    """
    text = str(value).strip()
    if key.name in SPECIAL:
        return SPECIAL[key.name](text)
    if "yes" in key.words:
        text = {"true": "yes", "false": "no"}.get(text.lower(), text)
    if text in key.words or (text and not key.words and not key.count):
        return text
    if key.count and COUNT.fullmatch(text):
        return int(text)
    raise _bad_value(key, text)


def _bad_value(key: Key, text: str) -> SignatureError:
    expected = [*(["a number"] if key.count else []), *key.words]
    return SignatureError(
        f"{key.name} cannot be '{text}'", hint=f"it takes {' or '.join(expected) or 'text'}"
    )


def _smoothing(text: str) -> str:
    """Return a method with its value as in `floor[0.10]`; sacreBLEU 1.0 had a value alone."""
    match = SMOOTHING.fullmatch(text)
    if match and match[2] and float(match[3]) < inf:
        return f"{match[2]}[{smoothing_value(float(match[3]))}]"
    if (match and match[1]) or re.fullmatch(r"0?\.\d+", text, re.ASCII):
        return text
    raise _bad_value(find_key("smooth", "BLEU"), text)


def smoothing_value(value: float) -> str:
    """Return two decimals where they are exact, else the fewest digits that give the same number.

    >>> smoothing_value(0.1), smoothing_value(0.001)
    ('0.10', '0.001')
    """
    rounded = f"{value:.2f}"
    return rounded if float(rounded) == value else repr(value)


def _version(text: str) -> str:
    """Return a release without the full stop of a footnote and the `v` that papers put before it."""
    bare = re.sub(r"^v(?=\d)", "", text.rstrip(".,;"))
    if not RELEASE.fullmatch(bare):
        raise SignatureError(f"version cannot be '{text}'", hint="it takes a release such as 2.6.0")
    return bare


def _language_pair(text: str) -> str:
    """Return a language pair with a plain hyphen, where typesetting made it a dash."""
    pair = re.sub("[–-]+", "-", text)
    if not pair:
        raise _bad_value(find_key("lang", "other"), text)
    return pair


SPECIAL: Mapping[str, Callable[[str], str]] = {
    "smooth": _smoothing,
    "version": _version,
    "lang": _language_pair,
}
"""Keys whose values have a grammar of their own."""
