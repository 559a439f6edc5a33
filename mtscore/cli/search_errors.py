"""`mtscore search-errors`: tell errors of the search from errors of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mtscore.cli import stdin
from mtscore.cli.diagnostics import Output, output_options, read_columns, read_text
from mtscore.cli.layout import lay_out
from mtscore.cli.options import Command, argument, grouped, non_negative, one_of
from mtscore.errors import UsageError, counted
from mtscore.report.rows import message, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mtscore.arrays import Floats
    from mtscore.diagnostics.search_errors import SearchErrors, Share, Side
    from mtscore.diagnostics.tables import Table

EXAMPLES = """
mtscore search-errors --ref-logprob ref.lp --hyp-logprob hyp.lp
mtscore search-errors scores.tsv --wrong -n 5
mtscore search-errors scores.tsv --base 2 --length-norm divide -f json
"""
LENGTH_NORM = ["no", "divide", "given"]
SIDES, ROLES = ("ref", "hyp"), ("logprob", "text", "tokens")
"""What there may be values of, as options and columns call it: `ref_logprob` and so on."""

values, choice, sample = (
    grouped("Values (files, a line a segment; with TABLE: its columns)"),
    grouped("Which segments count"),
    grouped("Segments to show"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Hold the options as the user gave them."""

    table: str | None
    ref_logprob: str | None
    hyp_logprob: str | None
    ref_text: str | None
    hyp_text: str | None
    ref_tokens: str | None
    hyp_tokens: str | None
    score: str | None
    base: str
    probabilities: bool
    length_norm: str
    wrong: bool
    below: float | None
    examples: int
    order: Any
    fault: Any


@dataclass(frozen=True, slots=True)
class Source:
    """Find values by their role: in columns of a table, or each in a file of its own."""

    table: Table | None
    output: Output

    @classmethod
    def open(cls, path: str | None, output: Output) -> Source:
        """Read the table, if there is one."""
        from mtscore.diagnostics.tables import parse_table  # noqa: PLC0415

        return cls(None if path is None else parse_table(read_columns(path, output), path), output)

    def texts(self, role: str, named: str | None) -> list[str] | None:
        """Return the texts of a role; None if there is no such file or column and none was named."""
        if self.table is None:
            return None if named is None else read_text(named, self.output)
        column = named or (role if role in self.table.columns else None)
        return None if column is None else self.table.texts(column)

    def numbers(self, role: str, named: str | None) -> Floats | None:
        """Return the numbers of a role, if it has any."""
        from mtscore.diagnostics.values import parse_numbers  # noqa: PLC0415

        texts = self.texts(role, named)
        return None if texts is None else parse_numbers(texts, lambda index: self.where(index, role, named))

    def where(self, index: int, role: str, named: str | None) -> str:
        """Return the place of a value for a message."""
        if self.table is None:
            return f"{named}:{index + 1}"
        return f"{self.table.where(index)}, column {named or role}"


