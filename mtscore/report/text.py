"""The default: a line a score, as it stands in footnotes and logs; a table where lines would not do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report.escaping import plain

if TYPE_CHECKING:
    from mtscore.report.style import Style
    from mtscore.results import Report, Row


def render(report: Report, style: Style) -> str:
    """Return bare numbers if asked for, a table for several systems or groups, else a line a score.

    The scores of single segments never make a table: they are a line each, after the system's name and a
    tab if there are several.
    """
    if style.score_only:
        return "".join(f"{row.score.format(style.decimals, score_only=True)}\n" for row in report.rows)
    text = _lines(report, style)
    if _needs_table(report):
        from mtscore.report import table  # noqa: PLC0415  # start-up counts, and one line is the common case

        text = table.render(report, style)
    if report.examples:
        from mtscore.report import examples  # noqa: PLC0415

        text += f"\n{examples.render(report, style)}"
    return text


def _needs_table(report: Report) -> bool:
    by_segment = any(row.segment is not None for row in report.rows)
    return not by_segment and (len(report.systems) > 1 or any(row.group for row in report.rows))


def _lines(report: Report, style: Style) -> str:
    several = len(report.systems) > 1
    return "".join(
        f"{plain(row.system)}\t{_line(row, style)}\n" if several else f"{_line(row, style)}\n"
        for row in report.rows
    )


def _line(row: Row, style: Style) -> str:
    signature = row.score.signature.format(style=style.signature_style, short=style.short)
    return row.score.format(style.decimals, signature=signature)
