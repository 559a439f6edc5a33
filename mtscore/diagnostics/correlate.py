"""How well do a metric's scores agree with human judgements?

One value a metric and measure, over all rows or as the mean over groups of rows, with bootstrap intervals;
and whether two metrics differ in it, by a paired permutation test. Where lower scores are better, the sign is
reversed first, so that a positive value always means agreement. Reading tables is the business of
`judgements`, the measures that of `agreement`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from mtscore._version import PROGRAM
from mtscore.diagnostics.agreement import MEASURES, Coefficient, is_constant
from mtscore.errors import AlignmentError, InputError, UsageError
from mtscore.results import Pair
from mtscore.signature import Signature
from mtscore.significance import (
    DEFAULT_SEED,
    check_seed,
    check_trials,
    draws,
    holm,
    interval,
    masks,
    p_value,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mtscore.arrays import Booleans, Floats, Integers
    from mtscore.diagnostics.agreement import Measure
    from mtscore.results import Interval

Group: TypeAlias = Literal["no", "segment", "system"]

LEAST_ROWS = 3
"""A correlation of two rows is always 1 or -1."""

LOWER_IS_BETTER = frozenset({"TER", "WER"})
"""Metrics of which lower scores are better, by name in any case."""

GROUPED: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall-b")
"""Measures that are averaged over groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Hold human scores and metric scores, a row a system or a segment of a system.

    Without `segments` a row is a system. `human_name` says which human scores these are; `lower_is_better`
    names metrics besides TER and WER of which lower is better. `name` is how messages call the data.

    Raises:
        AlignmentError: if columns differ in length.
        InputError: if there are fewer than three rows, or a column is constant or not finite.
        UsageError: if there is no metric, or `lower_is_better` names an unknown one.
    """

    human: Floats
    metrics: Mapping[str, Floats]
    systems: Sequence[str] | None = None
    segments: Sequence[str] | None = None
    human_name: str = "human"
    lower_is_better: Collection[str] = field(default_factory=frozenset)
    name: str = "scores"

    def __post_init__(self) -> None:
        if not self.metrics:
            raise UsageError("no metric to hold against the human scores", where=self.name)
        if unknown := sorted(set(self.lower_is_better) - self.metrics.keys()):
            raise UsageError(f"no metric '{unknown[0]}'", where="--lower-is-better")
        rows = len(self.human)
        columns = {self.human_name: self.human, **self.metrics}
        for column, values in [*columns.items(), ("system", self.systems), ("segment", self.segments)]:
            if values is not None and len(values) != rows:
                raise AlignmentError(
                    f"{column}: {len(values)} rows, but {rows} human scores", where=self.name
                )
        if rows < LEAST_ROWS:
            raise InputError(f"a correlation needs at least 3 rows, not {rows}", where=self.name)
        for column, values in columns.items():
            _check_column(column, np.asarray(values), self.name)

    @property
    def level(self) -> Literal["system", "segment"] | None:
        """Return what a row is, if it is known."""
        if self.segments is not None:
            return "segment"
        return None if self.systems is None else "system"

    def lower(self, metric: str) -> bool:
        """Return whether lower scores of the metric are better."""
        return metric in self.lower_is_better or metric.upper() in LOWER_IS_BETTER

    def oriented(self, metric: str) -> Floats:
        """Return the metric's scores with the sign that makes higher better, shape (rows,)."""
        values = np.asarray(self.metrics[metric], np.float64)
        return -values if self.lower(metric) else values

    def labels(self, group: Group) -> Sequence[str]:
        """Return the group of each row.

        Raises:
            UsageError: if it is not known.
        """
        labels = {"no": [""] * len(self.human), "segment": self.segments, "system": self.systems}.get(group)
        if labels is None:
            raise UsageError(f"there is no column to group by: {group}", where="--group")
        return labels

    def groups(self, group: Group) -> int:
        """Return the number of groups."""
        return len(set(self.labels(group)))

    def blocks(self, group: Group) -> list[Integers]:
        """Return the rows of the groups that have at least three, one array (groups, rows) a size."""
        labels = np.asarray(self.labels(group))
        _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        order = np.argsort(codes.reshape(-1), kind="stable")
        starts = np.cumsum(sizes) - sizes
        return [
            order[starts[sizes == size][:, None] + np.arange(size)]
            for size in np.unique(sizes)
            if size >= LEAST_ROWS
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Hold one measure of one metric.

    `rows` is the number of all rows. If the score is a mean, `groups` is the number of groups behind it, and
    `left_out` how many had no value and why. `lower_is_better` says that the metric's sign was reversed.
    `undefined` is the number of resamples without a value. For pairwise accuracy `pairs` is the number of
    pairs that people tell apart, and `tied_pairs` of those that they do not.
    """

    metric: str
    coefficient: Coefficient
    score: float
    rows: int
    signature: Signature
    lower_is_better: bool = False
    groups: int | None = None
    left_out: Mapping[str, int] | None = None
    interval: Interval | None = None
    undefined: int = 0
    pairs: int | None = None
    tied_pairs: int | None = None


def correlate(
    judgements: Judgements, *, group: Group = "no", resamples: int = 0, seed: int = DEFAULT_SEED
) -> list[Agreement]:
    """Return every measure of every metric: Pearson, Spearman, Kendall's tau-b, RMSE, pairwise accuracy.

    Args:
        judgements: the scores.
        group: `segment` or `system`: the mean of the correlations within each; groups of fewer than three
            rows or with a constant column have none and are left out. RMSE and accuracy are not grouped.
        resamples: of the bootstrap behind intervals, 0 for none; of rows, or of groups where grouped.
        seed: of the bootstrap.

    Raises:
        InputError: if no group has a correlation.
        MissingExtraError: if scipy is not installed.
        UsageError: if there is nothing to group by, or a number makes no sense.
    """
    check_seed(seed)
    if resamples:
        check_trials(resamples, "--confidence-n")
    blocks = judgements.blocks(group)
    return [
        _agreement(
            judgements, metric, coefficient, group=group, blocks=blocks, resamples=resamples, seed=seed
        )
        for metric in judgements.metrics
        for coefficient in coefficients(judgements, group)
    ]


def compare_metrics(
    judgements: Judgements, *, group: Group = "no", trials: int = 1000, seed: int = DEFAULT_SEED
) -> list[Pair]:
    """Test for every two metrics whether one agrees better with people, two-sided.

    Both metrics are standardised; a trial swaps their scores row by row at random. p is the share of trials
    with a difference at least as large as the observed one, the observation itself among them; `p_holm` is
    corrected for all pairs under one measure. Of groups only those count where both metrics have a value.

    Source: Deutsch et al. (2021), A statistical analysis of summarization evaluation metrics using resampling
    methods (PERM-BOTH).

    Raises:
        UsageError: if there are fewer than two metrics, or a number makes no sense.
    """
    check_seed(seed)
    check_trials(trials, "--permutation-n")
    pairs = list(combinations(judgements.metrics, 2))
    if not pairs:
        raise UsageError("a comparison needs at least two metrics", where=judgements.name)
    blocks = judgements.blocks(group)
    results = []
    for coefficient in coefficients(judgements, group):
        tests = [
            _permutation_test(judgements, a, b, MEASURES[coefficient], blocks, trials=trials, seed=seed)
            for a, b in pairs
        ]
        corrected = holm([p for _, p in tests])
        results += [
            Pair(name=coefficient, a=a, b=b, delta=delta, p_value=p, p_holm=p_holm)
            for (a, b), (delta, p), p_holm in zip(pairs, tests, corrected, strict=True)
        ]
    return results


def coefficients(judgements: Judgements, group: Group) -> tuple[Coefficient, ...]:
    """Return the measures that apply: pairwise accuracy is one of systems only."""
    if group != "no":
        return GROUPED
    return (*GROUPED, "rmse", "accuracy") if judgements.level == "system" else (*GROUPED, "rmse")


def _check_column(column: str, values: Floats, name: str) -> None:
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values))) + 1
        raise InputError(f"{column} of row {row} is {values[row - 1]}, not a finite number", where=name)
    if values.max() == values.min():
        raise InputError(
            f"{column} is constant ({values[0]:g} in all rows): a correlation with it is undefined",
            where=name,
        )


def _agreement(
    judgements: Judgements,
    metric: str,
    coefficient: Coefficient,
    *,
    group: Group,
    blocks: Sequence[Integers],
    resamples: int,
    seed: int,
) -> Agreement:
    measure = MEASURES[coefficient]
    x, y = judgements.oriented(metric), judgements.human
    if group == "no":
        values, left_out = np.array([measure.of(x, y)]), None
        drawn = _resampled_rows(measure, x, y, resamples, seed)
    else:
        values, left_out = _values_of_groups(measure, x, y, blocks, judgements.groups(group))
        drawn = _resampled_means(values, resamples, seed)
    pairs, tied_pairs = _count_pairs(y) if coefficient == "accuracy" else (None, None)
    defined = drawn[~np.isnan(drawn)]
    return Agreement(
        metric=metric,
        coefficient=coefficient,
        score=float(values.mean()),
        rows=len(y),
        signature=_signature(judgements, metric, coefficient, group).extend(
            bs=resamples or None, seed=seed if resamples else None
        ),
        lower_is_better=judgements.lower(metric),
        groups=None if left_out is None else len(values),
        left_out=left_out,
        interval=interval(defined) if len(defined) else None,
        undefined=len(drawn) - len(defined),
        pairs=pairs,
        tied_pairs=tied_pairs,
    )


def _values_of_groups(
    measure: Measure, x: Floats, y: Floats, blocks: Sequence[Integers], groups: int
) -> tuple[Floats, dict[str, int]]:
    """Return the measure of each group that has it, and how many groups lack it for which reason."""
    of_blocks = [measure.function(*measure.prepare(x[rows]), *measure.prepare(y[rows])) for rows in blocks]
    values = np.concatenate([np.empty(0), *of_blocks])
    flat_human = sum(int(is_constant(y[rows]).sum()) for rows in blocks)
    left_out = {
        "few_rows": groups - len(values),
        "constant_human": flat_human,
        "constant_metric": int(np.isnan(values).sum()) - flat_human,
    }
    defined = values[~np.isnan(values)]
    if not len(defined):
        raise InputError(
            "no group has a correlation: each has fewer than 3 rows, or a constant column", where="--group"
        )
    return defined, left_out


def _resampled_rows(measure: Measure, x: Floats, y: Floats, resamples: int, seed: int) -> Floats:
    """Return the measure of resamples of rows with replacement, shape (resamples,)."""
    (metric,), (human,) = measure.prepare(x), measure.prepare(y)
    values = [measure.function(metric[drawn], human[drawn]) for _, drawn in draws(len(x), resamples, seed)]
    return np.concatenate([np.empty(0), *values])


def _resampled_means(values: Floats, resamples: int, seed: int) -> Floats:
    """Return the mean of resamples of values with replacement, shape (resamples,)."""
    means = [values[drawn].mean(-1) for _, drawn in draws(len(values), resamples, seed)]
    return np.concatenate([np.empty(0), *means])


def _permutation_test(
    judgements: Judgements,
    a: str,
    b: str,
    measure: Measure,
    blocks: Sequence[Integers],
    *,
    trials: int,
    seed: int,
) -> tuple[float, float]:
    """Return how much b's agreement exceeds a's, and how probable so large a difference is by chance."""
    metrics = _standardised(judgements.oriented(a)), _standardised(judgements.oriented(b))
    y = judgements.human
    as_they_are = np.zeros((1, len(y)), np.bool_)
    observed = float(_swapped_difference(measure, metrics, y, blocks, as_they_are)[0])
    if np.isnan(observed):
        raise InputError(f"no group has a correlation of both {a} and {b}", where="--group")
    swapped = np.concatenate(
        [_swapped_difference(measure, metrics, y, blocks, mask) for _, mask in masks(len(y), trials, seed)]
    )
    return observed, p_value(np.abs(swapped[~np.isnan(swapped)]), abs(observed))


def _swapped_difference(
    measure: Measure, metrics: tuple[Floats, Floats], y: Floats, blocks: Sequence[Integers], masks: Booleans
) -> Floats:
    """Return how much the second metric's agreement exceeds the first's, shape (trials,).

    Their scores are swapped where the masks, shape (trials, rows), say so. It is the mean over groups; a
    group counts where both have a value.
    """
    x, z = metrics
    differences = []
    for rows in blocks:
        (one, other), (human,) = measure.prepare(x[rows], z[rows]), measure.prepare(y[rows])
        swap = masks[:, rows]
        first = measure.function(np.where(swap, other, one), human)
        second = measure.function(np.where(swap, one, other), human)
        differences.append(second - first)
    return _mean_of_defined(np.concatenate(differences, axis=-1))


def _mean_of_defined(values: Floats) -> Floats:
    """Return the mean over the last axis without NaN; NaN where nothing is left."""
    defined = ~np.isnan(values)
    count = defined.sum(-1)
    total = np.where(defined, values, 0).sum(-1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _standardised(values: Floats) -> Floats:
    standardised: Floats = (values - values.mean()) / values.std()
    return standardised


def _count_pairs(human: Floats) -> tuple[int, int]:
    """Return how many pairs of rows people tell apart, and how many they do not."""
    _, sizes = np.unique(human, return_counts=True)
    tied = int((sizes * (sizes - 1) // 2).sum())
    return len(human) * (len(human) - 1) // 2 - tied, tied


def _signature(judgements: Judgements, metric: str, coefficient: Coefficient, group: Group) -> Signature:
    return Signature(
        "CORR",
        {
            "coef": coefficient,
            "group": group,
            "human": judgements.human_name,
            "level": judgements.level,
            "metric": metric,
            "n": len(judgements.human),
            "version": PROGRAM,
        },
    )
