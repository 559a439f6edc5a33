"""The row of the machine formats: a flat mapping with the same keys in the same order everywhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mtscore.report import escaping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.notices import Notice
    from mtscore.results import Comparison, Interval, Pair, Row


def flat(row: Row, width: int | None = None, pairs: Sequence[Pair] = ()) -> dict[str, Any]:
    """Return a row as JSON data; a key whose value was not asked for is absent.

    With `width`, scores, differences and intervals have so many decimals; counts and p-values stay whole.
    Tested `pairs` give the row its line of their matrix: the other systems with `delta` (this one's score
    minus the other's), `p_value` and `p_holm`.
    """
    score = row.score
    values = {
        "system": row.system,
        "file": row.file,
        "name": score.name,
        "score": _rounded(score.score, width),
        "better": score.better,
        "signature": score.signature.format(),
        "settings": dict(score.signature.settings),
        "verbose_score": score.verbose,
        **score.details,
        **_interval(score.interval, width),
        **_comparison(row.comparison, width),
        "pairs": _matrix_line(row, pairs, width),
        "rank_low": None if row.rank is None else row.rank[0],
        "rank_high": None if row.rank is None else row.rank[1],
        "group": None if row.group is None else dict(row.group),
        "segments": row.segments,
        "segment": row.segment,
    }
    return present(values)


def message(notice: Notice) -> dict[str, Any]:
    """Return a notice as JSON data."""
    keys = ("level", "code", "file", "line", "count", "text")
    return present({key: getattr(notice, key) for key in keys})


def present(values: dict[str, Any]) -> dict[str, Any]:
    """Return what has a value."""
    return {key: value for key, value in values.items() if value is not None}


def dumps(data: object, indent: int | None = None) -> str:
    """Return JSON with text as it is, not as ASCII escapes, but for control characters."""
    return escaping.json(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent))


def _interval(interval: Interval | None, width: int | None) -> dict[str, float]:
    if interval is None:
        return {}
    return {
        "mean": _rounded(interval.mean, width),
        "ci": _rounded(interval.half_width, width),
        "ci_low": _rounded(interval.low, width),
        "ci_high": _rounded(interval.high, width),
    }


def _comparison(comparison: Comparison | None, width: int | None) -> dict[str, Any]:
    if comparison is None:
        return {}
    return {
        "baseline": comparison.baseline,
        "delta": _rounded(comparison.delta, width),
        "p_value": comparison.p_value,
        "p_holm": comparison.p_holm,
        "significant": comparison.significant,
    }


def _matrix_line(row: Row, pairs: Sequence[Pair], width: int | None) -> dict[str, dict[str, float]] | None:
    line = {}
    for pair in pairs:
        if row.of_corpus and pair.name == row.score.name and row.system in (pair.a, pair.b):
            other, delta = (pair.a, pair.delta) if row.system == pair.b else (pair.b, -pair.delta)
            line[other] = {
                "delta": _rounded(delta, width),
                "p_value": pair.p_value,
                "p_holm": pair.p_holm,
            }
    return line or None


def _rounded(value: float, width: int | None) -> float:
    return value if width is None else round(value, width)
