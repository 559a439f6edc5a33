"""The table for a terminal or a mail: no boxes, 80 columns, and blocks below for what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from mtscore.report import captions
from mtscore.report.escaping import plain
from mtscore.report.pivot import NUMERIC_LABELS, pivots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.report.pivot import Cell, Column, Line, Pivot
    from mtscore.report.style import Style
    from mtscore.results import Report

GAP, INNER_GAP = "   ", "  "
MIN_DELTA, MIN_P = len("+12.3 "), len("0.0010*")


@dataclass(frozen=True, slots=True)
class _Strip:
    """Hold a column or several that belong together: a head and one text a line, all of one width."""

    width: int
    head: str
    texts: Sequence[str]


def render(report: Report, style: Style) -> str:
    """Return the table with its headline, the meaning of its marks, and the signatures."""
    above = [plain(captions.headline(report)), "", body(report, style)]
    below = [*captions.footnotes(report), *captions.signature_lines(report, style), ""]
    return "\n".join(above + below)


def body(report: Report, style: Style) -> str:
    """Return the bare table: blocks with a blank line between them."""
    return "\n".join(
        block for pivot in pivots(report, style.decimals) for block in _blocks(pivot, style.columns, style)
    )


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> display_width("Rank"), display_width("系统")
    (4, 4)
    """
    return sum(1 + (east_asian_width(c) in "WF") for c in text if not combining(c))


def _blocks(pivot: Pivot, columns: int, style: Style) -> list[str]:
    labels = [_label_strip(name, pivot.lines) for name in pivot.labels]
    blocks = [list(labels)]
    for column in pivot.columns:
        strip = _metric_strip(column, pivot.lines, style)
        width = sum(len(GAP) + other.width for other in blocks[-1]) + strip.width
        if width > columns and len(blocks[-1]) > len(labels):
            blocks.append(list(labels))
        blocks[-1].append(strip)
    return [_join(block, pivot.lines) for block in blocks]


def _join(strips: list[_Strip], lines: Sequence[Line]) -> str:
    width = sum(strip.width for strip in strips) + len(GAP) * (len(strips) - 1)
    rows = [GAP.join(strip.head for strip in strips)]
    for number, line in enumerate(lines):
        if line.rule:
            rows.append("-" * width)
        rows.append(GAP.join(strip.texts[number] for strip in strips))
    return "".join(f"{row.rstrip()}\n" for row in rows)


def _label_strip(name: str, lines: Sequence[Line]) -> _Strip:
    texts = [name, *(plain(line.labels[name]) for line in lines)]
    width = max(map(display_width, texts))
    blanks = [" " * (width - display_width(text)) for text in texts]
    right = name in NUMERIC_LABELS
    head, *padded = (
        blank + text if right else text + blank for text, blank in zip(texts, blanks, strict=True)
    )
    return _Strip(width, head, padded)


def _metric_strip(column: Column, lines: Sequence[Line], style: Style) -> _Strip:
    cells = [line.cells.get(column.metric) for line in lines]
    title = f"{column.metric} {column.arrow}"
    width = max(len(title), *(len(cell.score) for cell in cells if cell))
    comparison = _comparison_strip(column, cells)
    texts = []
    for cell, compared in zip(cells, comparison.texts, strict=True):
        score = (cell.score if cell else "").rjust(width)
        texts.append((style.emphasise(score) if cell and cell.best else score) + compared)
    return _Strip(width + comparison.width, title.rjust(width) + comparison.head, texts)


def _comparison_strip(column: Column, cells: Sequence[Cell | None]) -> _Strip:
    """Return the columns Δ and p, across which the baseline's line says that it is one."""
    if not column.delta:
        return _Strip(0, "", [""] * len(cells))
    ps = ["" if cell is None else cell.p + "*" * cell.significant for cell in cells]
    p_width = max(MIN_P, *map(len, ps)) if column.p else 0
    least = MIN_DELTA if column.p else len("baseline")
    delta_width = max(least, *(len(cell.delta) for cell in cells if cell))
    gap = INNER_GAP if column.p else ""
    width = delta_width + len(gap) + p_width
    texts = [
        "baseline".ljust(width)
        if cell and cell.baseline
        else (cell.delta if cell else "").rjust(delta_width) + gap + p.ljust(p_width)
        for cell, p in zip(cells, ps, strict=True)
    ]
    head = "Δ".rjust(delta_width) + gap + ("p".ljust(p_width) if column.p else "")
    return _Strip(len(INNER_GAP) + width, INNER_GAP + head, [INNER_GAP + text for text in texts])
