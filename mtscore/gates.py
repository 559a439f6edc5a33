"""Conditions that a run must meet: read from options, and judged on a report.

Pure: nothing here computes a score or ends the process. A gate says its outcome in one sentence, with as many
decimals as tell its numbers apart.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from mtscore.errors import UsageError, counted
from mtscore.notices import Notice
from mtscore.results import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mtscore.results import Better, Comparison, Report, Row

Option: TypeAlias = Literal["fail-under", "fail-over", "max-drop"]

ROUNDING = 1e-9
"""A score this close to its limit is at the limit."""

LARGE_DROP = 1.0
"""A drop of more points than this deserves a warning where the test cannot see it."""

MOST_DECIMALS = 12
"""Where two numbers agree to this many decimals they are printed as equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Hold what `--fail-under`, `--fail-over` or `--max-drop` ask of one metric, by its name in rows."""

    option: Option
    metric: str
    value: float


# --- Reading options ----------------------------------------------------------------------------------------


def parse_limits(option: Option, texts: Iterable[str], metrics: Mapping[str, Better]) -> list[Limit]:
    """Return the limits that `METRIC=V`, or `V` alone if there is one metric, ask for.

    `metrics` has the direction of each computed metric by its name in rows. Case does not matter, and `chrf`
    finds `chrF2`, `chrf++` finds `chrF2++`.

    Raises:
        UsageError: if V is no number, the metric is not computed or not said, or the option is not for it.
    """
    return [_parse_limit(option, text, metrics) for text in texts]


def _parse_limit(option: Option, text: str, metrics: Mapping[str, Better]) -> Limit:
    where = f"--{option} {text}"
    name, equals, number = text.rpartition("=")
    value = _parse_number(number, where)
    metric = _find_metric(name, metrics, where) if equals else _only_metric(metrics, where)
    if option == "max-drop" and value < 0:
        raise UsageError("a drop is a number of points from 0 up", where=where)
    if option == "fail-under" and metrics[metric] == "lower":
        raise UsageError(f"for {metric} lower is better", where=where, hint=f"--fail-over {metric}={number}")
    if option == "fail-over" and metrics[metric] == "higher":
        raise UsageError(
            f"for {metric} higher is better", where=where, hint=f"--fail-under {metric}={number}"
        )
    return Limit(option=option, metric=metric, value=value)


def _parse_number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{text!r} is no number", where=where, hint="METRIC=NUMBER, for example bleu=28.3")
    return value


def _find_metric(name: str, metrics: Iterable[str], where: str) -> str:
    """Return the metric of this name; that of chrF may leave out its beta."""
    wanted = name.strip().lower()
    for metric in metrics:
        if wanted in (metric.lower(), re.sub(r"[0-9.]", "", metric.lower())):
            return metric
    raise UsageError(f"no metric {name!r} is computed", where=where, hint=_computed(metrics))


def _only_metric(metrics: Iterable[str], where: str) -> str:
    match list(metrics):
        case [only]:
            return only
        case _:
            raise UsageError("of which metric? write METRIC=V", where=where, hint=_computed(metrics))


def _computed(metrics: Iterable[str]) -> str:
    return f"computed: {', '.join(metrics)}"


# --- Judging ------------------------------------------------------------------------------------------------


def judge(
    report: Report, limits: Sequence[Limit], *, regression: bool = False
) -> tuple[list[Gate], list[Notice]]:
    """Return the outcome of every limit and, with `regression`, of every tested difference; and warnings.

    `--fail-under` and `--fail-over` hold for every system, the other gates for all but the baseline. A
    regression is a score that is worse than the baseline's, and significantly so after Holm's correction.

    Raises:
        UsageError: if a gate is about differences and the report has none, or none that was tested.
    """
    rows = [row for row in report.rows if row.of_corpus]
    gates = [gate for limit in limits for gate in _judge_limit(limit, rows)]
    if not regression:
        return gates, []
    differences = _differences(rows, "fail-on-regression")
    tested = [_judge_regression(difference, report, len(differences)) for difference in differences]
    capped = {limit.metric for limit in limits if limit.option == "max-drop"}
    unseen = [
        _warn_of_unseen_drop(difference, report)
        for difference, gate in zip(differences, tested, strict=True)
        if gate.passed and difference.drop > LARGE_DROP and gate.name not in capped
    ]
    return gates + tested, unseen


class _Difference(NamedTuple):
    """Put a system's row beside its comparison with the baseline."""

    row: Row
    comparison: Comparison

    @property
    def score(self) -> float:
        return self.row.score.score

    @property
    def baseline_score(self) -> float:
        return self.score - self.comparison.delta

    @property
    def drop(self) -> float:
        """Return by how many points the system is worse than the baseline; negative if it is better."""
        delta = self.comparison.delta
        return -delta if self.row.score.better == "higher" else delta


def _differences(rows: Iterable[Row], option: str) -> list[_Difference]:
    found = [_Difference(row, row.comparison) for row in rows if row.comparison is not None]
    if not found:
        raise UsageError(
            "there is no baseline with a system to compare", where=f"--{option}", hint="-i BASELINE SYSTEM"
        )
    return found


