"""What a tokenizer is: a definition on one line, and where possible a table for whole chunks.

The definition, `tokenizer(line) -> tokens`, is written to be read. The table of an `ArrayTokenizer` says the
same about every element of a text, for `kernels.spans`; the tests hold both to the same answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mtscore.batch import SPACES
from mtscore.kernels.spans import MAYBE_SPACE, SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.arrays import Bytes
    from mtscore.notices import Notice


CODE_POINTS = 0x110000
WHITE_SPACE = [ord(space) for space in SPACES]
"""The 29 code points at which `str.split` splits."""


class Tokenizer(ABC):
    """Split a line into tokens.

    The line has been lower-cased, if that was asked for, and its trailing white space cut. A token never
    contains white space.
    """

    name: str
    """The name on the command line and, for version 1, in the signature."""
    version: int = 1
    """Raised whenever any line comes out differently."""
    notices: tuple[Notice, ...] = ()
    """What those who choose it should know."""

    @property
    def identity(self) -> str:
        """Return what tells its definition: the name, and what else it depends on."""
        return self.name

    @property
    def label(self) -> str:
        """Return the tokenizer's value in the signature: its identity, with the version from 2 on."""
        return self.identity if self.version == 1 else f"{self.identity}.{self.version}"

    @abstractmethod
    def __call__(self, line: str) -> list[str]:
        """Return the tokens of one line."""

    def batch(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the tokens of several lines; overridden where a library does many at once faster."""
        return [self(line) for line in lines]


class ArrayTokenizer(Tokenizer):
    """Split whole chunks of lines through a table of classes (see `mtscore.kernels.spans`)."""

    ascii_rules: bool = False
    """Whether beyond ASCII only white space has a class."""

    @abstractmethod
    def classes(self) -> Bytes:
        """Return the class of each code point, shape (0x110000,); not to be changed."""

    def prepare(self, line: str) -> str:
        """Do what the definition does to a line as a whole; the result has no newline."""
        return line.replace("\n", " ")

    def prepare_all(self, lines: bytes) -> bytes:
        """Do the same as `prepare` to lines in UTF-8, each before a newline; they may end in white space."""
        return lines


@cache
def byte_classes(tokenizer: ArrayTokenizer) -> bytes:
    """Return the class of each byte of UTF-8, for ASCII text or, with `ascii_rules`, for any text."""
    table = bytearray(tokenizer.classes()[:128].tobytes() + bytes(128))
    for code in WHITE_SPACE:
        first_byte = chr(code).encode()[0]
        if first_byte >= 128:  # noqa: PLR2004  # beyond ASCII
            table[first_byte] = MAYBE_SPACE
    return bytes(table)


def new_table(other: int = 0) -> Bytes:
    """Return a table in which every code point is of class `other`."""
    return np.full(CODE_POINTS, other, dtype=np.uint8)


def with_spaces(table: Bytes, *, edge: int = 0) -> Bytes:
    """Return the table with white space as what separates tokens, whatever else it was.

    `edge` are further flags of the newline, which stands for the edge of a line.
    """
    table[WHITE_SPACE] = SPACE
    table[ord("\n")] |= edge
    return table
