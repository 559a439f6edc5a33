"""JSON lines: one object a line, however many there are; the constant shape for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report.rows import dumps, flat

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report


def render(report: Report, style: Style) -> str:
    """Return each row as an object on its own line."""
    return "".join(f"{dumps(flat(row, style.width, report.pairs))}\n" for row in report.rows)
