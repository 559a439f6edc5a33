"""What a signature can say: one table of keys with their spellings, values, defaults and meanings.

Everything that writes, reads, explains or compares signatures goes by this table; a new setting is a new row.
How a signature is written and what two of them mean together is left to `signature` and `comparability`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from mtscore.errors import SignatureError, closest

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = str | int
Style = Literal["plus", "pipe"]
Family = Literal["BLEU", "chrF", "TER", "other"]
"""Metrics that share their keys: WER belongs to TER, every diagnostic and foreign metric to `other`."""

Effect = Literal["score", "data", "interval", "program"]
"""What a key moves: the score, what was scored, only intervals and p-values, or the program itself."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*\+*", re.ASCII)
CHRF = re.compile(r"chrF(?:(\d+)(?:\.(\d+))?)?(\+*)", re.ASCII | re.IGNORECASE)
COUNT = re.compile(r"[0-9]{1,40}")
SMOOTHING = re.compile(r"(exp|none|floor|add-k)|(floor|add-k)\[(\d+(?:\.\d*)?(?:e[+-]?\d+)?)\]", re.ASCII)
RELEASE = re.compile(r"(?:mtscore-)?\d\S*", re.ASCII)

YES_NO = {"yes": "yes", "no": "no"}
ALL: frozenset[Family] = frozenset({"BLEU", "chrF", "TER", "other"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Describe one key of signatures.

    `name` and `short` are its spellings in plus style, `pipe` and `pipe_short` those of pipe style where they
    differ. `words` are the words it takes with their meaning (none: any text), `count` says that it takes
    numbers. Where `defaults` has the metric's family, a signature without the key means that value; it is
    then written only in pipe style, and there only if `always_in_pipe`.
    """

    name: str
    short: str
    meaning: str
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
        words={"var": "not the same number for all segments"},
        meaning="references per segment; more of them raise BLEU and chrF and lower TER",
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
        words={"none": "drawn at random, so that intervals and p-values cannot be repeated exactly"},
        effect="interval",
        meaning="seed of the random numbers behind intervals and p-values",
    ),
    Key(
        name="case",
        short="c",
        words={"mixed": "upper and lower case differ", "lc": "both sides are lowercased first"},
        meaning="how letters are compared",
    ),
    Key(
        name="eff",
        short="e",
        words=YES_NO,
        families=frozenset({"BLEU", "chrF"}),
        defaults={"BLEU": "no", "chrF": "yes"},
        always_in_pipe=True,
        meaning="effective order: orders that a text is too short for are left out",
    ),
    Key(
        name="tok",
        short="tok",
        families=frozenset({"BLEU", "TER", "other"}),
        meaning="tokenizer: what counts as a word",
    ),
    Key(
        name="smooth",
        short="s",
        words={
            "exp": "the 1st, 2nd, … order without a match counts as 1/2, 1/4, … match",
            "none": "an order without a match makes the score 0",
            "floor": "an order without a match counts as a small number of matches",
            "add-k": "k is added to matches and n-grams of every order above 1",
        },
        families=frozenset({"BLEU"}),
        meaning="smoothing: what happens to n-gram orders without a match",
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
        meaning="longest word n-grams; the plus signs of the name show the same number",
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
        words={"yes": "punctuation is split off", "no": "words end at white space only"},
        families=frozenset({"TER"}),
        meaning="normalisation before tokenizing",
    ),
    Key(
        name="punct",
        short="pn",
        words={"yes": "punctuation is kept", "no": "punctuation is removed"},
        families=frozenset({"TER"}),
        meaning="punctuation",
    ),
    Key(
        name="asian",
        short="as",
        words={
            "yes": "with norm.yes or punct.no, Asian characters are split or removed too; else nothing",
            "no": "Asian characters are treated like letters",
        },
        families=frozenset({"TER"}),
        meaning="support of Asian scripts",
    ),
    Key(
        name="maxn",
        short="maxn",
        count=True,
        families=frozenset({"BLEU"}),
        defaults={"BLEU": 4},
        meaning="longest word n-grams",
    ),
    Key(name="test", short="t", effect="data", meaning="test set"),
    Key(name="lang", short="l", effect="data", meaning="language pair, source-target"),
    Key(
        name="origlang",
        short="o",
        effect="data",
        meaning="only segments originally written in this language",
    ),
    Key(name="subset", short="S", effect="data", meaning="only documents whose name matches"),
    Key(name="userefs", short="userefs", effect="data", meaning="the references chosen, by name"),
    Key(
        name="unit",
        short="unit",
        words={
            "token": "each token of the model counts",
            "word": "each word counts",
            "char": "each character counts",
        },
        families=frozenset({"other"}),
        meaning="what the average is taken over",
    ),
    Key(
        name="eos",
        short="eos",
        words={"yes": "it counts as a token", "no": "it does not count"},
        families=frozenset({"other"}),
        meaning="the end-of-sentence token",
    ),
    Key(
        name="prob",
        short="prob",
        words={"raw": "as given", "norm": "divided by the length"},
        families=frozenset({"other"}),
        meaning="log-probabilities",
    ),
    Key(
        name="vocab",
        short="vocab",
        families=frozenset({"other"}),
        meaning="digest of the vocabulary",
    ),
    Key(
        name="correlation",
        short="correlation",
        families=frozenset({"other"}),
        meaning="measure of correlation",
    ),
    Key(name="n", short="n", count=True, families=frozenset({"other"}), meaning="number of items"),
    Key(name="version", short="v", effect="program", meaning="the program that made the score"),
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
    special = {"smooth": _smoothing, "version": _version, "lang": _language_pair}.get(key.name)
    if special:
        return special(text)
    if key.words == YES_NO or "yes" in key.words:
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
    if match and match[2]:
        return f"{match[2]}[{smoothing_value(float(match[3]))}]"
    if match or re.fullmatch(r"0?\.\d+", text, re.ASCII):
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
