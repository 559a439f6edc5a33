"""The one use case behind the API and the command line: score systems and say everything about it.

Chunks outside, systems inside: all inputs go by once, side by side. What is kept of them are totals, which
add up in order; statistics of single segments are kept only where something asks for them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from mtscore._version import VERSION
from mtscore.errors import AlignmentError, ShapeError, UsageError, counted
from mtscore.inspection import Inspector
from mtscore.metrics.base import Metric
from mtscore.notices import Notice
from mtscore.results import Comparison, Example, Pair, Report, Row
from mtscore.significance import (
    DEFAULT_SEED,
    Sample,
    all_pairs,
    approximate_randomisation,
    bootstrap,
    check_alpha,
    check_seed,
    check_trials,
    clusters,
    find_baseline,
    holm,
    interval,
    is_whole,
    paired_bootstrap,
    rank_ranges,
    trials_needed,
)
from mtscore.statistics import collect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mtscore.arrays import Floats, Integers
    from mtscore.corpus import Chunk, System
    from mtscore.gates import Limit
    from mtscore.metrics.base import AnyMetric
    from mtscore.results import Better, Cluster, Gate
    from mtscore.signature import Signature
    from mtscore.statistics import Statistics
    from mtscore.tokenizers.base import Tokenizer

    Progress: TypeAlias = Callable[[int, int], None]


TESTS = ("ar", "bs")
"""Approximate randomisation and the bootstrap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Say what is to be computed.

    Attributes:
        metrics: in the order of the report.
        sentence_level: score every segment by itself instead of the corpus.
        resamples: of the bootstrap for confidence intervals; 0 for none.
        test: of systems against the baseline, or of all pairs: approximate randomisation or bootstrap.
        trials: of that test.
        seed: of every random stream.
        baseline: a system's name; the first system if a test needs one and none is named.
        all_pairs: test every pair and rank the systems.
        alpha: level of significance.
        limits: gates on scores and drops.
        regression: gate on significant regressions.
        examples: how many segments to show.
        groups: for each column of metadata the label of every segment, in the order of the chunks.
        facts: further fields of all signatures (test set, language pair …).
        force: the user knows that the hypotheses are tokenised.
        jobs: how many chunks are scored at the same time.

    Raises:
        UsageError: if a value makes no sense, or does not go with another one.
        ShapeError: if metrics are no list or groups no mapping.
    """

    metrics: Sequence[AnyMetric]
    sentence_level: bool = False
    resamples: int = 0
    test: Literal["ar", "bs"] | None = None
    trials: int = 0
    seed: int = DEFAULT_SEED
    baseline: str | None = None
    all_pairs: bool = False
    alpha: float = 0.05
    limits: Sequence[Limit] = ()
    regression: bool = False
    examples: int = 0
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    force: bool = False
    jobs: int = 1

    def __post_init__(self) -> None:
        check_metrics(self.metrics)
        if not isinstance(self.groups, Mapping) or not all(
            isinstance(labels, Sized) for labels in self.groups.values()
        ):
            raise ShapeError("groups must be a mapping from columns to labels", hint="{'domain': [...]}")
        if self.test not in (None, *TESTS):
            raise UsageError(f"unknown test {self.test!r}", hint=f"known: {', '.join(TESTS)}")
        if self.test:
            check_trials(self.trials, "trials")
        elif self.all_pairs:
            raise UsageError("ranks need a test", where="--all-pairs", hint=f"known: {', '.join(TESTS)}")
        if self.resamples:
            check_trials(self.resamples, "resamples")
        for_corpora = (self.test, self.resamples, self.baseline, self.limits, self.regression, self.examples)
        if self.sentence_level and any(for_corpora):
            raise UsageError(
                "tests, intervals, gates and examples are for corpora", where="-sl/--sentence-level"
            )
        check_level(groups=bool(self.groups), sentence_level=self.sentence_level)
        check_seed(self.seed)
        check_alpha(self.alpha)
        if not is_whole(self.jobs) or self.jobs < 1:
            raise UsageError(f"the number of jobs must be at least 1, not {self.jobs!r}", where="-j/--jobs")
        if not is_whole(self.examples) or self.examples < 0:
            raise UsageError(f"examples must be >= 0, not {self.examples!r}", where="--examples")

    @property
    def compares(self) -> bool:
        """Return whether systems are compared with a baseline."""
        drops = any(limit.option == "max-drop" for limit in self.limits)
        against_baseline = self.test is not None and not self.all_pairs
        return against_baseline or self.baseline is not None or drops or self.regression

    @property
    def intervals(self) -> int:
        """Return the resamples behind intervals: those asked for, or those of the paired bootstrap."""
        return self.trials if self.test == "bs" else self.resamples

    @property
    def seed_in_use(self) -> int | None:
        """Return the seed if anything is left to chance."""
        return self.seed if self.test or self.intervals else None

    def needs_baseline(self, systems: int) -> bool:
        """Return whether one of so many systems must be named as what the others are held against."""
        return self.compares or self.all_pairs or (self.examples > 0 and systems > 1)

    @property
    def keeps_segments(self) -> bool:
        """Return whether statistics of single segments are needed."""
        return bool(self.sentence_level or self.resamples or self.test or self.examples or self.groups)


def evaluate(
    systems: Sequence[System],
    references: Sequence[str],
    chunks: Iterable[Chunk],
    plan: Plan,
    *,
    progress: Progress | None = None,
) -> Report:
    """Score systems against references.

    Args:
        systems: names, in the order of the chunks' hypotheses.
        references: how messages call the references.
        chunks: the aligned texts.
        plan: what to compute.
        progress: called with the trials done and their number.

    Raises:
        UsageError: if a comparison lacks systems or names one that is not there.
    """
    names = [system.name for system in systems]
    baseline = find_baseline(names, plan.baseline) if plan.needs_baseline(len(names)) else None
    _check_that_the_gate_can_fail(plan, len(names))
    if plan.sentence_level:
        plan = replace(plan, metrics=[metric.for_segments() for metric in plan.metrics])
    tokenizers = _tokenizers(plan.metrics)
    tokenizer = tokenizers[0].name if tokenizers else None
    inspector = Inspector(systems, references, tokenizer=tokenizer, force=plan.force)
    found = collect(
        chunks,
        plan.metrics,
        watch=inspector.look,
        keep_rows=plan.keeps_segments,
        keep_texts=plan.examples > 0,
        jobs=plan.jobs,
    )
    check_groups(plan.groups, found.segments)
    notices = [
        *(notice for used in tokenizers for notice in used.notices),
        *inspector.notices(),
        *_few_trials(plan, len(names)),
        *_score_warnings(plan, found, names),
    ]
    report = _without_rows(plan, found, None if baseline is None else names[baseline], notices)
    signatures = [_signature(metric, plan, found.reference_counts) for metric in plan.metrics]
    evaluation = _Evaluation(systems, plan, found, signatures, progress)
    return evaluation.by_segment(report) if plan.sentence_level else evaluation.of_corpus(report)


def check_level(*, groups: bool, sentence_level: bool) -> None:
    """Raise a UsageError if groups are wanted where every segment is scored by itself."""
    if groups and sentence_level:
        raise UsageError("groups are of segments, not of one", where="-sl/--sentence-level")


def check_metrics(metrics: Sequence[AnyMetric]) -> None:
    """Raise an error unless these are metrics, each with a name of its own.

    A comparison goes by names: two settings of one metric are two evaluations.
    """
    if not isinstance(metrics, Sequence):
        raise ShapeError(f"metrics must be a list, not {metrics!r}")
    for metric in metrics:
        if not isinstance(metric, Metric):
            raise UsageError(f"{metric!r} is no metric", hint="for example mtscore.BLEU()")
    names = [metric.name for metric in metrics]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise UsageError(f"two metrics are called {twice}", hint="evaluate them one after the other")


def check_groups(groups: Mapping[str, Sequence[str]], segments: int) -> None:
    """Raise an AlignmentError unless every column of groups has a label for each segment."""
    for column, labels in groups.items():
        if len(labels) != segments:
            raise AlignmentError(
                f"column {column!r} of the groups has {counted(len(labels), 'row')} for "
                f"{counted(segments, 'segment')}",
                hint="a group file has a header and one row for each segment",
            )


def _check_that_the_gate_can_fail(plan: Plan, systems: int) -> None:
    """Raise a UsageError if so few trials leave no difference significant."""
    tests = (systems - 1) * len(plan.metrics)
    if plan.regression and plan.test and plan.trials < trials_needed(tests, plan.alpha):
        raise UsageError(
            f"the gate could not fail: {_blindness(plan, tests)}",
            where="--fail-on-regression",
            hint=_enough(plan, tests),
        )


def _few_trials(plan: Plan, systems: int) -> list[Notice]:
    """Warn of a ranking in which so few trials leave all systems equal."""
    tests = math.comb(systems, 2)
    if not plan.all_pairs or plan.trials >= trials_needed(tests, plan.alpha):
        return []
    return [
        Notice(
            "warning",
            "few-trials",
            f"the ranking can tell no systems apart: {_blindness(plan, tests)}; {_enough(plan, tests)}",
        )
    ]


def _score_warnings(plan: Plan, found: Statistics, names: Sequence[str]) -> list[Notice]:
    """Return what metrics have to say on the scores of systems."""
    return [
        notice
        for m, metric in enumerate(plan.metrics)
        for name, totals in zip(names, found.totals, strict=True)
        for notice in metric.warnings(totals[m], name)
    ]


def _blindness(plan: Plan, tests: int) -> str:
    what = f"any of {tests} tests" if tests > 1 else "a test"
    return f"{counted(plan.trials, 'trial')} cannot make {what} significant at {plan.alpha}"


def _enough(plan: Plan, tests: int) -> str:
    option = "-pbsn" if plan.test == "bs" else "-parn"
    return f"{option} {trials_needed(tests, plan.alpha)} is enough"


def versions(metrics: Sequence[AnyMetric]) -> dict[str, Any]:
    """Return the versions of everything that a score may depend on."""
    return {
        "mtscore": VERSION,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
        "tokenizers": {used.name: used.version for used in _tokenizers(metrics)},
    }


def _tokenizers(metrics: Sequence[AnyMetric]) -> list[Tokenizer]:
    """Return the tokenizers that the metrics use, each once."""
    used = {metric.tokenizer.identity: metric.tokenizer for metric in metrics if metric.tokenizer}
    return [used[identity] for identity in sorted(used)]


def _without_rows(plan: Plan, found: Statistics, baseline: str | None, notices: Sequence[Notice]) -> Report:
    """Return a report with everything but scores."""
    return Report(
        rows=[],
        segments=found.segments,
        references=found.references,
        baseline=baseline,
        test=plan.test,
        trials=plan.trials if plan.test else None,
        bootstrap=plan.intervals or None,
        seed=plan.seed_in_use,
        alpha=plan.alpha,
        notices=notices,
        versions=versions(plan.metrics),
        language_pair=plan.facts.get("lang"),
    )


def _signature(metric: AnyMetric, plan: Plan, reference_counts: Iterable[int]) -> Signature:
    randomness = {
        "ar": plan.trials if plan.test == "ar" else None,
        "bs": plan.intervals or None,
        "seed": plan.seed_in_use,
    }
    return metric.signature(reference_counts).extend(**plan.facts, **randomness)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """Derive rows, tests, ranks, groups, examples and gates from the statistics."""

    systems: Sequence[System]
    plan: Plan
    found: Statistics
    signatures: Sequence[Signature]
    progress: Progress | None

    def by_segment(self, report: Report) -> Report:
        """Return the report with a row for every segment."""
        rows = []
        for system, by_metric in zip(self.systems, self.found.rows, strict=True):
            scores = [
                metric.results(statistics, signature)
                for metric, statistics, signature in self._metrics(by_metric)
            ]
            rows += [
                Row(system=system.name, file=system.file, score=score, segment=number)
                for number, *of_segment in zip(self.found.numbers, *scores, strict=True)
                for score in of_segment
            ]
        return replace(report, rows=rows)

    def of_corpus(self, report: Report) -> Report:
        """Return the report with a row for every system and metric, and all that follows from them."""
        plan = self.plan
        samples = [
            Sample(statistics, metric.score)
            for by_metric in self.found.rows
            for metric, statistics, _ in self._metrics(by_metric)
        ]
        resampled = None
        if plan.intervals:
            resampled = bootstrap(samples, trials=plan.intervals, seed=plan.seed, progress=self.progress)
        report = replace(report, rows=self._rows(resampled))
        tests = _Tests(plan, samples, resampled, self.progress)
        if plan.compares:
            report = tests.compared(report)
        if plan.all_pairs:
            report = tests.ranked(report)
        gates, warnings = _judged(report, plan)
        examples = self._examples(report.baseline) if plan.examples else []
        return replace(
            report,
            rows=[*report.rows, *self._group_rows(report.baseline if plan.compares else None)],
            gates=gates,
            notices=[*report.notices, *warnings],
            examples=examples,
            examples_metric=plan.metrics[0].name if examples else None,
        )

    def _metrics(self, by_metric: Sequence[Floats]) -> Iterable[tuple[AnyMetric, Floats, Signature]]:
        return zip(self.plan.metrics, by_metric, self.signatures, strict=True)

    def _row(self, system: System, metric: AnyMetric, total: Floats, signature: Signature) -> Row:
        return Row(system=system.name, file=system.file, score=metric.result(total, signature))

    def _rows(self, resampled: Floats | None) -> list[Row]:
        """Return a row for each system and metric; sample s * M + m is system s under metric m."""
        rows = [
            self._row(system, metric, total, signature)
            for system, totals in zip(self.systems, self.found.totals, strict=True)
            for metric, total, signature in self._metrics(totals)
        ]
        if resampled is None:
            return rows
        return [
            replace(row, score=replace(row.score, interval=interval(scores)))
            for row, scores in zip(rows, resampled, strict=True)
        ]

    def _group_rows(self, baseline: str | None) -> list[Row]:
        """Return a row for every label of every column of metadata, with its difference to a baseline's."""
        rows: list[Row] = []
        for column, labels in self.plan.groups.items():
            numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
            group = np.array([numbers[label] for label in labels])
            sizes = np.bincount(group)
            sums = [[_sums(values, group) for values in by_metric] for by_metric in self.found.rows]
            rows += [
                replace(
                    self._row(system, metric, totals[number], signature),
                    group={column: label},
                    segments=int(sizes[number]),
                )
                for label, number in numbers.items()
                for system, by_metric in zip(self.systems, sums, strict=True)
                for metric, totals, signature in self._metrics(by_metric)
            ]
        return rows if baseline is None else _with_deltas(rows, baseline)

    def _examples(self, baseline: str | None) -> list[Example]:
        """Return the worst segments of one system, or those that differ most from the baseline."""
        metric = self.plan.metrics[0].for_segments()
        scores = np.array([metric.score(by_metric[0]) for by_metric in self.found.rows])
        names = [system.name for system in self.systems]
        first = names.index(baseline) if baseline else 0
        shown = [first, *(index for index in range(len(names)) if index != first)]
        order = np.argsort(_interest(scores[shown], metric.better), kind="stable")
        return [
            Example(
                segment=self.found.numbers[index],
                scores={names[s]: float(scores[s, index]) for s in shown},
                hypotheses={names[s]: self.found.texts[index][0][s] for s in shown},
                references=self.found.texts[index][1],
            )
            for index in order[: self.plan.examples]
        ]


