"""JSON for a program that reads one document: the object for one score, else an array of such objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report.rows import dumps, flat

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report


def render(report: Report, style: Style) -> str:
    """Return the only row as an object, or all rows as an array."""
    rows = [flat(row, style.width, report.pairs) for row in report.rows]
    return f"{dumps(rows[0] if len(rows) == 1 else rows, indent=2)}\n"
