"""Signatures: the settings behind a score as one line that others can repeat.

`Signature` is a value: it writes itself in two styles, and reads these and everything that sacreBLEU 1.x and
2.x print, also as papers quote it. `Claim` is a whole score line. Which keys exist and what they mean is in
`keys`; whether two signatures are comparable is in `comparability`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from mtscore.errors import SignatureError
from mtscore.keys import (
    KEYS,
    SPELLINGS,
    Family,
    Key,
    Style,
    Value,
    canonical,
    canonical_name,
    defaults,
    family,
    find_key,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

SEPARATORS: dict[Style, tuple[str, str]] = {"plus": ("+", "."), "pipe": ("|", ":")}
UNSAFE = re.compile(r"[%|+\\{}]|\s")
TERCOM = re.compile(r"tercom-(no)?norm-(no)?punct-(no)?asian-(un)?cased")


class Release(NamedTuple):
    """Name a release of a program: mtscore's or sacreBLEU's."""

    program: str
    number: tuple[int, int, int]


@dataclass(frozen=True, slots=True, init=False)
class Signature:
    """Hold a metric's name and the settings behind a score; equality is by meaning.

    `fields` are in alphabetical order, the version last, without those that have their default.

    >>> theirs = Signature.parse("BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0")
    >>> print(theirs)
    BLEU+case.lc+numrefs.1+smooth.exp+tok.13a+version.2.6.0
    >>> theirs.settings["case"]
    'lc'

    Raises:
        SignatureError: if a key is unknown, or cannot have its value.
    """

    name: str
    fields: tuple[tuple[str, Value], ...]

    def __init__(self, name: str, fields: Mapping[str, object]) -> None:
        proper = canonical_name(name)
        values = _canonical_fields(proper, fields)
        order = sorted(values, key=lambda key: (key == "version", key))
        object.__setattr__(self, "name", proper)
        object.__setattr__(self, "fields", tuple((key, values[key]) for key in order))

    @property
    def settings(self) -> dict[str, Value]:
        """Return the fields as the JSON row has them."""
        return dict(self.fields)

    @property
    def family(self) -> Family:
        """Return the group of metrics that shares its keys."""
        return family(self.name)

    @property
    def release(self) -> Release | None:
        """Return the release that made the score, if the signature says so."""
        version = str(self.get("version") or "")
        numbers = re.search(r"\d+(?:\.\d+)*", version, re.ASCII)
        if numbers is None:
            return None
        program = "mtscore" if version.startswith("mtscore-") else "sacreBLEU"
        major, minor, patch = [*map(int, numbers[0].split(".")), 0, 0][:3]
        return Release(program, (major, minor, patch))

    def get(self, key: str) -> Value | None:
        """Return a setting by its long name, the default where the signature leaves it out, else None."""
        return self.settings.get(key, defaults(self.family).get(key))

    def extend(self, **facts: Value | None) -> Signature:
        """Return the signature with further settings; None leaves a key as it is."""
        return Signature(self.name, self.settings | {k: v for k, v in facts.items() if v is not None})

    @classmethod
    def parse(cls, text: str, name: str | None = None) -> Signature:
        """Read a signature as mtscore or sacreBLEU 1.x or 2.x wrote it, or as a paper quotes it.

        Anything from ` = ` on is ignored. `name` is the metric of a signature that stands without it, as in
        sacreBLEU's JSON; otherwise the keys have to tell it.

        Raises:
            SignatureError: with a caret under what cannot be read.
        """
        head, _ = _cut_at_equals(Span.whole(_without_typesetting(text)))
        return _read(head, name)

    def format(self, style: Style = "plus", *, short: bool = False) -> str:
        """Return the signature with the metric's name, in our plus style or sacreBLEU 2's pipe style."""
        separator, joint = SEPARATORS[style]
        fields = [
            f"{key.spelling(style, short=short)}{joint}{_encode(str(value))}"
            for key, value in self._written(style)
        ]
        return separator.join([self.name, *fields])

    def __str__(self) -> str:
        return self.format()

    def _written(self, style: Style) -> list[tuple[Key, Value]]:
        if style == "plus":
            return [(find_key(key, self.family), value) for key, value in self.fields]
        values = defaults(self.family) | self.settings
        shown = [key for key in KEYS if key.name in values]
        return [(key, values[key.name]) for key in shown if key.always_in_pipe or key.name in self.settings]


def _canonical_fields(name: str, fields: Mapping[str, object]) -> dict[str, Value]:
    """Return the settings that differ from their default, by long key and in the one form of each value."""
    group = family(name)
    values: dict[str, Value] = {}
    for word, value in _unpack_tercom(group, fields).items():
        if value is not None:
            key = find_key(word, group)
            values[key.name] = canonical(key, value)
    if group == "chrF":
        words = name.count("+")
        if values.setdefault("numwords", words) != words:
            raise SignatureError(f"{name} has word n-grams up to {words}, not {values['numwords']}")
    usual = defaults(group)
    return {key: value for key, value in values.items() if value != usual.get(key)}


def _unpack_tercom(group: Family, fields: Mapping[str, object]) -> Mapping[str, object]:
    """Return TER's settings one by one, where sacreBLEU 1.x packed them into the tokenizer's name."""
    packed = TERCOM.fullmatch(str(fields.get("tok"))) if group == "TER" else None
    if packed is None:
        return fields
    norm, punct, asian = ("no" if negated else "yes" for negated in packed.groups()[:3])
    case = "lc" if packed[4] else "mixed"
    return {**fields, "tok": "tercom", "norm": norm, "punct": punct, "asian": asian, "case": case}


def _encode(value: str) -> str:
    """Percent-encode what separates fields, and what reading drops as an artefact of typesetting."""
    return "".join(
        "".join(f"%{byte:02X}" for byte in c.encode("utf-8", "surrogatepass"))
        if UNSAFE.match(c) or not c.isprintable()
        else c
        for c in value
    )


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold a score line: a signature and the numbers as printed, so that their precision is known.

    `score`, `mean` and `half_width` (of the interval) are digits as text; `verbose` is what follows them.
    """

    signature: Signature
    style: Style
    score: str
    mean: str | None = None
    half_width: str | None = None
    verbose: str | None = None

    @property
    def decimals(self) -> int:
        """Return the number of decimals of the printed score."""
        return len(self.score.partition(".")[2])

    @property
    def full_score(self) -> int:
        """Return what a perfect chrF, or a TER of one edit a word, was printed as: 1 by sacreBLEU 1.x."""
        release = self.signature.release
        early = release is not None and release.program == "sacreBLEU" and release.number < (2, 0, 0)
        return 1 if early and self.signature.family in ("chrF", "TER") else 100

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a score line: `SIGNATURE = 28.3 (μ = 28.3 ± 0.5) 60.1/…`.

        Raises:
            SignatureError: with a caret under what cannot be read.
        """
        head, tail = _cut_at_equals(Span.whole(_without_typesetting(text)))
        signature = _read(head)
        if tail is None:
            raise head.end_point().fault("no score after the signature", "expected: SIGNATURE = 28.3")
        match = SCORE.fullmatch(tail.text)
        if not match:
            raise tail.fault("this is not a score", "expected: SIGNATURE = 28.3")
        return cls(signature, _style_of(head.text), *match.groups())


# Reading: a line is cleaned, its style recognised, its fields cut out with their places, then understood.

PLUS_FIELD = re.compile(r"(?:^|\s*\+\s*)(?=([A-Za-z#][\w-]*)\.)", re.ASCII)
EQUALS = re.compile(r"\s=")
NUMBER = r"(-?\d+(?:\.\d+)?)"
SCORE = re.compile(
    rf"{NUMBER}(?:\s*\(\s*[μµ]\s*=\s*{NUMBER}\s*±\s*{NUMBER}\s*\))?[.,;]?(?:\s+(.*))?", re.ASCII
)
BLEU_PARTS = re.compile(
    r"(?P<precisions>\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)*)"
    r"(?: +\(BP = (?P<bp>\d+(?:\.\d+)?) +ratio = (?P<ratio>\d+(?:\.\d+)?)"
    r" +hyp_len = (?P<sys_len>\d+) +ref_len = (?P<ref_len>\d+)\))?",
    re.ASCII,
)
"""What all releases print behind a BLEU score."""

WIDTH = 76
"""Characters of a line that an error shows, so that the caret stays under its place on a terminal."""


@dataclass(frozen=True, slots=True)
class Span:
    """Mark a part of a line, so that an error can point at it."""

    line: str
    start: int
    end: int

    @classmethod
    def whole(cls, line: str) -> Self:
        """Mark a whole line."""
        return cls(line, 0, len(line))

    @property
    def text(self) -> str:
        """Return the marked text."""
        return self.line[self.start : self.end]

    def part(self, start: int, end: int | None = None) -> Span:
        """Mark a part of this part, without the blanks around it."""
        text = self.text[start:end]
        left = self.start + start + len(text) - len(text.lstrip())
        return Span(self.line, left, left + len(text.strip()))

    def end_point(self) -> Span:
        """Mark the place behind this part."""
        return Span(self.line, self.end, self.end)

    def fault(self, what: str, hint: str | None = None) -> SignatureError:
        """Return the error that shows the line with a caret under this part."""
        first = max(0, min(self.start - WIDTH // 2, len(self.line) - WIDTH))
        shown = "".join(c if c.isprintable() else "\ufffd" for c in self.line[first : first + WIDTH])
        length = max(1, min(self.end, first + WIDTH) - self.start)
        excerpt = f"  {shown}\n  {' ' * (self.start - first)}{'^' * length}"
        return SignatureError(what, hint=hint, excerpt=excerpt)


Field = tuple[Span, Span]
"""Where a field's key and its value stand."""


