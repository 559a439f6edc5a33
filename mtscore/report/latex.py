r"""A LaTeX tabular that needs no package, with the signatures as comments and as a footnote to uncomment.

Nothing follows the tabular but comments, so the whole can be read with `\input`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report import captions
from mtscore.report.escaping import latex, plain
from mtscore.report.pivot import NUMERIC_LABELS, pivots

if TYPE_CHECKING:
    from mtscore.report.pivot import Cell, Column, Line, Pivot
    from mtscore.report.style import Style
    from mtscore.results import Report

ARROWS = {"↑": r"$\uparrow$", "↓": r"$\downarrow$"}


def render(report: Report, style: Style) -> str:
    """Return a tabular (with ranked systems one a metric) and the comments below it."""
    tabulars = [_tabular(pivot) for pivot in pivots(report, style.decimals)]
    lines = captions.signature_lines(report, style)
    notes = [captions.headline(report), *captions.footnotes(report), *lines]
    comments = [*map(plain, notes), rf"\footnote{{{'; '.join(map(_breakable, lines))}}}"]
    return "\n".join([*tabulars, *(f"% {comment}" for comment in comments)]) + "\n"


def _tabular(pivot: Pivot) -> str:
    alignment = "".join("r" if name in NUMERIC_LABELS else "l" for name in pivot.labels)
    titles = list(pivot.labels)
    for column in pivot.columns:
        alignment += "r" + "r" * column.delta + "l" * column.p
        titles += [f"{column.metric} {ARROWS[column.arrow]}"]
        titles += [r"$\Delta$"] * column.delta + ["$p$"] * column.p
    lines = [r"\hline " * line.rule + _row(_fields(line, pivot)) for line in pivot.lines]
    top = rf"\begin{{tabular}}{{{alignment}}}"
    return "\n".join([top, r"\hline", _row(titles), r"\hline", *lines, r"\hline", r"\end{tabular}"])


def _fields(line: Line, pivot: Pivot) -> list[str]:
    fields = [latex(line.labels[name]) for name in pivot.labels]
    if line.baseline and any(column.delta for column in pivot.columns):
        fields[-1] += " (baseline)"
    for column in pivot.columns:
        fields += _cell(line.cells.get(column.metric), column)
    return fields


def _cell(cell: Cell | None, column: Column) -> list[str]:
    if cell is None:
        return [""] * (1 + column.delta + column.p)
    score = cell.score.replace("±", r"$\pm$")
    fields = [rf"\textbf{{{score}}}" if cell.best else score]
    if column.delta:
        fields.append(f"${cell.delta}$" if cell.delta else "")
    if column.p:
        fields.append(latex(cell.p) + "*" * cell.significant)
    return fields


def _breakable(signature: str) -> str:
    r"""Return a signature in typewriter that may break behind its separators."""
    text = latex(signature)
    for separator in ("+", r"\textbar{}"):
        text = text.replace(separator, rf"{separator}\allowbreak{{}}")
    return rf"\texttt{{{text}}}"


def _row(fields: list[str]) -> str:
    return " & ".join(fields) + r" \\"
