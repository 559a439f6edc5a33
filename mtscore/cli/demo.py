"""`mtscore demo`: score the embedded test set and say what the numbers mean."""

from __future__ import annotations

import shlex
from contextlib import chdir

import click

from mtscore.cli import messages
from mtscore.cli.options import Command

WORDS = ("-t", "mini", "-l", "en-de", "-i", "hyp.good.de", "hyp.poor.de", "-m", "bleu", "chrf")
"""The words behind `mtscore score`; their files lie in the folder of the embedded test set."""

PAGE = """\
$ cd {folder}
$ mtscore score {words}

{table}
BLEU  share of word sequences (1 to 4 words) that the reference has too, 0-100.
chrF  the same idea on characters. Higher is better. Both compare systems on the
      SAME test set only: 30 here and 30 elsewhere mean nothing to each other.

Report the score with its signature, so that others can repeat it:
  {signature}
  1 reference, upper and lower case differ, tokenizer 13a

Your files (one sentence a line, plain text, not tokenised):
  mtscore REFERENCE.txt -i YOURS.txt
Is the difference real?   mtscore REF -i A B -par       One sentence:  mtscore explain --help
"""


@click.command(
    "demo",
    cls=Command,
    examples="mtscore demo",
    help="Score the embedded test set, two systems from English to German, and say what the numbers mean.",
)
def command() -> int:
    """Run a command line of `mtscore score`, and print it with its scores and what they mean."""
    from mtscore import assets  # noqa: PLC0415  # --help needs none of this
    from mtscore.cli.output import Output  # noqa: PLC0415
    from mtscore.cli.run import evaluated  # noqa: PLC0415
    from mtscore.cli.score import parse  # noqa: PLC0415
    from mtscore.report.captions import signatures  # noqa: PLC0415
    from mtscore.report.table import body  # noqa: PLC0415

    folder = assets.shipped() / "mini"
    options = parse(WORDS)
    with chdir(folder):
        report = evaluated(options)
    page = PAGE.format(
        folder=shlex.quote(str(folder)),
        words=shlex.join(WORDS),
        table=body(report, Output.of(options).style),
        signature=signatures(report)[0].format(),
    )
    messages.result(page)
    return 0