def _without_typesetting(text: str) -> str:
    r"""Return a line without what LaTeX adds: `\#`, `\_`, `{}`; line breaks become blanks."""
    return re.sub(r"\s+", " ", re.sub(r"\\([#_%&])", r"\1", text).replace("{}", "")).strip()


def _cut_at_equals(line: Span) -> tuple[Span, Span | None]:
    match = EQUALS.search(line.text)
    return (line.part(0, match.start()), line.part(match.end())) if match else (line.part(0), None)


def _style_of(text: str) -> Style:
    """Return the style by what stands first, `+key.` or a bar or colon, since values may contain either."""
    plus, pipe = _plus_fields(text), re.search("[|:]", text)
    return "pipe" if pipe and not (plus and plus[0].start() < pipe.start()) else "plus"


def _plus_fields(text: str) -> list[re.Match[str]]:
    """Return where fields of plus style start: at `+key.`, in a subset's pattern only if the key is known."""
    starts: list[re.Match[str]] = []
    for match in PLUS_FIELD.finditer(text):
        in_name = match.start() == 0
        in_pattern = bool(starts) and starts[-1][1] in ("subset", "S")
        if match[1] in SPELLINGS or not (in_name or in_pattern):
            starts.append(match)
    return starts


def _read(head: Span, name: str | None = None) -> Signature:
    """Understand a whole signature; `name` serves where the text has none."""
    style = _style_of(head.text)
    title, fields = (_split_plus if style == "plus" else _split_pipe)(head)
    if title:
        name = _read_name(title)
    elif name is None:
        name = _infer_name(head, fields)
    if not fields and family(name) == "other":
        raise head.fault("this is not a signature", "expected: BLEU+case.mixed+… or BLEU|nrefs:1|…")
    values = _read_values(family(name), fields, style)
    try:
        return Signature(name, values)
    except SignatureError as error:
        raise (title or head).fault(error.what, error.hint) from None


