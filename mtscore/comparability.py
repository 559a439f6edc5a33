"""Whether the scores behind two signatures may be compared, and what one signature says in plain words.

Pure reasoning about `signature.Signature` values by the table of `keys` and a table of what changed between
releases of sacreBLEU. Nothing here computes or prints a score.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mtscore.keys import CONSEQUENCES, KEYS, METRICS, Key, find_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mtscore.keys import Value
    from mtscore.signature import Signature

Verdict = Literal["harmless", "caveat", "different"]
"""What a difference does to a comparison of the scores: nothing, perhaps something, or it forbids it."""

SEVERITY: tuple[Verdict, ...] = ("harmless", "caveat", "different")


@dataclass(frozen=True, slots=True)
class Difference:
    """Say in what two signatures differ (None: not stated), what that does to a comparison, and why."""

    key: str
    a: Value | None
    b: Value | None
    verdict: Verdict
    meaning: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Say in plain words what one field of a signature means and what it changes."""

    key: str
    value: Value
    meaning: str
    consequence: str


@dataclass(frozen=True, slots=True)
class Change:
    """Record a change of scores in a release of sacreBLEU, and which signatures it concerns."""

    release: tuple[int, int, int]
    concerns: Callable[[Signature], bool]
    meaning: str


CHANGES = (
    Change(
        (1, 1, 3),
        lambda s: s.get("smooth") == "exp",
        "smoothing exp was corrected to agree with mteval, for n-gram orders without a match",
    ),
    Change((1, 1, 7), lambda s: s.name == "BLEU" and s.get("tok") == "13a", "tokenizer 13a was corrected"),
    Change(
        (1, 4, 4),
        lambda s: s.name == "BLEU" and s.get("smooth") != "none",
        "smoothing was corrected: before, it left out 1-grams and 2-grams",
    ),
    Change(
        (1, 4, 4),
        lambda s: s.get("smooth") in ("floor", "add-k"),
        "without a given value floor became 0 and add-k 1",
    ),
    Change((1, 5, 0), lambda s: s.get("smooth") == "floor", "without a given value floor became 0.1"),
    Change(
        (2, 0, 0),
        lambda s: s.family in ("chrF", "TER"),
        "scores are printed from 0 to 100, before from 0 to 1: multiply the older one by 100",
    ),
    Change(
        (2, 0, 0),
        lambda s: s.name == "BLEU" and s.get("smooth") != "none",
        "output without a single matching word scores 0, before smoothing gave it a little",
    ),
    Change(
        (2, 0, 0),
        lambda s: s.family == "chrF" and s.get("numrefs") not in (None, 1),
        "chrF takes several references, before only one",
    ),
    Change(
        (2, 1, 0),
        lambda s: "maxn" in s.settings,
        "a maximum n-gram order set from Python is honoured, before corpus scores ignored it",
    ),
    Change((2, 3, 2), lambda s: s.name == "TER", "TER of segments with empty references changed"),
)
"""What moved scores between releases of sacreBLEU, oldest first."""

NEWEST = (2, 6, 0)
"""The newest release of sacreBLEU that the table covers; every mtscore gives the scores of this one."""


def compare(a: Signature, b: Signature) -> list[Difference]:
    """Return every difference that matters between two signatures, and what they leave open."""
    if a.name != b.name:
        meaning = "these are different metrics, whose numbers cannot be compared"
        return [Difference("name", a.name, b.name, "different", meaning)]
    found = [
        difference
        for key in KEYS
        if key.effect in ("score", "interval", "system")
        for difference in _compare_setting(key, a, b)
    ]
    return [*found, *_compare_data(a, b), *_compare_releases(a, b)]


def verdict(differences: Iterable[Difference]) -> Verdict:
    """Return the gravest verdict: the scores may be compared unless it is `different`."""
    return max((d.verdict for d in differences), key=SEVERITY.index, default="harmless")


def _compare_setting(key: Key, a: Signature, b: Signature) -> list[Difference]:
    x, y = _stated(a, key.name), _stated(b, key.name)
    if x == y:
        varying = key.name == "numrefs" and x == "var"
        meaning = "how many references each segment has is left open"
        return [Difference(key.name, x, y, "caveat", meaning)] if varying else []
    if key.effect != "score":
        return [Difference(key.name, x, y, "harmless", _consequence(key))]
    if x is None or y is None:
        meaning = f"one side does not say; {_consequence(key)}"
        return [Difference(key.name, x, y, "caveat", meaning)]
    judge = JUDGES.get(key.name)
    return [Difference(key.name, x, y, judge(a, b) if judge else "different", _consequence(key))]


def _stated(signature: Signature, key: str) -> Value | None:
    """Return a setting as `get` does, or where there was no choice: chrF had one reference before 2.0."""
    value = signature.get(key)
    early = signature.family == "chrF" and (behaviour(signature) or NEWEST) < (2, 0, 0)
    return 1 if value is None and key == "numrefs" and early else value


def _judge_smoothing(a: Signature, b: Signature) -> Verdict:
    """Judge by method and value; sacreBLEU prints values rounded, early releases none at all."""
    (method_a, value_a), (method_b, value_b) = (
        str(s.get("smooth")).rstrip("]").partition("[")[::2] for s in (a, b)
    )
    if "add-k" not in (method_a, method_b):
        return "caveat"
    maybe_equal = not value_a or not value_b or abs(float(value_a) - float(value_b)) <= ROUNDING
    return "caveat" if method_a == method_b and maybe_equal else "different"


