"""Text for a terminal: columns that line up, and remarks that wrap."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from mtscore.report.table import display_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDTH = 80
GAP = "  "


def lay_out(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    """Return a table as lines, its first `left` columns left-aligned and all others right-aligned.

    >>> lay_out(["file", "n"], [["a.txt", "7"], ["b", "12"]])
    ['file    n', 'a.txt   7', 'b      12']
    """
    widths = [max(map(display_width, column)) for column in zip(head, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            blanks = " " * (width - display_width(cell))
            padded.append(cell + blanks if index < left else blanks + cell)
        return GAP.join(padded).rstrip()

    return [line(head), *map(line, rows)]


def without_columns(
    head: Sequence[str], rows: Sequence[Mapping[str, str]]
) -> tuple[list[str], list[list[str]]]:
    """Return the head and rows without the columns that no row has a value for."""
    kept = [column for column in head if any(column in row for row in rows)]
    return kept, [[row.get(column, "") for column in kept] for row in rows]


def notes(remarks: Iterable[str]) -> list[str]:
    """Return remarks, which have no full stop, as wrapped lines."""
    return [wrapped(f"Note: {remark}.") for remark in remarks]


def wrapped(text: str) -> str:
    """Return text in lines of at most 80 columns, those after the first indented."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent="      ", break_on_hyphens=False, break_long_words=False
    )
