"""`mtscore reproduce`: whether a published number, or a report, comes out again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from mtscore.cli.arguments import rewrite
from mtscore.cli.options import (
    Command,
    argument,
    arities,
    format_option,
    grouped,
    inputs,
    positive,
    store_options,
)

EXAMPLES = """
mtscore reproduce 'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.0.0 = 28.3' ref.de -i hyp.de
mtscore reproduce BLEU+case.lc+numrefs.1+smooth.exp+tok.intl+version.1.4.14 --published 29.1 ref.de -i hyp.de
mtscore reproduce 'BLEU+c.mixed+l.en-de+#.1+s.exp+t.wmt17+tok.13a+v.1.4.14 = 28.3' -i hyp.de
mtscore reproduce scores.txt ref.de -i hyp.de
mtscore reproduce report.json
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceOptions:
    """Hold the options as the user gave them; None and empty mean not given."""

    claim: str
    words: tuple[str, ...]
    input: tuple[str, ...]
    reference: tuple[str, ...]
    num_refs: int | None
    encoding: str | None
    published: str | None
    tokenize: str | None
    form: str
    cache: str | None
    offline: bool


class ReproduceCommand(Command):
    """The command whose `-i` takes several words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Rewrite the words by mtscore's grammar, then read them as click does."""
        return super().parse_args(ctx, rewrite(args, arities(self)))


claims = grouped("The claim")


@click.command(
    "reproduce",
    cls=ReproduceCommand,
    examples=EXAMPLES,
    help="""Tell whether a published score comes out again, and if not, what else would give it.

    CLAIM is a score line of mtscore or sacreBLEU as it stands in a paper or a log (quote it); a
    signature, with --published; or a file: score lines, JSON, or a report (mtscore score -o
    report.json). A claim that names its test set needs no reference, and a report knows its files.

    The exit code is 0 if every score, and what stands behind one of BLEU, comes out at its printed
    precision, and 1 if not. Intervals and p-values are compared in reports only.""",
)
@argument("claim")
@argument("words", nargs=-1, metavar="[REFERENCE...]")
@claims("--published", metavar="NUMBER", help="The score, where the signature stands alone.")
@claims("-tok", "--tokenize", metavar="spm:PATH", help="The model that a signature knows by its digest only.")
@inputs("-i", "--input", multiple=True, metavar="FILE...", help="Hypotheses, a file a system; - is stdin.")
@inputs("-r", "--reference", multiple=True, metavar="FILE", help="A reference; may stand anywhere.")
@inputs("-nr", "--num-refs", type=int, callback=positive, metavar="N", help="Columns of references (1).")
@inputs("-e", "--encoding", metavar="NAME", help="Of all files (utf-8).")
@store_options
@format_option()
def command(**values: Any) -> int:
    """Tell whether a claim is true."""
    from mtscore.cli.reproduction import execute  # noqa: PLC0415  # --help needs nothing of it

    return execute(ReproduceOptions(**values))