def _judge_effective_order(a: Signature, _: Signature) -> Verdict:
    return "caveat" if a.family == "BLEU" else "different"


def _judge_asian(a: Signature, b: Signature) -> Verdict:
    """Judge support of Asian scripts, which acts only when punctuation is normalised or removed."""
    acts = any(s.get("norm") == "yes" or s.get("punct") == "no" for s in (a, b))
    return "different" if acts else "harmless"


def _judge_tokenizer(a: Signature, b: Signature) -> Verdict:
    """Judge a model that one side names with its checksum and the other, as sacreBLEU does, without."""
    name, with_digest = sorted((str(a.get("tok")), str(b.get("tok"))), key=len)
    same = with_digest.startswith(name) and MODEL_DIGEST.fullmatch(with_digest, len(name))
    return "caveat" if same else "different"


JUDGES: dict[str, Callable[[Signature, Signature], Verdict]] = {
    "smooth": _judge_smoothing,
    "eff": _judge_effective_order,
    "asian": _judge_asian,
    "tok": _judge_tokenizer,
}
"""Settings of which different values do not always mean different scores."""

MODEL_DIGEST = re.compile(r"-[0-9a-f]{8}")
"""What a tokenizer's value ends in where its model has no published checksum."""

ROUNDING = 0.005
"""By how much a smoothing value that sacreBLEU prints may differ from the one that it used."""


def _consequence(key: Key) -> str:
    return key.consequence or CONSEQUENCES[key.effect]


def _compare_data(a: Signature, b: Signature) -> list[Difference]:
    """Compare what was scored; a signature without a test set leaves subsets and references open too."""
    tests = a.get("test"), b.get("test")
    named = None not in tests
    who = "neither side names a" if tests == (None, None) else "one side names no"
    found = [] if named else [Difference("test", *tests, "caveat", _silence_about_data(who))]
    for key in KEYS:
        x, y = a.get(key.name), b.get(key.name)
        if key.effect == "data" and x != y and (named or None not in (x, y)):
            found.append(Difference(key.name, x, y, "different", _consequence(key)))
    return found


def _silence_about_data(who: str) -> str:
    return (
        f"{who} test set, so equal signatures do not show that the same segments and references were scored"
    )


def _compare_releases(a: Signature, b: Signature) -> list[Difference]:
    """Name the changes between two releases that concern these signatures, or say that there are none."""
    x, y = a.get("version"), b.get("version")
    first, last = behaviour(a), behaviour(b)
    if first is None or last is None:
        return [Difference("version", x, y, "caveat", "without a release it is unknown which changes apply")]
    if x == y:
        return []
    if max(first, last) > NEWEST:
        meaning = f"changes after sacreBLEU {dotted(NEWEST)} are not known here"
        return [Difference("version", x, y, "caveat", meaning)]
    changes = [
        change
        for change in CHANGES
        if min(first, last) < change.release <= max(first, last)
        and (change.concerns(a) or change.concerns(b))
    ]
    if not changes:
        return [Difference("version", x, y, "harmless", _agreement(a, b))]
    return [Difference("version", x, y, "caveat", describe(change)) for change in changes]


def behaviour(signature: Signature) -> tuple[int, int, int] | None:
    """Return the release of sacreBLEU whose scores the signature's program gives, if it names a release."""
    release = signature.release
    if release is None:
        return None
    return NEWEST if release.program == "mtscore" else release.number


def _agreement(a: Signature, b: Signature) -> str:
    programs = {s.release.program for s in (a, b) if s.release}
    ours = f"mtscore gives the scores of sacreBLEU {dotted(NEWEST)}; " if len(programs) > 1 else ""
    return f"{ours}no known change between these releases concerns these settings"


def describe(change: Change) -> str:
    """Return a change with its release in a line."""
    return f"since sacreBLEU {dotted(change.release)}: {change.meaning}"


def dotted(release: tuple[int, int, int]) -> str:
    """Return a release as one writes it."""
    return ".".join(map(str, release))


def explain(signature: Signature) -> list[Explanation]:
    """Return the metric and every field in plain words, with what each changes."""
    kind = "chrF" if signature.family == "chrF" else signature.name
    metric = METRICS.get(kind, "a metric that mtscore does not compute")
    rows = [Explanation("name", signature.name, metric, "scores of different metrics cannot be compared")]
    for name, value in signature.fields:
        key = find_key(name, signature.family)
        meaning = _program(signature) if name == "version" else key.explain(value)
        rows.append(Explanation(name, value, meaning, _consequence(key)))
    return rows


def _program(signature: Signature) -> str:
    """Return the program and release behind a score."""
    release = signature.release
    if release is None:
        return "an unknown program"
    same = f", which gives the scores of sacreBLEU {dotted(NEWEST)}" if release.program == "mtscore" else ""
    return f"made by {release.program} {dotted(release.number)}{same}"


def remarks(signature: Signature) -> list[str]:
    """Return what a reader of the signature should know besides: what it leaves open, what changed since."""
    said = (
        [] if signature.get("test") or signature.family == "other" else [_silence_about_data("it names no")]
    )
    return [*said, *changes_since(signature)]


def changes_since(signature: Signature) -> list[str]:
    """Return what has moved such scores since the signature's release, as far as that is known."""
    release = behaviour(signature)
    if release is None:
        return ["no release is named, so it is unknown which changes apply"]
    if release > NEWEST:
        return [f"changes after sacreBLEU {dotted(NEWEST)} are not known here"]
    return [describe(c) for c in CHANGES if release < c.release and c.concerns(signature)]