def _with_deltas(rows: Sequence[Row], baseline: str) -> list[Row]:
    """Return rows of groups, compared with the baseline's row of the same group and metric."""
    start = {(str(row.group), row.score.name): row.score.score for row in rows if row.system == baseline}
    return [
        row
        if row.system == baseline
        else replace(
            row,
            comparison=Comparison(
                baseline=baseline,
                delta=row.score.score - start[str(row.group), row.score.name],
                p_value=None,
                significant=None,
                p_holm=None,
            ),
        )
        for row in rows
    ]


def _sums(statistics: Floats, group: Integers) -> Floats:
    """Return the sums of the rows of each group, shape (groups, K)."""
    sums = np.zeros((int(group.max()) + 1, statistics.shape[1]))
    np.add.at(sums, group, statistics)
    return sums


def _judged(report: Report, plan: Plan) -> tuple[list[Gate], list[Notice]]:
    """Return the outcome of the plan's gates, if it has any."""
    if not plan.limits and not plan.regression:
        return [], []
    from mtscore.gates import judge  # noqa: PLC0415  # start-up counts, and few runs have gates

    return judge(report, plan.limits, regression=plan.regression)


def _interest(scores: Floats, better: Better) -> Floats:
    """Return by what to sort segments: the score of one system, the change of two, the widest of several."""
    worth = scores if better == "higher" else -scores
    change = worth[1:] - worth[0]
    interest: Floats = worth[0]
    if len(change) == 1:
        interest = change[0]
    elif len(change) > 1:
        interest = -np.abs(change).max(axis=0)
    return interest


