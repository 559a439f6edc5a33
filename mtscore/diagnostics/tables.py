"""Tables in text files: one line of column names, then a line a row.

The names' line tells the delimiter: a tab, else a comma, else a semicolon, else blanks. Fields between commas
or semicolons may stand in double quotes. Every row has to have as many fields as there are names.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mtscore.diagnostics.values import parse_numbers
from mtscore.errors import InputError, UsageError, closest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mtscore.arrays import Booleans, Floats

Record = tuple[int, list[str]]
"""The line on which a row starts, and its fields."""


@dataclass(frozen=True, slots=True)
class Table:
    """Hold a table as read; `name` is the file's, `lines` has the line of each row."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, row: int) -> str:
        """Return the place of a row for a message."""
        return f"{self.name}:{self.lines[row]}"

    def texts(self, column: str) -> list[str]:
        """Return a column as text.

        Raises:
            UsageError: if there is no such column.
        """
        if column not in self.columns:
            raise UsageError(
                f"no column '{column}'", where=self.name, hint=closest(column, list(self.columns))
            )
        index = self.columns.index(column)
        return [row[index] for row in self.rows]

    def numbers(self, column: str) -> Floats:
        """Return a column as numbers, shape (rows,).

        Raises:
            InputError: at the first field that is no number, or infinite.
            UsageError: if there is no such column.
        """
        values = parse_numbers(self.texts(column), lambda row: f"{self.where(row)}, column {column}")
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise InputError(f"{values[row]} is not finite", where=f"{self.where(row)}, column {column}")
        return values

    def select(self, keep: Booleans) -> Table:
        """Return the table with some of its rows only."""
        chosen = np.flatnonzero(keep).tolist()
        return Table(self.name, self.columns, [self.rows[i] for i in chosen], [self.lines[i] for i in chosen])


def parse_table(lines: Iterable[str], name: str) -> Table:
    """Read a table from lines (without their ends); `name` is how messages call it.

    Raises:
        InputError: if it has no row, a name stands twice, or a row has another number of fields.
    """
    records = _records(iter(lines), name)
    _, header = next(records, (1, []))
    if not any(header):
        raise InputError("no column names", where=f"{name}:1", hint="the first line names the columns")
    if twice := next((column for column in header if header.count(column) > 1), None):
        raise InputError(f"two columns are called '{twice}'", where=f"{name}:1")
    table = list(records)
    if not table:
        raise InputError("no row below the column names", where=name)
    for line, row in table:
        if len(row) != len(header):
            raise InputError(f"{len(row)} fields, but {len(header)} columns", where=f"{name}:{line}")
    return Table(name, tuple(header), [row for _, row in table], [line for line, _ in table])


def _records(lines: Iterator[str], name: str) -> Iterator[Record]:
    """Yield the rows, that of the names first."""
    header = next(lines, "")
    delimiter = next((mark for mark in "\t,;" if mark in header), None)
    if delimiter in (",", ";"):
        yield from _quoted(header, lines, delimiter, name)
        return
    yield 1, header.split(delimiter)
    for number, line in enumerate(lines, 2):
        yield number, line.split(delimiter)


def _quoted(header: str, lines: Iterator[str], delimiter: str, name: str) -> Iterator[Record]:
    """Yield the rows of a CSV file, in which a quoted field may go on over several lines."""

    def with_ends() -> Iterator[str]:
        yield f"{header}\n"
        for line in lines:
            yield f"{line}\n"

    reader = csv.reader(with_ends(), delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"broken quotes: {error}", where=f"{name}:{start}") from None
