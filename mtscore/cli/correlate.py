"""`mtscore correlate`: hold metrics against human judgements."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from mtscore.cli import stdin
from mtscore.cli.diagnostics import Output, output_options, read_columns
from mtscore.cli.layout import lay_out
from mtscore.cli.options import Command, argument, grouped, one_of
from mtscore.errors import UsageError
from mtscore.report.rows import message, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.diagnostics.correlate import Agreement, Judgements
    from mtscore.diagnostics.judgements import Join
    from mtscore.notices import Notice
    from mtscore.results import Pair

EXAMPLES = """
mtscore correlate table.csv --human score
mtscore correlate systems.tsv --human z --metric BLEU --metric TER -ci
mtscore score ref.en -i hyp.*.en -m bleu chrf ter -sl -f tsv > scores.tsv
mtscore correlate scores.tsv --human-file wmt22.zh-en.seg.csv --human Z.SCR --group segment
mtscore correlate scores.tsv --human-file wmt22.zh-en.seg.csv --human Z.SCR -perm
"""
REASONS = {
    "few_rows": "with fewer than 3 rows",
    "constant_human": "with equal human scores",
    "constant_metric": "with equal metric scores",
}
NAMED = 5
"""How many systems a line names."""

columns, what, chance = (
    grouped("Tables and columns"),
    grouped("What to compute"),
    grouped("How much is chance"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Hold the options as the user gave them."""

    scores: str | None
    human_file: str | None
    human: str | None
    system: str | None
    segment: str | None
    metrics: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    group: Any
    confidence: bool
    confidence_n: int
    permutation: bool
    permutation_n: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hold everything there is to print."""

    judgements: Judgements
    join: Join | None
    agreements: Sequence[Agreement]
    pairs: Sequence[Pair]
    notices: Sequence[Notice]


@click.command(
    cls=Command,
    name="correlate",
    examples=EXAMPLES,
    help="""How well do metric scores agree with human judgements?

    SCORES is a table with column names and a row a system, or a row a segment of a system; its delimiter
    (tab, comma, semicolon, blanks) is found out. Every column that is neither system, segment nor human
    score is a metric, unless --metric chooses. Or SCORES is what `mtscore -f tsv` printed (with -sl by
    segment), and the human scores stand in a --human-file, joined by system and segment. A running number
    behind a system's name there is ignored where needed: Online-B.5 meets Online-B.

    Pearson's r, Spearman's rho and Kendall's tau-b, and the RMSE that a straight-line fit to the human scale
    leaves. Of systems also pairwise accuracy: the share of system pairs that the metric orders as people
    do, without pairs tied in the human scores, a tie of the metric alone being wrong. Where lower is better
    (TER, WER, --lower-is-better) the sign is reversed first: positive always means agreement.

    --group segment takes the mean of each segment's correlation across systems. Groups with fewer than
    three rows or with equal scores throughout have no correlation: they are left out and counted.
    """,
)
@argument("scores", required=False)
@columns("--human-file", metavar="FILE", help="The table with the human scores, if it is another one.")
@columns("--human", metavar="COLUMN", help="The human scores (human).")
@columns("--system", metavar="COLUMN", help="The systems' names (system or SYS).")
@columns("--segment", metavar="COLUMN", help="The segments (segment, seg or SID).")
@columns("-m", "--metric", "metrics", multiple=True, metavar="COLUMN", help="A metric; repeatable (all).")
@columns("--lower-is-better", multiple=True, metavar="COLUMN", help="A metric like TER and WER; repeatable.")
@what(
    "--group",
    default="no",
    callback=one_of(["no", "segment", "system"]),
    metavar="no|segment|system",
    help="Mean of the correlations within each segment or system; no: over all rows (default).",
)
@chance("-ci", "--confidence", is_flag=True, help="95 % bootstrap intervals, over rows (or groups).")
@chance("-cin", "--confidence-n", type=int, default=1000, metavar="N", help="Resamples (1000).")
@chance(
    "-perm",
    "--permutation",
    is_flag=True,
    help="Do two metrics differ? Paired permutation test for every two (PERM-BOTH): both standardised,"
    " their scores swapped row by row.",
)
@chance("-permn", "--permutation-n", type=int, default=1000, metavar="N", help="Trials (1000).")
@chance("--seed", type=int, default=12345, metavar="N", help="Seed of the random numbers (12345).")
@output_options
def command(output: Output, **options: Any) -> int:
    """Compute agreement."""
    from mtscore.diagnostics.correlate import compare_metrics, correlate  # noqa: PLC0415  # numpy is slow
    from mtscore.significance import check_trials  # noqa: PLC0415

    asked = Options(**options)
    if asked.confidence:
        check_trials(asked.confidence_n, "--confidence-n")
    judgements, joined, notices = _read(asked, output)
    resamples = asked.confidence_n if asked.confidence else 0
    answer = Answer(
        judgements=judgements,
        join=joined,
        agreements=correlate(judgements, group=asked.group, resamples=resamples, seed=asked.seed),
        pairs=compare_metrics(judgements, group=asked.group, trials=asked.permutation_n, seed=asked.seed)
        if asked.permutation
        else [],
        notices=notices,
    )
    output.show(lambda: _text(answer, asked, output), lambda: _json(answer, output), notices)
    return 0


def _read(asked: Options, output: Output) -> tuple[Judgements, Join | None, tuple[Notice, ...]]:
    from mtscore.diagnostics.judgements import Names, from_table, join  # noqa: PLC0415
    from mtscore.diagnostics.tables import parse_table  # noqa: PLC0415

    if asked.scores is None:
        raise UsageError("no table of scores", hint="mtscore correlate SCORES --human COLUMN")
    stdin.check([asked.scores, asked.human_file], "a table")
    names = Names(
        system=asked.system,
        segment=asked.segment,
        human=asked.human,
        metrics=asked.metrics,
        lower_is_better=asked.lower_is_better,
    )
    scores = parse_table(read_columns(asked.scores, output), asked.scores)
    if asked.human_file is None:
        return from_table(scores, names), None, ()
    return join(scores, parse_table(read_columns(asked.human_file, output), asked.human_file), names)


def _text(answer: Answer, asked: Options, output: Output) -> list[str]:
    judgements = answer.judgements
    rows = {"system": "systems", "segment": "segments of systems", None: "rows"}[judgements.level]
    group = "" if asked.group == "no" else f", mean over {asked.group}s"
    table = _intervals(answer, output) if asked.confidence else _table(answer, output)
    return [
        f"Agreement with {judgements.human_name}: {len(judgements.human)} {rows}{group}",
        "",
        *table,
        *_paired_lines(answer, asked, output),
        "",
        *_remarks(answer, asked),
        *_joined(answer.join),
        _common_signature(answer, output),
    ]


def _titles(answer: Answer) -> dict[str, str]:
    """Return the measures there are, with their titles."""
    from mtscore.diagnostics.agreement import MEASURES  # noqa: PLC0415

    return {row.coefficient: MEASURES[row.coefficient].title for row in answer.agreements}


def _table(answer: Answer, output: Output) -> list[str]:
    """Return a line a metric."""
    titles = _titles(answer)
    values: dict[tuple[str, str], str] = {
        (row.metric, row.coefficient): output.number(row.score, 3) for row in answer.agreements
    }
    rows = [
        [_marked(metric, answer), *(values[metric, coefficient] for coefficient in titles)]
        for metric in answer.judgements.metrics
    ]
    return lay_out(["Metric", *titles.values()], rows)


def _intervals(answer: Answer, output: Output) -> list[str]:
    """Return a line a metric and measure, with its interval."""
    titles = _titles(answer)
    rows = []
    for row in answer.agreements:
        interval = "undefined"
        if row.interval is not None:
            interval = f"{output.number(row.interval.low, 3)} to {output.number(row.interval.high, 3)}"
        rows.append(
            [
                _marked(row.metric, answer),
                titles[row.coefficient],
                output.number(row.score, 3),
                interval,
            ]
        )
    return lay_out(["Metric", "Measure", "Value", "95 % interval"], rows, left=2)


def _marked(metric: str, answer: Answer) -> str:
    return f"{metric} ↓" if answer.judgements.lower(metric) else metric


def _paired_lines(answer: Answer, asked: Options, output: Output) -> list[str]:
    """Return the tests of every two metrics."""
    if not answer.pairs:
        return []
    titles = _titles(answer)
    rows = [
        [
            f"{pair.b} - {pair.a}",
            titles[pair.name],
            f"{'+' if pair.delta >= 0 else ''}{output.number(pair.delta, 3)}",
            f"{pair.p_value:.4f}",
            f"{pair.p_holm:.4f}",
        ]
        for pair in answer.pairs
    ]
    return [
        "",
        *lay_out(["Difference", "Measure", "Value", "p", "p (Holm)"], rows, left=2),
        "",
        f"p: paired permutation (PERM-BOTH), two-sided, {asked.permutation_n} trials, seed {asked.seed}.",
        "Holm: corrected for the number of differences under one measure.",
    ]


def _remarks(answer: Answer, asked: Options) -> list[str]:
    """Return what a reader has to know about the numbers."""
    lines = []
    if lower := [metric for metric in answer.judgements.metrics if answer.judgements.lower(metric)]:
        lines.append(
            f"↓ Lower is better: the sign of {', '.join(lower)} is reversed; positive means agreement."
        )
    if asked.confidence:
        drawn = "rows" if asked.group == "no" else f"{asked.group}s"
        lines.append(f"Intervals: {asked.confidence_n} bootstrap resamples of {drawn}, seed {asked.seed}.")
    lines += dict.fromkeys(_left_out(row) for row in answer.agreements if row.left_out is not None)
    for row in answer.agreements:
        if row.undefined:
            lines.append(
                f"{row.metric}, {row.coefficient}: {row.undefined} resamples without a value left out."
            )
    for row in answer.agreements[-1:]:
        if row.pairs is not None:
            lines.append(
                f"Accuracy: of {row.pairs} pairs; {row.tied_pairs} tied in the human scores left out."
            )
    return [*lines, ""] if lines else []


def _left_out(row: Agreement) -> str:
    """Return how many groups count for a metric, and why others do not."""
    left_out = [f"{count} {REASONS[reason]}" for reason, count in (row.left_out or {}).items() if count]
    return f"{row.metric}: {row.groups} groups" + (f"; left out: {', '.join(left_out)}." if left_out else ".")


def _joined(join: Join | None) -> list[str]:
    """Return what came of joining two tables."""
    if join is None:
        return []
    left = f"without counterpart: scores {join.scores_left}, human scores {join.humans_left}"
    lines = [f"Joined {join.rows} rows; {left}."]
    if join.renamed:
        old, new = next(iter(join.renamed.items()))
        lines.append(f"Systems met without their running number: {len(join.renamed)}, such as {old} = {new}.")
    for what_lacks, systems in (
        ("score", join.systems_without_score),
        ("human score", join.systems_without_human),
    ):
        if systems:
            more = f" and {len(systems) - NAMED} more" if len(systems) > NAMED else ""
            lines.append(f"Systems without {what_lacks}: {', '.join(systems[:NAMED])}{more}.")
    return [*lines, ""]


def _common_signature(answer: Answer, output: Output) -> str:
    """Return the signature that all numbers share: without metric and measure, which the table names."""
    from mtscore.signature import Signature  # noqa: PLC0415

    first = answer.agreements[0].signature
    common = {key: value for key, value in first.settings.items() if key not in ("coef", "metric")}
    return output.signature(Signature(first.name, common))


def _json(answer: Answer, output: Output) -> dict[str, Any]:
    return {
        "rows": [_row(row, output) for row in answer.agreements],
        "pairs": [{**pair._asdict(), "delta": output.exact(pair.delta)} for pair in answer.pairs],
        **({} if answer.join is None else {"joined": asdict(answer.join)}),
        "messages": [message(notice) for notice in answer.notices],
    }


def _row(row: Agreement, output: Output) -> dict[str, Any]:
    from mtscore.diagnostics.agreement import MEASURES  # noqa: PLC0415

    interval = row.interval
    bounds = (
        {} if interval is None else {"mean": interval.mean, "ci_low": interval.low, "ci_high": interval.high}
    )
    return present(
        {
            "metric": row.metric,
            "coefficient": row.coefficient,
            "name": row.signature.name,
            "score": output.exact(row.score),
            "better": MEASURES[row.coefficient].better,
            "sign_reversed": row.lower_is_better,
            "signature": row.signature.format(),
            "settings": row.signature.settings,
            **{key: output.exact(value) for key, value in bounds.items()},
            "undefined_resamples": row.undefined or None,
            "rows": row.rows,
            "groups": row.groups,
            "left_out": row.left_out,
            "pairs": row.pairs,
            "tied_pairs": row.tied_pairs,
        }
    )