@dataclass(frozen=True, slots=True)
class _Tests:
    """Test pairs of systems as the plan says; sample s * M + m is system s under metric m."""

    plan: Plan
    samples: Sequence[Sample]
    resampled: Floats | None
    progress: Progress | None

    def p_values(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """Return the p-value of each pair of samples."""
        if self.plan.test == "bs" and self.resampled is not None:
            return paired_bootstrap(self.resampled, [sample.observed() for sample in self.samples], pairs)
        return approximate_randomisation(
            self.samples, pairs, trials=self.plan.trials, seed=self.plan.seed, progress=self.progress
        )

    def compared(self, report: Report) -> Report:
        """Compare every other system with the baseline, metric by metric."""
        baseline, rows = report.baseline or "", list(report.rows)
        start = {row.score.name: index for index, row in enumerate(rows) if row.system == baseline}
        pairs = [(start[row.score.name], index) for index, row in enumerate(rows) if row.system != baseline]
        p_values: Sequence[float | None] = [None] * len(pairs)
        corrected = p_values
        if self.plan.test:
            tested = self.p_values(pairs)
            p_values, corrected = tested, holm(tested)
        for (first, index), p, p_holm in zip(pairs, p_values, corrected, strict=True):
            comparison = Comparison(
                baseline=baseline,
                delta=rows[index].score.score - rows[first].score.score,
                p_value=p,
                significant=None if p is None else p < self.plan.alpha,
                p_holm=p_holm,
            )
            rows[index] = replace(rows[index], comparison=comparison)
        return replace(report, rows=rows)

    def ranked(self, report: Report) -> Report:
        """Test every pair of systems and give ranks; rows go from the best system to the worst."""
        width, systems = len(self.plan.metrics), report.systems
        indices = list(combinations(range(len(systems)), 2))
        tested = self.p_values([(a * width + m, b * width + m) for m in range(width) for a, b in indices])
        pairs: list[Pair] = []
        groups: list[Cluster] = []
        ranks: dict[tuple[str, str], tuple[int, int]] = {}
        for m, metric in enumerate(self.plan.metrics):
            name, better = metric.name, metric.better
            scores = {row.system: row.score.score for row in report.rows if row.score.name == name}
            own = all_pairs(name, scores, tested[m * len(indices) : (m + 1) * len(indices)])
            pairs += own
            groups += clusters(name, better, scores, own, self.plan.alpha)
            ranges = rank_ranges(systems, better, own, self.plan.alpha)
            ranks |= {(system, name): places for system, places in ranges.items()}
        rows = [replace(row, rank=ranks[row.system, row.score.name]) for row in report.rows]
        return replace(report, rows=_best_first(rows, width), pairs=pairs, clusters=groups)


def _best_first(rows: Sequence[Row], width: int) -> list[Row]:
    """Sort systems, of `width` rows each, by their first metric."""
    sign = -1 if rows[0].score.better == "higher" else 1
    blocks = [rows[start : start + width] for start in range(0, len(rows), width)]
    return [row for block in sorted(blocks, key=lambda block: sign * block[0].score.score) for row in block]
