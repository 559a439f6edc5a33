"""The table that formats for people share: a line a system, a column a metric, numbers already rounded.

How a cell is padded, escaped or marked is each format's own business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mtscore.results import Better, Cluster, Report, Row

NUMERIC_LABELS = frozenset({"Segments", "Segment"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Show one score: `29.8 ± 0.9`, `-0.1`, `0.6683`; what is not known is empty."""

    score: str
    delta: str
    p: str
    significant: bool
    best: bool
    baseline: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Head a metric's cells; `delta` and `p` say whether any cell has one."""

    metric: str
    better: Better
    delta: bool
    p: bool

    @property
    def arrow(self) -> str:
        """Return the direction of better scores."""
        return "↑" if self.better == "higher" else "↓"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Hold the labels and, by metric, the cells of one line; `rule` says that a rule stands above it."""

    labels: Mapping[str, str]
    cells: Mapping[str, Cell]
    baseline: bool
    rule: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pivot:
    """Hold a table: the names of the label columns (`System` last), the metrics, and the lines."""

    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


def pivots(report: Report, decimals: int) -> list[Pivot]:
    """Return the report's table; with ranked systems a table a metric, since each ranks them its own way."""
    if not report.clusters:
        return [_pivot(report, report.rows, decimals)]
    tables = []
    for metric in report.metrics:
        rows = [row for row in report.rows if row.score.name == metric]
        sign = -1 if rows[0].score.better == "higher" else 1
        tables.append(_pivot(report, _by_group(rows, sign), decimals))
    return tables


def _by_group(rows: Sequence[Row], sign: int = 0) -> list[Row]:
    """Return the rows group after group, and within each by score: rising with sign 1, falling with -1."""
    place = {group: number for number, group in enumerate(dict.fromkeys(map(_group, rows)))}
    return sorted(rows, key=lambda row: (place[_group(row)], sign * row.score.score))


def _pivot(report: Report, rows: Sequence[Row], decimals: int) -> Pivot:
    lines = _lines(report, rows, decimals)
    labels = tuple(name for name in lines[0].labels if any(line.labels[name] for line in lines))
    return Pivot(labels=labels, columns=_columns(rows), lines=lines)


def _lines(report: Report, rows: Sequence[Row], decimals: int) -> tuple[Line, ...]:
    """Return a line a system, or a line a system and segment; one group of segments after the other."""
    grouped = any(row.group for row in rows)
    lines: dict[tuple[str, int | None, str], list[Row]] = {}
    for row in _by_group(rows):
        lines.setdefault((_group(row), row.segment, row.system), []).append(row)
    best = _best(rows)
    clusters = [_cluster(members[0], report) for members in lines.values()]
    return tuple(
        Line(
            labels=_labels(members[0], report, grouped=grouped),
            cells={row.score.name: _cell(row, report, best, decimals) for row in members},
            baseline=members[0].system == report.baseline,
            rule=None not in (above, cluster) and above is not cluster,
        )
        for members, above, cluster in zip(lines.values(), [None, *clusters], clusters, strict=False)
    )


def _columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    by_metric: dict[str, list[Row]] = {}
    for row in rows:
        by_metric.setdefault(row.score.name, []).append(row)
    return tuple(
        Column(
            metric=metric,
            better=members[0].score.better,
            delta=any(row.comparison for row in members),
            p=any(row.comparison and row.comparison.p_value is not None for row in members),
        )
        for metric, members in by_metric.items()
    )


def _labels(row: Row, report: Report, *, grouped: bool) -> dict[str, str]:
    size = row.segments if row.group else report.segments
    return {
        "Group": (_group(row) or "all") if grouped else "",
        "Segments": str(size) if grouped and size is not None else "",
        "Segment": str(row.segment or ""),
        "Rank": _rank(row, report),
        "System": row.system,
    }


def _rank(row: Row, report: Report) -> str:
    """Return a system's place or range of places; that of its cluster unless it has its own."""
    cluster = _cluster(row, report)
    if cluster is None:
        return ""
    first, last = row.rank or (cluster.rank, cluster.rank + len(cluster.systems) - 1)
    return str(first) if first == last else f"{first}-{last}"


def _cluster(row: Row, report: Report) -> Cluster | None:
    """Return the cluster of a corpus score, if systems were ranked."""
    for cluster in report.clusters:
        if row.group is None and cluster.name == row.score.name and row.system in cluster.systems:
            return cluster
    return None


def _cell(row: Row, report: Report, best: Mapping[tuple[str, str], float], decimals: int) -> Cell:
    score, comparison = row.score, row.comparison
    spread = f" ± {score.interval.half_width:.{decimals}f}" if score.interval else ""
    p_value = comparison.p_value if comparison else None
    return Cell(
        score=f"{score.score:.{decimals}f}{spread}",
        delta=f"{comparison.delta + 0.0:+.{decimals}f}" if comparison else "",
        p="" if p_value is None else format_p(p_value),
        significant=bool(comparison and comparison.significant),
        best=best.get((_group(row), score.name)) == score.score and row.segment is None,
        baseline=row.system == report.baseline,
    )


def _best(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """Return each group's best score in each metric where several systems compete for it."""
    scores: dict[tuple[str, str], list[float]] = {}
    better = {row.score.name: max if row.score.better == "higher" else min for row in rows}
    for row in rows:
        scores.setdefault((_group(row), row.score.name), []).append(row.score.score)
    return {key: better[key[1]](values) for key, values in scores.items() if len(values) > 1}


def _group(row: Row) -> str:
    """Return the name of a row's group, empty for the corpus: `origlang=en domain=news`."""
    return " ".join(f"{key}={value}" for key, value in (row.group or {}).items())


def format_p(p_value: float) -> str:
    """Return a p-value with four decimals.

    >>> format_p(0.00099), format_p(0.00001)
    ('0.0010', '<0.0001')
    """
    text = f"{p_value:.4f}"
    return "<0.0001" if text == "0.0000" else text
