"""The course of `mtscore score`: options become metrics, inputs and a plan, and the report becomes output."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from mtscore.cli import DONE, NO, messages
from mtscore.cli.inputs import open_inputs
from mtscore.cli.metrics import build_metrics
from mtscore.cli.output import Output
from mtscore.cli.progress import progress_bar
from mtscore.errors import UsageError
from mtscore.evaluate import Plan, check_level, evaluate
from mtscore.metrics.base import CHUNK_SEGMENTS
from mtscore.significance import check_trials
from mtscore.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from mtscore.cli.score import ScoreOptions
    from mtscore.gates import Limit
    from mtscore.metrics.base import AnyMetric
    from mtscore.results import Report


def execute(options: ScoreOptions) -> int:
    """Run one evaluation from options to output and return the exit code."""
    if options.list_sets or options.download or options.echo or options.citation:
        from mtscore.cli import legacy  # noqa: PLC0415  # as the store: rarely needed, slow to import

        return legacy.answer(options)
    if not _needs_store(options):
        return _score(options)
    from mtscore.cli.store import open_store  # noqa: PLC0415

    with open_store(options.cache, offline=options.offline, quiet=options.quiet):
        return _score(options)


def _needs_store(options: ScoreOptions) -> bool:
    """Return whether files from the cache or the network may be used: test sets or tokenizer models."""
    tokenize = (options.tokenize or "").partition(":")[0]
    builtin = tokenize in TOKENIZERS and TOKENIZERS[tokenize].extra is None
    return bool(options.test_set or options.like or (tokenize and not builtin))


def _score(options: ScoreOptions) -> int:
    output = Output.of(options)
    report = evaluated(options, digest=output.identifies_inputs)
    output.show(report)
    messages.notices(report.notices, quiet=options.quiet, verbose=options.verbose)
    messages.failed_gates(report.gates)
    failures = [notice for notice in report.notices if options.strict and notice.level == "warning"]
    if options.quiet:
        messages.notices(failures, quiet=False, verbose=False)
    return DONE if report.passed and not failures else NO


def evaluated(options: ScoreOptions, *, digest: bool = False) -> Report:
    """Return the report that options ask for; with `digest` it identifies its inputs."""
    metrics, notices = build_metrics(options)
    plan = _plan(options, metrics)
    with open_inputs(options, digest=digest) as inputs:
        plan = replace(plan, facts=inputs.facts, groups=inputs.groups)
        with progress_bar(quiet=options.quiet) as progress:
            report = evaluate(
                inputs.systems,
                inputs.reference_names,
                inputs.lockstep.chunks(CHUNK_SEGMENTS),
                plan,
                progress=progress,
            )
        return inputs.described(report, notices)


def _plan(options: ScoreOptions, metrics: list[AnyMetric]) -> Plan:
    test, trials = _test(options)
    # Which groups there are is known once inputs are read, and perhaps fetched.
    check_level(groups=bool(options.groups or options.detail), sentence_level=options.sentence_level)
    if options.confidence:
        check_trials(options.confidence_n, "-cin/--confidence-n")
    return Plan(
        metrics=metrics,
        sentence_level=options.sentence_level,
        resamples=options.confidence_n if options.confidence else 0,
        test=test,
        trials=trials,
        seed=options.seed,
        baseline=options.baseline,
        all_pairs=options.all_pairs,
        alpha=options.alpha,
        limits=_limits(options, metrics),
        regression=options.fail_on_regression,
        examples=options.examples,
        force=options.force,
        jobs=options.jobs or sys.maxsize,  # never more than there are processors
    )


def _limits(options: ScoreOptions, metrics: list[AnyMetric]) -> list[Limit]:
    if not options.fail_under and not options.fail_over and not options.max_drop:
        return []
    from mtscore.gates import parse_limits  # noqa: PLC0415  # start-up counts, and few runs have gates

    directions = {metric.name: metric.better for metric in metrics}
    return [
        *parse_limits("fail-under", options.fail_under, directions),
        *parse_limits("fail-over", options.fail_over, directions),
        *parse_limits("max-drop", options.max_drop, directions),
    ]


def _test(options: ScoreOptions) -> tuple[Literal["ar", "bs"] | None, int]:
    """Return the test and its trials; gates and ranks imply approximate randomisation."""
    if options.paired_ar and options.paired_bs:
        raise UsageError("choose one test", where="-par, -pbs")
    if options.paired_bs:
        check_trials(options.paired_bs_n, "-pbsn/--paired-bs-n")
        return "bs", options.paired_bs_n
    if options.paired_ar or options.all_pairs or options.fail_on_regression:
        check_trials(options.paired_ar_n, "-parn/--paired-ar-n")
        return "ar", options.paired_ar_n
    return None, 0
