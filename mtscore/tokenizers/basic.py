"""The tokenizers without rules: `none` splits at white space, `char` into characters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mtscore.kernels.spans import SINGLE
from mtscore.tokenizers.base import ArrayTokenizer, new_table, with_spaces

if TYPE_CHECKING:
    from mtscore.arrays import Bytes


class TokenizerNone(ArrayTokenizer):
    """Split at white space: for text that is tokenised already."""

    name = "none"
    ascii_rules = True

    def __call__(self, line: str) -> list[str]:
        """Return the words of one line."""
        return line.split()

    @staticmethod
    @cache
    def classes() -> Bytes:
        """Return the class of each code point."""
        return with_spaces(new_table())


class TokenizerChar(ArrayTokenizer):
    """Split into code points; white space separates nothing and vanishes."""

    name = "char"

    def __call__(self, line: str) -> list[str]:
        """Return the characters of one line."""
        return [character for character in line if not character.isspace()]

    @staticmethod
    @cache
    def classes() -> Bytes:
        """Return the class of each code point."""
        return with_spaces(new_table(SINGLE))