def _split_plus(head: Span) -> tuple[Span | None, list[Field]]:
    """Cut at each plus sign before a key; the plus signs of a name and of early values are others."""
    starts = _plus_fields(head.text)
    ends = [match.start() for match in starts[1:]] + [None]
    title = head.part(0, starts[0].start() if starts else None)
    fields = [head.part(match.end(), end) for match, end in zip(starts, ends, strict=bool(starts))]
    return (title if title.text else None), [_cut_field(field, ".") for field in fields]


def _split_pipe(head: Span) -> tuple[Span | None, list[Field]]:
    """Cut at each bar; the first part is the name if it has no colon."""
    bars = [i for i, c in enumerate(head.text) if c == "|"]
    parts = [head.part(a, b) for a, b in zip([0, *(i + 1 for i in bars)], [*bars, None], strict=True)]
    title = None if ":" in parts[0].text else parts.pop(0)
    return title, [_cut_field(part, ":") for part in parts]


def _cut_field(field: Span, joint: str) -> Field:
    """Cut a field at its first joint."""
    at = field.text.find(joint)
    if at < 0:
        raise field.fault(f"this is no setting: '{field.text}'", f"a setting is KEY{joint}VALUE")
    word, value = field.part(0, at), field.part(at + 1)
    if not value.text:
        raise value.fault(f"{word.text} has no value")
    return word, value


