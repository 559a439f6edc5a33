"""The tokenizers of NIST's mteval scripts: `13a` (the default), its international sibling, and `zh`.

`13a` is the tokenization of mteval-v13a.pl, `intl` that of mteval-v14.pl --international-tokenization, and
`zh` cuts CJK characters apart and treats the rest as `13a` does; all as the field has used them since 2018.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mtscore.kernels.spans import BLOCK, DASH, RUN, SINGLE
from mtscore.tokenizers.base import ArrayTokenizer, new_table, with_spaces
from mtscore.tokenizers.categories import NUMBER, PUNCTUATION, SYMBOL, parse_ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from mtscore.arrays import Bytes

ASCII_SINGLES = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'
"""The ASCII punctuation that is always cut off: all but apostrophe, comma, hyphen and full stop."""

ANY_SINGLE = f"[{re.escape(ASCII_SINGLES)}]"

ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
"""Decoded in this order, one after the other: `&amp;lt;` becomes `<`, `&amp;quot;` stays an entity."""
ENTITY_BYTES = tuple((entity.encode(), character.encode()) for entity, character in ENTITIES)
ENTITY_NAMES = tuple(entity for entity, _ in ENTITY_BYTES)

CJK = (
    "2001-2A6D 2E80-2EFF 2F00-2FDF 2FF0-303F 3100-312F 31A0-31BF 31C0-31EF 3200-33FF 3400-4DB5 4E00-9FBB "
    "F900-FA2D FA30-FA6A FA70-FAD9 FE10-FE1F FE30-FE4F FF00-FFEF"
)
"""What `zh` cuts apart. The first range was meant to be U+20000-2A6D6; scores depend on what it is."""


class Tokenizer13a(ArrayTokenizer):
    """Cut off ASCII punctuation, except `.` and `,` in numbers, apostrophes and hyphens."""

    name = "13a"
    ascii_rules = True

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of one line."""
        return split_western(f" {self.prepare(line)} ")

    def prepare(self, line: str) -> str:
        """Delete the marker of skipped segments, join hyphenated lines and lines, decode four entities."""
        line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        for entity, character in ENTITIES:
            line = line.replace(entity, character)
        return line

    def prepare_all(self, lines: bytes) -> bytes:
        """Do the same to lines in UTF-8, each before a newline; single bytes are found many times faster."""
        if b"<" in lines:
            lines = lines.replace(b"<skipped>", b"")
        if _has_entity(lines):
            for entity, character in ENTITY_BYTES:
                lines = lines.replace(entity, character)
        return lines

    @staticmethod
    @cache
    def classes() -> Bytes:
        """Return the class of each code point."""
        table = new_table()
        _set_western(table)
        return with_spaces(table)


class TokenizerZh(ArrayTokenizer):
    """Cut CJK characters apart, and the rest as `13a` does, but with line ends that are no boundary."""

    name = "zh"

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of one line."""
        return split_western(_pattern(CJK).sub(r" \g<0> ", line.strip()))

    def prepare(self, line: str) -> str:
        """Cut white space at both ends and turn newlines inside into spaces."""
        return line.strip().replace("\n", " ")

    def prepare_all(self, lines: bytes) -> bytes:
        """Do the same to lines in UTF-8, each before a newline."""
        return _each(lines, str.strip)

    @staticmethod
    @cache
    def classes() -> Bytes:
        """Return the class of each code point; a newline stands for the edge of a line."""
        table = new_table()
        _set_ranges(table, CJK, SINGLE)
        _set_western(table)
        return with_spaces(table, edge=BLOCK)


class TokenizerIntl(ArrayTokenizer):
    """Cut off symbols, and punctuation of every script except between two numbers."""

    name = "intl"

    def prepare_all(self, lines: bytes) -> bytes:
        """Cut white space at the ends of lines, which are a boundary."""
        return _each(lines, str.rstrip)

    def __call__(self, line: str) -> list[str]:
        """Return the tokens of one line."""
        line = re.sub(rf"([^{_class(NUMBER)}])([{_class(PUNCTUATION)}])", r"\1 \2 ", line, flags=re.DOTALL)
        line = re.sub(rf"([{_class(PUNCTUATION)}])([^{_class(NUMBER)}])", r" \1 \2", line, flags=re.DOTALL)
        return _pattern(SYMBOL).sub(r" \g<0> ", line).split()

    @staticmethod
    @cache
    def classes() -> Bytes:
        """Return the class of each code point; a newline stands for the edge of a line."""
        table = new_table()
        _set_ranges(table, PUNCTUATION, RUN)
        _set_ranges(table, SYMBOL, SINGLE)
        _set_ranges(table, NUMBER, BLOCK)
        return with_spaces(table, edge=BLOCK)


def split_western(line: str) -> list[str]:
    """Return the tokens of a line by the rules for Western languages that `13a` and `zh` share."""
    line = re.sub(ANY_SINGLE, r" \g<0> ", line)
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)
    line = re.sub(r"([0-9])-", r"\1 - ", line)
    return line.split()


def _has_entity(lines: bytes) -> bool:
    at = lines.find(b"&")
    while at >= 0 and not lines.startswith(ENTITY_NAMES, at):
        at = lines.find(b"&", at + 1)
    return at >= 0


def _each(lines: bytes, change: Callable[[str], str]) -> bytes:
    """Return lines, each before a newline, with what is changed in each of them."""
    text = lines.decode("utf-8", "surrogatepass")
    return "\n".join([change(line) for line in text.split("\n")]).encode("utf-8", "surrogatepass")


def _set_western(table: Bytes) -> None:
    for characters, flag in ((ASCII_SINGLES, SINGLE), (".,", RUN), ("-", DASH), ("0123456789", BLOCK)):
        table[[ord(character) for character in characters]] = flag


def _set_ranges(table: Bytes, ranges: str, flag: int) -> None:
    for first, last in parse_ranges(ranges):
        table[first : last + 1] = flag


@cache
def _class(ranges: str) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in parse_ranges(ranges))


@cache
def _pattern(ranges: str) -> re.Pattern[str]:
    return re.compile(f"[{_class(ranges)}]")
