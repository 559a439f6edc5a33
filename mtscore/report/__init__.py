"""Turn a report into text: one module a format, each with `render(report, style) -> str`.

A rendering ends with a newline, holds no colour, and is the same for the same report. Machine formats print
the rows; formats for people pivot them into a table with a line a system.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mtscore.errors import UsageError, closest

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report

FORMATS = ("text", "json", "jsonl", "tsv", "markdown", "latex")
"""What standard output can be; each is the name of a module here."""

SUFFIXES = {".json": "receipt", ".md": "summary", ".tex": "latex", ".tsv": "tsv", ".xml": "junit"}
"""What a report file can be: its suffix, and the name of the module here."""


def render(report: Report, format_name: str, style: Style) -> str:
    r"""Return the report in a format: one of `FORMATS` or of the values of `SUFFIXES`.

    What UTF-8 cannot carry (single bytes in the name of a file) is escaped, as JSON does it: `\udcff`.

    Raises:
        UsageError: there is no such format.
    """
    from importlib import import_module  # noqa: PLC0415  # one format is used, none is loaded for --help

    known = [*FORMATS, *(name for name in SUFFIXES.values() if name not in FORMATS)]
    if format_name not in known:
        raise UsageError(f"unknown format {format_name!r}", hint=closest(format_name, known))
    text: str = import_module(f"mtscore.report.{format_name}").render(report, style)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def format_of(file: str) -> str:
    """Return the format that a file's suffix names.

    >>> format_of("out/score.json")
    'receipt'

    Raises:
        UsageError: the suffix names none.
    """
    suffix = os.path.splitext(file)[1].lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            "a report's format is told by its suffix, and this one is unknown",
            where=file,
            hint=f"known: {', '.join(SUFFIXES)}",
        )
    return SUFFIXES[suffix]