def _read_name(title: Span) -> str:
    try:
        return canonical_name(title.text)
    except SignatureError as error:
        raise title.fault(error.what, error.hint) from None


def _infer_name(head: Span, fields: list[Field]) -> str:
    """Return the metric that has such keys; chrF's beta is then taken to be 2."""
    values = {word.text: value.text for word, value in fields}
    if values.keys() & {"numchars", "n", "nc", "numwords", "nw", "space"}:
        order = values.get("numwords", values.get("nw", "0"))
        return "chrF2" + "+" * (int(order) if re.fullmatch("[0-9]{1,2}", order) else 0)
    if values.keys() & {"norm", "nr"} or "tercom" in values.get("tok", values.get("t", "")):
        return "TER"
    if values.keys() & {"tok", "smooth", "s"}:
        return "BLEU"
    raise head.fault("the name of the metric is missing", "put it in front, such as BLEU")


def _read_values(group: Family, fields: list[Field], style: Style) -> dict[str, Value]:
    """Return the settings by their long keys."""
    words = {word.text for word, _ in fields}
    values: dict[str, Value] = {}
    for word, value in fields:
        if group == "chrF" and style == "plus" and word.text == "tok":
            continue  # sacreBLEU before 1.4 printed it without using it
        # sacreBLEU's short TER has `t` for the tokenizer, every other signature for the test set.
        tokenizer = group == "TER" and value.text.startswith("tercom") and "tok" not in words
        key = _read_key("tok" if tokenizer and word.text == "t" else word.text, word, group)
        if key.name in values:
            raise word.fault(f"{key.name} is set twice")
        values[key.name] = _read_value(key, value)
    return values


def _read_key(spelling: str, word: Span, group: Family) -> Key:
    try:
        return find_key(spelling, group)
    except SignatureError as error:
        raise word.fault(error.what, error.hint) from None


def _decode(text: str) -> str:
    """Undo percent-encoding; a lone `%` stays."""
    if "%" not in text:
        return text
    from urllib.parse import unquote  # noqa: PLC0415  # seldom needed, slow to import

    return unquote(text, errors="surrogatepass")


def _read_value(key: Key, value: Span) -> Value:
    try:
        return canonical(key, _decode(value.text))
    except SignatureError as error:
        raise value.fault(error.what, error.hint) from None
    except UnicodeDecodeError:
        raise value.fault("the percent-encoding is broken") from None
