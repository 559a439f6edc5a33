"""Lines that are kept as one text, and made into single strings only where someone asks for one.

Almost everything that is done to lines is done to thousands of them at once: making, trimming and joining
strings would cost as much as counting their n-grams.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mtscore.arrays import Booleans, Bytes, Integers

SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All 29 characters at which `str.split` splits."""
NEWLINE = ord("\n")
ENDS_SPACE = np.zeros(256, dtype=np.bool_)
"""The last bytes of white space in UTF-8."""
ENDS_SPACE[[space.encode()[-1] for space in SPACES if space != "\n"]] = True


class Batch(Sequence[str]):
    """Hold lines, none of which has a newline inside, as text in UTF-8.

    `data` has a newline behind every line, and `ends` says where those are.
    """

    __slots__ = ("_lines", "_text", "data", "ends")

    def __init__(self, data: bytes, ends: Integers, text: str | None = None) -> None:
        self.data = data
        self.ends = ends
        self._text = text
        self._lines: list[str] | None = None

    @classmethod
    def of(cls, lines: Sequence[str]) -> Batch:
        """Return lines without newlines inside as a batch."""
        data = "".join([f"{line}\n" for line in lines]).encode("utf-8", "surrogatepass")
        return cls(data, find_newlines(data))

    @property
    def text(self) -> str:
        """Return all lines, with newlines between them."""
        if self._text is None:
            self._text = self.data[:-1].decode("utf-8", "surrogatepass")
        return self._text

    @property
    def lines(self) -> list[str]:
        """Return the lines as strings."""
        if self._lines is None:
            self._lines = self.text.split("\n") if self.data else []
        return self._lines

    def bytes_before_end(self, distance: int) -> Bytes:
        """Return one byte of each line, counted from its end; of the line before where it is too short."""
        return np.frombuffer(self.data, dtype=np.uint8).take(self.ends - distance, mode="wrap")

    def may_end_in_space(self) -> bool:
        """Return whether any line may end in white space, by its last byte."""
        return bool(len(self) and ENDS_SPACE.take(self.bytes_before_end(1)).any())

    def are_empty(self) -> Booleans:
        """Return which lines are empty."""
        empty: Booleans = np.diff(self.ends, prepend=-1) == 1
        return empty

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self.lines[index]

    def __contains__(self, line: object) -> bool:
        return isinstance(line, str) and line in self.lines

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Batch):
            return self.data == other.data
        return self.lines == other

    __hash__ = None  # type: ignore[assignment]  # as lists

    def __reduce__(self) -> tuple[type[Batch], tuple[bytes, Integers]]:
        return Batch, (self.data, self.ends)


def joined(lines: Sequence[str]) -> str:
    """Return lines as one text, with newlines between them."""
    return lines.text if isinstance(lines, Batch) else "\n".join(lines)


def find_newlines(data: bytes) -> Integers:
    """Return where the newlines of a text in UTF-8 are."""
    return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEWLINE)
