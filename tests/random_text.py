"""Random lines that are mean to tokenizers, the same on every machine and Python."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import regex

from mtscore.tokenizers.categories import parse_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNASSIGNED = Path(__file__).parent / "data" / "unassigned-18.0.txt"

WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All 29 characters at which words end."""

ALMOST_SPACE = "\u180e\u200b\u200c\u200d\u2060\ufeff\xad\u2800\0"
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
RUNS = [
    ".",
    ",",
    "-",
    "..",
    ",,",
    "...",
    ".,",
    ",.",
    "--",
    "....",
    ".-",
    "-.",
    "5.",
    ".5",
    ",5",
    "5,",
    "-5",
    "5-",
]
NUMBERS = ["0", "5", "42", "1,000.5", "3.14", "12:30", "2-3", "٣", "٣.٥", "²", "½", "Ⅷ", "५", "𝟙", "１２"]
WORDS = [
    "a",
    "B",
    "the",
    "don't",
    "U.S.",
    "No.",
    "straße",
    "İstanbul",
    "ΣΑΣ",
    "ΑΣ.Β",
    "слово",
    "été",
    "e\u0301",
]
MARKUP = [
    "<skipped>",
    "<SKIPPED>",
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "&amp;quot;",
    "&QUOT;",
    "&apos;",
]
BROKEN_MARKUP = ["&", "&lt", "lt;", "<skip", "ped>", "<<skipped>skipped>", "&&lt;", "-<skipped>"]
CJK = [
    "中",
    "文",
    "今天",
    "点",
    "。",
    "，",
    "、",
    "「",
    "」",
    "カタカナ",
    "ひらがな",
    "ﾊﾝ",
    "ＡＢ",
    "한국어",
    "\u9fbb",
    "\u9fbc",
    "𠀀",
    "𠀁",
]
EDGES_OF_ZH = [
    "\u2000",
    "\u2001",
    "\u2a6d",
    "\u2a6e",
    "\u2e80",
    "\u303f",
    "\u3040",
    "\ufa2d",
    "\ufa2e",
    "\uff00",
    "\uffef",
]
TYPOGRAPHIC = [
    "“",
    "”",
    "‘",
    "’",
    "–",
    "—",
    "…",
    "«",
    "»",
    "¿",
    "¡",
    "€",
    "£",
    "+",
    "=",
    "→",
    "№",
    "°",
    "।",
    "׃",
    "، ",
]
EMOJI = ["😀", "👍🏽", "👨‍👩‍👧", "🇩🇪", "☃", "❤\ufe0f", "\u0301", "\u0308", "\u20dd"]
SURROGATES = ["\ud800", "\udfff", "\ud83d\ude00", "a\udc80"]
FAMILIES: Sequence[Sequence[str]] = (
    PUNCTUATION,
    RUNS,
    RUNS,
    NUMBERS,
    WORDS,
    WORDS,
    MARKUP,
    BROKEN_MARKUP,
    CJK,
    EDGES_OF_ZH,
    TYPOGRAPHIC,
    EMOJI,
    ALMOST_SPACE,
    " ",
    " ",
    " ",
)


class RandomText:
    """Draw lines; only `random()` is used, whose stream Python promises to keep."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random  # noqa: S311  # nothing secret

    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1."""
        return int(self._random() * count)

    def one_of(self, items: Sequence[str]) -> str:
        """Return one of the items."""
        return items[self.below(len(items))]

    def piece(self, *, newlines: bool, surrogates: bool) -> str:
        """Return a piece of a line, a character or a few."""
        kind = self.below(len(FAMILIES) + 3)
        if kind < len(FAMILIES):
            return self.one_of(FAMILIES[kind])
        if kind == len(FAMILIES):
            space = self.one_of(WHITE_SPACE)
            return space if newlines else space.replace("\n", " ")
        if kind == len(FAMILIES) + 1 and newlines:
            return self.one_of(("\n", "-\n", "\n-", "-<skipped>\n", "\n\n"))
        if surrogates and self.below(4) == 0:
            return self.one_of(SURROGATES)
        return self.code_point()

    def code_point(self) -> str:
        """Return any code point but a surrogate or a newline, mostly of the lower planes."""
        code = self.below((0x300, 0x3000, 0x10000, 0x20000, 0x110000)[self.below(5)])
        return " " if code == ord("\n") or 0xD800 <= code < 0xE000 else chr(code)

    def line(self, *, newlines: bool = False, surrogates: bool = False, longest: int = 14) -> str:
        """Return a line of up to `longest` pieces."""
        pieces = range(self.below(longest + 1))
        return "".join([self.piece(newlines=newlines, surrogates=surrogates) for _ in pieces])

    def lines(
        self, count: int, *, newlines: bool = False, surrogates: bool = False, longest: int = 14
    ) -> list[str]:
        """Return many lines."""
        return [self.line(newlines=newlines, surrogates=surrogates, longest=longest) for _ in range(count)]

    def words(self, count: int, vocabulary: Sequence[str]) -> str:
        """Return words with single spaces between them."""
        return " ".join([self.one_of(vocabulary) for _ in range(count)])


@cache
def unsettled() -> set[int]:
    """Return the code points that Unicode 18.0, or the installed `regex`, does not assign."""
    frozen = codes_in(UNASSIGNED.read_text("ascii"))
    return frozen | set(map(ord, regex.findall(r"\p{Cn}", "".join(map(chr, range(0x110000))))))


def settled(lines: Iterable[str]) -> list[str]:
    """Return the lines in which nothing depends on the Unicode version of the oracle's `regex`."""
    return [line for line in lines if unsettled().isdisjoint(map(ord, line))]


def codes_in(ranges: str) -> set[int]:
    """Return the code points of ranges."""
    return {code for first, last in parse_ranges(ranges) for code in range(first, last + 1)}