def _judge_limit(limit: Limit, rows: Iterable[Row]) -> list[Gate]:
    own = [row for row in rows if row.score.name == limit.metric]
    if limit.option == "max-drop":
        return [_judge_drop(difference, limit) for difference in _differences(own, limit.option)]
    return [_judge_score(row, limit) for row in own]


def _judge_score(row: Row, limit: Limit) -> Gate:
    score, bound = row.score.score, limit.value
    if limit.option == "fail-under":
        passed = score >= bound - ROUNDING
        relation = "at least" if passed else "below"
    else:
        passed = score <= bound + ROUNDING
        relation = "at most" if passed else "above"
    number = f"{score:.{_decimals(1, (score, bound))}f}"
    text = f"{row.score.name} of {row.system} is {number}, {relation} {_plain(bound)} (--{limit.option})"
    return _gate(limit.option, row, passed=passed, limit=bound, text=text)


def _judge_drop(difference: _Difference, limit: Limit) -> Gate:
    row, most = difference.row, limit.value
    passed = difference.drop <= most + ROUNDING
    verdict = f"no more than {_plain(most)} worse" if passed else f"more than {_plain(most)}"
    text = f"{_describe(difference, (difference.drop, most))}, {verdict} (--{limit.option})"
    allowed = most if row.score.better == "higher" else -most
    return _gate(limit.option, row, passed=passed, limit=difference.baseline_score - allowed, text=text)


def _judge_regression(difference: _Difference, report: Report, tests: int) -> Gate:
    p, p_holm = difference.comparison.p_value, difference.comparison.p_holm
    if p is None or p_holm is None:
        raise UsageError("this gate needs a paired test", where="--fail-on-regression")
    worse = difference.drop > ROUNDING
    return _gate(
        "fail-on-regression",
        difference.row,
        passed=not (worse and p_holm < report.alpha),
        limit=difference.baseline_score,
        text=f"{_describe(difference)}: {_evidence(p, p_holm, tests, report)}",
        p_value=p,
    )


def _gate(
    gate: str, row: Row, *, passed: bool, limit: float, text: str, p_value: float | None = None
) -> Gate:
    return Gate(
        gate=gate,
        system=row.system,
        name=row.score.name,
        passed=passed,
        value=row.score.score,
        limit=limit,
        text=text,
        p_value=p_value,
    )


def _warn_of_unseen_drop(difference: _Difference, report: Report) -> Notice:
    blind = f"not significant on {counted(report.segments, 'segment')}: the test cannot see a drop this size"
    text = f"{_describe(difference)}: {blind}"
    return Notice("warning", "drop-not-significant", text, file=difference.row.file)


# --- Sentences ----------------------------------------------------------------------------------------------


def _describe(difference: _Difference, *told_apart: tuple[float, float]) -> str:
    """Say `BLEU of xmu is 26.69, 1.61 below uedin-nmt (28.30)`, and tell the given pairs of numbers apart."""
    row, comparison = difference.row, difference.comparison
    score, baseline, delta = difference.score, difference.baseline_score, comparison.delta
    d = _decimals(2, (score, baseline), (delta, 0.0), *told_apart)
    start = f"{row.score.name} of {row.system} is {score:.{d}f}"
    if abs(delta) <= ROUNDING:
        return f"{start}, the same as {comparison.baseline}"
    side = "below" if delta < 0 else "above"
    return f"{start}, {abs(delta):.{d}f} {side} {comparison.baseline} ({baseline:.{d}f})"


def _evidence(p: float, p_holm: float, tests: int, report: Report) -> str:
    """Say `p = 0.0010 < 0.05, paired AR, 1000 trials`, and the corrected value if there are several tests."""
    alpha = report.alpha
    relation = "<" if p < alpha else ">="
    method = "BS" if report.test == "bs" else "AR"
    start = (
        f"p = {_probability(p, alpha)} {relation} {_plain(alpha)}, paired {method}, {report.trials} trials"
    )
    if tests == 1:
        return start
    return f"{start}; p = {_probability(p_holm, alpha)} corrected for {tests} tests (Holm)"


def _probability(p: float, alpha: float) -> str:
    return f"{p:.{_decimals(4, (p, alpha), (p, 0.0))}f}"


def _plain(number: float) -> str:
    """Return a number as the user would type it: 55, 28.3."""
    return repr(number).removesuffix(".0")


def _decimals(least: int, *pairs: tuple[float, float]) -> int:
    """Return how many decimals, from `least` up, tell the numbers of each pair apart where they differ.

    >>> _decimals(1, (28.2996, 28.3))
    4
    >>> _decimals(1, (57.4, 55.0), (1.0, 1.0))
    1
    """
    return max([least, *(_decimals_between(least, one, other) for one, other in pairs)])


def _decimals_between(least: int, one: float, other: float) -> int:
    if abs(one - other) <= ROUNDING:
        return least
    return next((d for d in range(least, MOST_DECIMALS) if f"{one:.{d}f}" != f"{other:.{d}f}"), MOST_DECIMALS)
