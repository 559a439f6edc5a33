"""Markdown: the table, the meaning of its marks, the signatures, and the examples; all names escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtscore.report import captions, examples
from mtscore.report.escaping import markdown, markdown_code
from mtscore.report.pivot import NUMERIC_LABELS, pivots

if TYPE_CHECKING:
    from mtscore.report.pivot import Cell, Column, Line, Pivot
    from mtscore.report.style import Style
    from mtscore.results import Example, Report


def render(report: Report, style: Style) -> str:
    """Return the table, and below it the footnotes, a list of signatures, and the examples."""
    signatures = "\n".join(f"- {markdown_code(line)}" for line in captions.signature_lines(report, style))
    blocks = [tables(report, style), *map(markdown, captions.footnotes(report)), signatures]
    if report.examples:
        blocks.append(examples_block(report, style))
    return "\n\n".join(blocks) + "\n"


def tables(report: Report, style: Style) -> str:
    """Return the bare table; with ranked systems a table a metric."""
    return "\n\n".join(_table(pivot) for pivot in pivots(report, style.decimals))


def examples_block(report: Report, style: Style) -> str:
    """Return the examples below their title, each a small table of texts."""
    blocks = [markdown(examples.title(report)), *(_example(example, style) for example in report.examples)]
    return "\n\n".join(blocks)


def _table(pivot: Pivot) -> str:
    header = list(pivot.labels)
    marks = [":--" if name not in NUMERIC_LABELS else "--:" for name in pivot.labels]
    for column in pivot.columns:
        titles = [f"{column.metric} {column.arrow}", *["Δ"] * column.delta, *["p"] * column.p]
        header += titles
        marks += ["--:"] * len(titles)
    lines = [_line(line, pivot) for line in pivot.lines]
    return "\n".join([_row(header), f"|{'|'.join(marks)}|", *lines])


def _line(line: Line, pivot: Pivot) -> str:
    fields = [markdown(line.labels[name]) for name in pivot.labels]
    if line.baseline and any(column.delta for column in pivot.columns):
        fields[-1] += " (baseline)"
    for column in pivot.columns:
        fields += _fields(line.cells.get(column.metric), column)
    return _row(fields)


def _fields(cell: Cell | None, column: Column) -> list[str]:
    if cell is None:
        return [""] * (1 + column.delta + column.p)
    fields = [f"**{cell.score}**" if cell.best else cell.score]
    if column.delta:
        fields.append(cell.delta.replace("-", "−"))
    if column.p:
        fields.append(cell.p.replace("<", "&lt;") + " *" * cell.significant)
    return fields


def _example(example: Example, style: Style) -> str:
    texts = examples.references(example) | dict(example.hypotheses)
    rows = [_row([markdown(label), markdown(text)]) for label, text in texts.items()]
    scores = markdown(examples.scores(example, style))
    return "\n".join([f"**{example.segment}** {scores}\n", "| | |", "|:--|:--|", *rows])


def _row(fields: list[str]) -> str:
    return "|" + "".join(f" {field} |" if field else " |" for field in fields)