@click.command(
    cls=Command,
    name="search-errors",
    examples=EXAMPLES,
    help="""Is the search or the model to blame for wrong output?

    For each segment, compare the model's log-probability of the reference y* with that of the system's
    output ŷ. If P(y*|x) > P(ŷ|x), the model would have preferred the reference and the search missed it;
    otherwise the model is at fault, also where both are exactly equal (ties are counted). Shares come with
    a 95 % Wilson interval.

    Values stand in two files, or in one TABLE: its first line names the columns, by default ref_logprob,
    hyp_logprob, ref_text, hyp_text, ref_tokens, hyp_tokens and score. Compare what the search maximised:
    with --length-norm, log-probabilities per token.
    """,
)
@argument("table", required=False)
@values("--ref-logprob", metavar="FILE|COLUMN", help="log P(y*|x), of the references.")
@values("--hyp-logprob", metavar="FILE|COLUMN", help="log P(ŷ|x), of the outputs.")
@values("--ref-text", metavar="FILE|COLUMN", help="The references' texts.")
@values("--hyp-text", metavar="FILE|COLUMN", help="The outputs' texts.")
@values("--ref-tokens", metavar="FILE|COLUMN", help="The references' numbers of tokens.")
@values("--hyp-tokens", metavar="FILE|COLUMN", help="The outputs' numbers of tokens.")
@values("--score", metavar="FILE|COLUMN", help="A score each, for --below (mtscore -sl -b).")
@values("--base", default="e", metavar="e|2|10", help="Base of the logarithms (e); it moves no count.")
@values("--probabilities", is_flag=True, help="Values are probabilities from 0 to 1, not logarithms.")
@values(
    "--length-norm",
    default="no",
    callback=one_of(LENGTH_NORM),
    metavar="no|divide|given",
    help="no: compare log-probabilities of whole segments (default); divide: by the numbers of tokens;"
    " given: values are per token already.",
)
@choice("--wrong", is_flag=True, help="Only segments whose output differs from the reference.")
@choice("--below", type=float, metavar="X", help="Only segments with a score below X.")
@sample("-n", "--examples", type=int, default=0, callback=non_negative, metavar="N", help="Show N segments.")
@sample(
    "--order",
    default="worst",
    callback=one_of(["worst", "first"]),
    metavar="worst|first",
    help="worst: those whose two values are furthest apart (default); first: in the order of the text.",
)
@sample(
    "--fault",
    callback=one_of(["search", "model"]),
    metavar="search|model",
    help="Only those where this one is at fault.",
)
@output_options
def command(output: Output, **options: Any) -> int:
    """Count search errors."""
    from mtscore.diagnostics.search_errors import search_errors  # noqa: PLC0415  # numpy is slow to import

    asked = Options(**options)
    _check(asked)
    source = Source.open(asked.table, output)
    reference, hypothesis = _read_side(source, "ref", asked), _read_side(source, "hyp", asked)
    scores = source.numbers("score", asked.score)
    result = search_errors(
        reference,
        hypothesis,
        base=asked.base,
        probabilities=asked.probabilities,
        normalised=asked.length_norm == "given",
        wrong=asked.wrong,
        below=asked.below,
        scores=scores,
    )
    shown = result.examples(asked.examples, order=asked.order, fault=asked.fault)
    examples = [_example(result, reference, hypothesis, index) for index in shown]
    output.show(
        lambda: _text(result, examples, asked, output),
        lambda: _json(result, examples, output),
        result.notices,
    )
    return 0


def _check(asked: Options) -> None:
    values = [getattr(asked, f"{side}_{role}") for side in SIDES for role in ROLES]
    files = [*values, asked.score] if asked.table is None else [asked.table]
    stdin.check(files, "values")
    if asked.length_norm != "divide" and (asked.ref_tokens or asked.hyp_tokens):
        raise UsageError("numbers of tokens are used only to divide by", hint="add --length-norm divide")


def _read_side(source: Source, side: str, asked: Options) -> Side:
    """Return what is given of the references (`ref`) or the outputs (`hyp`)."""
    from mtscore.diagnostics.search_errors import Side  # noqa: PLC0415

    named = {role: getattr(asked, f"{side}_{role}") for role in ROLES}
    logprobs = source.numbers(f"{side}_logprob", named["logprob"])
    if logprobs is None:
        raise UsageError(
            f"no log-probabilities of the {'references' if side == 'ref' else 'outputs'}",
            where=asked.table,
            hint=f"--{side}-logprob {'FILE' if asked.table is None else 'COLUMN'}",
        )
    divide = asked.length_norm == "divide"
    lengths = source.numbers(f"{side}_tokens", named["tokens"]) if divide else None
    if divide and lengths is None:
        raise UsageError("numbers of tokens are needed to divide by", hint=f"--{side}-tokens")
    return Side(
        logprobs=logprobs,
        lengths=lengths,
        texts=source.texts(f"{side}_text", named["text"]),
        name=named["logprob"] if source.table is None else source.table.name,
        lines=None if source.table is None else source.table.lines,
    )


def _example(result: SearchErrors, reference: Side, hypothesis: Side, index: int) -> dict[str, Any]:
    """Return one segment; log-probabilities are natural ones, as they were compared."""
    return {
        "segment": index + 1,
        "fault": result.fault(index),
        "tie": bool(result.tied[index]),
        "ref_logprob": float(result.reference[index]),
        "hyp_logprob": float(result.output[index]),
        "ref_text": None if reference.texts is None else reference.texts[index],
        "hyp_text": None if hypothesis.texts is None else hypothesis.texts[index],
    }


def _json(result: SearchErrors, examples: Sequence[dict[str, Any]], output: Output) -> dict[str, Any]:
    numbers = ("ref_logprob", "hyp_logprob")
    return {
        "name": result.signature.name,
        "score": output.exact(result.search.share),
        "better": "lower",
        "signature": result.signature.format(),
        "settings": result.signature.settings,
        "segments": result.search.total,
        "left_out": len(result.judged) - result.search.total,
        "search": _share(result.search, output),
        "model": _share(result.model, output),
        "ties": result.ties,
        **({} if result.correct is None else {"correct": result.correct}),
        "examples": [
            present({**example, **{key: output.exact(example[key]) for key in numbers}})
            for example in examples
        ],
        "messages": [message(notice) for notice in result.notices],
    }


def _share(share: Share, output: Output) -> dict[str, Any]:
    return {
        "count": share.count,
        "share": output.exact(share.share),
        "ci_low": output.exact(share.low),
        "ci_high": output.exact(share.high),
    }


def _text(
    result: SearchErrors, examples: Sequence[dict[str, Any]], asked: Options, output: Output
) -> list[str]:
    rows = []
    for party, share in (("search", result.search), ("model", result.model)):
        low, high = (output.number(100 * bound, 1) for bound in (share.low, share.high))
        rows.append(
            [party, str(share.count), output.number(share.share, 1, percent=True), f"{low} to {high}"]
        )
    left = len(result.judged) - result.search.total
    remarks = [f"Exactly equal log-probabilities (the model's fault): {result.ties}"] if result.ties else []
    if result.correct:
        remarks.append(f"Outputs that are the reference (--wrong leaves them out): {result.correct}")
    left_out = f", {left} left out" if left else ""
    return [
        f"{counted(result.search.total, 'segment')}{left_out} · {_compared(asked)}",
        "",
        *lay_out(["at fault", "segments", "share", "95 % interval"], rows),
        *(["", *remarks] if remarks else []),
        *_example_lines(examples, asked, output),
        "",
        output.signature(result.signature),
    ]


def _compared(asked: Options) -> str:
    """Return what was compared, in words."""
    what = {
        "no": "log-probabilities of whole segments",
        "divide": "log-probabilities per token",
        "given": "log-probabilities per token, as given",
    }[asked.length_norm]
    return f"{what} ({'from probabilities' if asked.probabilities else f'base {asked.base}'})"


def _example_lines(examples: Sequence[dict[str, Any]], asked: Options, output: Output) -> list[str]:
    if not examples:
        return []
    kind = f"{asked.order} {len(examples)}" + (f" of {asked.fault} errors" if asked.fault else "")
    lines = ["", f"The {kind}, natural log P:"]
    width = len(str(max(example["segment"] for example in examples)))
    for example in examples:
        reference, hypothesis = (output.number(example[f"{side}_logprob"], 3) for side in ("ref", "hyp"))
        fault = example["fault"] + (" (tie)" if example["tie"] else "")
        lines.append(f"{example['segment']:>{width}}  {fault}: reference {reference}, output {hypothesis}")
        texts = [(side, example[f"{side}_text"]) for side in ("ref", "hyp")]
        lines += [f"{'':{width}}    {side}  {text}" for side, text in texts if text is not None]
    return lines
